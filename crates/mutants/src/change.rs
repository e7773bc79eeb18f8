//! Changes of a class file's bytes that mutants make.

use crate::{Error, Result};
use tamis_classfile::edit::{self, MethodEdit, PoolBuilder};
use tamis_classfile::{ClassFile, Code, Member, opcode};

/// What a mutant changes. Indexes count from the start of the class file's tables.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// The instruction at `pc` of a method, which is `old`, makes room for `new`.
    Code {
        method: usize,
        pc: u16,
        old: Vec<u8>,
        new: NewCode,
    },
    /// A method is removed.
    Method(usize),
    /// An interface is no longer implemented.
    Interface(usize),
}

/// Code in the place of one instruction; it needs no more of the operand stack than that one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NewCode {
    /// Whole instructions that branch nowhere.
    Bytes {
        /// Those that make the method longer.
        before: Vec<u8>,
        /// Those that take the place of the old one; where they are shorter, `nop` fills up.
        instead: Vec<u8>,
    },
    /// The same instruction, one of the `ldc` family, with another constant.
    Constant(NewConstant),
}

/// A constant that is added to the pool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NewConstant {
    Integer(i32),
    Float(f32),
    Long(i64),
    Double(f64),
    /// In modified UTF-8.
    String(Vec<u8>),
}

/// The most indexes of the pool that a new constant takes.
const SLOTS: u16 = 2;

impl NewCode {
    /// An instruction of the same length.
    pub(crate) fn same_length(instead: impl Into<Vec<u8>>) -> NewCode {
        NewCode::Bytes {
            before: Vec::new(),
            instead: instead.into(),
        }
    }

    /// Whether the format has room for this in the place of `old` at `pc`.
    pub(crate) fn fits(
        &self,
        class: &ClassFile<'_>,
        code: &Code<'_>,
        pc: u16,
        old: usize,
    ) -> Result<bool> {
        let before = match self {
            NewCode::Constant(_) if class.pool.count() > u16::MAX - SLOTS => return Ok(false),
            NewCode::Constant(_) if old == SHORT_LDC => &[opcode::NOP; LONG_LDC],
            NewCode::Constant(_) => return Ok(true),
            NewCode::Bytes { before, .. } => before.as_slice(),
        };
        match before {
            [] => Ok(true),
            _ => edit::has_room(code, &MethodEdit::default(), &[(pc, before)]),
        }
    }

    /// The bytes to insert, and those in the place of the instruction `old`.
    fn resolve(&self, old: &[u8], pool: &mut PoolBuilder) -> Result<(Vec<u8>, Vec<u8>)> {
        let constant = match self {
            NewCode::Bytes { before, instead } => return Ok((before.clone(), instead.clone())),
            NewCode::Constant(constant) => constant.add(pool)?,
        };
        let [high, low] = constant.to_be_bytes();
        Ok(match (old, high) {
            ([opcode::LDC, _], 0) => (vec![], vec![opcode::LDC, low]),
            ([opcode::LDC, _], _) => (vec![opcode::LDC_W, high, low], vec![]),
            ([long @ (opcode::LDC_W | opcode::LDC2_W), _, _], _) => {
                (vec![], vec![*long, high, low])
            }
            _ => return Err(ANOTHER),
        })
    }
}

const SHORT_LDC: usize = 2;
const LONG_LDC: usize = 3;

impl NewConstant {
    fn add(&self, pool: &mut PoolBuilder) -> Result<u16> {
        match self {
            NewConstant::Integer(value) => pool.integer(*value),
            NewConstant::Float(value) => pool.float(*value),
            NewConstant::Long(value) => pool.long(*value),
            NewConstant::Double(value) => pool.double(*value),
            NewConstant::String(text) => pool.string(text),
        }
    }
}

/// What is changed is not there.
const ANOTHER: Error = Error::Malformed {
    at: 0,
    what: "mutant of another class",
};

impl Change {
    /// The class file with the change.
    pub(crate) fn apply(&self, class: &ClassFile<'_>) -> Result<Vec<u8>> {
        match self {
            Change::Code {
                method,
                pc,
                old,
                new,
            } => replace(class, *method, *pc, old, new),
            Change::Method(index) => remove_method(class, *index),
            Change::Interface(index) => remove_interface(class, *index),
        }
    }
}

fn replace(
    class: &ClassFile<'_>,
    method: usize,
    pc: u16,
    old: &[u8],
    new: &NewCode,
) -> Result<Vec<u8>> {
    let member = method_at(class, method)?;
    let code = class.code(&member)?.ok_or(ANOTHER)?;
    let start = code.code_offset + usize::from(pc);
    let is_it = code
        .code
        .get(usize::from(pc)..)
        .is_some_and(|rest| rest.starts_with(old));
    let mut pool = PoolBuilder::new(class);
    let (before, instead) = new.resolve(old, &mut pool)?;
    let mut bytes = class.bytes.to_vec();
    let place = bytes.get_mut(start..start + old.len());
    let place = place.filter(|_| is_it).ok_or(ANOTHER)?;
    place.fill(opcode::NOP);
    let place = place.get_mut(..instead.len()).ok_or(ANOTHER)?;
    place.copy_from_slice(&instead);
    let class = ClassFile::parse(&bytes)?;
    match before.as_slice() {
        [] => edit::apply(&class, pool, &[]),
        before => {
            let edit = MethodEdit::default();
            edit::apply_inside(&class, pool, &[(method, edit, vec![(pc, before)])])
        }
    }
}

/// The method with this index.
pub(crate) fn method_at<'a>(class: &ClassFile<'a>, index: usize) -> Result<Member<'a>> {
    class.methods().nth(index).ok_or(ANOTHER)?
}

fn remove_method(class: &ClassFile<'_>, index: usize) -> Result<Vec<u8>> {
    let start = method_at(class, index)?.offset;
    let end = match class.methods().nth(index + 1) {
        Some(next) => next?.offset,
        None => class.attributes().offset,
    };
    remove(class, class.methods().offset, start, end)
}

fn remove_interface(class: &ClassFile<'_>, index: usize) -> Result<Vec<u8>> {
    const INDEX: usize = 2;
    let count = class.interface_names().count();
    if index >= count {
        return Err(ANOTHER);
    }
    // The interfaces stand before the fields, their number before them.
    let table = class.fields().offset - count * INDEX;
    let start = table + index * INDEX;
    remove(class, table - INDEX, start, start + INDEX)
}

/// The class file without what stands from `start` to `end`, an entry of the table whose number of
/// entries stands at `count`.
fn remove(class: &ClassFile<'_>, count: usize, start: usize, end: usize) -> Result<Vec<u8>> {
    let mut bytes = class.bytes.to_vec();
    let place = bytes
        .get_mut(count..)
        .and_then(|rest| rest.first_chunk_mut());
    let place: &mut [u8; 2] = place.ok_or(ANOTHER)?;
    let fewer = u16::from_be_bytes(*place).checked_sub(1).ok_or(ANOTHER)?;
    *place = fewer.to_be_bytes();
    if start > end || end > bytes.len() {
        return Err(ANOTHER);
    }
    bytes.drain(start..end);
    Ok(bytes)
}
