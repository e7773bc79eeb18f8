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
fn after_prefix(shift: &Shift) -> Head {
    Head {
        frame_type: 0,
        delta: shift.prefix,
    }
}

/// Writes a `StackMapTable` called `name` with the frame after the prefix only.
pub(super) fn add(out: &mut Output<'_>, name: u16, shift: &Shift) -> Result<()> {
    out.u16(name);
    let begin = out.begin_attribute();
    out.u16(1);
    after_prefix(shift).write(out);
    out.end_attribute(begin)
}

/// Copies a `StackMapTable`: behind a prefix the first frame moves, and all others follow it as
/// their positions are relative; `uninitialized` items name their `new` by position.
pub(super) fn patch(
    out: &mut Output<'_>,
    attribute: Attribute<'_>,
    shift: &Shift,
    frame_after_prefix: bool,
) -> Result<()> {
    out.copy_to(attribute.offset - 4)?;
    let begin = out.begin_attribute();
    let mut r = attribute.reader();
    let count = r.u16()?;
    // A first frame at pc 0 moves to the end of the prefix and serves there.
    let mut first = r;
    let added = frame_after_prefix && (count == 0 || Head::read(&mut first)?.delta != 0);
    let new_count = count.checked_add(u16::from(added));
    out.u16(new_count.ok_or(Error::TooLarge { what: "stack map" })?);
    if added {
        after_prefix(shift).write(out);
    }
    out.skip_to(r.offset());
    let mut walk = Walk {
        r,
        out,
        shift,
        pc: None,
        place: added.then_some(shift.prefix),
    };
    for _ in 0..count {
        walk.frame()?;
    }
    out.copy_to(attribute.offset + attribute.data.len())?;
    out.end_attribute(begin)
}

/// Reads frames and writes what moves in them; the rest is copied.
struct Walk<'w, 'o, 'a> {
    r: Reader<'a>,
    out: &'w mut Output<'o>,
    shift: &'w Shift,
    /// The position of the frame before, in the source.
    pc: Option<u16>,
    /// Its new position.
    place: Option<u16>,
}

impl Walk<'_, '_, '_> {
    fn frame(&mut self) -> Result<()> {
        let at = self.r.offset();
        let mut head = Head::read(&mut self.r)?;
        let what = "stack map beyond the code";
        let delta = self.delta(head.delta);
        let delta = delta.ok_or(Error::Malformed { at, what })?;
        if delta != head.delta {
            head.delta = delta;
            self.out.copy_to(at)?;
            head.write(self.out);
            self.out.skip_to(self.r.offset());
        }
        self.content(head.frame_type)
    }

    /// The new distance of the next frame from the one before; `None` if it is no position.
    fn delta(&mut self, delta: u16) -> Option<u16> {
        if self.shift.layout.is_none() && self.pc.is_some() {
            return Some(delta);
        }
        let apart = |before: Option<u16>| before.map_or(Some(0), |before| before.checked_add(1));
        let pc = apart(self.pc)?.checked_add(delta)?;
        let place = self.shift.entry(pc)?;
        let moved = place.checked_sub(apart(self.place)?);
        (self.pc, self.place) = (Some(pc), Some(place));
        moved
    }

    /// Passes over what follows the head of a frame.
    fn content(&mut self, frame_type: u8) -> Result<()> {
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
                    let place = self.r.offset();
                    let what = "uninitialized item";
                    let moved = self.shift.pc(self.r.u16()?);
                    let moved = moved.ok_or(Error::Malformed { at, what })?;
                    self.out.copy_to(place)?;
                    self.out.u16(moved);
                    self.out.skip_to(self.r.offset());
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
