//! Classifies the callers on the stack when something is accessed.

use crate::agent::Agent;
use crate::facts::Facts;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use tamis_jvmti::{CALLERS, Frame, Jni};

/// Facts about a method, or about all methods on a stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Whether it caches what it reads for the whole JVM: later readers get the cached value.
    pub(crate) caches_for_jvm: bool,
    /// Whether the caching code reads itself: only the JDK is in between.
    pub(crate) caches_itself: bool,
    /// Whether the JVM resolves what a class names: it looks for a missing class only once.
    pub(crate) resolves: bool,
    /// Whether an archive is read.
    pub(crate) unpacks: bool,
    /// Whether two paths are compared for leading to one file.
    pub(crate) compares: bool,
    /// Whether a test framework, or what starts it, is on the stack.
    framework: bool,
    /// Whether other code than that and the JDK is on the stack.
    pub(crate) program: bool,
    /// Whether it is the native method that looks up a class by name.
    for_name: bool,
    /// The attributes of a file that it sees.
    pub(crate) sees: Sees,
    /// The caller.
    pub(crate) who: Who,
}

/// The kind of the nearest caller that can be classified.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Who {
    /// The JDK itself.
    #[default]
    Jdk,
    /// The JVM's own class path, or who asks for an entry of an archive by its URL: both are noted, and so
    /// are the classes.
    ClassPath,
    /// Another class loader of the JDK.
    Loader,
    /// A test framework that looks for tests.
    Framework,
    /// Anybody else.
    Program,
}

/// What a caller does with the attributes of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sees {
    /// They are handed on.
    #[default]
    Passes,
    /// They are handed on to who walks through directories.
    Walks,
    /// It does not look at them and is part of streams.
    Streams,
    /// It walks through directories for the names of files.
    Scans,
    /// Whether it is a file or a directory.
    Kind,
    /// All of them, as far as is known.
    All,
}

impl Sees {
    /// With a caller that is farther away.
    fn behind(self, other: Sees) -> Sees {
        match (self, other) {
            (Sees::Passes, Sees::Streams | Sees::Scans) => Sees::All,
            (Sees::Passes, other) => other,
            (Sees::Walks, Sees::Walks | Sees::Streams) => Sees::Walks,
            (Sees::Walks, Sees::Scans) => Sees::Kind,
            (Sees::Walks, _) => Sees::All,
            (seen, _) => seen,
        }
    }
}

impl Caller {
    /// An unknown caller: the values that make more tests run.
    const ANYBODY: Caller = Caller {
        caches_for_jvm: true,
        caches_itself: true,
        resolves: true,
        unpacks: true,
        compares: true,
        framework: false,
        program: true,
        for_name: false,
        sees: Sees::All,
        who: Who::Program,
    };

    /// Whether a test framework acts on its own behalf.
    pub(crate) fn is_framework_alone(self) -> bool {
        self.framework && !self.program
    }

    /// The same, as one that caches what it reads.
    fn caching_itself(self) -> Caller {
        Caller {
            caches_itself: true,
            ..self
        }
    }

    /// With a caller that is farther away, or with all that are.
    fn behind(self, other: Caller) -> Caller {
        Caller {
            caches_for_jvm: self.caches_for_jvm || other.caches_for_jvm,
            caches_itself: self.caches_itself
                || match self.who {
                    Who::Jdk => other.caches_itself,
                    Who::ClassPath | Who::Loader => other.caches_for_jvm,
                    Who::Framework | Who::Program => false,
                },
            resolves: self.resolves || other.resolves,
            unpacks: self.unpacks || other.unpacks,
            compares: self.compares || other.compares,
            framework: self.framework || other.framework,
            program: self.program || other.program,
            for_name: self.for_name || other.for_name,
            sees: self.sees.behind(other.sees),
            who: match (self.who, other.who) {
                (Who::Jdk, who) => who,
                // It looks for somebody else.
                (Who::Framework, _) if other.program => Who::Program,
                (who, _) => who,
            },
        }
    }
}

thread_local! {
    /// The callers at each `Class.forName0` that runs on this thread, as far as they are known.
    static FOR_NAMES: RefCell<Vec<Option<Caller>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `body`, the native method `Class.forName0`. What looks at something meanwhile on this thread has the
/// stack below it in common, of which `caller` says what it is.
pub(crate) fn inside_for_name<T>(caller: Option<Caller>, body: impl FnOnce() -> T) -> T {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            let _ = FOR_NAMES.try_with(|all| all.borrow_mut().pop());
        }
    }
    let entered = FOR_NAMES.try_with(|all| all.borrow_mut().push(caller));
    let _leave = entered.is_ok().then_some(Leave);
    body()
}

