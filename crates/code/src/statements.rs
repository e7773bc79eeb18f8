//! The statements of a method.
//!
//! A method can be cut where the stack is empty and no jump leads over the place. What stands between two cuts is a
//! statement: a line, or a loop, a branch, a `try` or what runs with a lock as a whole. Control comes from one to the next in order, and nothing
//! comes from one to another but through locals and objects. A jump that leaves the method early leads over all that
//! follows it. What stands in one line is one statement.

use crate::blocks::targets;
use crate::names::{Type, words_of};
use crate::words::{arrangement, words};
use std::collections::{BTreeMap, BTreeSet};
use tamis_classfile::{ClassFile, Code, Constant, Error, Instruction, Reader, Result, opcode};

/// Why a method has no statements that can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whole {
    /// It was compiled without line numbers.
    NoLines,
    /// It jumps to subroutines, as old compilers let it.
    Subroutines,
    /// It does not end with a `return` without a value.
    NoEnd,
}

/// A call of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call<'a> {
    /// Internal name of the class that the call names.
    pub owner: &'a [u8],
    /// Name of the method.
    pub name: &'a [u8],
    /// Its descriptor.
    pub descriptor: &'a [u8],
}

/// A statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Where its code starts.
    pub start: u16,
    /// Where it ends.
    pub end: u16,
    /// The line that it starts in.
    pub line: u16,
    /// The locals that it reads.
    pub reads: BTreeSet<u16>,
    /// The locals that it may write.
    pub writes: BTreeSet<u16>,
    /// Those of both that hold objects.
    pub objects: BTreeSet<u16>,
    /// What it calls itself.
    pub calls: BTreeSet<Call<'a>>,
}

/// The statements of a method in order, but for the `return` at its end.
pub fn statements<'a>(
    class: &ClassFile<'a>,
    code: &Code<'a>,
) -> Result<std::result::Result<Vec<Statement<'a>>, Whole>> {
    let instructions: Vec<Instruction<'a>> = code.instructions().collect::<Result<_>>()?;
    let is_subroutine = |i: &Instruction<'_>| {
        let wide = i.opcode == opcode::WIDE && i.operands.first() == Some(&opcode::RET);
        wide || matches!(i.opcode, opcode::JSR | opcode::RET | opcode::JSR_W)
    };
    if instructions.iter().any(is_subroutine) {
        return Ok(Err(Whole::Subroutines));
    }
    let lines = lines(class, code)?;
    if lines.is_empty() {
        return Ok(Err(Whole::NoLines));
    }
    let Some(end) = instructions
        .last()
        .filter(|last| last.opcode == opcode::RETURN)
    else {
        return Ok(Err(Whole::NoEnd));
    };
    let depths = depths(class, code, &instructions)?;
    let is_crossed = crossed(code, &instructions)?;
    let mut found: Vec<Statement<'a>> = Vec::new();
    for (instruction, depth) in instructions.iter().zip(depths) {
        let pc = u16::try_from(instruction.pc).map_err(|_| bad(code))?;
        let is_cut = depth == Some(0) && is_crossed.get(instruction.pc) == Some(&false);
        if is_cut && instruction.pc == end.pc {
            break;
        }
        let line = lines.range(..=pc).next_back().map_or(0, |(_, line)| *line);
        let is_next = found.last().is_none_or(|last| is_cut && last.line != line);
        if is_next {
            found.push(Statement {
                start: pc,
                line,
                ..Statement::default()
            });
        }
        if let Some(statement) = found.last_mut() {
            statement.end = pc.saturating_add(length(instruction));
            statement.add(class, instruction)?;
        }
    }
    Ok(Ok(found))
}

impl<'a> Statement<'a> {
    fn add(&mut self, class: &ClassFile<'a>, instruction: &Instruction<'a>) -> Result<()> {
        if let Some((access, local)) = Access::of(instruction) {
            let (is_read, is_write) = match access.kind {
                Kind::Load => (true, false),
                Kind::Store => (false, true),
                Kind::Increment => (true, true),
            };
            if is_read {
                self.reads.insert(local);
            }
            if is_write {
                self.writes.insert(local);
                // A long or double takes two.
                self.writes
                    .extend(access.is_wide.then_some(local.saturating_add(1)));
            }
            self.objects.extend(access.is_object.then_some(local));
        }
        if let (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE, Some(index)) =
            (instruction.opcode, instruction.constant())
        {
            let [owner, name, descriptor] = class.pool.method(index)?;
            self.calls.insert(Call {
                owner,
                name,
                descriptor,
            });
        }
        Ok(())
    }
}

