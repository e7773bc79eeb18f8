//! Follows the control flow of a method until no frame changes.

use super::frame::{Content, Frame, Objects, Site, Slot, Step, Stop};
use super::machine::{Found, Machine};
use super::types::Type;
use super::values::Value;
use crate::blocks::Leaders;
use std::collections::BTreeSet;
use tamis_classfile::{Code, Constant, ExceptionHandler, Instruction, opcode};

/// How many instructions are executed and slots joined before a method is given up. A method of the JDK
/// takes some thousand, the largest of generated code some million.
const MAX_WORK: usize = 1 << 24;

/// How many slots the frames of all blocks may have, and how many pairs of blocks and handlers there may be.
const MAX_SIZE: usize = 1 << 22;

/// Executes `code` and tells what is found in each block that can be reached.
pub(super) fn run<'a>(
    machine: &mut Machine<'_, 'a>,
    is_static: bool,
    code: &Code<'a>,
) -> Step<Vec<Found<'a>>> {
    let mut flow = Flow::new(machine, code)?;
    let first = flow.first_frame(is_static, code)?;
    flow.enter(0, &first, &[])?;
    while let Some(block) = flow.pending.pop_first() {
        flow.execute(block)?;
    }
    Ok(flow.found)
}

struct Flow<'f, 'm, 'a> {
    machine: &'f mut Machine<'m, 'a>,
    instructions: Vec<Instruction<'a>>,
    leaders: Vec<u16>,
    handlers: Vec<ExceptionHandler>,
    /// The frame at the start of each block; `None` if it was not reached.
    entries: Vec<Option<Frame>>,
    found: Vec<Found<'a>>,
    /// Blocks whose frames have changed.
    pending: BTreeSet<usize>,
    work: usize,
}

impl<'f, 'm, 'a> Flow<'f, 'm, 'a> {
    fn new(machine: &'f mut Machine<'m, 'a>, code: &Code<'a>) -> Step<Self> {
        let leaders = Leaders::of(code)?.pcs;
        let slots = usize::from(code.max_locals) + usize::from(code.max_stack);
        let handlers = code.handlers().collect::<Result<Vec<_>, _>>()?;
        if leaders.len() * slots.max(handlers.len()) > MAX_SIZE {
            return Err(Stop::GiveUp);
        }
        let mut found = Vec::new();
        found.resize_with(leaders.len(), Found::default);
        Ok(Flow {
            machine,
            instructions: code.instructions().collect::<Result<_, _>>()?,
            entries: vec![None; leaders.len()],
            leaders,
            handlers,
            found,
            pending: BTreeSet::new(),
            work: 0,
        })
    }

    /// The frame at the start of the method.
    fn first_frame(&mut self, is_static: bool, code: &Code<'a>) -> Step<Frame> {
        let mut frame = Frame {
            locals: vec![Slot::NOTHING; code.max_locals.into()],
            stack: Vec::new(),
            objects: Objects::new(),
            changes: 0,
        };
        let mut local = 0;
        if !is_static {
            frame.set_local(local, Slot::UNKNOWN)?;
            local += 1;
        }
        for (index, kind) in self.machine.parameters.iter().enumerate() {
            let number = u16::try_from(index).map_err(|_| Stop::GiveUp)?;
            let value = self.machine.table.value(Value::Parameter(number));
            let slot = match kind {
                Type::Array => {
                    let site = Site::Parameter(number);
                    frame.set_content(site, Content::AnyElement(value));
                    Slot::Object(site)
                }
                kind if kind.is_followed() => Slot::Values(value),
                _ => Slot::UNKNOWN,
            };
            frame.set_local(local, slot)?;
            if *kind == Type::Wide {
                frame.set_local(local + 1, Slot::UNKNOWN)?;
            }
            local += kind.words();
        }
        Ok(frame)
    }

    /// Lets `block` start with this frame and stack too.
    fn enter(&mut self, block: usize, frame: &Frame, stack: &[Slot]) -> Step<()> {
        self.spend(frame.locals.len() + stack.len())?;
        let entry = self.entries.get_mut(block).ok_or(Stop::GiveUp)?;
        let is_more = match entry {
            Some(entry) => {
                let machine = &mut *self.machine;
                entry.join(frame, stack, &mut machine.table, &mut machine.lost)?
            }
            None => {
                *entry = Some(frame.with_stack(stack));
                true
            }
        };
        if is_more {
            self.pending.insert(block);
        }
        Ok(())
    }

    fn spend(&mut self, work: usize) -> Step<()> {
        self.work += work + 1;
        match self.work > MAX_WORK {
            true => Err(Stop::GiveUp),
            false => Ok(()),
        }
    }