/// The `number`th `Class.forName0` on the stack of this thread, from the innermost on.
fn at_for_name(number: usize) -> Option<Caller> {
    let caller = FOR_NAMES.try_with(|all| {
        let all = all.borrow();
        all.iter().rev().nth(number).copied().flatten()
    });
    caller.ok().flatten()
}

/// The methods that were on stacks, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Callers(Mutex<HashMap<usize, Caller>>);

/// Classes and methods of the JDK that keep what they have read, by the start of their signatures and names.
const CACHING: [&[u8]; 34] = [
    b"Lcom/sun/beans/",
    b"Lcom/sun/naming/internal/",
    b"Lcom/sun/net/httpserver/spi/",
    b"Ljava/beans/",
    b"Ljava/lang/Package;getPackageInfo",
    b"Ljava/net/InetAddress",
    b"Ljava/net/URL;getURLStreamHandler",
    b"Ljava/net/URL;lookupViaProviders",
    b"Ljava/net/URLConnection;getContentHandler",
    b"Ljava/net/URLConnection;lookupContentHandler",
    b"Ljava/nio/charset/Charset",
    b"Ljava/nio/file/spi/FileSystemProvider;installedProviders",
    b"Ljava/nio/file/spi/FileSystemProvider;loadInstalledProviders",
    b"Ljava/security/Policy",
    b"Ljava/security/Provider",
    b"Ljava/security/Security;",
    b"Ljava/sql/DriverManager",
    b"Ljava/util/Currency",
    b"Ljava/util/Locale",
    b"Ljava/util/ResourceBundle",
    b"Ljava/util/TimeZone",
    b"Ljava/util/logging/",
    b"Ljava/util/prefs/",
    b"Ljavax/naming/",
    b"Ljavax/security/auth/login/",
    b"Ljavax/sql/rowset/",
    b"Ljavax/swing/UIManager",
    b"Lsun/nio/fs/AbstractFileTypeDetector",
    b"Lsun/nio/fs/MimeTypesFileTypeDetector",
    b"Lsun/security/krb5/",
    b"Lsun/security/provider/ConfigFile",
    b"Lsun/security/provider/PolicyFile",
    b"Lsun/security/ssl/",
    b"Lsun/util/",
];

/// Methods for which the JVM resolves the classes that a class names.
const RESOLVING: [&[u8]; 5] = [
    b"Ljava/lang/Class;getDeclaredClasses",
    b"Ljava/lang/Class;getDeclaringClass",
    b"Ljava/lang/Class;getEnclosing",
    b"Ljava/lang/Class;getNest",
    b"Ljava/lang/Class;getPermittedSubclasses",
];

/// Methods of the JDK that pass on the attributes of files.
const FORWARDING: [&[u8]; 3] = [
    b"Ljava/nio/file/Files;readAttributes",
    b"Ljava/nio/file/spi/FileSystemProvider;",
    b"Lsun/nio/fs/",
];

/// Methods of the JDK that tell no more of a file than what it is.
const KIND: [&[u8]; 7] = [
    b"Ljava/nio/file/Files;exists",
    b"Ljava/nio/file/Files;isDirectory",
    b"Ljava/nio/file/Files;isExecutable",
    b"Ljava/nio/file/Files;isReadable",
    b"Ljava/nio/file/Files;isRegularFile",
    b"Ljava/nio/file/Files;isWritable",
    b"Ljava/nio/file/Files;notExists",
];

/// Methods of the JDK that walk through directories.
const WALKING: [&[u8]; 2] = [
    b"Ljava/nio/file/FileTreeIterator;",
    b"Ljava/nio/file/FileTreeWalker;",
];

const FILES_WALK: &[u8] = b"Ljava/nio/file/Files;walk";

const CLASS_PATH: [&[u8]; 5] = [
    b"Ljdk/internal/loader/BuiltinClassLoader",
    b"Ljdk/internal/loader/ClassLoaders",
    b"Lsun/launcher/",
    b"Lsun/misc/Launcher",
    b"Lsun/net/www/protocol/jar/",
];

/// Classifies the methods on the stack of the current thread.
pub(crate) fn on_stack(agent: &Agent, jni: &mut Jni<'_>) -> Caller {
    fold_stack(agent, jni, CALLERS, |_| false)
}

/// The kind of the caller: a few frames tell it.
pub(crate) fn who(agent: &Agent, jni: &mut Jni<'_>) -> Who {
    let is_known = |all: Caller| !matches!(all.who, Who::Jdk | Who::Framework);
    fold_stack(agent, jni, 16, is_known).who
}

