//! Reads JVM class files without copying and edits them in place.
//!
//! Names follow chapter 4 of the JVM specification. Every read is checked against the bounds of
//! the input; nothing here panics, does I/O, or allocates more than the input justifies: the only
//! allocation of [`ClassFile::parse`] is one offset per constant-pool entry.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod class;
mod code;
pub mod edit;
mod error;
mod mutf8;
mod pool;
mod reader;

pub use class::{Attribute, Attributes, ClassFile, Member, Members};
pub use code::{Code, ExceptionHandler, Instruction, Instructions, Switch, opcode};
pub use error::{Error, Result};
pub use mutf8::decode as decode_mutf8;
pub use pool::{Constant, ConstantPool, tag};
pub use reader::Reader;

/// Access and property flags (tables 4.1-B, 4.5-A and 4.6-A of the specification).
#[allow(missing_docs)]
pub mod access {
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const SYNCHRONIZED: u16 = 0x0020;
    pub const SUPER: u16 = 0x0020;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const STRICT: u16 = 0x0800;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ANNOTATION: u16 = 0x2000;
    pub const ENUM: u16 = 0x4000;
    pub const MODULE: u16 = 0x8000;
}
