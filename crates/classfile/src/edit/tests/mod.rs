//! Edits of a class that is assembled by hand, one method in it.

mod inside;
mod limits;
mod pool;
mod tables;

use super::{MethodEdit, PoolBuilder, apply};
use crate::{ClassFile, ExceptionHandler, Result, opcode::*};

/// A class with one method `m` of this code; the attributes are those of its code.
fn class(
    version: u16,
    code: &[u8],
    handlers: &[ExceptionHandler],
    attributes: &[(&str, &[u8])],
) -> Vec<u8> {
    let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 3];
    bytes.extend(version.to_be_bytes());
    bytes.extend((6 + attributes.len() as u16).to_be_bytes());
    for (index, text) in ["C", "m", "()V", "Code"].into_iter().enumerate() {
        utf8(&mut bytes, text);
        if index == 0 {
            bytes.extend([7, 0, 1]);
        }
    }
    attributes
        .iter()
        .for_each(|(name, _)| utf8(&mut bytes, name));
    // Flags, this, super, interfaces, fields, one method with one attribute.
    for value in [0x21, 2, 0, 0, 0, 1, 9, 3, 4, 1, 5_u16] {
        bytes.extend(value.to_be_bytes());
    }
    let mut content = vec![0, 1, 0, 1];
    content.extend((code.len() as u32).to_be_bytes());
    content.extend(code);
    content.extend((handlers.len() as u16).to_be_bytes());
    for h in handlers {
        for value in [h.start_pc, h.end_pc, h.handler_pc, h.catch_type] {
            content.extend(value.to_be_bytes());
        }
    }
    content.extend((attributes.len() as u16).to_be_bytes());
    for (index, (_, data)) in attributes.iter().enumerate() {
        content.extend((6 + index as u16).to_be_bytes());
        content.extend((data.len() as u32).to_be_bytes());
        content.extend(*data);
    }
    bytes.extend((content.len() as u32).to_be_bytes());
    bytes.extend(content);
    bytes.extend([0, 0]);
    bytes
}

fn utf8(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(1);
    bytes.extend((text.len() as u16).to_be_bytes());
    bytes.extend(text.as_bytes());
}

fn edit(bytes: &[u8], edit: MethodEdit<'_>) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    apply(&class, PoolBuilder::new(&class), &[(0, edit)])
}

fn nops(length: usize) -> MethodEdit<'static> {
    MethodEdit {
        prefix: vec![NOP; length].into(),
        ..Default::default()
    }
}

/// What becomes of the attribute `name` of ten bytes of code after `edit`.
fn edited(name: &str, data: &[u8], change: MethodEdit<'_>) -> Option<Vec<u8>> {
    let code = [NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, RETURN];
    let bytes = edit(&class(52, &code, &[], &[(name, data)]), change).unwrap();
    attribute(&bytes, name)
}

fn attribute(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    let class = ClassFile::parse(bytes).unwrap();
    let method = class.methods().next().unwrap().unwrap();
    let code = class.code(&method).unwrap().unwrap();
    let found = class.find(code.attributes, name.as_bytes()).unwrap();
    found.map(|attribute| attribute.data.to_vec())
}
