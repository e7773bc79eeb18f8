use super::{output::Output, shift::Shift};
use crate::{Attribute, Error, Reader, Result};

/// Frame types of table 4.7.4; those between stand for ranges that start or end with them.
mod frame_type {
    pub(super) const SAME_MAX: u8 = 63;
    pub(super) const SAME_LOCALS_1: u8 = 64;
    pub(super) const SAME_LOCALS_1_MAX: u8 = 127;
    pub(super) const SAME_LOCALS_1_EXTENDED: u8 = 247;
    pub(super) const CHOP: u8 = 248;
    pub(super) const SAME_EXTENDED: u8 = 251;
    pub(super) const APPEND: u8 = 252;
    pub(super) const APPEND_MAX: u8 = 254;
    pub(super) const FULL: u8 = 255;
}
use frame_type::*;

/// The items of `verification_type_info` that have operands.
const ITEM_OBJECT: u8 = 7;
const ITEM_UNINITIALIZED: u8 = 8;

/// Frame type and `offset_delta`, in whatever form they were written.
struct Head {
    frame_type: u8,
    delta: u16,
}

impl Head {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let at = r.offset();
        let frame_type = r.u8()?;
        let delta = match frame_type {
            0..=SAME_MAX => u16::from(frame_type),
            SAME_LOCALS_1..=SAME_LOCALS_1_MAX => u16::from(frame_type - SAME_LOCALS_1),
            SAME_LOCALS_1_EXTENDED.. => r.u16()?,
            _ => {
                return Err(Error::Malformed {
                    at,
                    what: "reserved stack map frame type",
                });
            }
        };
        Ok(Head { frame_type, delta })
    }

    /// Writes the head, in its wide form if it outgrows the short one.
    fn write(&self, out: &mut Output<'_>) {
        let (base, wide) = match self.frame_type {
            0..=SAME_MAX => (0, SAME_EXTENDED),
            SAME_LOCALS_1..=SAME_LOCALS_1_MAX => (SAME_LOCALS_1, SAME_LOCALS_1_EXTENDED),
            other => {
                out.extend(&[other]);
                return out.u16(self.delta);
            }
        };
        match u8::try_from(self.delta) {
            Ok(delta @ ..=SAME_MAX) => out.extend(&[base + delta]),
            _ => {
                out.extend(&[wide]);
                out.u16(self.delta);
            }
        }
    }
}

/// The frame where a prefix ends: nothing on the stack, locals as at the method's start.
fn after_prefix(shift: Shift) -> Head {
    Head {
        frame_type: 0,
        delta: shift.prefix,
    }
}

/// Writes a `StackMapTable` called `name` with the frame after the prefix only.
pub(super) fn add(out: &mut Output<'_>, name: u16, shift: Shift) -> Result<()> {
    out.u16(name);
    let begin = out.begin_attribute();
    out.u16(1);
    after_prefix(shift).write(out);
    out.end_attribute(begin)
}

/// Copies a `StackMapTable`: the first frame moves behind the prefix, all others follow it as
/// their positions are relative; `uninitialized` items name their `new` by position.
pub(super) fn patch(
    out: &mut Output<'_>,
    attribute: Attribute<'_>,
    shift: Shift,
    frame_after_prefix: bool,
) -> Result<()> {
    let malformed = Error::Malformed {
        at: attribute.offset,
        what: "stack map beyond the code",
    };
    out.copy_to(attribute.offset - 4)?;
    let begin = out.begin_attribute();
    let mut r = attribute.reader();
    let count = r.u16()?;
    let mut first = if count == 0 {
        None
    } else {
        Some(Head::read(&mut r)?)
    };
    // A first frame at pc 0 moves to the end of the prefix and serves there.
    let added = frame_after_prefix && first.as_ref().is_none_or(|first| first.delta != 0);
    let new_count = count.checked_add(u16::from(added));
    out.u16(new_count.ok_or(Error::TooLarge { what: "stack map" })?);
    if added {
        after_prefix(shift).write(out);
    }
    if let Some(first) = &mut first {
        let moved = shift.pc(first.delta).ok_or(malformed)?;
        first.delta = if added { first.delta - 1 } else { moved };
        first.write(out);
    }
    let base = r.offset();
    out.skip_to(base);
    let items = out.copy_to(attribute.offset + attribute.data.len())?;
    let mut walk = Walk {
        r,
        base,
        items,
        shift,
    };
    if let Some(first) = first {
        walk.frame(first.frame_type)?;
    }
    for _ in 1..count {
        let frame = Head::read(&mut walk.r)?;
        walk.frame(frame.frame_type)?;
    }
    out.end_attribute(begin)
}

/// Reads frames in the source and moves positions in their copy.
struct Walk<'a, 'o> {
    r: Reader<'a>,
    base: usize,
    items: &'o mut [u8],
    shift: Shift,
}

impl Walk<'_, '_> {
    /// Passes over what follows the head of a frame.
    fn frame(&mut self, frame_type: u8) -> Result<()> {
        match frame_type {
            SAME_LOCALS_1..=SAME_LOCALS_1_MAX | SAME_LOCALS_1_EXTENDED => self.types(1),
            APPEND..=APPEND_MAX => self.types(u16::from(frame_type - SAME_EXTENDED)),
            FULL => {
                let locals = self.r.u16()?;
                self.types(locals)?;
                let stack = self.r.u16()?;
                self.types(stack)
            }
            0..=SAME_MAX | CHOP..=SAME_EXTENDED => Ok(()),
            _ => Err(Error::Malformed {
                at: self.r.offset(),
                what: "stack map frame",
            }),
        }
    }

    fn types(&mut self, count: u16) -> Result<()> {
        for _ in 0..count {
            let at = self.r.offset();
            match self.r.u8()? {
                0..ITEM_OBJECT => {}
                ITEM_OBJECT => {
                    self.r.u16()?;
                }
                ITEM_UNINITIALIZED => {
                    let place = self.r.offset() - self.base;
                    let moved = self.shift.pc(self.r.u16()?);
                    let place = self.items.get_mut(place..place + 2);
                    let Some((place, moved)) = place.zip(moved) else {
                        return Err(Error::Malformed {
                            at,
                            what: "uninitialized item",
                        });
                    };
                    place.copy_from_slice(&moved.to_be_bytes());
                }
                _ => {
                    return Err(Error::Malformed {
                        at,
                        what: "unknown verification type",
                    });
                }
            }
        }
        Ok(())
    }
}
