//! What libraries and the JDK declare, read from their class files when it is asked.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tamis_classfile::{ClassFile, Result, access, decode_mutf8};
use tamis_classpath::{ClassPath, Jdk, Lookup};
use tamis_code::references::{self, Kind, ReflectionKind, reflection_kinds};
use tamis_graph::{Declared, Outside};

/// So many classes of libraries are looked into for reflection; behind that it is assumed.
const MOST: usize = 2_000;

/// The types of the class path that are not the project's, and those of a JDK.
pub(super) struct Libraries<'a> {
    path: &'a ClassPath,
    jdk: Option<Jdk>,
    /// Whether code of a class, or what it refers to, may see members.
    reflects: Mutex<HashMap<String, bool>>,
}

impl<'a> Libraries<'a> {
    pub(super) fn new(path: &'a ClassPath, java_home: Option<&Path>) -> Self {
        Libraries {
            path,
            jdk: java_home.and_then(Jdk::open),
            reflects: Mutex::default(),
        }
    }

    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        match self.path.lookup(name) {
            Lookup::Found(found) => found.entry.class_file(name, found.raw),
            Lookup::Unreadable => None,
            Lookup::Absent => match self.jdk.as_ref()?.class_file(name) {
                Lookup::Found(bytes) => Some(bytes),
                Lookup::Absent | Lookup::Unreadable => None,
            },
        }
    }

    /// Whether the code of a class may see members by itself, and the classes that it names.
    fn look_into(&self, name: &str) -> Option<(bool, HashSet<String>)> {
        let bytes = self.bytes(name)?;
        let read = || -> Result<(bool, HashSet<String>)> {
            let class = ClassFile::parse(&bytes)?;
            let (mut sees, mut names) = (false, HashSet::new());
            for method in class.methods() {
                let Some(code) = class.code(&method?)? else {
                    continue;
                };
                references::of_code(&class, &code, &mut |owner, kind| {
                    if let Kind::Call { name, .. } = kind {
                        let kinds = reflection_kinds(owner, name);
                        sees |= kinds.contains(&ReflectionKind::Members)
                            || kinds.contains(&ReflectionKind::Unlogged);
                    }
                    if kind != Kind::Text && kind != Kind::Check {
                        names.extend(decode_mutf8(owner));
                    }
                })?;
            }
            Ok((sees, names))
        };
        read().ok()
    }

    fn find_out(&self, name: &str, known: &HashMap<String, bool>) -> (bool, HashSet<String>) {
        let (mut seen, mut next) = (HashSet::from([name.to_owned()]), vec![name.to_owned()]);
        while let Some(name) = next.pop() {
            match known.get(&name) {
                Some(true) => return (true, seen),
                Some(false) => continue,
                None => {}
            }
            if is_of_jdk(&name) || matches!(self.path.lookup(&name), Lookup::Absent) {
                continue;
            }
            let Some((sees, names)) = self.look_into(&name) else {
                return (true, seen);
            };
            if sees || seen.len() > MOST {
                return (true, seen);
            }
            next.extend(names.into_iter().filter(|name| seen.insert(name.clone())));
        }
        (false, seen)
    }
}

impl Outside for Libraries<'_> {
    fn declared(&self, name: &str) -> Option<Declared> {
        let bytes = self.bytes(name)?;
        let class = ClassFile::parse(&bytes).ok()?;
        let text = decode_mutf8;
        let mut declared = Declared::default();
        let supertypes = class.super_name().ok()?.into_iter().map(Ok);
        for name in supertypes.chain(class.interface_names()) {
            declared.supertypes.push(text(name.ok()?)?);
        }
        for method in class.methods() {
            let method = method.ok()?;
            if method.access & (access::PRIVATE | access::STATIC) == 0 {
                let name = text(class.pool.utf8(method.name).ok()?)?;
                let descriptor = text(class.pool.utf8(method.descriptor).ok()?)?;
                declared.methods.insert((name, descriptor));
            }
        }
        Some(declared)
    }

    fn reflects(&self, name: &str) -> bool {
        if is_of_jdk(name) || tamis_frameworks::is_named_as_framework(name.as_bytes()) {
            return false;
        }
        let mut known = self.reflects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(name) {
            return *known;
        }
        let (reflects, seen) = self.find_out(name, &known);
        if reflects {
            known.insert(name.to_owned(), true);
        } else {
            known.extend(seen.into_iter().map(|name| (name, false)));
        }
        reflects
    }
}

fn is_of_jdk(name: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "com/sun/"]
        .iter()
        .any(|package| name.starts_with(package))
}
