//! Who extends whom, as the classes were when tests used them.

use crate::{Declared, Facts, Numbering, Shape, readable};
use std::collections::{HashMap, HashSet};
use tamis_fingerprint::{Fingerprint, signature};

/// The classes of all tests; one name may stand for several versions.
#[derive(Debug, Default)]
pub(super) struct Hierarchy<'a> {
    nodes: HashMap<u32, Node<'a>>,
    by_name: HashMap<&'a [u8], Vec<u32>>,
    /// Per name, the names that have it as a direct supertype.
    subtypes: HashMap<&'a [u8], Vec<&'a [u8]>>,
    /// Per name, the names of the classes nested in it, at any depth.
    nested: HashMap<&'a [u8], Vec<&'a [u8]>>,
    /// Types without fingerprint, of which it is known what they declare.
    outside: HashMap<&'a [u8], &'a Declared>,
    /// Names that may stand for a class of which nothing is known.
    unseen: HashSet<&'a [u8]>,
    /// Per number of a method, its pairs and the classes in them.
    pairs: HashMap<u32, Vec<(u32, Option<u32>)>>,
}

const PRIVATE: u16 = 0x0002;
const STATIC: u16 = 0x0008;

/// A method as it was.
#[derive(Debug)]
pub(super) struct Method {
    /// The class that declares it.
    pub(super) class: u32,
    /// Its numbers in the lists of tests.
    pub(super) numbers: Vec<u32>,
    /// Its index in the fingerprint.
    index: u16,
    /// If it is to be replaced, its pairs with objects on which the other one would run now; `None`
    /// where having executed it is enough.
    pub(super) on: Option<Vec<u32>>,
}

#[derive(Debug)]
struct Node<'a> {
    id: u32,
    numberings: &'a [Numbering<'a>],
    print: Fingerprint<'a>,
}

