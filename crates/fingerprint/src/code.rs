use tamis_classfile::{Code, Error, Instruction, Reader, Result, opcode};

use crate::printer::{Place, Printer};

const GOTO: u8 = 0xa7;
const JSR: u8 = 0xa8;
const IFNULL: u8 = 0xc6;
const IFNONNULL: u8 = 0xc7;
const GOTO_W: u8 = 0xc8;
const JSR_W: u8 = 0xc9;

const NOT_AN_INSTRUCTION: u32 = u32::MAX;

impl<'a> Printer<'_, 'a> {
    /// Writes the instructions and the exception table. Places in the code are written as
    /// ordinals of instructions, so that the length of another instruction (`ldc` grows when its
    /// constant moves) and the padding of switches do not show.
    pub(crate) fn code(&mut self, code: &Code<'a>) -> Result<()> {
        let length = code.code.len();
        if length > usize::from(u16::MAX) {
            return Err(Error::Malformed {
                at: code.code_offset,
                what: "code over 65535 bytes",
            });
        }
        self.ordinals.clear();
        self.ordinals.resize(length + 1, NOT_AN_INSTRUCTION);
        self.targets.clear();
        self.u16(code.max_stack);
        self.u16(code.max_locals);
        let hole = self.hole();
        let mut count = 0;
        let mut copied = 0;
        for instruction in code.instructions() {
            let instruction = instruction?;
            self.number_instruction(instruction.pc, count);
            count += 1;
            if !stands_for_itself(instruction.opcode) {
                self.bytes(code.code.get(copied..instruction.pc).unwrap_or_default());
                copied = instruction.pc + 1 + instruction.operands.len();
                self.instruction(code, &instruction)?;
            }
        }
        self.bytes(code.code.get(copied..).unwrap_or_default());
        self.number_instruction(length, count);
        self.fill(hole, count);
        self.resolve_targets(code)?;
        self.sequence(code.handlers(), |p, handler| {
            for pc in [handler.start_pc, handler.end_pc, handler.handler_pc] {
                let ordinal = p.ordinal(code, pc.into())?;
                p.u32(ordinal);
            }
            p.optional(handler.catch_type)
        })?;
        self.attributes(Place::Code, code.attributes)
    }

    fn instruction(&mut self, code: &Code<'a>, instruction: &Instruction<'a>) -> Result<()> {
        let Instruction {
            pc,
            opcode,
            operands,
        } = *instruction;
        if let Some(index) = instruction.constant() {
            // Which of the two forms a compiler takes depends on the order of the pool alone.
            self.u8(if opcode == opcode::LDC_W {
                opcode::LDC
            } else {
                opcode
            });
            self.constant(index)?;
            if let Some(rest @ [_, ..]) = operands.get(2..) {
                self.bytes(rest);
            }
            return Ok(());
        }
        match opcode {
            opcode::IFEQ..=JSR | IFNULL | IFNONNULL => {
                self.u8(opcode);
                let offset = Reader::new(operands, code.code_offset + pc).u16()? as i16;
                self.target(code, pc, offset.into())
            }
            GOTO_W | JSR_W => {
                self.u8(if opcode == GOTO_W { GOTO } else { JSR });
                let offset = Reader::new(operands, code.code_offset + pc).u32()? as i32;
                self.target(code, pc, offset)
            }
            opcode::TABLESWITCH | opcode::LOOKUPSWITCH => self.switch(code, instruction),
            _ => {
                self.u8(opcode);
                self.bytes(operands);
                Ok(())
            }
        }
    }

    fn switch(&mut self, code: &Code<'a>, instruction: &Instruction<'a>) -> Result<()> {
        let Instruction {
            pc,
            opcode,
            operands,
        } = *instruction;
        let mut r = Reader::new(operands, code.code_offset + pc);
        r.take(3 - pc % 4)?;
        self.u8(opcode);
        self.target(code, pc, r.u32()? as i32)?;
        // `low` and `high`, or the number of pairs: enough to know where the instruction ends.
        self.u32(r.u32()?);
        if opcode == opcode::TABLESWITCH {
            self.u32(r.u32()?);
        }
        while !r.is_empty() {
            if opcode == opcode::LOOKUPSWITCH {
                self.u32(r.u32()?);
            }
            self.target(code, pc, r.u32()? as i32)?;
        }
        Ok(())
    }

    /// Leaves room for the ordinal of the instruction at `pc + offset`.
    fn target(&mut self, code: &Code<'a>, pc: usize, offset: i32) -> Result<()> {
        let to = usize::try_from(pc as i64 + i64::from(offset)).map_err(|_| bad_place(code))?;
        let hole = self.hole();
        self.targets.push((hole, to));
        Ok(())
    }

    /// Leaves room for a number that is not known yet, and returns where.
    fn hole(&mut self) -> usize {
        let at = self.buffer.len();
        self.u32(0);
        at
    }

    fn fill(&mut self, hole: usize, value: u32) {
        if let Some(hole) = self.buffer.get_mut(hole..hole + size_of::<u32>()) {
            hole.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn resolve_targets(&mut self, code: &Code<'a>) -> Result<()> {
        for at in 0..self.targets.len() {
            let Some(&(hole, pc)) = self.targets.get(at) else {
                break;
            };
            let ordinal = self.ordinal(code, pc)?;
            self.fill(hole, ordinal);
        }
        Ok(())
    }

    fn number_instruction(&mut self, pc: usize, ordinal: u32) {
        if let Some(slot) = self.ordinals.get_mut(pc) {
            *slot = ordinal;
        }
    }

    fn ordinal(&self, code: &Code<'a>, pc: usize) -> Result<u32> {
        match self.ordinals.get(pc) {
            Some(&ordinal) if ordinal != NOT_AN_INSTRUCTION => Ok(ordinal),
            _ => Err(bad_place(code)),
        }
    }
}

/// Whether an instruction holds neither a constant-pool index nor a place in the code.
fn stands_for_itself(opcode: u8) -> bool {
    !matches!(
        opcode,
        opcode::LDC..=opcode::LDC2_W
            | opcode::IFEQ..=JSR
            | opcode::TABLESWITCH..=opcode::LOOKUPSWITCH
            | opcode::GETSTATIC..=opcode::NEW
            | opcode::ANEWARRAY
            | opcode::CHECKCAST..=opcode::INSTANCEOF
            | opcode::MULTIANEWARRAY..=JSR_W
    )
}

fn bad_place(code: &Code<'_>) -> Error {
    Error::Malformed {
        at: code.code_offset,
        what: "place in the code that is no instruction",
    }
}