enum Kind {
    Load,
    Store,
    Increment,
}

/// How an instruction uses a local.
struct Access {
    kind: Kind,
    is_object: bool,
    is_wide: bool,
}

impl Access {
    fn of(instruction: &Instruction<'_>) -> Option<(Access, u16)> {
        let operand = instruction.operands.first().copied();
        let (code, local) = match (instruction.opcode, instruction.operands) {
            (opcode::WIDE, &[code, high, low, ..]) => (code, u16::from_be_bytes([high, low])),
            (code @ (0x15..=0x19 | 0x36..=0x3a | opcode::IINC), _) => (code, operand?.into()),
            (code @ 0x1a..=0x2d, _) => (0x15 + (code - 0x1a) / 4, ((code - 0x1a) % 4).into()),
            (code @ 0x3b..=0x4e, _) => (0x36 + (code - 0x3b) / 4, ((code - 0x3b) % 4).into()),
            _ => return None,
        };
        let kind = match code {
            0x15..=0x19 => Kind::Load,
            0x36..=0x3a => Kind::Store,
            _ => Kind::Increment,
        };
        let access = Access {
            kind,
            is_object: matches!(code, 0x19 | 0x3a),
            is_wide: matches!(code, 0x37 | 0x39),
        };
        Some((access, local))
    }
}

fn bad(code: &Code<'_>) -> Error {
    Error::Malformed {
        at: code.code_offset,
        what: "code whose stack or jumps make no sense",
    }
}

fn length(instruction: &Instruction<'_>) -> u16 {
    u16::try_from(instruction.operands.len() + 1).unwrap_or(u16::MAX)
}

/// Lines by where their code starts.
fn lines(class: &ClassFile<'_>, code: &Code<'_>) -> Result<BTreeMap<u16, u16>> {
    let mut lines = BTreeMap::new();
    for attribute in code.attributes {
        let attribute = attribute?;
        if class.pool.utf8(attribute.name)? == b"LineNumberTable" {
            let mut table: Reader<'_> = attribute.reader();
            for _ in 0..table.u16()? {
                let (start, line) = (table.u16()?, table.u16()?);
                lines.insert(start, line);
            }
        }
    }
    Ok(lines)
}

/// For each place whether control comes over it without coming to it.
fn crossed(code: &Code<'_>, instructions: &[Instruction<'_>]) -> Result<Vec<bool>> {
    let length = code.code.len();
    // How many jumps begin to lead over a place here, less those that end to.
    let mut changes = vec![0i32; length + 2];
    let mut over = |first: usize, behind: usize| {
        if first < behind {
            if let Some(change) = changes.get_mut(first) {
                *change += 1;
            }
            if let Some(change) = changes.get_mut(behind.min(length + 1)) {
                *change -= 1;
            }
        }
    };
    let is_unlock = |instruction: &&Instruction<'_>| instruction.opcode == opcode::MONITOREXIT;
    let unlocked = instructions.iter().rfind(is_unlock).map_or(0, |i| i.pc + 1);
    for instruction in instructions {
        let from = instruction.pc;
        // What is locked is unlocked in the same statement.
        if instruction.opcode == opcode::MONITORENTER {
            over(from + 1, unlocked);
        }
        for to in targets(instruction) {
            let to = usize::from(to.ok_or_else(|| bad(code))?);
            match to > from {
                true => over(from + 1, to),
                false => over(to + 1, from + 1),
            }
        }
        let is_last = instructions.last().is_some_and(|last| last.pc == from);
        // It jumps behind the end.
        if matches!(instruction.opcode, opcode::IRETURN..=opcode::RETURN) && !is_last {
            over(from + 1, length + 1);
        }
    }
    for handler in code.handlers() {
        let handler = handler?;
        let [start, end, to] =
            [handler.start_pc, handler.end_pc, handler.handler_pc].map(usize::from);
        match to >= end {
            true => over(start + 1, to),
            false => over(to + 1, end),
        }
    }
    let mut open = 0;
    let crossed = changes.iter().take(length).map(|change| {
        open += change;
        open > 0
    });
    Ok(crossed.collect())
}

