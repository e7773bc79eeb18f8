//! The recipes of `StringConcatFactory`.

use super::super::calls::Call;
use super::super::frame::{Slot, Step};
use super::super::types::Type;
use tamis_classfile::{Constant, ConstantPool, decode_mutf8};

/// What a text is put together from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Part {
    Text(String),
    /// An argument of the call site.
    Argument((Type, Slot)),
}

const ARGUMENT: char = '\u{1}';
const CONSTANT: char = '\u{2}';

/// The parts of a text that `makeConcatWithConstants` makes; `None` if they are not known.
pub(in super::super) fn parts(
    pool: &ConstantPool<'_>,
    call: &Call<'_>,
    constants: &[u16],
) -> Step<Option<Vec<Part>>> {
    let Some((recipe, constants)) = constants.split_first() else {
        return Ok(None);
    };
    let Some(recipe) = text(pool, *recipe)? else {
        return Ok(None);
    };
    let mut arguments = call.typed();
    let mut constants = constants.iter();
    let mut parts = Vec::new();
    let mut plain = String::new();
    for letter in recipe.chars() {
        match letter {
            ARGUMENT => {
                let Some(argument) = arguments.next() else {
                    return Ok(None);
                };
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Argument(argument));
            }
            CONSTANT => {
                let Some(constant) = constants.next() else {
                    return Ok(None);
                };
                let Some(constant) = text(pool, *constant)? else {
                    return Ok(None);
                };
                plain.push_str(&constant);
            }
            letter => plain.push(letter),
        }
    }
    parts.push(Part::Text(plain));
    Ok(Some(parts))
}

fn text(pool: &ConstantPool<'_>, index: u16) -> Step<Option<String>> {
    Ok(match pool.get(index)? {
        Constant::String { utf8 } => decode_mutf8(pool.utf8(utf8)?),
        Constant::Integer(number) => Some(number.cast_signed().to_string()),
        _ => None,
    })
}
