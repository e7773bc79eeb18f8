//! References of code and classes, from their bytes alone.
//!
//! Names come in modified UTF-8 as internal names (`java/lang/String`); arrays stand for their
//! element type, and primitive types are left out. Nothing here recurses deeper than a fixed
//! limit, and each constant is looked at once per method.

mod class_calls;
mod examined;
mod lambdas;
mod linked;
mod reflection;
mod shown;
mod statics;
mod structural;

pub use lambdas::{Lambda, Made, made};
pub use linked::linked;
pub use reflection::{ReflectionKind, reflection_kinds, reflection_through_handle};
pub use shown::{around, shown};
pub use statics::{
    StaticField, StaticUse, changeable_statics, is_frozen, static_uses, uses_any_static,
};
pub use structural::{annotation_values, annotations, structural};
use tamis_classfile::{ClassFile, Code, Constant, Error, Reader, Result, opcode};

/// How a method is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invoke {
    /// By `invokestatic`: there need be no object of its class.
    Static,
    /// By `invokespecial`: a constructor, or exactly this method.
    Special,
    /// By `invokevirtual` or `invokeinterface`: the object decides which one runs.
    Virtual,
    /// Through a method handle, now or later.
    Handle,
}

/// How code refers to a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind<'a> {
    /// Field access, creation of an array, owner of a method handle, or a type of a descriptor that the JVM resolves
    /// (method types, method handles, dynamic call sites).
    Type,
    /// Creation of an object.
    New,
    /// Class literal, also among bootstrap arguments and values of annotations.
    Literal,
    /// Type check: cast, `instanceof` or catch type, by a constant that serves for nothing else.
    Check,
    /// Field that is read or written, or target of a method handle, beside its owner as a type.
    Field {
        /// Name of the field.
        name: &'a [u8],
        /// Descriptor of the field.
        descriptor: &'a [u8],
    },
    /// Target of an `invoke*` instruction or of a method handle.
    Call {
        /// Name of the method.
        name: &'a [u8],
        /// Descriptor of the method.
        descriptor: &'a [u8],
        /// The instruction that calls it.
        invoke: Invoke,
    },
    /// Target of a method handle, beside the call: it may be called at any later time.
    Handle {
        /// Name of the method.
        name: &'a [u8],
    },
    /// No class, but a text among the constants.
    Text,
}

/// Visits what `code` refers to, each constant once per way in which it is used; the same class can come several
/// times through different constants.
pub fn of_code<'a>(
    class: &ClassFile<'a>,
    code: &Code<'a>,
    visit: &mut dyn FnMut(&'a [u8], Kind<'a>),
) -> Result<()> {
    let seen = vec![0; usize::from(class.pool.count())];
    let mut walk = Walk {
        class,
        seen,
        pending: Vec::new(),
        opcode: 0,
        visit,
    };
    let mut checks = Vec::new();
    for instruction in code.instructions() {
        let instruction = instruction?;
        match (instruction.constant(), instruction.opcode) {
            (None, _) => {}
            (Some(index), opcode::CHECKCAST | opcode::INSTANCEOF) => checks.push(index),
            (Some(index), opcode) => {
                walk.opcode = opcode;
                walk.constant(index)?;
            }
        }
    }
    walk.opcode = 0;
    walk.bootstraps()?;
    for handler in code.handlers() {
        match handler?.catch_type {
            0 => {}
            index => checks.push(index),
        }
    }
    // Last, because what else uses the same constant counts for more.
    checks
        .into_iter()
        .try_for_each(|index| walk.class(index, Kind::Check))
}

/// The ways in which an instruction can use a constant.
const USED: u8 = 1;
const NEW: u8 = 2;
const SPECIAL: u8 = 4;
const LOADED: u8 = 8;

struct Walk<'w, 'a> {
    class: &'w ClassFile<'a>,
    /// In which ways each constant has been visited.
    seen: Vec<u8>,
    /// Bootstrap methods that have been referred to.
    pending: Vec<u16>,
    /// The instruction that refers to what is visited; 0 if it is none.
    opcode: u8,
    visit: &'w mut dyn FnMut(&'a [u8], Kind<'a>),
}

