//! Numbers and strings in code.

use crate::body::{Proposal, Site};
use crate::change::{NewCode, NewConstant};
use crate::{Operator, Result, text};
use tamis_classfile::{ClassFile, Constant, Instruction, opcode};

/// What an empty string becomes.
const FILLED: &[u8] = b"mutant";

pub(super) fn propose(site: &Site<'_>, proposals: &mut Vec<Proposal>) -> Result<()> {
    let at = site.at()?;
    let class = site.body.class;
    if let Some(number) = number(class, &at)? {
        for other in number.others() {
            proposals.push(Proposal {
                operator: Operator::Constant,
                description: format!("{number} becomes {other}"),
                new: other.pushed_like(&at),
            });
        }
    } else if let Some(string) = string(class, &at)? {
        let other = if string.is_empty() { FILLED } else { b"" };
        proposals.push(Proposal {
            operator: Operator::StringConstant,
            description: format!("{} becomes {}", text::quoted(string), text::quoted(other)),
            new: NewCode::Constant(NewConstant::String(other.to_vec())),
        });
    }
    Ok(())
}

/// A number that an instruction pushes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Long(value) => write!(f, "{value}L"),
            Number::Float(value) => write!(f, "{value:?}f"),
            Number::Double(value) => write!(f, "{value:?}"),
        }
    }
}

/// The number that `at` pushes, if it pushes one.
pub(super) fn number(class: &ClassFile<'_>, at: &Instruction<'_>) -> Result<Option<Number>> {
    Ok(Some(match (at.opcode, at.operands) {
        (code @ opcode::ICONST_M1..=opcode::ICONST_5, _) => {
            Number::Int(i32::from(code) - i32::from(opcode::ICONST_0))
        }
        (code @ opcode::LCONST_0..=opcode::LCONST_1, _) => {
            Number::Long(i64::from(code - opcode::LCONST_0))
        }
        (code @ opcode::FCONST_0..=opcode::FCONST_2, _) => {
            Number::Float(f32::from(code - opcode::FCONST_0))
        }
        (code @ opcode::DCONST_0..=opcode::DCONST_1, _) => {
            Number::Double(f64::from(code - opcode::DCONST_0))
        }
        (opcode::BIPUSH, &[value]) => Number::Int(value.cast_signed().into()),
        (opcode::SIPUSH, &[high, low]) => Number::Int(i16::from_be_bytes([high, low]).into()),
        (opcode::LDC..=opcode::LDC2_W, _) => match loaded(class, at)? {
            Some(Constant::Integer(bits)) => Number::Int(bits.cast_signed()),
            Some(Constant::Long(bits)) => Number::Long(bits.cast_signed()),
            Some(Constant::Float(bits)) => Number::Float(f32::from_bits(bits)),
            Some(Constant::Double(bits)) => Number::Double(f64::from_bits(bits)),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn string<'a>(class: &ClassFile<'a>, at: &Instruction<'_>) -> Result<Option<&'a [u8]>> {
    match (at.opcode, loaded(class, at)?) {
        (opcode::LDC | opcode::LDC_W, Some(Constant::String { utf8 })) => {
            class.pool.utf8(utf8).map(Some)
        }
        _ => Ok(None),
    }
}

fn loaded<'a>(class: &ClassFile<'a>, at: &Instruction<'_>) -> Result<Option<Constant<'a>>> {
    at.constant().map(|index| class.pool.get(index)).transpose()
}

impl Number {
    /// What it becomes: one more and 0. Of 0 and 1, which may stand for false and true, the other.
    fn others(self) -> Vec<Number> {
        match self {
            Number::Int(value) => integers(value.into(), i32::MAX.into())
                .filter_map(|other| i32::try_from(other).ok().map(Number::Int))
                .collect(),
            Number::Long(value) => integers(value, i64::MAX).map(Number::Long).collect(),
            Number::Float(value) => {
                let others = floats(value.into(), f64::from(value + 1.0));
                others.map(|other| Number::Float(other as f32)).collect()
            }
            Number::Double(value) => floats(value, value + 1.0).map(Number::Double).collect(),
        }
    }

    /// Pushes it with an instruction like `at`.
    fn pushed_like(self, at: &Instruction<'_>) -> NewCode {
        let small = match self {
            Number::Int(value) => i16::try_from(value).unwrap_or_default(),
            Number::Long(value) => i16::try_from(value).unwrap_or_default(),
            Number::Float(value) => value as i16,
            Number::Double(value) => value as i16,
        };
        let [high, low] = small.to_be_bytes();
        let one = |first: u8| vec![first.wrapping_add(low)];
        NewCode::same_length(match at.opcode {
            opcode::ICONST_M1..=opcode::ICONST_5 => one(opcode::ICONST_0),
            opcode::LCONST_0..=opcode::LCONST_1 => one(opcode::LCONST_0),
            opcode::FCONST_0..=opcode::FCONST_2 => one(opcode::FCONST_0),
            opcode::DCONST_0..=opcode::DCONST_1 => one(opcode::DCONST_0),
            opcode::BIPUSH => vec![opcode::BIPUSH, low],
            opcode::SIPUSH => vec![opcode::SIPUSH, high, low],
            _ => {
                return NewCode::Constant(match self {
                    Number::Int(value) => NewConstant::Integer(value),
                    Number::Long(value) => NewConstant::Long(value),
                    Number::Float(value) => NewConstant::Float(value),
                    Number::Double(value) => NewConstant::Double(value),
                });
            }
        })
    }
}

/// The greatest values of `iconst`, `bipush`, `sipush` and of the type: one more would need another
/// instruction, so it is one less.
fn integers(value: i64, greatest: i64) -> impl Iterator<Item = i64> {
    const GREATEST: [i64; 3] = [5, i8::MAX as i64, i16::MAX as i64];
    let next = match value {
        1 => 0,
        _ if value == greatest || GREATEST.contains(&value) => value - 1,
        _ => value + 1,
    };
    [next, 0]
        .into_iter()
        .take(if matches!(value, -1..=1) { 1 } else { 2 })
}

/// `next` is one more, unless the number is too great to differ.
fn floats(value: f64, next: f64) -> impl Iterator<Item = f64> {
    let next = match value {
        1.0 => 0.0,
        2.0 => 1.0,
        _ => next,
    };
    let differs = move |other: &f64| other.to_bits() != value.to_bits() && *other != value;
    let zero = (next != 0.0).then_some(0.0);
    let next = Some(next).filter(|next| !next.is_nan());
    next.into_iter().chain(zero).filter(differs)
}
