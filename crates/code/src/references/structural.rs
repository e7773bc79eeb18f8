use tamis_classfile::{Attributes, ClassFile, Error, Reader, Result};

use super::{Kind, each_type};

/// Annotations and arrays inside annotation values go no deeper than this.
const MAX_DEPTH: u32 = 64;

/// Visits what belongs to a class whenever it is used: its superclass and interfaces, and the
/// types of annotations visible at run time on the class, its members, their parameters, types
/// and record components, with the classes and enums that annotation values name.
pub fn structural<'a>(class: &ClassFile<'a>, visit: &mut dyn FnMut(&'a [u8])) -> Result<()> {
    if let Some(name) = class.super_name()? {
        visit(name);
    }
    for name in class.interface_names() {
        visit(name?);
    }
    annotation_values(class, &mut |name, kind| {
        if kind != Kind::Text {
            visit(name);
        }
    })
}

/// Visits what the annotations visible at run time name that a class and its members have: their types and those of
/// enum constants as [`Kind::Type`], classes as [`Kind::Literal`], texts as [`Kind::Text`].
pub fn annotation_values<'a>(
    class: &ClassFile<'a>,
    visit: &mut dyn FnMut(&'a [u8], Kind<'a>),
) -> Result<()> {
    let mut walk = AnnotationWalk { class, visit };
    walk.attributes(class.attributes())?;
    for member in class.fields().chain(class.methods()) {
        walk.attributes(member?.attributes)?;
    }
    Ok(())
}

/// Visits the types of the annotations visible at run time that `attributes` of a class or member
/// has, without those in their values.
pub fn annotations<'a>(
    class: &ClassFile<'a>,
    attributes: Attributes<'a>,
    visit: &mut dyn FnMut(&'a [u8]),
) -> Result<()> {
    let Some(attribute) = class.find(attributes, b"RuntimeVisibleAnnotations")? else {
        return Ok(());
    };
    let mut r = attribute.reader();
    for _ in 0..r.u16()? {
        let descriptor = r.clone().u16()?;
        each_type(class.pool.utf8(descriptor)?, visit)?;
        let visit = &mut |_: &'a [u8], _: Kind<'a>| {};
        AnnotationWalk { class, visit }.annotation(&mut r, 0)?;
    }
    Ok(())
}

struct AnnotationWalk<'w, 'a> {
    class: &'w ClassFile<'a>,
    visit: &'w mut dyn FnMut(&'a [u8], Kind<'a>),
}

impl<'a> AnnotationWalk<'_, 'a> {
    fn attributes(&mut self, attributes: Attributes<'a>) -> Result<()> {
        for attribute in attributes {
            let attribute = attribute?;
            match self.class.pool.utf8(attribute.name)? {
                b"Record" => self.record(attribute.reader())?,
                name => self.attribute(name, attribute.reader())?,
            }
        }
        Ok(())
    }

    fn record(&mut self, mut r: Reader<'a>) -> Result<()> {
        for _ in 0..r.u16()? {
            r.u32()?;
            for _ in 0..r.u16()? {
                let name = self.class.pool.utf8(r.u16()?)?;
                let length = r.u32()? as usize;
                self.attribute(name, r.sub(length)?)?;
            }
        }
        Ok(())
    }

    fn attribute(&mut self, name: &[u8], mut r: Reader<'a>) -> Result<()> {
        match name {
            b"RuntimeVisibleAnnotations" => self.annotations(&mut r),
            b"RuntimeVisibleParameterAnnotations" => {
                (0..r.u8()?).try_for_each(|_| self.annotations(&mut r))
            }
            b"RuntimeVisibleTypeAnnotations" => (0..r.u16()?).try_for_each(|_| {
                skip_target(&mut r)?;
                self.annotation(&mut r, 0)
            }),
            b"AnnotationDefault" => self.element_value(&mut r, 0),
            _ => Ok(()),
        }
    }

    fn annotations(&mut self, r: &mut Reader<'a>) -> Result<()> {
        (0..r.u16()?).try_for_each(|_| self.annotation(r, 0))
    }

    fn annotation(&mut self, r: &mut Reader<'a>, depth: u32) -> Result<()> {
        self.descriptor(r.u16()?, Kind::Type)?;
        (0..r.u16()?).try_for_each(|_| {
            r.u16()?;
            self.element_value(r, depth)
        })
    }

    fn element_value(&mut self, r: &mut Reader<'a>, depth: u32) -> Result<()> {
        let at = r.offset();
        if depth == MAX_DEPTH {
            return Err(Error::Malformed {
                at,
                what: "annotation value nested too deep",
            });
        }
        match r.u8()? {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => r.u16().map(drop),
            b's' => {
                // Nobody but who reads it checks it.
                if let Ok(text) = self.class.pool.utf8(r.u16()?) {
                    (self.visit)(text, Kind::Text);
                }
                Ok(())
            }
            b'c' => self.descriptor(r.u16()?, Kind::Literal),
            b'e' => {
                self.descriptor(r.u16()?, Kind::Type)?;
                r.u16().map(drop)
            }
            b'@' => self.annotation(r, depth + 1),
            b'[' => (0..r.u16()?).try_for_each(|_| self.element_value(r, depth + 1)),
            _ => Err(Error::Malformed {
                at,
                what: "unknown kind of annotation value",
            }),
        }
    }

    fn descriptor(&mut self, index: u16, kind: Kind<'a>) -> Result<()> {
        let visit = &mut *self.visit;
        each_type(self.class.pool.utf8(index)?, &mut |name| visit(name, kind))
    }
}

/// Passes over the target and the path of a type annotation (section 4.7.20).
fn skip_target(r: &mut Reader<'_>) -> Result<()> {
    let at = r.offset();
    let length = match r.u8()? {
        0x13..=0x15 => 0,
        0x00 | 0x01 | 0x16 => 1,
        0x10..=0x12 | 0x17 | 0x42..=0x46 => 2,
        0x47..=0x4b => 3,
        0x40 | 0x41 => usize::from(r.u16()?) * 6,
        _ => {
            return Err(Error::Malformed {
                at,
                what: "unknown target of a type annotation",
            });
        }
    };
    r.take(length)?;
    let path = usize::from(r.u8()?);
    r.take(path * 2).map(drop)
}