impl<'a> Walk<'_, 'a> {
    /// Whether `index` is met for the first time in this way.
    fn is_new(&mut self, index: u16, way: u8) -> bool {
        self.seen.get_mut(usize::from(index)).is_none_or(|seen| {
            let is_new = *seen & way == 0;
            *seen |= way;
            is_new
        })
    }

    /// The way in which the instruction uses a constant.
    fn way(&self) -> u8 {
        match self.opcode {
            opcode::NEW => NEW,
            opcode::INVOKESPECIAL => SPECIAL,
            opcode::LDC | opcode::LDC_W | 0 => LOADED,
            _ => USED,
        }
    }

    fn constant(&mut self, index: u16) -> Result<()> {
        let way = self.way();
        if !self.is_new(index, way) {
            return Ok(());
        }
        match self.class.pool.get(index)? {
            Constant::Integer(_) | Constant::Float(_) | Constant::Long(_) | Constant::Double(_) => {
                Ok(())
            }
            Constant::String { utf8 } => {
                (self.visit)(self.class.pool.utf8(utf8)?, Kind::Text);
                Ok(())
            }
            Constant::Class { name } => {
                let kind = match way {
                    NEW => Kind::New,
                    LOADED => Kind::Literal,
                    _ => Kind::Type,
                };
                self.named(self.class.pool.utf8(name)?, kind)
            }
            Constant::Field {
                class,
                name_and_type,
            } => self.field(class, name_and_type),
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

    fn class(&mut self, index: u16, kind: Kind<'a>) -> Result<()> {
        let uses = self
            .seen
            .get(usize::from(index))
            .copied()
            .unwrap_or_default();
        let is_used = kind == Kind::Check && uses != 0;
        if !is_used && self.is_new(index, USED) {
            self.named(self.class.pool.class_name(index)?, kind)
        } else {
            Ok(())
        }
    }

    fn named(&mut self, name: &'a [u8], kind: Kind<'a>) -> Result<()> {
        if name.first() == Some(&b'[') {
            return each_type(name, &mut |name| (self.visit)(name, kind));
        }
        (self.visit)(name, kind);
        Ok(())
    }

    fn field(&mut self, class: u16, name_and_type: u16) -> Result<()> {
        self.class(class, Kind::Type)?;
        let owner = self.class.pool.class_name(class)?;
        let (name, descriptor) = self.class.pool.name_and_type(name_and_type)?;
        (self.visit)(owner, Kind::Field { name, descriptor });
        Ok(())
    }

    fn call(&mut self, class: u16, name_and_type: u16) -> Result<()> {
        let owner = self.class.pool.class_name(class)?;
        if owner.first() == Some(&b'[') {
            return self.class(class, Kind::Type);
        }
        let (name, descriptor) = self.class.pool.name_and_type(name_and_type)?;
        let invoke = match self.opcode {
            opcode::INVOKESTATIC => Invoke::Static,
            opcode::INVOKESPECIAL => Invoke::Special,
            opcode::INVOKEVIRTUAL | opcode::INVOKEINTERFACE => Invoke::Virtual,
            _ => Invoke::Handle,
        };
        (self.visit)(
            owner,
            Kind::Call {
                name,
                descriptor,
                invoke,
            },
        );
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
                self.class(class, Kind::Type)?;
                let (name, _) = self.class.pool.name_and_type(name_and_type)?;
                (self.visit)(self.class.pool.class_name(class)?, Kind::Handle { name });
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
        if !self.is_new(descriptor, USED) {
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

pub(crate) type Bootstrap<'a> = Option<(u16, Reader<'a>)>;

/// For each entry of the `BootstrapMethods` attribute its method handle and arguments.
pub(crate) fn bootstrap_methods<'a>(class: &ClassFile<'a>) -> Result<Vec<Bootstrap<'a>>> {
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