    fn block_at(&self, pc: Option<u16>) -> Step<usize> {
        let pc = pc.ok_or(Stop::GiveUp)?;
        self.leaders.binary_search(&pc).map_err(|_| Stop::GiveUp)
    }

    /// Executes a block with the frame that it starts with.
    fn execute(&mut self, block: usize) -> Step<()> {
        let Some(mut frame) = self.entries.get(block).cloned().flatten() else {
            return Ok(());
        };
        let start = self.leaders.get(block).map_or(0, |pc| usize::from(*pc));
        let end = self.leaders.get(block + 1);
        let end = end.map_or(usize::MAX, |pc| usize::from(*pc));
        let mut handlers = Handlers::of(&self.handlers, start, end);
        self.spend(self.handlers.len())?;
        let first = self.instructions.partition_point(|i| i.pc < start);
        let mut last = None;
        self.machine.found = Found::default();
        for at in first.. {
            let Some(instruction) = self.instructions.get(at).copied() else {
                break;
            };
            if instruction.pc >= end {
                break;
            }
            // Where something is made, all slots are looked at.
            self.spend(match instruction.opcode {
                opcode::NEW | opcode::ANEWARRAY => frame.locals.len() + frame.stack.len(),
                _ => 0,
            })?;
            if self.may_throw(&instruction)? {
                self.raise(&mut handlers, instruction.pc, &frame)?;
            }
            self.machine.step(&mut frame, &instruction)?;
            // What a call does, it may do before it ends with an exception.
            if matches!(
                instruction.opcode,
                opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC
            ) {
                self.raise(&mut handlers, instruction.pc, &frame)?;
            }
            last = Some(instruction);
        }
        let found = std::mem::take(&mut self.machine.found);
        if let Some(place) = self.found.get_mut(block) {
            *place = found;
        }
        self.leave(block, &last.ok_or(Stop::GiveUp)?, &frame)
    }

    /// Whether an exception may come from this instruction, other than for want of memory.
    fn may_throw(&self, instruction: &Instruction<'a>) -> Step<bool> {
        Ok(match (instruction.opcode, instruction.constant()) {
            (opcode::LDC | opcode::LDC_W, Some(index)) => !matches!(
                self.machine.finder.class.pool.get(index)?,
                Constant::String { .. } | Constant::Integer(_) | Constant::Float(_)
            ),
            // Elements, divisions, and all from fields on that is no jump.
            (0x2e..=0x35 | 0x4f..=0x56 | 0x6c | 0x6d | 0x70 | 0x71, _) => true,
            (opcode::GETSTATIC..=0xc3 | opcode::MULTIANEWARRAY | opcode::LDC2_W, _) => true,
            _ => false,
        })
    }

    /// Enters the handlers around the instruction at `pc` that do not know of this frame.
    fn raise(&mut self, handlers: &mut Handlers, pc: usize, frame: &Frame) -> Step<()> {
        for (handler, told) in &mut handlers.around {
            let range = usize::from(handler.start_pc)..usize::from(handler.end_pc);
            if range.contains(&pc) && *told != Some(frame.changes) {
                *told = Some(frame.changes);
                let block = self.block_at(Some(handler.handler_pc))?;
                self.enter(block, frame, &[Slot::UNKNOWN])?;
            }
        }
        Ok(())
    }

    /// Enters the blocks behind `last`, which ends `block`.
    fn leave(&mut self, block: usize, last: &Instruction<'a>, frame: &Frame) -> Step<()> {
        if let Some(distance) = last.branch() {
            let target = self.block_at(last.target(distance))?;
            self.enter(target, frame, &frame.stack)?;
        }
        if let Some(switch) = last.switch() {
            let distances = switch.cases().map(|(_, distance)| distance);
            let targets = std::iter::once(switch.default).chain(distances);
            let targets: BTreeSet<_> = targets.map(|distance| last.target(distance)).collect();
            for target in targets {
                let target = self.block_at(target)?;
                self.enter(target, frame, &frame.stack)?;
            }
        }
        match last.opcode {
            opcode::GOTO
            | opcode::GOTO_W
            | opcode::TABLESWITCH
            | opcode::LOOKUPSWITCH
            | opcode::IRETURN..=opcode::RETURN
            | opcode::ATHROW => Ok(()),
            _ => self.enter(block + 1, frame, &frame.stack),
        }
    }
}

/// The handlers around parts of a block, each with the frame that it knows.
struct Handlers {
    around: Vec<(ExceptionHandler, Option<u32>)>,
}

impl Handlers {
    fn of(all: &[ExceptionHandler], start: usize, end: usize) -> Self {
        let is_around = |handler: &&ExceptionHandler| {
            usize::from(handler.start_pc) < end && usize::from(handler.end_pc) > start
        };
        let around = all.iter().filter(is_around);
        Handlers {
            around: around.map(|handler| (*handler, None)).collect(),
        }
    }
}
