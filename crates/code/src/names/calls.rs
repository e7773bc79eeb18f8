//! Executes calls: what they ask for, what they are given, and what they make of names.

use super::Finder;
use super::apis::{Place, Question, question};
use super::finder::mark;
use super::frame::{Frame, Slot, Step, Stop};
use super::machine::{Callee, Handed, Machine};
use super::strings::recipe;
use super::types::{Signature, Type, has_followed, words_of};
use super::values::{Id, UNKNOWN};
use tamis_classfile::{Constant, Error, Instruction, Result, opcode};

/// The kinds of method handles whose first argument is no receiver (table 5.4.3.5-A).
const STATIC_HANDLE: u8 = 6;
const CONSTRUCTOR_HANDLE: u8 = 8;

/// A call with what it is given.
pub(super) struct Call<'a> {
    pub(super) callee: Callee<'a>,
    pub(super) signature: Signature,
    pub(super) receiver: Option<Slot>,
    /// One for each parameter.
    pub(super) arguments: Vec<Slot>,
}

impl<'a> Call<'a> {
    /// Takes from the stack what the call is given.
    fn take(frame: &mut Frame, callee: Callee<'a>, has_receiver: bool) -> Step<Self> {
        let [_, _, descriptor] = callee;
        let signature = Signature::of(descriptor).ok_or(Stop::GiveUp)?;
        let mut arguments = Vec::with_capacity(signature.parameters.len());
        for parameter in signature.parameters.iter().rev() {
            arguments.push(match frame.top(parameter.words())? {
                [slot] => *slot,
                _ => Slot::UNKNOWN,
            });
            frame.pop_words(parameter.words())?;
        }
        arguments.reverse();
        let receiver = match has_receiver {
            true => Some(frame.pop()?),
            false => None,
        };
        Ok(Call {
            callee,
            signature,
            receiver,
            arguments,
        })
    }

    /// Types and slots of the arguments.
    pub(super) fn typed(&self) -> impl Iterator<Item = (Type, Slot)> {
        let types = self.signature.parameters.iter().copied();
        types.zip(self.arguments.iter().copied())
    }

    pub(super) fn argument(&self, index: usize) -> Slot {
        self.arguments.get(index).copied().unwrap_or(Slot::UNKNOWN)
    }

    /// Others get hold of all that the call is given.
    fn escape(&self, frame: &mut Frame) {
        let slots = self.arguments.iter().chain(&self.receiver);
        slots.for_each(|slot| frame.escape(*slot));
    }
}

