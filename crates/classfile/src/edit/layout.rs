use super::output::Output;
use crate::code::switch_padding;
use crate::{Code, Error, Instruction, Result, opcode};

/// Code to insert: the position of an instruction of the method, and the bytes that come before
/// it. They run however the instruction is reached, and they branch nowhere.
pub type Insertion<'e> = (u16, &'e [u8]);

const TOO_FAR: Error = Error::TooLarge {
    what: "distance of a branch",
};

/// Where one instruction goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Where the code inserted before it starts, or its own position if there is none.
    entry: u32,
    /// Where the instruction itself starts.
    instruction: u32,
}

const NOWHERE: Place = Place {
    entry: u32::MAX,
    instruction: u32::MAX,
};

/// Where the instructions of a method go when code is inserted between them.
#[derive(Debug)]
pub(super) struct Layout {
    /// By old position; `NOWHERE` inside of instructions.
    places: Vec<Place>,
    /// Where the code ends.
    end: usize,
    /// The old positions of jumps and subroutine calls that need their wide form.
    wide: Vec<usize>,
    /// Where the code starts in the class file, for errors.
    base: usize,
}

/// Whether no branch of `code` can become too long for its form: jumps grow to less than twice
/// their size, padding too.
pub(super) fn is_near(code: &Code<'_>, added: usize) -> bool {
    code.code.len() * 2 + added <= i16::MAX as usize
}

