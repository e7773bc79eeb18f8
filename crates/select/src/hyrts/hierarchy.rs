//! Who extends whom, as the classes were when tests used them.

use crate::{Members, Shape, readable};
use std::collections::{HashMap, HashSet};
use tamis_fingerprint::Fingerprint;

/// The classes of all tests; one name may stand for several versions.
#[derive(Debug, Default)]
pub(super) struct Hierarchy<'a> {
    nodes: HashMap<u32, Node<'a>>,
    by_name: HashMap<&'a [u8], Vec<u32>>,
    /// Per name, the names that have it as a direct supertype.
    subtypes: HashMap<&'a [u8], Vec<&'a [u8]>>,
    /// Per name, the names of the classes nested in it, at any depth.
    nested: HashMap<&'a [u8], Vec<&'a [u8]>>,
    /// The first numbers of the classes, ascending.
    numbers: Vec<(u32, u32)>,
    /// Per method, its pairs and the classes in them.
    pairs: HashMap<u32, Vec<(u32, Option<u32>)>>,
}

/// A method that may have run where an added one would run now.
#[derive(Debug)]
pub(super) struct Rival {
    /// Its number.
    pub(super) member: u32,
    /// Its class.
    pub(super) class: u32,
    /// The pairs of it with objects on which the added one would run now; `None` where having
    /// executed it is enough.
    pub(super) on: Option<Vec<u32>>,
}

const PRIVATE: u16 = 0x0002;
const STATIC: u16 = 0x0008;

#[derive(Debug)]
struct Node<'a> {
    first: u32,
    print: Fingerprint<'a>,
}

impl<'a> Hierarchy<'a> {
    pub(super) fn new(members: &Members<'a>) -> Self {
        let mut hierarchy = Hierarchy::default();
        for (pair, (member, receiver)) in (0..).zip(members.pairs) {
            let pairs = hierarchy.pairs.entry(*member).or_default();
            pairs.push((pair, *receiver));
        }
        for (id, shape) in (0..).zip(&members.shapes) {
            let Some(Shape { print, first }) = *shape else {
                continue;
            };
            // What cannot be read is as good as not known.
            let Some(print) = Fingerprint::decode(print) else {
                continue;
            };
            for supertype in supertypes(&print) {
                let subtypes = hierarchy.subtypes.entry(supertype).or_default();
                if !subtypes.contains(&print.name) {
                    subtypes.push(print.name);
                }
            }
            let versions = hierarchy.by_name.entry(print.name).or_default();
            versions.push(id);
            if versions.len() == 1 {
                let ends = (0..).zip(print.name).filter(|(_, byte)| **byte == b'$');
                for outer in ends.filter_map(|(end, _): (usize, _)| print.name.get(..end)) {
                    hierarchy.nested.entry(outer).or_default().push(print.name);
                }
            }
            hierarchy.numbers.push((first, id));
            hierarchy.nodes.insert(id, Node { first, print });
        }
        hierarchy.numbers.sort_unstable();
        hierarchy
    }

    /// The number of a class's first method.
    pub(super) fn first(&self, class: u32) -> Option<u32> {
        Some(self.nodes.get(&class)?.first)
    }

    /// Whether a class is an interface with an initializer. Whether it declares a method with code
    /// decides if it is initialized together with the classes that implement it.
    pub(super) fn is_initialized_by_methods(&self, class: u32) -> bool {
        const INTERFACE: u16 = 0x0200;
        self.nodes.get(&class).is_some_and(|node| {
            let mut methods = node.print.methods.iter();
            node.print.access & INTERFACE != 0 && methods.any(|m| m.name == b"<clinit>")
        })
    }

