//! What code and classes refer to, known from their bytes alone.
//!
//! Names come in modified UTF-8 as internal names (`java/lang/String`); arrays stand for their
//! element type, and primitive types are left out. Nothing here recurses deeper than a fixed
//! limit, and each constant is looked at once per method.

use tamis_classfile::{Attributes, ClassFile, Code, Constant, Error, Reader, Result};

/// Annotations and arrays inside annotation values go no deeper than this.
const MAX_DEPTH: u32 = 64;

/// How code refers to a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind<'a> {
    /// Field access, class literal, cast, `instanceof`, creation of an object or array, catch
    /// type, owner of a method handle, constant among bootstrap arguments, or a type of a
    /// descriptor that the JVM resolves (method types, method handles, dynamic call sites).
    Type,
    /// Target of an `invoke*` instruction or of a method handle.
    Call {
        /// Name of the method.
        name: &'a [u8],
        /// Descriptor of the method.
        descriptor: &'a [u8],
    },
}

/// Visits what `code` refers to, each constant once; the same class can come several times
/// through different constants.
pub fn of_code<'a>(
    class: &ClassFile<'a>,
    code: &Code<'a>,
    visit: &mut dyn FnMut(&'a [u8], Kind<'a>),
) -> Result<()> {
    let seen = vec![false; usize::from(class.pool.count())];
    let mut walk = Walk {
        class,
        seen,
        pending: Vec::new(),
        visit,
    };
    for instruction in code.instructions() {
        if let Some(index) = instruction?.constant() {
            walk.constant(index)?;
        }
    }
    for handler in code.handlers() {
        match handler?.catch_type {
            0 => {}
            index => walk.class(index)?,
        }
    }
    walk.bootstraps()
}

struct Walk<'w, 'a> {
    class: &'w ClassFile<'a>,
    /// Which constants have been visited.
    seen: Vec<bool>,
    /// Bootstrap methods that have been referred to.
    pending: Vec<u16>,
    visit: &'w mut dyn FnMut(&'a [u8], Kind<'a>),
}

impl<'a> Walk<'_, 'a> {
    /// Whether `index` is met for the first time.
    fn is_new(&mut self, index: u16) -> bool {
        self.seen
            .get_mut(usize::from(index))
            .is_none_or(|seen| !std::mem::replace(seen, true))
    }

    fn constant(&mut self, index: u16) -> Result<()> {
        if !self.is_new(index) {
            return Ok(());
        }
        match self.class.pool.get(index)? {
            Constant::Integer(_)
            | Constant::Float(_)
            | Constant::Long(_)
            | Constant::Double(_)
            | Constant::String { .. } => Ok(()),
            Constant::Class { name } => self.named(self.class.pool.utf8(name)?),
            Constant::Field { class, .. } => self.class(class),
            Constant::Method {
                class,
                name_and_type,
            }
            | Constant::InterfaceMethod {
                class,
                name_and_type,
            } => self.call(class, name_and_type),
            Constant::MethodHandle { reference, .. } => self.method_handle(reference),
            Constant::MethodType { descriptor } => self.types(descriptor),
            Constant::Dynamic {
                bootstrap,
                name_and_type,
            }
            | Constant::InvokeDynamic {
                bootstrap,
                name_and_type,
            } => {
                self.pending.push(bootstrap);
                self.types_of(name_and_type)
            }
            _ => Err(Error::BadConstant { index }),
        }
    }

    fn class(&mut self, index: u16) -> Result<()> {
        if self.is_new(index) {
            self.named(self.class.pool.class_name(index)?)
        } else {
            Ok(())
        }
    }

    fn named(&mut self, name: &'a [u8]) -> Result<()> {
        if name.first() == Some(&b'[') {
            return each_type(name, &mut |name| (self.visit)(name, Kind::Type));
        }
        (self.visit)(name, Kind::Type);
        Ok(())
    }

    fn call(&mut self, class: u16, name_and_type: u16) -> Result<()> {
        let owner = self.class.pool.class_name(class)?;
        if owner.first() == Some(&b'[') {
            return self.class(class);
        }
        let (name, descriptor) = self.class.pool.name_and_type(name_and_type)?;
        (self.visit)(owner, Kind::Call { name, descriptor });
        Ok(())
    }

    fn method_handle(&mut self, reference: u16) -> Result<()> {
        match self.class.pool.get(reference)? {
            Constant::Field {
                class,
                name_and_type,
            }
            | Constant::Method {
                class,
                name_and_type,
            }
            | Constant::InterfaceMethod {
                class,
                name_and_type,
            } => {
                self.constant(reference)?;
                // Nothing may ever call the method, so its class counts by itself.
                self.class(class)?;
                self.types_of(name_and_type)
            }
            _ => Err(Error::BadConstant { index: reference }),
        }
    }

    fn types_of(&mut self, name_and_type: u16) -> Result<()> {
        match self.class.pool.get(name_and_type)? {
            Constant::NameAndType { descriptor, .. } => self.types(descriptor),
            _ => Err(Error::BadConstant {
                index: name_and_type,
            }),
        }
    }

    fn types(&mut self, descriptor: u16) -> Result<()> {
        if !self.is_new(descriptor) {
            return Ok(());
        }
        each_type(self.class.pool.utf8(descriptor)?, &mut |name| {
            (self.visit)(name, Kind::Type)
        })
    }

    /// Visits bootstrap methods and arguments until no new one is referred to.
    fn bootstraps(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut entries = bootstrap_methods(self.class)?;
        while let Some(index) = self.pending.pop() {
            let entry = entries
                .get_mut(usize::from(index))
                .ok_or(Error::BadConstant { index })?;
            // What has been taken out is visited.
            let Some((method, mut arguments)) = entry.take() else {
                continue;
            };
            self.constant(method)?;
            while !arguments.is_empty() {
                self.constant(arguments.u16()?)?;
            }
        }
        Ok(())
    }
}

