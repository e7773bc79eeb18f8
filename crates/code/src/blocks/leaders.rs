use tamis_classfile::{Code, Error, Instruction, Result, opcode};

/// The instructions that start a block: the first one, those that something jumps to, those behind
/// a jump, and handlers of exceptions.
#[derive(Debug)]
pub struct Leaders {
    /// Their positions, ascending.
    pub pcs: Vec<u16>,
    /// Whether something jumps to the first one.
    pub is_loop: bool,
}

impl Leaders {
    /// Finds them; fails if something jumps to what is no instruction.
    pub fn of(code: &Code<'_>) -> Result<Self> {
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

/// Where an instruction may jump to, as it says; `None` for what can be no position.
pub(crate) fn targets(instruction: &Instruction<'_>) -> impl Iterator<Item = Option<u16>> {
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
