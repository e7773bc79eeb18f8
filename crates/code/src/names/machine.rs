//! Executes single instructions on frames.

use super::frame::{Content, Frame, Site, Slot, Step, Stop};
use super::types::Type;
use super::values::{Id, NOTHING, Table, UNKNOWN, Value};
use super::{Finder, Target};
use crate::words::{arrangement, words};
use std::collections::BTreeSet;
use tamis_classfile::{Constant, Instruction, decode_mutf8, opcode};

const AALOAD: u8 = opcode::AALOAD;
const AASTORE: u8 = 0x53;

/// How long an array may be for its elements to be told apart.
const MAX_ELEMENTS: i32 = 16;

/// What was found in one block.
#[derive(Default)]
pub(super) struct Found<'a> {
    pub(super) lookups: Vec<(Target, Option<Id>, Id)>,
    pub(super) passed: Vec<Handed<'a>>,
    pub(super) texts: Vec<Id>,
}

/// An argument of a call.
pub(super) struct Handed<'a> {
    pub(super) callee: Callee<'a>,
    pub(super) argument: u16,
    pub(super) values: Id,
    /// The object, if it is one whose content was followed until then.
    pub(super) object: Option<Site>,
}

/// Owner, name and descriptor of a method.
pub(super) type Callee<'a> = [&'a [u8]; 3];

/// What executes the instructions of one method.
pub(super) struct Machine<'m, 'a> {
    pub(super) finder: &'m Finder<'m, 'a>,
    /// The types of the method's parameters.
    pub(super) parameters: &'m [Type],
    pub(super) table: Table,
    /// Objects that changed after others got hold of them, or whose names were lost.
    pub(super) lost: BTreeSet<Site>,
    pub(super) found: Found<'a>,
}