/// Classifies the methods on the stack of the current thread, up to the one at which that `is_enough`; `first` of
/// them are likely to be.
fn fold_stack(
    agent: &Agent,
    jni: &mut Jni<'_>,
    first: usize,
    is_enough: impl Fn(Caller) -> bool,
) -> Caller {
    let Some(facts) = agent.facts.get() else {
        return Caller::ANYBODY;
    };
    let known = agent.callers.0.lock();
    let mut known = known.unwrap_or_else(PoisonError::into_inner);
    let (mut all, mut depth, mut for_names) = (Caller::default(), 0, 0);
    let seen = facts.jvmti.callers(jni, first, |method, ask| {
        let id = method.addr();
        let caller = match known.get(&id) {
            Some(caller) => *caller,
            None => {
                let caller = std::cell::Cell::new(Caller::ANYBODY);
                ask(&mut |jni, frame| caller.set(caller_of(agent, facts, jni, frame)))?;
                known.insert(id, caller.get());
                caller.get()
            }
        };
        // The uppermost one asks, and has yet to begin.
        if caller.for_name && depth > 0 {
            if let Some(caller) = at_for_name(for_names) {
                all = all.behind(caller);
                return Ok(ControlFlow::Break(()));
            }
            for_names += 1;
        }
        all = all.behind(caller);
        depth += 1;
        Ok(match is_enough(all) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    });
    match seen {
        // Who is farther away than that may be anybody.
        Ok(()) if depth >= CALLERS => all.behind(Caller::ANYBODY).caching_itself(),
        Ok(()) => all,
        Err(_) => Caller::ANYBODY,
    }
}

fn caller_of(agent: &Agent, facts: &Facts, jni: &Jni<'_>, frame: &Frame<'_>) -> Caller {
    let name = [frame.class.as_slice(), frame.method.as_slice()].concat();
    let is_of = |prefixes: &[&[u8]]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let is_jdk = is_of_the_jdk(facts, jni, frame);
    let class = frame.class_name();
    let is_framework = !is_jdk && agent.archives.has_signature(&frame.class);
    let starts_frameworks = is_framework && tamis_frameworks::starts_frameworks(class);
    let caches_for_jvm = is_of(&CACHING) || (frame.method == b"<clinit>" && is_jdk);
    let who = match is_jdk {
        true if is_of(&CLASS_PATH) => Who::ClassPath,
        true if is_of(&[b"Ljava/net/URLClassLoader"]) => Who::Loader,
        true => Who::Jdk,
        false if is_framework && tamis_frameworks::looks_for_tests(class) => Who::Framework,
        false if starts_frameworks => Who::Jdk,
        false => Who::Program,
    };
    Caller {
        caches_for_jvm,
        caches_itself: caches_for_jvm,
        resolves: is_of(&RESOLVING),
        unpacks: is_of(&[b"Ljava/util/zip/"]),
        compares: is_jdk && frame.method == b"isSameFile",
        framework: who == Who::Framework || starts_frameworks,
        program: who == Who::Program,
        for_name: name == *b"Ljava/lang/Class;forName0",
        sees: match is_jdk {
            true if is_of(&FORWARDING) => Sees::Passes,
            true if KIND.iter().any(|asks| name == *asks) => Sees::Kind,
            true if is_of(&WALKING) || name == FILES_WALK => Sees::Walks,
            true if is_of(&[b"Ljava/util/"]) => Sees::Streams,
            false
                if tamis_frameworks::scans_directories(class)
                    && agent.is_of_library(&frame.class) =>
            {
                Sees::Scans
            }
            _ => Sees::All,
        },
        who,
    }
}

/// Whether a method is of the JDK, as far as its class loader tells.
pub(crate) fn is_of_the_jdk(facts: &Facts, jni: &Jni<'_>, frame: &Frame<'_>) -> bool {
    match facts.jvmti.loader(jni, frame.declaring) {
        Ok(None) => true,
        Ok(loader) => {
            let platform = facts.platform_loader.as_ref();
            platform.is_some_and(|platform| jni.same(Some(platform.object()), loader))
        }
        Err(_) => false,
    }
}

/// The position on the stack of the method that called the one that called the agent.
const DIRECT: usize = 3;

/// Classes of the JDK that hand on what they get, by the start of their signatures.
const PASSING: [&[u8]; 8] = [
    b"Lcom/sun/jmx/",
    b"Ljava/lang/invoke/",
    b"Ljava/lang/reflect/",
    b"Ljavax/management/",
    b"Ljdk/internal/reflect/",
    b"Lsun/management/",
    b"Lsun/reflect/",
    b"Ljava/security/AccessController",
];

/// Classes of languages' own libraries, which call methods on behalf of the program, by the start of their
/// signatures.
const LANGUAGES: [&[u8]; 6] = [
    b"Lclojure/",
    b"Lgroovy/",
    b"Lkotlin/",
    b"Lorg/apache/groovy/",
    b"Lorg/codehaus/groovy/",
    b"Lscala/",
];

/// The direct caller of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Direct {
    /// The JDK, for its own ends.
    Jdk,
    /// What starts test frameworks.
    Starter,
    /// Anybody else; the signature of the class, if it is known.
    Other(Option<Vec<u8>>),
}

