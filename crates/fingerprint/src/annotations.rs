use tamis_classfile::{Error, Reader, Result};

use crate::printer::{Printer, counted};

/// Annotations and arrays inside annotation values go no deeper than this.
const MAX_DEPTH: u32 = 64;

impl<'a> Printer<'_, 'a> {
    /// Writes a table of annotations (section 4.7.16) as a set.
    pub(crate) fn annotations(&mut self, r: &mut Reader<'a>) -> Result<()> {
        self.set(counted(r)?, |p, ()| p.annotation(r, 0))
    }

    /// Writes the annotations of each parameter (section 4.7.18); the parameters are ordered.
    pub(crate) fn parameter_annotations(&mut self, r: &mut Reader<'a>) -> Result<()> {
        let count = r.u8()?;
        self.u8(count);
        (0..count).try_for_each(|_| self.annotations(r))
    }

    /// Writes a table of type annotations (section 4.7.20) as a set.
    pub(crate) fn type_annotations(&mut self, r: &mut Reader<'a>) -> Result<()> {
        self.set(counted(r)?, |p, ()| {
            p.target_info(r)?;
            let path_length = r.u8()?;
            p.u8(path_length);
            p.bytes(r.take(usize::from(path_length) * 2)?);
            p.annotation(r, 0)
        })
    }

    fn target_info(&mut self, r: &mut Reader<'a>) -> Result<()> {
        let at = r.offset();
        let target_type = r.u8()?;
        self.u8(target_type);
        let length = match target_type {
            0x13..=0x15 => 0,
            0x00 | 0x01 | 0x16 => 1,
            0x10..=0x12 | 0x17 | 0x42..=0x46 => 2,
            0x47..=0x4b => 3,
            0x40 | 0x41 => {
                let count = r.u16()?;
                self.u16(count);
                usize::from(count) * 6
            }
            _ => {
                return Err(Error::Malformed {
                    at,
                    what: "unknown target of a type annotation",
                });
            }
        };
        self.bytes(r.take(length)?);
        Ok(())
    }

    fn annotation(&mut self, r: &mut Reader<'a>, depth: u32) -> Result<()> {
        self.constant(r.u16()?)?;
        self.set(counted(r)?, |p, ()| {
            p.constant(r.u16()?)?;
            p.element_value(r, depth)
        })
    }

    /// Writes an element value (section 4.7.16.1).
    pub(crate) fn element_value(&mut self, r: &mut Reader<'a>, depth: u32) -> Result<()> {
        let at = r.offset();
        if depth == MAX_DEPTH {
            return Err(Error::Malformed {
                at,
                what: "annotation value nested too deep",
            });
        }
        let tag = r.u8()?;
        self.u8(tag);
        match tag {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
                self.constant(r.u16()?)
            }
            b'e' => {
                self.constant(r.u16()?)?;
                self.constant(r.u16()?)
            }
            b'@' => self.annotation(r, depth + 1),
            b'[' => self.sequence(counted(r)?, |p, ()| p.element_value(r, depth + 1)),
            _ => Err(Error::Malformed {
                at,
                what: "unknown kind of annotation value",
            }),
        }
    }
}
