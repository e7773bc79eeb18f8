//! Finds the names that methods of one class ask for.

use super::apis::{Place, question};
use super::calls;
use super::flow;
use super::frame::Stop;
use super::machine::{Callee, Found, Machine};
use super::types::Signature;
use super::values::{Id, Table, Value, Values};
use super::{Lookup, Names, Passed};
use crate::references::{Bootstrap, bootstrap_methods};
use std::collections::{BTreeMap, BTreeSet};
use tamis_classfile::{ClassFile, Code, Constant, Error, Member, Result, access, opcode};

/// What a constant is to the analysis, in bits.
pub(super) mod mark {
    /// It may ask for a name.
    pub(in super::super) const ASKS: u8 = 1;
    /// It is a call with arguments that are told.
    pub(in super::super) const HANDS: u8 = 2;
    /// It is a call that makes texts, in the end.
    pub(super) const MAKES: u8 = 4;
    /// It is a text or a class.
    pub(super) const KNOWN: u8 = 8;
    /// It is a call of which it may be known what it returns.
    pub(in super::super) const RETURNS: u8 = 16;
}

/// Finds the names that methods of one class ask for.
#[derive(Debug)]
pub struct Finder<'c, 'a> {
    pub(super) class: &'c ClassFile<'a>,
    /// For each constant.
    marks: Vec<u8>,
    bootstraps: Vec<Bootstrap<'a>>,
}

impl<'c, 'a> Finder<'c, 'a> {
    /// Looks at the constants of `class`.
    pub fn new(class: &'c ClassFile<'a>) -> Result<Self> {
        let mut finder = Finder {
            class,
            marks: vec![0; usize::from(class.pool.count())],
            bootstraps: Vec::new(),
        };
        let mut dynamic = Vec::new();
        for (index, constant) in class.pool.iter() {
            let mark = match constant? {
                Constant::String { .. } | Constant::Class { .. } => mark::KNOWN,
                Constant::Method { .. } | Constant::InterfaceMethod { .. } => {
                    mark_of(finder.callee(index)?)
                }
                Constant::MethodHandle { reference, .. } => {
                    let question = finder.question_of(reference)?;
                    question.map_or(0, |_| mark::ASKS)
                }
                Constant::InvokeDynamic { bootstrap, .. } | Constant::Dynamic { bootstrap, .. } => {
                    dynamic.push((index, bootstrap));
                    0
                }
                _ => 0,
            };
            finder.set(index, mark);
        }
        if !dynamic.is_empty() {
            finder.bootstraps = bootstrap_methods(class)?;
        }
        for (index, bootstrap) in dynamic {
            // The recipe of a text is among the arguments.
            let (_, arguments) = finder.bootstrap(bootstrap)?;
            let marks = arguments.iter().map(|argument| finder.mark(*argument));
            let marks = marks.fold(mark::MAKES, |all, mark| all | mark);
            finder.set(index, marks);
        }
        Ok(finder)
    }

    fn set(&mut self, index: u16, mark: u8) {
        if let Some(old) = self.marks.get_mut(usize::from(index)) {
            *old = mark;
        }
    }

    pub(super) fn mark(&self, index: u16) -> u8 {
        self.marks
            .get(usize::from(index))
            .copied()
            .unwrap_or_default()
    }

    /// The handle and the arguments of a bootstrap method.
    pub(super) fn bootstrap(&self, index: u16) -> Result<(u16, Vec<u16>)> {
        let entry = self.bootstraps.get(usize::from(index)).copied().flatten();
        let (method, mut arguments) = entry.ok_or(Error::BadConstant { index })?;
        let mut all = Vec::new();
        while !arguments.is_empty() {
            all.push(arguments.u16()?);
        }
        Ok((method, all))
    }

