use std::ops::RangeInclusive;
use tamis_classfile::{Code, Error, Instruction, Result, opcode};

/// The instructions that start a block: the first one, those that something jumps to, those behind
/// a jump, and handlers of exceptions.
pub(super) struct Leaders {
    /// Their positions, ascending.
    pub(super) pcs: Vec<u16>,
    /// Whether something jumps to the first one.
    pub(super) is_loop: bool,
}

impl Leaders {
    /// Fails if something jumps to what is no instruction.
    pub(super) fn of(code: &Code<'_>) -> Result<Self> {
        const INSTRUCTION: u8 = 1;
        const BEHIND: u8 = 2;
        const TARGET: u8 = 4;
        let bad_place = Error::Malformed {
            at: code.code_offset,
            what: "place in the code that is no instruction",
        };
        let mut marks = vec![0; code.code.len()];
        let mut mark = |pc: usize, mark: u8| -> Result<()> {
            let place = marks.get_mut(pc).ok_or(bad_place.clone())?;
            *place |= mark;
            Ok(())
        };
        mark(0, BEHIND)?;
        let mut is_behind = false;
        for instruction in code.instructions() {
            let instruction = instruction?;
            mark(instruction.pc, INSTRUCTION)?;
            if is_behind {
                mark(instruction.pc, BEHIND)?;
            }
            is_behind = ends_block(&instruction);
            for target in targets(&instruction) {
                mark(target.map_or(usize::MAX, usize::from), TARGET)?;
            }
        }
        for handler in code.handlers() {
            mark(handler?.handler_pc.into(), TARGET)?;
        }
        let is_loop = marks.first().is_some_and(|mark| mark & TARGET != 0);
        let leaders = marks
            .iter()
            .enumerate()
            .filter(|(_, mark)| **mark >= BEHIND);
        let pcs = leaders.map(|(pc, mark)| match (mark & INSTRUCTION, u16::try_from(pc)) {
            (INSTRUCTION, Ok(pc)) => Ok(pc),
            _ => Err(bad_place.clone()),
        });
        Ok(Leaders {
            pcs: pcs.collect::<Result<_>>()?,
            is_loop,
        })
    }
}

/// More handlers than compilers write; looking at each pair of them would take long.
const MANY_HANDLERS: usize = 256;

/// Moves the probes of handlers that cover their own start, as javac writes them to release a
/// monitor, to where that ends. HotSpot's first compiler refuses a method with such a handler if
/// what is covered can throw, as a probe can for all it knows; and both refuse one where something
/// can throw while a monitor is held and no handler is around. A run gets to the new place for sure:
/// nothing before it waits, and everything thrown there leads back to the handler's start.
pub(super) fn leave_own_ranges(code: &Code<'_>, pcs: &mut [u16]) -> Result<()> {
    let handlers = code.handlers().collect::<Result<Vec<_>>>()?;
    if handlers.len() > MANY_HANDLERS {
        return Ok(());
    }
    let leaders = pcs.to_vec();
    for (index, own) in handlers.iter().enumerate() {
        let catches_all = own.catch_type == 0 && own.start_pc == own.handler_pc;
        let mut before = handlers.iter().take(index);
        if !catches_all || before.any(|h| h.start_pc < own.end_pc && own.start_pc < h.end_pc) {
            continue;
        }
        // Inside of the block, so that no jump gets past it; the entry's probe is in the prefix.
        let block = leaders.binary_search(&own.handler_pc).unwrap_or(0);
        let next = leaders.get(block + 1).copied().map(usize::from);
        let block_end = next.unwrap_or(code.code.len());
        let end = usize::from(own.end_pc);
        if let Some(place) = pcs.get_mut(block)
            && block > 0
            && end < block_end
            && only_releases(code, own.start_pc.into(), end)
        {
            *place = own.end_pc;
        }
    }
    Ok(())
}

/// Whether the instructions from `start` to another one at `end` release monitors and move local
/// variables, and do nothing else.
fn only_releases(code: &Code<'_>, start: usize, end: usize) -> bool {
    const LOADS: RangeInclusive<u8> = 0x15..=0x2d;
    const STORES: RangeInclusive<u8> = 0x36..=0x4e;
    const MONITOREXIT: u8 = 0xc3;
    let instructions = code.instructions().flatten();
    for instruction in instructions.skip_while(|i| i.pc < start) {
        let opcode = instruction.opcode;
        if instruction.pc >= end {
            return instruction.pc == end;
        }
        if !LOADS.contains(&opcode) && !STORES.contains(&opcode) && opcode != MONITOREXIT {
            return false;
        }
    }
    false
}

/// Where an instruction may jump to, as it says; `None` for what can be no position.
fn targets(instruction: &Instruction<'_>) -> impl Iterator<Item = Option<u16>> {
    let switch = instruction.switch().into_iter();
    let switch = switch.flat_map(|s| std::iter::once(s.default).chain(s.cases().map(|(_, to)| to)));
    let distances = instruction.branch().into_iter().chain(switch);
    distances.map(move |distance| instruction.target(distance))
}

pub(super) fn ends_block(instruction: &Instruction<'_>) -> bool {
    instruction.branch().is_some()
        || is_subroutine_end(instruction)
        || matches!(
            instruction.opcode,
            opcode::TABLESWITCH | opcode::LOOKUPSWITCH | opcode::IRETURN
                ..=opcode::RETURN | opcode::ATHROW
        )
}

pub(super) fn is_subroutine_end(instruction: &Instruction<'_>) -> bool {
    match instruction.opcode {
        opcode::WIDE => instruction.operands.first() == Some(&opcode::RET),
        opcode => opcode == opcode::RET,
    }
}
