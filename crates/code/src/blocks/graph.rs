use super::leaders::{Leaders, ends_block, is_subroutine_end};
use std::collections::BTreeSet;
use tamis_classfile::{Code, Error, Instruction, Result, opcode};

/// The control flow of a method: what its blocks do, as digests without positions and debug data,
/// and where they lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// None if nothing is known about them.
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Of the instructions in order, with the types of the handlers around each of them. Jumps are
    /// left out: they do nothing but go on.
    pub(super) digest: u128,
    pub(super) exit: Exit,
    /// The blocks of those handlers; which of them is for what, the digest knows.
    pub(super) handlers: Vec<u16>,
}

/// Where a block leads if no exception leaves it; numbers are those of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Exit {
    /// It returns or throws.
    End,
    /// It goes on, by itself or by a jump.
    Next(u16),
    Branch {
        taken: u16,
        next: u16,
    },
    /// The keys ascend, and no case goes where the default goes.
    Switch {
        default: u16,
        cases: Vec<(i32, u16)>,
    },
}

impl Blocks {
    /// The blocks of `code`. `constant` gives the digest of what stands at an index of the pool,
    /// `hash` that of bytes. Nothing is known about code with subroutines (`jsr`), because where
    /// they return to is a value, nor with a multitude of handlers that no compiler writes.
    pub fn of(
        code: &Code<'_>,
        hash: fn(&[u8]) -> u128,
        mut constant: impl FnMut(u16) -> Result<u128>,
    ) -> Result<Blocks> {
        let numbers = Numbers {
            leaders: Leaders::of(code)?.pcs,
            at: code.code_offset,
        };
        let mut handlers = Handlers::read(code, &numbers, &mut constant)?;
        let mut blocks = Vec::with_capacity(numbers.leaders.len());
        let mut open = Open::default();
        let mut next = numbers.leaders.iter().skip(1).peekable();
        for instruction in code.instructions() {
            let instruction = instruction?;
            if is_subroutine(&instruction) {
                return Ok(Blocks::unknown());
            }
            if next
                .next_if(|&&pc| usize::from(pc) == instruction.pc)
                .is_some()
            {
                blocks.push(open.close(hash, next_of(&blocks)));
                handlers.changed = true;
            }
            if !matches!(instruction.opcode, opcode::GOTO | opcode::GOTO_W) {
                if handlers.go_to(instruction.pc) {
                    let Some(around) = handlers.around() else {
                        return Ok(Blocks::unknown());
                    };
                    open.surround(around);
                }
                open.instruction(&instruction, &mut constant)?;
            }
            if ends_block(&instruction) {
                open.exit = Some(numbers.exit(&instruction, next_of(&blocks))?);
            }
        }
        blocks.push(open.close(hash, next_of(&blocks)));
        let blocks = Blocks { blocks };
        match blocks.is_whole() {
            true => Ok(blocks),
            false => Err(numbers.malformed("code that runs over its end")),
        }
    }

    /// Blocks of which nothing is known.
    pub fn unknown() -> Blocks {
        Blocks { blocks: Vec::new() }
    }

    /// How many blocks there are; 0 if nothing is known about them.
    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Whether every block leads to blocks.
    pub(super) fn is_whole(&self) -> bool {
        let is_block = |number: &u16| usize::from(*number) < self.blocks.len();
        self.blocks.iter().all(|block| {
            block.handlers.iter().all(is_block)
                && match &block.exit {
                    Exit::End => true,
                    Exit::Next(next) => is_block(next),
                    Exit::Branch { taken, next } => is_block(taken) && is_block(next),
                    Exit::Switch { default, cases } => {
                        is_block(default) && cases.iter().all(|(_, to)| is_block(to))
                    }
                }
        })
    }
}

/// The number of the block behind the one that comes next.
fn next_of(blocks: &[Block]) -> u16 {
    u16::try_from(blocks.len() + 1).unwrap_or(u16::MAX)
}

fn is_subroutine(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.opcode, opcode::JSR | opcode::JSR_W) || is_subroutine_end(instruction)
}

/// The numbers of blocks, by where they start.
struct Numbers {
    leaders: Vec<u16>,
    /// Where the code starts in the class file, for errors.
    at: usize,
}

impl Numbers {
    fn malformed(&self, what: &'static str) -> Error {
        Error::Malformed { at: self.at, what }
    }

    fn of(&self, pc: Option<u16>) -> Result<u16> {
        pc.and_then(|pc| self.leaders.binary_search(&pc).ok())
            .map(|number| number as u16)
            .ok_or(self.malformed("jump to no instruction"))
    }