impl<'a> Machine<'_, 'a> {
    pub(super) fn invoke(&mut self, frame: &mut Frame, instruction: &Instruction<'a>) -> Step<()> {
        let index = instruction.constant().ok_or(Stop::GiveUp)?;
        if let Constant::InvokeDynamic {
            bootstrap,
            name_and_type,
        } = self.finder.class.pool.get(index)?
        {
            return self.dynamic(frame, bootstrap, name_and_type);
        }
        let callee = self.finder.callee(index)?;
        let has_receiver = instruction.opcode != opcode::INVOKESTATIC;
        let [owner, name, descriptor] = callee;
        let marks = self.finder.mark(index);
        if marks == 0 {
            let (takes, returns) = words_of(descriptor).ok_or(Stop::GiveUp)?;
            frame.give_away(takes + usize::from(has_receiver))?;
            frame.push_unknown(returns);
            return Ok(());
        }
        let call = Call::take(frame, callee, has_receiver)?;
        if marks & mark::ASKS != 0
            && let Some(question) = question(owner, name, descriptor)
        {
            self.ask(frame, &call, question);
        }
        if marks & mark::HANDS != 0 {
            self.hand_over(frame, callee, 0, &call);
        }
        let words = call.signature.returns.words();
        match self.known(frame, &call) {
            Some(slot) if words == 1 => frame.push(slot),
            Some(_) => frame.push_unknown(words),
            None => {
                call.escape(frame);
                frame.push_unknown(words);
            }
        }
        Ok(())
    }

    fn ask(&mut self, frame: &Frame, call: &Call<'a>, question: Question) {
        let on = question.on.map(|place| self.at(frame, call, place));
        let name = self.at(frame, call, question.name);
        self.found.lookups.push((question.target, on, name));
    }

    fn at(&mut self, frame: &Frame, call: &Call<'a>, place: Place) -> Id {
        let slot = match place {
            Place::Receiver => call.receiver.unwrap_or(Slot::UNKNOWN),
            Place::Argument(index) => call.argument(index),
            Place::Constructor => return self.table.text("<init>"),
            Place::Anything => return UNKNOWN,
        };
        frame.values(slot, &mut self.table)
    }

    /// Notes what `callee` is given by `call`, whose argument `skip` is its first.
    fn hand_over(&mut self, frame: &Frame, callee: Callee<'a>, skip: usize, call: &Call<'a>) {
        for (argument, (kind, slot)) in call.typed().skip(skip).enumerate() {
            if kind.is_followed() {
                let values = frame.values(slot, &mut self.table);
                self.found.passed.push(Handed {
                    callee,
                    argument: u16::try_from(argument).unwrap_or(u16::MAX),
                    values,
                    object: match slot {
                        Slot::Object(site) => Some(site),
                        _ => None,
                    },
                });
            }
        }
    }

    /// Executes a call site that a bootstrap method links.
    fn dynamic(&mut self, frame: &mut Frame, bootstrap: u16, name_and_type: u16) -> Step<()> {
        let pool = &self.finder.class.pool;
        let (name, descriptor) = pool.name_and_type(name_and_type)?;
        let call = Call::take(frame, [b"", name, descriptor], false)?;
        let (method, arguments) = self.finder.bootstrap(bootstrap)?;
        let [owner, ..] = self.finder.callee_of_handle(method)?;
        if owner == b"java/lang/invoke/StringConcatFactory" {
            let parts = match name {
                b"makeConcat" => Some(call.typed().map(recipe::Part::Argument).collect()),
                _ => recipe::parts(pool, &call, &arguments)?,
            };
            let made = match parts {
                Some(parts) => self.concat_parts(frame, &parts),
                None => UNKNOWN,
            };
            frame.push(Slot::Values(made));
            return Ok(());
        }
        let handles = self.handles(bootstrap)?;
        if let (b"java/lang/invoke/LambdaMetafactory", [(kind, reference)]) =
            (owner, handles.as_slice())
        {
            self.capture(frame, &call, *kind, *reference)?;
        }
        call.escape(frame);
        frame.push_unknown(call.signature.returns.words());
        Ok(())
    }

    /// The methods that a bootstrap method is given, with the kinds of their handles; notes what they ask for.
    pub(super) fn handles(&mut self, bootstrap: u16) -> Step<Vec<(u8, u16)>> {
        let (_, arguments) = self.finder.bootstrap(bootstrap)?;
        let mut handles = Vec::new();
        for argument in arguments {
            if let Constant::MethodHandle { kind, reference } =
                self.finder.class.pool.get(argument)?
            {
                self.asked_later(reference)?;
                handles.push((kind, reference));
            }
        }
        Ok(handles)
    }

    /// Notes what a lambda captures: these are the first arguments of its method.
    fn capture(&mut self, frame: &Frame, call: &Call<'a>, kind: u8, reference: u16) -> Step<()> {
        let pool = &self.finder.class.pool;
        if matches!(pool.get(reference)?, Constant::Field { .. }) {
            return Ok(());
        }
        let callee = self.finder.callee(reference)?;
        let has_receiver = !matches!(kind, STATIC_HANDLE | CONSTRUCTOR_HANDLE);
        if is_followed(callee) {
            self.hand_over(frame, callee, usize::from(has_receiver), call);
        }
        Ok(())
    }

    /// Notes that a handle of this method may be called, with anything.
    pub(super) fn asked_later(&mut self, reference: u16) -> Step<()> {
        if let Some(question) = self.finder.question_of(reference)? {
            let name = match question.name {
                Place::Constructor => self.table.text("<init>"),
                _ => UNKNOWN,
            };
            let on = question.on.map(|_| UNKNOWN);
            self.found.lookups.push((question.target, on, name));
        }
        Ok(())
    }
}

/// Whether what this method is given is told: nobody follows it into the JDK.
pub(super) fn is_followed([owner, _, descriptor]: Callee<'_>) -> bool {
    !owner.starts_with(b"java/") && !owner.starts_with(b"[") && has_followed(descriptor)
}

impl<'a> Finder<'_, 'a> {
    /// The method that a call or a handle names.
    pub(super) fn callee(&self, index: u16) -> Result<Callee<'a>> {
        self.class.pool.method(index)
    }

    pub(super) fn callee_of_handle(&self, index: u16) -> Result<Callee<'a>> {
        match self.class.pool.get(index)? {
            Constant::MethodHandle { reference, .. } => self.callee(reference),
            _ => Err(Error::BadConstant { index }),
        }
    }

    /// What the method at this index asks for.
    pub(super) fn question_of(&self, index: u16) -> Result<Option<Question>> {
        if let Constant::Field { .. } = self.class.pool.get(index)? {
            return Ok(None);
        }
        let [owner, name, descriptor] = self.callee(index)?;
        Ok(question(owner, name, descriptor))
    }
}