    fn named(&self, name: &[u8]) -> impl Iterator<Item = &Node<'a>> {
        let ids = self.by_name.get(name).into_iter().flatten();
        ids.filter_map(|id| self.nodes.get(id))
    }

    fn names_below<'n>(&self, name: &'n [u8]) -> HashSet<&'n [u8]>
    where
        'a: 'n,
    {
        closure([name], |name| {
            self.subtypes.get(name).into_iter().flatten().copied()
        })
    }

    fn names_above<'n>(&self, names: impl IntoIterator<Item = &'n [u8]>) -> HashSet<&'n [u8]>
    where
        'a: 'n,
    {
        closure(names, |name| {
            self.named(name).flat_map(|node| supertypes(&node.print))
        })
    }

    /// The classes of this name and their subclasses.
    pub(super) fn below(&self, name: &[u8]) -> HashSet<u32> {
        let names = self.names_below(name);
        let ids = names.iter().filter_map(|name| self.by_name.get(name));
        ids.flatten().copied().collect()
    }

    /// Whether a test framework looks at `class` for the test class `test`: it is that class, a
    /// supertype, a class nested in one of these, or a supertype of such a one, to the end.
    pub(super) fn is_looked_at(&self, class: u32, test: &[u8]) -> bool {
        let Some(node) = self.nodes.get(&class) else {
            return true;
        };
        let around = closure([test], |name| {
            let above = self.named(name).flat_map(|node| supertypes(&node.print));
            above.chain(self.nested.get(name).into_iter().flatten().copied())
        });
        around.contains(node.print.name)
    }

    /// The methods of this name and descriptor in the supertypes of `class` and of its subclasses.
    pub(super) fn rivals(&self, class: &str, name: &[u8], descriptor: &[u8]) -> Vec<Rival> {
        let class = class.replace('.', "/");
        let below = self.names_below(class.as_bytes());
        let around = self.names_above(below.iter().copied());
        let others = around.iter().filter(|other| **other != class.as_bytes());
        let mut rivals = Vec::new();
        for id in others.flat_map(|name| self.by_name.get(name)).flatten() {
            let Some(node) = self.nodes.get(id) else {
                continue;
            };
            for (index, method) in (0..).zip(&node.print.methods) {
                if method.name == name && method.descriptor == descriptor {
                    let member = node.first + index;
                    // What a subclass declares always runs on its own kind.
                    let asks = !below.contains(node.print.name)
                        && method.access & (PRIVATE | STATIC) == 0
                        && !name.starts_with(b"<");
                    rivals.push(Rival {
                        member,
                        class: *id,
                        on: asks.then(|| self.pairs_on(member, &below)),
                    });
                }
            }
        }
        rivals
    }

    /// The pairs of a method with one of these classes, or with one that may be.
    fn pairs_on(&self, member: u32, below: &HashSet<&[u8]>) -> Vec<u32> {
        let pairs = self.pairs.get(&member).into_iter().flatten();
        let pairs = pairs.filter(|(_, receiver)| self.may_be_among(*receiver, below));
        pairs.map(|(pair, _)| *pair).collect()
    }

    /// Whether a receiver is of one of these classes, as far as anybody can say. A supertype that is
    /// not known may extend one of them, unless it is the JDK's.
    fn may_be_among(&self, receiver: Option<u32>, below: &HashSet<&[u8]>) -> bool {
        let Some(node) = receiver.and_then(|id| self.nodes.get(&id)) else {
            return true;
        };
        let above = self.names_above([node.print.name]);
        let unknown =
            |name: &&[u8]| !self.by_name.contains_key(name) && !name.starts_with(b"java/");
        above
            .iter()
            .any(|name| below.contains(name) || unknown(name))
    }

    /// The methods that objects of `class` can inherit.
    pub(super) fn inherited(&self, class: &str) -> Vec<Rival> {
        let class = class.replace('.', "/");
        let above = self.names_above([class.as_bytes()]);
        let others = above.iter().filter(|other| **other != class.as_bytes());
        let ids = others.flat_map(|name| self.by_name.get(name)).flatten();
        let methods = |id: &u32| {
            let (class, node) = (*id, self.nodes.get(id));
            let rival = move |member| Rival {
                member,
                class,
                on: None,
            };
            let methods =
                |node: &Node<'_>| node.first..node.first + node.print.methods.len() as u32;
            node.map(methods).into_iter().flatten().map(rival)
        };
        ids.flat_map(methods).collect()
    }

    /// Whether a supertype of `class` or of its subclasses that is not known here may have a method
    /// of this name.
    pub(super) fn has_rivals_outside(&self, class: &str, name: &[u8], descriptor: &[u8]) -> bool {
        let class = class.replace('.', "/");
        let around = self.names_above(self.names_below(class.as_bytes()));
        let mut outside = around
            .iter()
            .filter(|name| !self.by_name.contains_key(**name));
        outside.any(|owner| may_declare(owner, name, descriptor))
    }

    /// The method of this number, for people.
    pub(super) fn member(&self, number: u32) -> Option<String> {
        let at = self.numbers.partition_point(|(first, _)| *first <= number);
        let (first, class) = *self.numbers.get(at.checked_sub(1)?)?;
        let print = &self.nodes.get(&class)?.print;
        let method = print.methods.get((number - first) as usize)?;
        let class = String::from_utf8_lossy(print.name).replace('/', ".");
        let member = readable(method.name, method.descriptor);
        Some(format!("{class}#{member}"))
    }
}

fn supertypes<'a>(print: &Fingerprint<'a>) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    let interfaces = print.interfaces.clone();
    print.super_class.into_iter().chain(interfaces)
}

/// What can be reached from `start`, with it.
fn closure<'n, I: IntoIterator<Item = &'n [u8]>>(
    start: impl IntoIterator<Item = &'n [u8]>,
    next: impl Fn(&'n [u8]) -> I,
) -> HashSet<&'n [u8]> {
    let mut work: Vec<&[u8]> = start.into_iter().collect();
    let mut found: HashSet<&[u8]> = work.iter().copied().collect();
    while let Some(name) = work.pop() {
        for other in next(name) {
            if found.insert(other) {
                work.push(other);
            }
        }
    }
    found
}

/// Whether a type without a fingerprint may declare this method. Of the JDK's types some are so
/// common, and so old, that what they declare is listed here; of all others nothing is known.
fn may_declare(owner: &[u8], name: &[u8], descriptor: &[u8]) -> bool {
    let of_object = || {
        matches!(
            (name, descriptor),
            (b"toString", b"()Ljava/lang/String;")
                | (b"hashCode", b"()I")
                | (b"equals", b"(Ljava/lang/Object;)Z")
                | (b"clone", b"()Ljava/lang/Object;")
                | (b"finalize", b"()V")
        )
    };
    let any = |names: &[&str]| names.iter().any(|n| n.as_bytes() == name);
    match owner {
        b"java/lang/Object" | b"java/lang/Record" => of_object(),
        b"java/io/Serializable" | b"java/lang/Cloneable" | b"java/util/RandomAccess" => false,
        b"java/lang/Comparable" => any(&["compareTo"]),
        b"java/lang/Runnable" => any(&["run"]),
        b"java/util/concurrent/Callable" => any(&["call"]),
        b"java/lang/AutoCloseable" | b"java/io/Closeable" => any(&["close"]),
        b"java/lang/Iterable" => any(&["iterator", "forEach", "spliterator"]),
        b"java/util/Iterator" => any(&["hasNext", "next", "remove", "forEachRemaining"]),
        b"java/lang/Enum" => {
            of_object()
                || any(&[
                    "name",
                    "ordinal",
                    "compareTo",
                    "getDeclaringClass",
                    "describeConstable",
                    "valueOf",
                ])
        }
        _ => true,
    }
}
