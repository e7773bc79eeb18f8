use tamis_classfile::{Attribute, Error, Reader, Result};

use crate::printer::{Place, Printer, counted};
use crate::version;

/// How an attribute enters the fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Not at all.
    Ignored,
    /// Not at its place, but entry by entry where a constant refers to it.
    ThroughUse,
    /// As its bytes, which hold no constant-pool index.
    Opaque,
    /// As its bytes and those of the whole constant pool, since nobody knows which of its bytes
    /// are indexes, and an index that stays can come to mean another text.
    Unknown,
    /// As instructions, where it is the code of a method.
    Code,
    /// As constants in a row, each optional.
    Constants,
    /// As a list of constants.
    List,
    /// As a set of constants.
    Set,
    /// As a set of constants that older versions do not have.
    PermittedSubclasses,
    /// As a set of annotations.
    Annotations,
    /// As a set of annotations for each parameter.
    ParameterAnnotations,
    /// As a set of type annotations.
    TypeAnnotations,
    /// As the value of an annotation's element.
    ElementValue,
    /// As a set of nested classes, as far as they concern this class. Those of a class, but for
    /// itself, are kept apart from its head.
    InnerClasses,
    /// As a set of classes; those of a class are kept apart from its head.
    NestMembers,
    /// As a list of names and flags.
    MethodParameters,
    /// As a module with what it requires, exports, opens, uses and provides.
    Module,
    /// As a list of components with their attributes.
    Record,
}

/// Where an attribute of a field or method enters its [`MemberPrint`](crate::MemberPrint).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// What only reflection and tools can see.
    Mirror,
    /// The exceptions that a method declares.
    Thrown,
    /// The code of a method, or the constant value of a field.
    Body,
}

/// The part that the attribute `name` belongs to.
pub(crate) fn part(place: Place, name: &[u8]) -> Part {
    match (place, name) {
        (Place::Method, b"Code") | (Place::Field, b"ConstantValue") => Part::Body,
        (Place::Method, b"Exceptions") => Part::Thrown,
        _ => Part::Mirror,
    }
}

macro_rules! attributes {
    ($($name:literal => $treatment:expr,)*) => {
        /// Every attribute that is known, with its treatment; all others are
        /// [`Treatment::Unknown`]. `docs/fingerprint.md` gives the reasons.
        pub const ATTRIBUTES: &[(&[u8], Treatment)] = &[$(($name, $treatment),)*];

        fn treatment(name: &[u8]) -> Treatment {
            match name {
                $($name => $treatment,)*
                _ => Treatment::Unknown,
            }
        }
    };
}

attributes! {
    b"AnnotationDefault" => Treatment::ElementValue,
    b"BootstrapMethods" => Treatment::ThroughUse,
    b"Code" => Treatment::Code,
    b"ConstantValue" => Treatment::Constants,
    b"Deprecated" => Treatment::Ignored,
    b"EnclosingMethod" => Treatment::Constants,
    b"Exceptions" => Treatment::List,
    b"InnerClasses" => Treatment::InnerClasses,
    b"LineNumberTable" => Treatment::Ignored,
    b"LocalVariableTable" => Treatment::Ignored,
    b"LocalVariableTypeTable" => Treatment::Ignored,
    b"MethodParameters" => Treatment::MethodParameters,
    b"Module" => Treatment::Module,
    b"ModuleMainClass" => Treatment::Constants,
    b"ModulePackages" => Treatment::Set,
    b"NestHost" => Treatment::Constants,
    b"NestMembers" => Treatment::NestMembers,
    b"PermittedSubclasses" => Treatment::PermittedSubclasses,
    b"Record" => Treatment::Record,
    b"RuntimeInvisibleAnnotations" => Treatment::Ignored,
    b"RuntimeInvisibleParameterAnnotations" => Treatment::Ignored,
    b"RuntimeInvisibleTypeAnnotations" => Treatment::Ignored,
    b"RuntimeVisibleAnnotations" => Treatment::Annotations,
    b"RuntimeVisibleParameterAnnotations" => Treatment::ParameterAnnotations,
    b"RuntimeVisibleTypeAnnotations" => Treatment::TypeAnnotations,
    b"Signature" => Treatment::Constants,
    b"SourceDebugExtension" => Treatment::Ignored,
    b"SourceFile" => Treatment::Ignored,
    b"StackMapTable" => Treatment::Ignored,
    b"Synthetic" => Treatment::Opaque,
    // Of the Scala compilers: a mark, a version, and the identity of a file.
    b"Scala" => Treatment::Opaque,
    b"ScalaSig" => Treatment::Opaque,
    b"TASTY" => Treatment::Opaque,
}

