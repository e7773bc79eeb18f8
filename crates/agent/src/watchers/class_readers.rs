//! Libraries that read class files without the code in them.
//!
//! Frameworks read all class files in the packages of an application to find its components: names, supertypes,
//! members and annotations, with a parser that skips code. Counted as files, any change of any class would
//! select every test that has a context. So what such a reader opens counts by what it declares.
//!
//! The bytes must go to the reader alone: between it and the JDK there may be nothing but what the library
//! opens files with. A resource that the program implements could look at them on the way.

use crate::agent::Agent;
use crate::facts::Facts;
use crate::watchers::callers::is_of_the_jdk;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use tamis_jvmti::{Frame, Jni};

/// The kind of a method on the stack of the code that opens a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// It hands the bytes on to its own caller.
    Opener,
    Reader,
    Other,
}

/// The methods that were on stacks, by their ids.
#[derive(Debug, Default)]
pub(crate) struct ClassReaders(Mutex<HashMap<usize, Caller>>);

/// How many methods are between the reader and the native one, as a rule.
const USUAL_DEPTH: usize = 24;

/// Whether the one who opens a class file now skips the code in it.
pub(crate) fn is_reader_of_declarations(agent: &Agent, jni: &mut Jni<'_>) -> bool {
    let Some(facts) = agent.facts.get() else {
        return false;
    };
    let known = agent.class_readers.0.lock();
    let mut known = known.unwrap_or_else(PoisonError::into_inner);
    let mut is_reader = false;
    let seen = facts.jvmti.callers(jni, USUAL_DEPTH, |method, ask| {
        let caller = match known.get(&method.addr()) {
            Some(caller) => *caller,
            None => {
                let caller = std::cell::Cell::new(Caller::Other);
                ask(&mut |jni, frame| caller.set(caller_of(agent, facts, jni, frame)))?;
                known.insert(method.addr(), caller.get());
                caller.get()
            }
        };
        is_reader = caller == Caller::Reader;
        Ok(match caller {
            Caller::Opener => ControlFlow::Continue(()),
            Caller::Reader | Caller::Other => ControlFlow::Break(()),
        })
    });
    seen.is_ok() && is_reader
}

fn caller_of(agent: &Agent, facts: &Facts, jni: &Jni<'_>, frame: &Frame<'_>) -> Caller {
    if is_of_the_jdk(facts, jni, frame) {
        return Caller::Opener;
    }
    let class = frame.class_name();
    let is_reader = tamis_frameworks::reads_declarations(class, &frame.method);
    let is_opener = tamis_frameworks::opens_declarations(class);
    match (is_reader || is_opener) && agent.is_of_library(&frame.class) {
        true if is_reader => Caller::Reader,
        true => Caller::Opener,
        false => Caller::Other,
    }
}