/// How many words are on the stack before each instruction; `None` if nothing leads there.
fn depths(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
) -> Result<Vec<Option<usize>>> {
    let at = |pc: u16| {
        let found = instructions.binary_search_by_key(&usize::from(pc), |i| i.pc);
        found.map_err(|_| bad(code))
    };
    let mut depths = vec![None; instructions.len()];
    let mut next = vec![(0, 0usize)];
    for handler in code.handlers() {
        next.push((at(handler?.handler_pc)?, 1));
    }
    while let Some((number, depth)) = next.pop() {
        let Some(known) = depths.get_mut(number) else {
            return Err(bad(code));
        };
        if known.is_some() {
            continue;
        }
        *known = Some(depth);
        let Some(instruction) = instructions.get(number) else {
            continue;
        };
        let (takes, puts) = effect(class, instruction)?.ok_or_else(|| bad(code))?;
        let behind = depth.checked_sub(takes).ok_or_else(|| bad(code))? + puts;
        for to in targets(instruction) {
            next.push((at(to.ok_or_else(|| bad(code))?)?, behind));
        }
        let is_end = matches!(
            instruction.opcode,
            opcode::GOTO
                | opcode::GOTO_W
                | opcode::TABLESWITCH
                | opcode::LOOKUPSWITCH
                | opcode::IRETURN..=opcode::RETURN | opcode::ATHROW
        );
        if !is_end {
            next.push((number + 1, behind));
        }
    }
    Ok(depths)
}

/// How many words an instruction takes and puts.
fn effect(class: &ClassFile<'_>, instruction: &Instruction<'_>) -> Result<Option<(usize, usize)>> {
    let pool = &class.pool;
    let constant = || match instruction.constant() {
        Some(index) => pool.get(index),
        None => Err(Error::BadConstant { index: 0 }),
    };
    let code = match (instruction.opcode, instruction.operands.first()) {
        (opcode::WIDE, Some(code)) => *code,
        (code, _) => code,
    };
    Ok(match code {
        opcode::ACONST_NULL..=opcode::ICONST_5
        | opcode::BIPUSH..=opcode::LDC_W
        | 0x19
        | 0x2a..=0x2d
        | opcode::NEW => Some((0, 1)),
        opcode::IINC => Some((0, 0)),
        opcode::AALOAD => Some((2, 1)),
        0x53 => Some((3, 0)),
        0x36 | 0x38 | 0x3a | 0x3b..=0x3e | 0x43..=0x46 | 0x4b..=0x4e => Some((1, 0)),
        0x37 | 0x39 | 0x3f..=0x42 | 0x47..=0x4a => Some((2, 0)),
        opcode::GETSTATIC..=opcode::PUTFIELD => {
            let Constant::Field { name_and_type, .. } = constant()? else {
                return Ok(None);
            };
            let (_, descriptor) = pool.name_and_type(name_and_type)?;
            let words = Type::of_field(descriptor).map(Type::words);
            words.map(|words| match code {
                opcode::GETSTATIC => (0, words),
                opcode::PUTSTATIC => (words, 0),
                opcode::GETFIELD => (1, words),
                _ => (words + 1, 0),
            })
        }
        opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC => {
            let (Constant::Method { name_and_type, .. }
            | Constant::InterfaceMethod { name_and_type, .. }
            | Constant::InvokeDynamic { name_and_type, .. }) = constant()?
            else {
                return Ok(None);
            };
            let (_, descriptor) = pool.name_and_type(name_and_type)?;
            let has_object = !matches!(code, opcode::INVOKESTATIC | opcode::INVOKEDYNAMIC);
            words_of(descriptor).map(|(takes, puts)| (takes + usize::from(has_object), puts))
        }
        opcode::ANEWARRAY | opcode::CHECKCAST => Some((1, 1)),
        opcode::MULTIANEWARRAY => {
            let dimensions = instruction.operands.get(2).copied().unwrap_or_default();
            Some((dimensions.into(), 1))
        }
        code => match arrangement(code) {
            Some((takes, puts)) => Some((takes, puts.len())),
            None => words(code),
        },
    })
}