impl<'a> Printer<'_, 'a> {
    /// Writes `attribute`, or nothing if it does not count.
    pub(crate) fn attribute(&mut self, place: Place, attribute: &Attribute<'a>) -> Result<()> {
        let treatment = match (treatment(self.class.pool.utf8(attribute.name)?), place) {
            (Treatment::Ignored | Treatment::ThroughUse, _) => return Ok(()),
            // Reflection does not reach into code.
            (Treatment::TypeAnnotations, Place::Code) => return Ok(()),
            // Elsewhere it has no meaning, and it could nest without end.
            (Treatment::Record, place) if place != Place::Class => Treatment::Unknown,
            (treatment, _) => treatment,
        };
        let start = self.buffer.len();
        let mut r = attribute.reader();
        self.content(place, treatment, &mut r, attribute.data)?;
        if self.buffer.len() > start {
            self.constant(attribute.name)?;
        }
        if !r.is_empty() {
            return Err(Error::Malformed {
                at: r.offset(),
                what: "bytes after the attribute",
            });
        }
        Ok(())
    }

    fn content(
        &mut self,
        place: Place,
        treatment: Treatment,
        r: &mut Reader<'a>,
        data: &[u8],
    ) -> Result<()> {
        match treatment {
            Treatment::Ignored | Treatment::ThroughUse => {}
            Treatment::Opaque => {
                self.u32(data.len() as u32);
                self.bytes(r.take(data.len())?);
            }
            // The code of a method is written by `member`; any other has no meaning.
            Treatment::Unknown | Treatment::Code => {
                self.raw_pool();
                self.bytes(r.take(data.len())?);
            }
            Treatment::Constants => {
                self.optional(r.u16()?)?;
                while !r.is_empty() {
                    self.optional(r.u16()?)?;
                }
            }
            Treatment::List => self.sequence(counted(r)?, |p, ()| p.constant(r.u16()?))?,
            Treatment::Set => self.set(counted(r)?, |p, ()| p.constant(r.u16()?))?,
            Treatment::PermittedSubclasses => {
                self.u8(version::permitted_subclasses_count(self.class).into());
                self.set(counted(r)?, |p, ()| p.constant(r.u16()?))?;
            }
            Treatment::Annotations => self.annotations(r)?,
            Treatment::ParameterAnnotations => self.parameter_annotations(r)?,
            Treatment::TypeAnnotations => self.type_annotations(r)?,
            Treatment::ElementValue => self.element_value(r, 0)?,
            Treatment::InnerClasses => self.inner_classes(place, r)?,
            Treatment::NestMembers => self.nest_members(place, r)?,
            Treatment::MethodParameters => self.method_parameters(r)?,
            Treatment::Module => self.module(r)?,
            Treatment::Record => self.record(r)?,
        }
        Ok(())
    }

    fn method_parameters(&mut self, r: &mut Reader<'a>) -> Result<()> {
        let count = r.u8()?;
        self.sequence((0..count).map(Ok), |p, _| {
            p.optional(r.u16()?)?;
            p.u16(r.u16()?);
            Ok(())
        })
    }

    fn record(&mut self, r: &mut Reader<'a>) -> Result<()> {
        self.u8(version::record_counts(self.class).into());
        self.sequence(counted(r)?, |p, ()| {
            p.constant(r.u16()?)?;
            p.constant(r.u16()?)?;
            p.set(counted(r)?, |p, ()| {
                let name = r.u16()?;
                let length = r.u32()? as usize;
                let (offset, data) = (r.offset(), r.take(length)?);
                p.attribute(Place::RecordComponent, &Attribute { name, data, offset })
            })
        })
    }

    /// Writes a `Module` attribute (section 4.7.25). Only the providers of a service are ordered.
    fn module(&mut self, r: &mut Reader<'a>) -> Result<()> {
        self.constant(r.u16()?)?;
        self.u16(r.u16()?);
        self.optional(r.u16()?)?;
        self.set(counted(r)?, |p, ()| {
            p.constant(r.u16()?)?;
            p.u16(r.u16()?);
            p.optional(r.u16()?)
        })?;
        for _exports_then_opens in 0..2 {
            self.set(counted(r)?, |p, ()| {
                p.constant(r.u16()?)?;
                p.u16(r.u16()?);
                p.set(counted(r)?, |p, ()| p.constant(r.u16()?))
            })?;
        }
        self.set(counted(r)?, |p, ()| p.constant(r.u16()?))?;
        self.set(counted(r)?, |p, ()| {
            p.constant(r.u16()?)?;
            p.sequence(counted(r)?, |p, ()| p.constant(r.u16()?))
        })
    }
}