/// The caller of the method that called the agent.
pub(crate) fn direct(agent: &Agent, jni: &mut Jni<'_>) -> Direct {
    let Some(facts) = agent.facts.get() else {
        return Direct::Other(None);
    };
    let (mut depth, direct) = (0, std::cell::RefCell::new(None));
    let seen = facts.jvmti.callers(jni, 16, |_, ask| {
        depth += 1;
        if depth < DIRECT {
            return Ok(ControlFlow::Continue(()));
        }
        ask(&mut |jni, frame| {
            let is_of = |prefix: &&[u8]| frame.class.starts_with(prefix);
            *direct.borrow_mut() = match is_of_the_jdk(facts, jni, frame) {
                true if PASSING.iter().any(is_of) => None,
                true => Some(Direct::Jdk),
                false
                    if tamis_frameworks::starts_frameworks(frame.class_name())
                        && agent.archives.has_signature(&frame.class) =>
                {
                    Some(Direct::Starter)
                }
                false if LANGUAGES.iter().any(is_of) => None,
                false => Some(Direct::Other(Some(frame.class.clone()))),
            };
        })?;
        Ok(match direct.borrow().is_some() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    });
    match seen {
        Ok(()) => direct.into_inner().unwrap_or(Direct::Other(None)),
        Err(_) => Direct::Other(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A method as `caller_of` may see one.
    fn frame() -> impl Strategy<Value = Caller> {
        let who = prop_oneof![
            Just(Who::Jdk),
            Just(Who::ClassPath),
            Just(Who::Loader),
            Just(Who::Framework),
            Just(Who::Program),
        ];
        (who, any::<[bool; 5]>()).prop_map(
            |(who, [caches_for_jvm, resolves, unpacks, compares, starts])| Caller {
                caches_for_jvm,
                caches_itself: caches_for_jvm,
                resolves,
                unpacks,
                compares,
                framework: who == Who::Framework || (who == Who::Jdk && starts),
                program: who == Who::Program,
                for_name: false,
                sees: Sees::default(),
                who,
            },
        )
    }

    fn all(frames: &[Caller]) -> Caller {
        let none = Caller::default();
        frames.iter().fold(none, |all, frame| all.behind(*frame))
    }

    proptest! {
        #[test]
        fn a_stack_may_be_cut_anywhere_and_put_together_again(
            frames in prop::collection::vec(frame(), 0..8),
            at in 0..9usize,
        ) {
            let (upper, lower) = frames.split_at(at.min(frames.len()));
            prop_assert_eq!(all(upper).behind(all(lower)), all(&frames));
        }
    }

    #[test]
    fn attributes_of_files_show_as_much_as_the_caller_can_tell() {
        use Sees::*;
        let check = |stack: &[Sees], expected| {
            let seen = stack
                .iter()
                .fold(Sees::default(), |seen, more| seen.behind(*more));
            assert_eq!(seen, expected, "{stack:?}");
        };
        check(&[Passes, Kind, All], Kind);
        check(&[Passes, Passes, All], All);
        check(&[Passes, Walks, Streams, Walks, Streams, Scans, All], Kind);
        check(&[Passes, Walks, Scans], Kind);
        check(&[Passes, Walks, Streams, All, Scans], All);
        check(&[Passes, Streams, Scans], All);
        check(&[Passes, Scans], All);
        check(&[Passes, Walks, Kind], All);
    }

    #[test]
    fn nested_look_ups_are_found_from_the_innermost_on() {
        let cache = Caller {
            caches_for_jvm: true,
            ..Caller::default()
        };
        inside_for_name(Some(cache), || {
            inside_for_name(None, || {
                assert_eq!([0, 1, 2].map(at_for_name), [None, Some(cache), None]);
            });
            assert_eq!([0, 1].map(at_for_name), [Some(cache), None]);
        });
        assert_eq!(at_for_name(0), None);
    }
}