    /// Where it goes on after `instruction`, which ends a block, with the block `next` behind it.
    fn exit(&self, instruction: &Instruction<'_>, next: u16) -> Result<Exit> {
        if let Some(distance) = instruction.branch() {
            let taken = self.of(instruction.target(distance))?;
            return Ok(match instruction.opcode {
                opcode::GOTO | opcode::GOTO_W => Exit::Next(taken),
                _ => Exit::Branch { taken, next },
            });
        }
        let Some(switch) = instruction.switch() else {
            return Ok(Exit::End);
        };
        let default = self.of(instruction.target(switch.default))?;
        let mut cases = Vec::new();
        let mut last = None;
        for (key, distance) in switch.cases() {
            if last.is_some_and(|last| last >= key) {
                return Err(self.malformed("keys of a switch out of order"));
            }
            last = Some(key);
            let to = self.of(instruction.target(distance))?;
            if to != default {
                cases.push((key, to));
            }
        }
        Ok(Exit::Switch { default, cases })
    }
}

/// A block while it is read.
#[derive(Default)]
struct Open {
    content: Vec<u8>,
    /// Where its last instruction leads, if it ends the block.
    exit: Option<Exit>,
    /// Types and blocks of the handlers around its last instruction.
    around: Vec<(u128, u16)>,
    /// Blocks of the handlers around all of its instructions.
    handlers: Vec<u16>,
}

/// Not an opcode: what follows is which handlers are around the instructions behind.
const AROUND: u8 = 0xff;

impl Open {
    fn surround(&mut self, around: Vec<(u128, u16)>) {
        if around == self.around {
            return;
        }
        self.content.push(AROUND);
        self.content.extend((around.len() as u32).to_le_bytes());
        for (catch_type, _) in &around {
            self.content.extend(catch_type.to_le_bytes());
        }
        self.handlers.extend(around.iter().map(|(_, block)| block));
        self.around = around;
    }

    fn instruction(
        &mut self,
        instruction: &Instruction<'_>,
        constant: &mut impl FnMut(u16) -> Result<u128>,
    ) -> Result<()> {
        // Which of these forms a compiler takes depends on the order of the pool, or on numbers
        // that stand in the exit.
        self.content.push(match instruction.opcode {
            opcode::LDC_W => opcode::LDC,
            opcode::TABLESWITCH => opcode::LOOKUPSWITCH,
            opcode => opcode,
        });
        if let Some(index) = instruction.constant() {
            self.content.extend(constant(index)?.to_le_bytes());
            let rest = instruction.operands.get(2..);
            self.content.extend_from_slice(rest.unwrap_or_default());
        } else if instruction.branch().is_none() && instruction.switch().is_none() {
            self.content.extend_from_slice(instruction.operands);
        }
        Ok(())
    }

    fn close(&mut self, hash: fn(&[u8]) -> u128, next: u16) -> Block {
        let block = Block {
            digest: hash(&self.content),
            exit: self.exit.take().unwrap_or(Exit::Next(next)),
            handlers: std::mem::take(&mut self.handlers),
        };
        self.content.clear();
        self.around.clear();
        block
    }
}

/// The handlers of a method, and which of them are around the instruction that is read.
struct Handlers {
    /// Type and block of each, in order of their precedence; the type of `finally` is 0.
    all: Vec<(u128, u16)>,
    /// Where ranges start and end, with the index of the handler, in order.
    bounds: Vec<(u16, bool, usize)>,
    passed: usize,
    active: BTreeSet<usize>,
    /// Whether what is around may not be what it was for the last instruction of the block.
    changed: bool,
    /// How many more edges to handlers are followed.
    left: usize,
}

/// Compilers write few; a class file can have as many as its blocks times its handlers.
const MAX_HANDLER_EDGES: usize = 1 << 18;

impl Handlers {
    fn read(
        code: &Code<'_>,
        numbers: &Numbers,
        constant: &mut impl FnMut(u16) -> Result<u128>,
    ) -> Result<Self> {
        let mut all = Vec::new();
        let mut bounds = Vec::new();
        for (index, handler) in code.handlers().enumerate() {
            let handler = handler?;
            let catch_type = match handler.catch_type {
                0 => 0,
                catch_type => constant(catch_type)?,
            };
            all.push((catch_type, numbers.of(Some(handler.handler_pc))?));
            if handler.start_pc < handler.end_pc {
                bounds.push((handler.start_pc, true, index));
                bounds.push((handler.end_pc, false, index));
            }
        }
        bounds.sort_unstable();
        Ok(Handlers {
            all,
            bounds,
            passed: 0,
            active: BTreeSet::new(),
            changed: true,
            left: MAX_HANDLER_EDGES,
        })
    }

    /// Goes on to the instruction at `pc`; whether other handlers may be around it than around the
    /// last one of its block.
    fn go_to(&mut self, pc: usize) -> bool {
        while let Some(&(bound, starts, index)) = self.bounds.get(self.passed)
            && usize::from(bound) <= pc
        {
            match starts {
                true => self.active.insert(index),
                false => self.active.remove(&index),
            };
            self.passed += 1;
            self.changed = true;
        }
        std::mem::take(&mut self.changed)
    }

    /// Types and blocks of the active handlers in order; `None` if there are too many.
    fn around(&mut self) -> Option<Vec<(u128, u16)>> {
        self.left = self.left.checked_sub(self.active.len())?;
        let handlers = self.active.iter();
        Some(handlers.filter_map(|&i| self.all.get(i).copied()).collect())
    }
}