impl<'a> Hierarchy<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Self {
        let mut hierarchy = Hierarchy {
            outside: facts.members.outside.clone(),
            unseen: facts.members.unseen.clone(),
            ..Hierarchy::default()
        };
        for (pair, (member, receiver)) in (0..).zip(facts.members.pairs) {
            let pairs = hierarchy.pairs.entry(*member).or_default();
            pairs.push((pair, *receiver));
        }
        for ((id, shape), name) in (0..).zip(&facts.members.shapes).zip(&facts.names) {
            let Some(Shape { print, numberings }) = shape else {
                continue;
            };
            // What cannot be read is as good as not known.
            let Some(print) = Fingerprint::decode(print) else {
                hierarchy.unseen.insert(name.as_bytes());
                continue;
            };
            for supertype in supertypes(&print) {
                let subtypes = hierarchy.subtypes.entry(supertype).or_default();
                subtypes.push(print.name);
            }
            let versions = hierarchy.by_name.entry(print.name).or_default();
            versions.push(id);
            if versions.len() == 1 {
                let ends = (0..).zip(print.name).filter(|(_, byte)| **byte == b'$');
                for outer in ends.filter_map(|(end, _): (usize, _)| print.name.get(..end)) {
                    hierarchy.nested.entry(outer).or_default().push(print.name);
                }
            }
            let node = Node {
                id,
                numberings,
                print,
            };
            hierarchy.nodes.insert(id, node);
        }
        // Several versions of a class may say the same.
        for subtypes in hierarchy.subtypes.values_mut() {
            subtypes.sort_unstable();
            subtypes.dedup();
        }
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

    /// Whether a class is an annotation type.
    pub(super) fn is_annotation(&self, class: u32) -> bool {
        const ANNOTATION: u16 = 0x2000;
        let node = self.nodes.get(&class);
        node.is_some_and(|node| node.print.access & ANNOTATION != 0)
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
            let outside = self.outside.get(name).into_iter();
            let outside = outside.flat_map(|declared| &declared.supertypes);
            let inside = self.named(name).flat_map(|node| supertypes(&node.print));
            inside.chain(outside.map(String::as_bytes))
        })
    }

    /// The versions of the class of this name.
    pub(super) fn versions(&self, name: &[u8]) -> HashSet<u32> {
        let ids = self.by_name.get(name).into_iter().flatten();
        ids.copied().collect()
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
    pub(super) fn rivals(&self, class: &str, name: &[u8], descriptor: &[u8]) -> Vec<Method> {
        let class = class.replace('.', "/");
        let below = self.names_below(class.as_bytes());
        let around = self.names_above(below.iter().copied());
        let nodes = around.iter().filter(|other| **other != class.as_bytes());
        let mut rivals = Vec::new();
        for node in nodes.flat_map(|name| self.named(name)) {
            let methods = node.methods().zip(&node.print.methods);
            let same = methods.filter(|(_, m)| m.name == name && m.descriptor == descriptor);
            rivals.extend(same.map(|(mut method, print)| {
                // What a subclass declares always runs on its own kind.
                let tells = !below.contains(node.print.name)
                    && print.access & (PRIVATE | STATIC) == 0
                    && !name.starts_with(b"<");
                method.on = tells.then(|| self.pairs_on(&method.numbers, &below));
                method
            }));
        }
        rivals
    }

    /// Those of them that run where the method of `class` is called on an object of a subclass.
    pub(super) fn overriding(&self, class: &str, name: &[u8], descriptor: &[u8]) -> Vec<Method> {
        let mut rivals = self.rivals(class, name, descriptor);
        let class = class.replace('.', "/");
        let above = self.names_above([class.as_bytes()]);
        rivals.retain(|rival| {
            let node = self.nodes.get(&rival.class);
            node.is_none_or(|node| !above.contains(node.print.name))
        });
        rivals
    }

    /// The pairs of a method with one of these classes, or with one that may be.
    fn pairs_on(&self, numbers: &[u32], below: &HashSet<&[u8]>) -> Vec<u32> {
        let pairs = numbers.iter().filter_map(|number| self.pairs.get(number));
        let pairs = pairs.flatten();
        let pairs = pairs.filter(|(_, receiver)| self.may_be_among(*receiver, below));
        pairs.map(|(pair, _)| *pair).collect()
    }

    /// Whether a receiver is of one of these classes, as far as anybody can say. A supertype of which
    /// nothing is known may extend one of them, unless it is the JDK's.
    fn may_be_among(&self, receiver: Option<u32>, below: &HashSet<&[u8]>) -> bool {
        let Some(node) = receiver.and_then(|id| self.nodes.get(&id)) else {
            return true;
        };
        let is_unknown = |name: &[u8]| {
            let known = self.by_name.contains_key(name) || self.outside.contains_key(name);
            self.unseen.contains(name) || !(known || name.starts_with(b"java/"))
        };
        let above = self.names_above([node.print.name]);
        above
            .iter()
            .any(|name| below.contains(name) || is_unknown(name))
    }

    /// The methods that objects of `class` can inherit.
    pub(super) fn inherited(&self, class: &str) -> Vec<Method> {
        let class = class.replace('.', "/");
        let above = self.names_above([class.as_bytes()]);
        let nodes = above.iter().filter(|other| **other != class.as_bytes());
        nodes
            .flat_map(|name| self.named(name))
            .flat_map(Node::methods)
            .collect()
    }

    /// Whether a supertype of `class` or of its subclasses may have a method of this name and
    /// descriptor that leaves no trace when it is executed: one of the JDK, or of a type of which
    /// nothing is known.
    pub(super) fn has_rivals_outside(&self, class: &str, name: &[u8], descriptor: &[u8]) -> bool {
        let class = class.replace('.', "/");
        let around = self.names_above(self.names_below(class.as_bytes()));
        let signature = signature(name, descriptor);
        around
            .iter()
            .any(|owner| self.may_declare(owner, signature))
    }

    /// The same for a method that runs where the one of `class` is called on an object of a subclass.
    pub(super) fn may_be_overridden_outside(
        &self,
        class: &str,
        name: &[u8],
        descriptor: &[u8],
    ) -> bool {
        let class = class.replace('.', "/");
        let above = self.names_above([class.as_bytes()]);
        let around = self.names_above(self.names_below(class.as_bytes()));
        let signature = signature(name, descriptor);
        let mut below = around.difference(&above);
        below.any(|owner| self.may_declare(owner, signature))
    }

    /// Whether a type may have a method of this signature that leaves no trace.
    fn may_declare(&self, owner: &[u8], signature: u64) -> bool {
        let declares = match self.outside.get(owner) {
            Some(declared) => declared.methods.contains(&signature),
            None => !self.by_name.contains_key(owner),
        };
        declares || self.unseen.contains(owner)
    }

    /// A method, for people.
    pub(super) fn member(&self, method: &Method) -> Option<String> {
        let print = &self.nodes.get(&method.class)?.print;
        let method = print.methods.get(usize::from(method.index))?;
        let class = String::from_utf8_lossy(print.name).replace('/', ".");
        let member = readable(method.name, method.descriptor);
        Some(format!("{class}#{member}"))
    }
}

impl Node<'_> {
    fn methods(&self) -> impl Iterator<Item = Method> {
        (0..).zip(&self.print.methods).map(|(index, _)| Method {
            class: self.id,
            numbers: self.numberings.iter().flat_map(|n| n.of(index)).collect(),
            index,
            on: None,
        })
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
