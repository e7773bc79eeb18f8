//! The code of a method as operators look at it.

use crate::change::NewCode;
use crate::{Operator, Result, generated};
use tamis_classfile::{ClassFile, Code, Constant, Error, Instruction, Member};

/// A method with code.
pub(crate) struct Body<'a> {
    pub(crate) class: &'a ClassFile<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) name: &'a [u8],
    pub(crate) descriptor: &'a [u8],
    pub(crate) instructions: Vec<Instruction<'a>>,
    /// Where jumps, switches and handlers lead, in ascending order.
    targets: Vec<u16>,
    lines: Lines,
}

impl<'a> Body<'a> {
    /// `None` if the method has no code.
    pub(crate) fn of(class: &'a ClassFile<'a>, method: &Member<'a>) -> Result<Option<Body<'a>>> {
        let Some(code) = class.code(method)? else {
            return Ok(None);
        };
        let instructions = code.instructions().collect::<Result<Vec<_>>>()?;
        Ok(Some(Body {
            class,
            code,
            name: class.pool.utf8(method.name)?,
            descriptor: class.pool.utf8(method.descriptor)?,
            targets: targets(&code, &instructions)?,
            instructions,
            lines: Lines::of(class, &code)?,
        }))
    }

    /// The line of the instruction at `pc`.
    pub(crate) fn line(&self, pc: u16) -> Option<u16> {
        self.lines.at(pc)
    }

    /// The places that operators look at, in order.
    pub(crate) fn sites(&'a self) -> Result<impl Iterator<Item = Site<'a>>> {
        let generated = generated::instructions(self)?;
        let sites = (0..self.instructions.len()).map(|index| Site { body: self, index });
        Ok(sites.filter(move |site| !generated.contains(&site.index)))
    }
}

fn targets(code: &Code<'_>, instructions: &[Instruction<'_>]) -> Result<Vec<u16>> {
    let mut targets = Vec::new();
    for instruction in instructions {
        let mut add = |distance| targets.extend(instruction.target(distance));
        instruction.branch().into_iter().for_each(&mut add);
        if let Some(switch) = instruction.switch() {
            add(switch.default);
            switch.cases().for_each(|(_, distance)| add(distance));
        }
    }
    for handler in code.handlers() {
        targets.push(handler?.handler_pc);
    }
    targets.sort_unstable();
    targets.dedup();
    Ok(targets)
}

/// The lines of a method by where they start, in ascending order.
pub(crate) struct Lines(Vec<(u16, u16)>);

impl Lines {
    fn of(class: &ClassFile<'_>, code: &Code<'_>) -> Result<Lines> {
        let mut lines = Vec::new();
        for attribute in code.attributes {
            let attribute = attribute?;
            if class.pool.utf8(attribute.name)? == b"LineNumberTable" {
                let mut r = attribute.reader();
                for _ in 0..r.u16()? {
                    lines.push((r.u16()?, r.u16()?));
                }
            }
        }
        // Of several that start at the same place the last counts.
        lines.sort_by_key(|(start, _)| *start);
        Ok(Lines(lines))
    }

    fn at(&self, pc: u16) -> Option<u16> {
        let behind = self.0.partition_point(|(start, _)| *start <= pc);
        let (_, line) = self.0.get(behind.checked_sub(1)?)?;
        Some(*line)
    }
}

/// An instruction with what stands around it.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) body: &'a Body<'a>,
    index: usize,
}

impl<'a> Site<'a> {
    /// The instruction.
    pub(crate) fn at(&self) -> Result<Instruction<'a>> {
        let at = self.body.code.code_offset;
        let what = "no instruction";
        let instruction = self.body.instructions.get(self.index);
        instruction.copied().ok_or(Error::Malformed { at, what })
    }

    /// The instruction that always runs before it, if there is one.
    pub(crate) fn before(&self) -> Option<Instruction<'a>> {
        let instructions = &self.body.instructions;
        let pc = u16::try_from(instructions.get(self.index)?.pc).ok()?;
        match self.body.targets.binary_search(&pc) {
            Ok(_) => None,
            Err(_) => instructions.get(self.index.checked_sub(1)?).copied(),
        }
    }
}

/// The member that an instruction names.
pub(crate) struct Named<'a> {
    /// The class it is looked for in; none for `invokedynamic`.
    pub(crate) owner: Option<&'a [u8]>,
    pub(crate) name: &'a [u8],
    pub(crate) descriptor: &'a [u8],
}

impl<'a> Named<'a> {
    /// `None` if the instruction names no field or method.
    pub(crate) fn by(
        class: &ClassFile<'a>,
        instruction: &Instruction<'_>,
    ) -> Result<Option<Named<'a>>> {
        let Some(index) = instruction.constant() else {
            return Ok(None);
        };
        let (owner, name_and_type) = match class.pool.get(index)? {
            Constant::Field {
                class: owner,
                name_and_type,
            }
            | Constant::Method {
                class: owner,
                name_and_type,
            }
            | Constant::InterfaceMethod {
                class: owner,
                name_and_type,
            } => (Some(class.pool.class_name(owner)?), name_and_type),
            Constant::InvokeDynamic { name_and_type, .. } => (None, name_and_type),
            _ => return Ok(None),
        };
        let (name, descriptor) = class.pool.name_and_type(name_and_type)?;
        Ok(Some(Named {
            owner,
            name,
            descriptor,
        }))
    }
}

/// What an operator proposes for the instruction that it looked at.
pub(crate) struct Proposal {
    pub(crate) operator: Operator,
    pub(crate) description: String,
    pub(crate) new: NewCode,
}