impl<'a> Machine<'_, 'a> {
    pub(super) fn step(&mut self, frame: &mut Frame, instruction: &Instruction<'a>) -> Step<()> {
        let code = instruction.opcode;
        let operand = instruction.operands.first().copied().unwrap_or_default();
        match code {
            opcode::ACONST_NULL => frame.push(Slot::NOTHING),
            opcode::ICONST_M1..=opcode::ICONST_5 => {
                frame.push(Slot::Number(i32::from(code) - i32::from(opcode::ICONST_0)));
            }
            opcode::BIPUSH => frame.push(Slot::Number(operand.cast_signed().into())),
            opcode::SIPUSH => {
                let number = instruction.operands.first_chunk().copied();
                let number = i16::from_be_bytes(number.unwrap_or_default());
                frame.push(Slot::Number(number.into()));
            }
            opcode::LDC | opcode::LDC_W => {
                let slot = self.constant(instruction.constant())?;
                frame.push(slot);
            }
            // Loads, stores and increments, by the number of the local behind them or in them.
            0x15..=0x19 | 0x36..=0x3a | opcode::IINC => {
                Self::local(frame, code, operand.into())?;
            }
            0x1a..=0x2d => {
                let form = code - 0x1a;
                Self::local(frame, 0x15 + form / 4, usize::from(form % 4))?;
            }
            0x3b..=0x4e => {
                let form = code - 0x3b;
                Self::local(frame, 0x36 + form / 4, usize::from(form % 4))?;
            }
            opcode::WIDE => {
                let [code, high, low] = instruction
                    .operands
                    .first_chunk()
                    .copied()
                    .unwrap_or_default();
                Self::local(frame, code, u16::from_be_bytes([high, low]).into())?;
            }
            AALOAD => self.element(frame)?,
            AASTORE => self.set_element(frame)?,
            opcode::GETSTATIC..=opcode::PUTFIELD => self.field(frame, instruction)?,
            opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC => self.invoke(frame, instruction)?,
            opcode::NEW => match self.class_operand(instruction)? {
                b"java/lang/StringBuilder" | b"java/lang/StringBuffer" => {
                    let empty = self.table.text("");
                    self.make(frame, instruction, Content::Builder(empty))?;
                }
                _ => frame.push(Slot::UNKNOWN),
            },
            opcode::ANEWARRAY => self.array(frame, instruction)?,
            opcode::CHECKCAST => {
                // Bad code must not do anything to a stack that is empty.
                let slot = frame.pop()?;
                frame.push(slot);
            }
            opcode::MULTIANEWARRAY => {
                let dimensions = instruction.operands.get(2).copied().unwrap_or_default();
                frame.pop_words(dimensions.into())?;
                frame.push(Slot::UNKNOWN);
            }
            _ => Self::plain(frame, code)?,
        }
        Ok(())
    }

    fn plain(frame: &mut Frame, code: u8) -> Step<()> {
        if let Some((takes, order)) = arrangement(code) {
            let mut taken = [Slot::UNKNOWN; 4];
            let top = frame.top(takes)?.iter();
            taken
                .iter_mut()
                .zip(top)
                .for_each(|(place, slot)| *place = *slot);
            frame.pop_words(takes)?;
            let put = order.iter().filter_map(|at| taken.get(*at));
            frame.stack.extend(put);
            return Ok(());
        }
        let (takes, puts) = words(code).ok_or(Stop::GiveUp)?;
        frame.pop_words(takes)?;
        frame.push_unknown(puts);
        Ok(())
    }

    /// Loads, stores or increments a local, by the opcode of the long form.
    fn local(frame: &mut Frame, code: u8, index: usize) -> Step<()> {
        match code {
            0x15 | 0x17 | 0x19 => {
                let slot = frame.local(index)?;
                frame.push(slot);
            }
            0x16 | 0x18 => frame.push_unknown(2),
            0x36 | 0x38 | 0x3a => {
                let slot = frame.pop()?;
                frame.set_local(index, slot)?;
            }
            0x37 | 0x39 => {
                frame.pop_words(2)?;
                frame.set_local(index, Slot::UNKNOWN)?;
                frame.set_local(index + 1, Slot::UNKNOWN)?;
            }
            opcode::IINC => frame.set_local(index, Slot::UNKNOWN)?,
            _ => return Err(Stop::GiveUp),
        }
        Ok(())
    }

    fn constant(&mut self, index: Option<u16>) -> Step<Slot> {
        let pool = &self.finder.class.pool;
        let index = index.ok_or(Stop::GiveUp)?;
        Ok(match pool.get(index)? {
            Constant::Integer(number) => Slot::Number(number.cast_signed()),
            Constant::String { utf8 } => Slot::Values(self.decoded(pool.utf8(utf8)?, Value::Text)),
            Constant::Class { name } => Slot::Values(self.decoded(pool.utf8(name)?, Value::Class)),
            Constant::MethodHandle { reference, .. } => {
                self.asked_later(reference)?;
                Slot::UNKNOWN
            }
            Constant::Dynamic { bootstrap, .. } => {
                self.handles(bootstrap)?;
                Slot::UNKNOWN
            }
            _ => Slot::UNKNOWN,
        })
    }

    pub(super) fn decoded(&mut self, bytes: &[u8], kind: fn(Box<str>) -> Value) -> Id {
        let text = decode_mutf8(bytes);
        text.map_or(UNKNOWN, |text| self.table.value(kind(text.into())))
    }

    fn class_operand(&self, instruction: &Instruction<'a>) -> Step<&'a [u8]> {
        let index = instruction.constant().ok_or(Stop::GiveUp)?;
        Ok(self.finder.class.pool.class_name(index)?)
    }

    fn field(&mut self, frame: &mut Frame, instruction: &Instruction<'a>) -> Step<()> {
        let index = instruction.constant().ok_or(Stop::GiveUp)?;
        let pool = &self.finder.class.pool;
        let Constant::Field { name_and_type, .. } = pool.get(index)? else {
            return Err(Stop::GiveUp);
        };
        let (_, descriptor) = pool.name_and_type(name_and_type)?;
        let words = Type::of_field(descriptor).ok_or(Stop::GiveUp)?.words();
        match instruction.opcode {
            opcode::GETSTATIC | opcode::GETFIELD => {
                frame.pop_words(usize::from(instruction.opcode == opcode::GETFIELD))?;
                frame.push_unknown(words);
            }
            _ => {
                frame.give_away(words)?;
                frame.pop_words(usize::from(instruction.opcode == opcode::PUTFIELD))?;
            }
        }
        Ok(())
    }

    fn array(&mut self, frame: &mut Frame, instruction: &Instruction<'a>) -> Step<()> {
        let length = frame.pop()?;
        if !Type::of_class(self.class_operand(instruction)?).is_followed() {
            frame.push(Slot::UNKNOWN);
            return Ok(());
        }
        let content = match length {
            Slot::Number(length @ 0..=MAX_ELEMENTS) => {
                Content::Elements(vec![NOTHING; usize::try_from(length).unwrap_or_default()])
            }
            _ => Content::AnyElement(NOTHING),
        };
        self.make(frame, instruction, content)
    }

    fn make(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction<'a>,
        content: Content,
    ) -> Step<()> {
        let pc = u32::try_from(instruction.pc).map_err(|_| Stop::GiveUp)?;
        let site = Site::New(pc);
        if frame.make(site, content) {
            self.lost.insert(site);
        }
        Ok(())
    }

    fn element(&mut self, frame: &mut Frame) -> Step<()> {
        let (index, array) = (frame.pop()?, frame.pop()?);
        let element = match (array, index) {
            (Slot::Object(site), Slot::Number(index)) => match frame.content(site) {
                Content::Elements(all) => {
                    let index = usize::try_from(index).ok();
                    index.and_then(|index| all.get(index)).copied()
                }
                _ => None,
            },
            _ => None,
        };
        let element = match (element, array) {
            (Some(element), _) => element,
            (None, Slot::Object(_)) => frame.values(array, &mut self.table),
            _ => UNKNOWN,
        };
        frame.push(Slot::Values(element));
        Ok(())
    }

    fn set_element(&mut self, frame: &mut Frame) -> Step<()> {
        let (value, index, array) = (frame.pop()?, frame.pop()?, frame.pop()?);
        let Slot::Object(site) = array else {
            frame.escape(value);
            return Ok(());
        };
        let element = match value {
            Slot::Object(_) => UNKNOWN,
            value => frame.values(value, &mut self.table),
        };
        frame.escape(value);
        let content = match (frame.content(site).clone(), index) {
            (Content::Elements(mut all), Slot::Number(index)) => {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                if let Some(old) = all.get_mut(index) {
                    *old = element;
                }
                Content::Elements(all)
            }
            (Content::Elements(mut all), _) => {
                for old in &mut all {
                    *old = self.table.join(*old, element);
                }
                Content::Elements(all)
            }
            (Content::AnyElement(any), _) => Content::AnyElement(self.table.join(any, element)),
            (other, _) => {
                self.lost.insert(site);
                other
            }
        };
        frame.set_content(site, content);
        Ok(())
    }
}
