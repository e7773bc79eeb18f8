use super::shift::Shift;
use crate::{Attribute, Error, Reader, Result};

/// How deep annotations may nest; compilers write a handful, and the walk is recursive.
const MAX_DEPTH: u8 = 100;

/// Moves the positions in `copy`, the copy of a type-annotations attribute of code (section
/// 4.7.20). A position that is none stays as it is: the JVM does not look at it.
pub(super) fn patch(attribute: Attribute<'_>, copy: &mut [u8], shift: &Shift) -> Result<()> {
    let mut r = attribute.reader();
    for _ in 0..r.u16()? {
        target(&mut r, attribute.offset, copy, shift)?;
        let path = usize::from(r.u8()?);
        r.take(path * 2)?;
        annotation(&mut r, MAX_DEPTH)?;
    }
    Ok(())
}

/// Passes over `target_type` and `target_info` and moves what they name.
fn target(r: &mut Reader<'_>, base: usize, copy: &mut [u8], shift: &Shift) -> Result<()> {
    let at = r.offset();
    match r.u8()? {
        // Local variables: start, length, index.
        0x40 | 0x41 => {
            for _ in 0..r.u16()? {
                let place = r.offset() - base;
                r.take(6)?;
                shift.variable(copy.get_mut(place..).unwrap_or_default());
            }
        }
        // The position of an instruction, for some followed by the index of a type argument.
        target_type @ 0x43..=0x4B => {
            let place = r.offset() - base;
            let moved = shift.pc(r.u16()?);
            if let Some((place, moved)) = copy.get_mut(place..place + 2).zip(moved) {
                place.copy_from_slice(&moved.to_be_bytes());
            }
            if target_type >= 0x47 {
                r.u8()?;
            }
        }
        // Type parameters and formal parameters.
        0x00 | 0x01 | 0x16 => {
            r.u8()?;
        }
        // Supertypes, bounds, throws; a catch names its handler by index.
        0x10 | 0x11 | 0x12 | 0x17 | 0x42 => {
            r.u16()?;
        }
        // Field, return and receiver types.
        0x13..=0x15 => {}
        _ => {
            return Err(Error::Malformed {
                at,
                what: "unknown type annotation target",
            });
        }
    }
    Ok(())
}

fn annotation(r: &mut Reader<'_>, depth: u8) -> Result<()> {
    r.u16()?;
    for _ in 0..r.u16()? {
        r.u16()?;
        element_value(r, depth)?;
    }
    Ok(())
}

fn element_value(r: &mut Reader<'_>, depth: u8) -> Result<()> {
    let at = r.offset();
    let too_deep = Error::Malformed {
        at,
        what: "annotation nested too deeply",
    };
    let inner = depth.checked_sub(1).ok_or(too_deep)?;
    match r.u8()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            r.u16()?;
        }
        b'e' => {
            r.u32()?;
        }
        b'@' => annotation(r, inner)?,
        b'[' => {
            for _ in 0..r.u16()? {
                element_value(r, inner)?;
            }
        }
        _ => {
            return Err(Error::Malformed {
                at,
                what: "unknown annotation value",
            });
        }
    }
    Ok(())
}