impl Layout {
    /// Fails with [`Error::TooLarge`] if a conditional branch would have to go too far: in its
    /// place two branches would be needed, and a stack map frame between them.
    pub(super) fn new(code: &Code<'_>, prefix: usize, inside: &[Insertion<'_>]) -> Result<Self> {
        let mut layout = Layout {
            places: vec![NOWHERE; code.code.len()],
            end: 0,
            wide: Vec::new(),
            base: code.code_offset,
        };
        let added = prefix + inside.iter().map(|(_, piece)| piece.len()).sum::<usize>();
        if is_near(code, added) {
            layout.assign(code, prefix, inside, false)?;
            return Ok(layout);
        }
        // What is near with all at its longest stays near.
        layout.assign(code, prefix, inside, true)?;
        layout.wide = layout.far(code, |i| is_narrow_jump(i.opcode))?;
        layout.assign(code, prefix, inside, false)?;
        let conditional = |i: &Instruction<'_>| i.operands.len() == 2 && !is_narrow_jump(i.opcode);
        match layout.far(code, conditional)?.as_slice() {
            [] => Ok(layout),
            _ => Err(TOO_FAR),
        }
    }

    /// Gives every instruction its place, with everything as long as it can get if `longest`.
    fn assign(
        &mut self,
        code: &Code<'_>,
        prefix: usize,
        inside: &[Insertion<'_>],
        longest: bool,
    ) -> Result<()> {
        let mut inside = inside.iter().peekable();
        let mut at = prefix;
        for instruction in code.instructions() {
            let instruction = instruction?;
            let entry = position(at)?;
            if let Some((_, piece)) = inside.next_if(|(pc, _)| usize::from(*pc) == instruction.pc) {
                at += piece.len();
            }
            if let Some(place) = self.places.get_mut(instruction.pc) {
                let instruction = position(at)?;
                *place = Place { entry, instruction };
            }
            at += self.length(&instruction, at, longest);
        }
        self.end = at;
        match inside.next() {
            None => Ok(()),
            Some(&(pc, _)) => Err(self.malformed(pc.into(), "insertion at no instruction")),
        }
    }

    /// The length that an instruction has at its new position.
    fn length(&self, instruction: &Instruction<'_>, at: usize, longest: bool) -> usize {
        let length = 1 + instruction.operands.len();
        match instruction.opcode {
            opcode::TABLESWITCH | opcode::LOOKUPSWITCH => {
                let padding = if longest { 3 } else { switch_padding(at) };
                length - switch_padding(instruction.pc) + padding
            }
            opcode if is_narrow_jump(opcode) && (longest || self.is_wide(instruction.pc)) => {
                length + 2
            }
            _ => length,
        }
    }

    /// Which of the branches that `of` picks go further than two bytes can say.
    fn far(&self, code: &Code<'_>, of: impl Fn(&Instruction<'_>) -> bool) -> Result<Vec<usize>> {
        let mut far = Vec::new();
        for instruction in code.instructions() {
            let instruction = instruction?;
            if let Some(distance) = instruction.branch()
                && of(&instruction)
                && i16::try_from(self.distance(&instruction, distance)?).is_err()
            {
                far.push(instruction.pc);
            }
        }
        Ok(far)
    }

    fn is_wide(&self, pc: usize) -> bool {
        self.wide.binary_search(&pc).is_ok()
    }

    /// Where the code ends.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// The new position of the instruction at `pc`; `None` if there is none.
    pub(super) fn instruction(&self, pc: u16) -> Option<u16> {
        u16::try_from(self.places.get(usize::from(pc))?.instruction).ok()
    }

    /// Where the instruction at `pc` is reached; `None` if there is none.
    pub(super) fn entry(&self, pc: u16) -> Option<u16> {
        u16::try_from(self.places.get(usize::from(pc))?.entry).ok()
    }

    /// The new distance from `instruction` to where `distance` led.
    fn distance(&self, instruction: &Instruction<'_>, distance: i32) -> Result<i32> {
        let place = |pc: usize| self.places.get(pc).filter(|place| **place != NOWHERE);
        let target = instruction.target(distance).map(usize::from);
        let (from, to) = place(instruction.pc)
            .zip(target.and_then(place))
            .ok_or(self.malformed(instruction.pc, "branch to no instruction"))?;
        i32::try_from(i64::from(to.entry) - i64::from(from.instruction)).map_err(|_| TOO_FAR)
    }

    fn malformed(&self, pc: usize, what: &'static str) -> Error {
        Error::Malformed {
            at: self.base + pc,
            what,
        }
    }

    /// Writes the instructions with `inside` between them. What comes after the last one that has
    /// to change is left to be copied.
    pub(super) fn write(
        &self,
        out: &mut Output<'_>,
        code: &Code<'_>,
        inside: &[Insertion<'_>],
    ) -> Result<()> {
        let mut inside = inside.iter().peekable();
        for instruction in code.instructions() {
            let instruction = instruction?;
            if let Some((_, piece)) = inside.next_if(|(pc, _)| usize::from(*pc) == instruction.pc) {
                out.copy_to(self.base + instruction.pc)?;
                out.extend(piece);
            }
            if let Some(distance) = instruction.branch() {
                let distance = self.distance(&instruction, distance)?;
                self.branch(out, &instruction, distance)?;
            } else if matches!(
                instruction.opcode,
                opcode::TABLESWITCH | opcode::LOOKUPSWITCH
            ) {
                self.switch(out, &instruction)?;
            }
        }
        Ok(())
    }

    fn branch(
        &self,
        out: &mut Output<'_>,
        instruction: &Instruction<'_>,
        distance: i32,
    ) -> Result<()> {
        const WIDER: u8 = opcode::GOTO_W - opcode::GOTO;
        out.copy_to(self.base + instruction.pc)?;
        if self.is_wide(instruction.pc) {
            out.extend(&[instruction.opcode + WIDER]);
            out.extend(&distance.to_be_bytes());
        } else if instruction.operands.len() == 4 {
            out.extend(&[instruction.opcode]);
            out.extend(&distance.to_be_bytes());
        } else {
            out.extend(&[instruction.opcode]);
            out.extend(&i16::try_from(distance).map_err(|_| TOO_FAR)?.to_be_bytes());
        }
        out.skip_to(self.base + instruction.pc + 1 + instruction.operands.len());
        Ok(())
    }

    fn switch(&self, out: &mut Output<'_>, instruction: &Instruction<'_>) -> Result<()> {
        let Instruction {
            pc,
            opcode,
            operands,
        } = *instruction;
        let start = self
            .places
            .get(pc)
            .map_or(0, |place| place.instruction as usize);
        out.copy_to(self.base + pc + 1)?;
        out.extend([0; 3].get(..switch_padding(start)).unwrap_or_default());
        out.skip_to(self.base + pc + 1 + switch_padding(pc));
        let words = out.copy_to(self.base + pc + 1 + operands.len())?;
        for (index, word) in words.chunks_exact_mut(4).enumerate() {
            // The default; then `low` and `high`, or the number of pairs and the first key; then
            // distances, or distances and keys in turn.
            let is_table = opcode == opcode::TABLESWITCH;
            if index == 0 || index > 2 && (is_table || index % 2 == 1) {
                let mut distance = [0; 4];
                distance.copy_from_slice(word);
                let distance = self.distance(instruction, i32::from_be_bytes(distance))?;
                word.copy_from_slice(&distance.to_be_bytes());
            }
        }
        Ok(())
    }
}

/// Whether it is a jump or subroutine call with a wide form.
fn is_narrow_jump(opcode: u8) -> bool {
    matches!(opcode, opcode::GOTO | opcode::JSR)
}

fn position(at: usize) -> Result<u32> {
    // `NOWHERE` stays free.
    let what = "code of a method";
    u32::try_from(at).map_err(|_| Error::TooLarge { what })
}