type Bootstrap<'a> = Option<(u16, Reader<'a>)>;

/// For each entry of the `BootstrapMethods` attribute its method handle and arguments.
fn bootstrap_methods<'a>(class: &ClassFile<'a>) -> Result<Vec<Bootstrap<'a>>> {
    let Some(attribute) = class.find(class.attributes(), b"BootstrapMethods")? else {
        return Ok(Vec::new());
    };
    let mut r = attribute.reader();
    (0..r.u16()?)
        .map(|_| {
            let method = r.u16()?;
            let arguments = usize::from(r.u16()?);
            Ok(Some((method, r.sub(arguments * 2)?)))
        })
        .collect()
}

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
    let mut walk = AnnotationWalk { class, visit };
    walk.attributes(class.attributes())?;
    for member in class.fields().chain(class.methods()) {
        walk.attributes(member?.attributes)?;
    }
    Ok(())
}

struct AnnotationWalk<'w, 'a> {
    class: &'w ClassFile<'a>,
    visit: &'w mut dyn FnMut(&'a [u8]),
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
        self.descriptor(r.u16()?)?;
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
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' => r.u16().map(drop),
            b'c' => self.descriptor(r.u16()?),
            b'e' => {
                self.descriptor(r.u16()?)?;
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

    fn descriptor(&mut self, index: u16) -> Result<()> {
        each_type(self.class.pool.utf8(index)?, self.visit)
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

/// Visits the class names in a descriptor or an array type.
fn each_type<'a>(descriptor: &'a [u8], visit: &mut dyn FnMut(&'a [u8])) -> Result<()> {
    let mut rest = descriptor;
    while let Some(start) = rest.iter().position(|&byte| byte == b'L') {
        rest = rest.get(start + 1..).unwrap_or_default();
        let Some(end) = rest.iter().position(|&byte| byte == b';') else {
            return Err(Error::Malformed {
                at: 0,
                what: "class name without its end",
            });
        };
        let (name, tail) = rest.split_at(end);
        visit(name);
        rest = tail;
    }
    Ok(())
}
