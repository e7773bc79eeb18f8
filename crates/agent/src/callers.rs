//! Who is on the stack when something is looked at.

use crate::agent::Agent;
use crate::facts::Facts;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tamis_jvmti::{Frame, Jni};

/// What is known of a method, or of all methods on a stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// It keeps what it reads for the whole JVM: who asks later gets it without looking again.
    pub(crate) keeps: bool,
    /// It looks for something on a class path, or in an archive by its URL: both are noted, and so are
    /// the classes.
    pub(crate) finds: bool,
    /// It reads an archive.
    pub(crate) unpacks: bool,
    /// It looks for tests.
    pub(crate) scans: bool,
}

impl Caller {
    fn or(self, other: Caller) -> Caller {
        Caller {
            keeps: self.keeps || other.keeps,
            finds: self.finds || other.finds,
            unpacks: self.unpacks || other.unpacks,
            scans: self.scans || other.scans,
        }
    }
}

/// The methods that were on stacks, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Callers(Mutex<HashMap<usize, Caller>>);

/// Classes of the JDK that keep what they have read, by the start of their signatures.
const KEEPING: [&[u8]; 10] = [
    b"Ljava/nio/charset/Charset",
    b"Ljava/security/Provider",
    b"Ljava/security/Security;",
    b"Ljava/sql/DriverManager",
    b"Ljava/util/Currency",
    b"Ljava/util/Locale",
    b"Ljava/util/ResourceBundle",
    b"Ljava/util/TimeZone",
    b"Ljava/util/logging/",
    b"Lsun/util/",
];

const FINDING: [&[u8]; 7] = [
    b"Ljdk/internal/loader/Resource;",
    b"Ljdk/internal/loader/URLClassPath",
    b"Ljdk/internal/module/",
    b"Lsun/launcher/",
    b"Lsun/misc/Resource;",
    b"Lsun/misc/URLClassPath",
    b"Lsun/net/www/protocol/jar/",
];

/// How many callers are asked about.
const FAR: usize = 96;

/// What the methods on the stack of the current thread are; `None` if that cannot be seen.
pub(crate) fn on_stack(agent: &Agent, jni: Jni<'_>) -> Option<Caller> {
    let facts = agent.facts.get()?;
    let mut known = agent
        .callers
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut all = Caller::default();
    let seen = facts.jvmti.callers(jni, FAR, |method, ask| {
        let id = method.addr();
        let caller = match known.get(&id) {
            Some(caller) => *caller,
            None => {
                let caller = std::cell::Cell::new(Caller::default());
                ask(&mut |jni, frame| caller.set(caller_of(facts, jni, frame)))?;
                known.insert(id, caller.get());
                caller.get()
            }
        };
        all = all.or(caller);
        Ok(())
    });
    seen.ok().map(|()| all)
}

fn caller_of(facts: &Facts, jni: Jni<'_>, frame: &Frame<'_>) -> Caller {
    let is_of = |prefixes: &[&[u8]]| {
        let mut prefixes = prefixes.iter();
        prefixes.any(|prefix| frame.class.starts_with(prefix))
    };
    let is_boot = || matches!(facts.jvmti.loader(jni, frame.declaring), Ok(None));
    Caller {
        keeps: is_of(&KEEPING) || (frame.method == b"<clinit>" && is_boot()),
        finds: is_of(&FINDING),
        unpacks: is_of(&[b"Ljava/util/zip/"]),
        scans: is_of(&[b"Lorg/apache/maven/surefire/"])
            || (is_of(&[b"Lorg/junit/platform/commons/"])
                && frame.class.ends_with(b"ClasspathScanner;")),
    }
}

/// Where on the stack the method is that called the one that called the agent.
const DIRECT: usize = 3;

/// Who calls a method directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direct {
    /// The JDK.
    Jdk,
    /// What starts tests.
    Surefire,
    /// Anybody else.
    Other,
}

/// Who called the method that called the agent.
pub(crate) fn direct(facts: &Facts, jni: Jni<'_>) -> Direct {
    let (mut depth, direct) = (0, std::cell::Cell::new(Direct::Other));
    let seen = facts.jvmti.callers(jni, DIRECT, |_, ask| {
        depth += 1;
        match depth {
            DIRECT => ask(&mut |jni, frame| {
                let loader = facts.jvmti.loader(jni, frame.declaring);
                direct.set(match loader {
                    Ok(None) => Direct::Jdk,
                    _ if frame.class.starts_with(b"Lorg/apache/maven/") => Direct::Surefire,
                    _ => Direct::Other,
                });
            }),
            _ => Ok(()),
        }
    });
    match seen {
        Ok(()) => direct.get(),
        Err(_) => Direct::Other,
    }
}
