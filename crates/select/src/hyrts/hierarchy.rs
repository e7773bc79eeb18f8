//! Who extends whom, as the classes were when tests used them.

use crate::{Numbering, Shape, readable};
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
    /// The classes by the first numbers of their numberings, ascending.
    numbers: Vec<(Numbering<'a>, u32)>,
}

#[derive(Debug)]
struct Node<'a> {
    numberings: &'a [Numbering<'a>],
    print: Fingerprint<'a>,
}

impl Node<'_> {
    /// The numbers of the method at this index.
    fn numbers(&self, method: u16) -> impl Iterator<Item = u32> {
        self.numberings.iter().flat_map(move |n| n.of(method))
    }
}

impl<'a> Hierarchy<'a> {
    pub(super) fn new(shapes: &'a [Option<Shape<'a>>]) -> Self {
        let mut hierarchy = Hierarchy::default();
        for (id, shape) in (0..).zip(shapes) {
            let Some(Shape { print, numberings }) = shape else {
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
            let numbers = numberings.iter().map(|numbering| (*numbering, id));
            hierarchy.numbers.extend(numbers);
            hierarchy.nodes.insert(id, Node { numberings, print });
        }
        hierarchy
            .numbers
            .sort_unstable_by_key(|(numbering, id)| (numbering.first, *id));
        hierarchy
    }

    /// How the methods of a class are numbered.
    pub(super) fn numberings(&self, class: u32) -> Option<&'a [Numbering<'a>]> {
        Some(self.nodes.get(&class)?.numberings)
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
    pub(super) fn rivals(&self, class: &str, name: &[u8], descriptor: &[u8]) -> Vec<u32> {
        let class = class.replace('.', "/");
        let around = self.names_above(self.names_below(class.as_bytes()));
        let nodes = around.iter().filter(|other| **other != class.as_bytes());
        let mut rivals = Vec::new();
        for node in nodes.flat_map(|name| self.named(name)) {
            for (index, method) in (0..).zip(&node.print.methods) {
                if method.name == name && method.descriptor == descriptor {
                    rivals.extend(node.numbers(index));
                }
            }
        }
        rivals
    }

    /// The methods that objects of `class` can inherit.
    pub(super) fn inherited(&self, class: &str) -> Vec<u32> {
        let class = class.replace('.', "/");
        let above = self.names_above([class.as_bytes()]);
        let nodes = above.iter().filter(|other| **other != class.as_bytes());
        let mut inherited = Vec::new();
        for node in nodes.flat_map(|name| self.named(name)) {
            let methods = (0..).zip(&node.print.methods);
            inherited.extend(methods.flat_map(|(index, _)| node.numbers(index)));
        }
        inherited
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
        let numbers = &self.numbers;
        let at = numbers.partition_point(|(numbering, _)| numbering.first <= number);
        let (numbering, class) = *numbers.get(at.checked_sub(1)?)?;
        let print = &self.nodes.get(&class)?.print;
        let mut methods = (0..).zip(&print.methods);
        let (_, method) = methods.find(|(index, _)| numbering.of(*index).contains(&number))?;
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