    /// Finds what `method`, whose code this is, does with names.
    pub fn find(&self, method: &Member<'a>, code: &Code<'a>) -> Result<Names<'a>> {
        let Some(signature) = Signature::of(self.class.pool.utf8(method.descriptor)?) else {
            return Err(Error::Malformed {
                at: method.offset,
                what: "method with a bad descriptor",
            });
        };
        if !self.is_of_interest(&signature, code)? {
            return Ok(Names::default());
        }
        let mut machine = Machine {
            finder: self,
            parameters: &signature.parameters,
            table: Table::default(),
            lost: BTreeSet::new(),
            found: Found::default(),
        };
        let is_static = method.access & access::STATIC != 0;
        match flow::run(&mut machine, is_static, code) {
            Ok(found) => Ok(names(&machine, found)),
            Err(Stop::GiveUp) => self.unknown(code),
            Err(Stop::Bad(error)) => Err(error),
        }
    }

    /// Whether there is a look-up, or something known and a call to hand it to.
    fn is_of_interest(&self, signature: &Signature, code: &Code<'a>) -> Result<bool> {
        let mut marks = match signature.parameters.iter().any(|kind| kind.is_followed()) {
            true => mark::KNOWN,
            false => 0,
        };
        for instruction in code.instructions() {
            let instruction = instruction?;
            marks |= match (instruction.opcode, instruction.constant()) {
                (opcode::ACONST_NULL, _) => mark::KNOWN,
                (
                    opcode::LDC | opcode::LDC_W | opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC,
                    Some(index),
                ) => self.mark(index),
                _ => 0,
            };
        }
        let uses = marks & (mark::HANDS | mark::MAKES) != 0;
        Ok(marks & mark::ASKS != 0 || uses && marks & mark::KNOWN != 0)
    }

    /// The look-ups of code that cannot be followed.
    fn unknown(&self, code: &Code<'a>) -> Result<Names<'a>> {
        let mut names = Names::default();
        for instruction in code.instructions() {
            let Some(index) = instruction?.constant() else {
                continue;
            };
            let mut methods = Vec::new();
            match self.class.pool.get(index)? {
                Constant::Method { .. } | Constant::InterfaceMethod { .. } => methods.push(index),
                Constant::MethodHandle { reference, .. } => methods.push(reference),
                Constant::InvokeDynamic { bootstrap, .. } | Constant::Dynamic { bootstrap, .. } => {
                    let (_, arguments) = self.bootstrap(bootstrap)?;
                    for argument in arguments {
                        if let Constant::MethodHandle { reference, .. } =
                            self.class.pool.get(argument)?
                        {
                            methods.push(reference);
                        }
                    }
                }
                _ => {}
            }
            for method in methods {
                if let Some(question) = self.question_of(method)? {
                    names.lookups.push(Lookup {
                        target: question.target,
                        on: question.on.map(|_| Values::Unknown),
                        name: match question.name {
                            Place::Constructor => Values::of([Value::Text("<init>".into())]),
                            _ => Values::Unknown,
                        },
                    });
                }
            }
        }
        Ok(names)
    }
}

fn mark_of(callee: Callee<'_>) -> u8 {
    let [owner, name, descriptor] = callee;
    let mut marks = 0;
    let mut add = |mark: u8, is_so: bool| marks |= if is_so { mark } else { 0 };
    let is_builder = matches!(
        owner,
        b"java/lang/StringBuilder" | b"java/lang/StringBuffer"
    );
    let joins = matches!(name, b"concat" | b"format" | b"formatted" | b"join");
    let makes = is_builder && name == b"toString" || owner == b"java/lang/String" && joins;
    add(mark::MAKES, makes);
    add(mark::ASKS, question(owner, name, descriptor).is_some());
    add(mark::HANDS, calls::is_followed(callee));
    add(mark::RETURNS, owner.starts_with(b"java/"));
    marks
}

/// What was found in all blocks, for others to read.
fn names<'a>(machine: &Machine<'_, 'a>, found: Vec<Found<'a>>) -> Names<'a> {
    let table = &machine.table;
    let values = |id: Id| table.get(id).clone();
    let mut lookups = Vec::new();
    let mut passed: BTreeMap<(Callee<'a>, u16), Values> = BTreeMap::new();
    let mut texts = BTreeSet::new();
    for found in found {
        lookups.extend(found.lookups.into_iter().map(|(target, on, name)| Lookup {
            target,
            on: on.map(values),
            name: values(name),
        }));
        for handed in found.passed {
            let is_lost = handed
                .object
                .is_some_and(|site| machine.lost.contains(&site));
            let given = match is_lost {
                true => Values::Unknown,
                false => values(handed.values),
            };
            let key = (handed.callee, handed.argument);
            let all = passed.entry(key).or_insert(Values::Known(Vec::new()));
            *all = all.join(&given);
        }
        let made = found.texts.iter().flat_map(|id| table.texts(*id));
        texts.extend(made.map(Box::from));
    }
    let passed = passed
        .into_iter()
        .filter_map(|((callee, argument), values)| {
            let ([owner, name, descriptor], Values::Known(values)) = (callee, values) else {
                return None;
            };
            Some(Passed {
                owner,
                name,
                descriptor,
                argument,
                values,
            })
        });
    Names {
        lookups,
        passed: passed.collect(),
        texts: texts.into_iter().collect(),
    }
}
