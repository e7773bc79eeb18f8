//! The class hierarchy at the time when tests used the classes.

use crate::{Declared, Facts, MemberName, Numbering, Shape, readable};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use tamis_fingerprint::{Fingerprint, MemberPrint, Outline, signature};

/// The classes of all tests; one name may stand for several versions.
#[derive(Debug, Default)]
pub(super) struct Hierarchy<'a> {
    /// By class id.
    nodes: Vec<Option<Node<'a>>>,
    /// Names and class ids, sorted.
    by_name: Vec<(&'a [u8], u32)>,
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

/// In an order that does not depend on how sets are laid out: people are told of the first that counts.
fn sorted(mut methods: Vec<Method>) -> Vec<Method> {
    methods.sort_unstable_by_key(|method| (method.class, method.index));
    methods
}

#[derive(Debug)]
struct Node<'a> {
    id: u32,
    shape: &'a Shape<'a>,
    outline: Outline<'a>,
    /// Its methods; read when first asked for, which is never for most classes.
    prints: OnceCell<Vec<MemberPrint<'a>>>,
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
            let node = shape.as_ref().and_then(|shape| Node::new(id, shape));
            if let Some(node) = &node {
                let name = node.outline.name;
                for supertype in supertypes(&node.outline) {
                    hierarchy.subtypes.entry(supertype).or_default().push(name);
                }
                let ends = (0..).zip(name).filter(|(_, byte)| **byte == b'$');
                for outer in ends.filter_map(|(end, _): (usize, _)| name.get(..end)) {
                    hierarchy.nested.entry(outer).or_default().push(name);
                }
                hierarchy.by_name.push((name, id));
            } else if shape.is_some() {
                // What cannot be read is as good as not known.
                hierarchy.unseen.insert(name.as_bytes());
            }
            hierarchy.nodes.push(node);
        }
        // In a store they are sorted already, which this sees at once.
        hierarchy.by_name.sort();
        // Several versions of a class may say the same.
        let lists = hierarchy.subtypes.values_mut();
        for names in lists.chain(hierarchy.nested.values_mut()) {
            names.sort();
            names.dedup();
        }
        hierarchy
    }

    fn node(&self, class: u32) -> Option<&Node<'a>> {
        self.nodes.get(class as usize)?.as_ref()
    }

    /// How the methods of a class are numbered.
    pub(super) fn numberings(&self, class: u32) -> Option<&'a [Numbering<'a>]> {
        Some(&self.node(class)?.shape.numberings)
    }

    /// Whether a class is an interface, or may be one.
    pub(super) fn is_interface(&self, class: u32) -> bool {
        const INTERFACE: u16 = 0x0200;
        let node = self.node(class);
        node.is_none_or(|node| node.outline.access & INTERFACE != 0)
    }

    /// Whether a class is an interface with an initializer. Whether it declares a method with code
    /// decides if it is initialized together with the classes that implement it.
    pub(super) fn is_initialized_by_methods(&self, class: u32) -> bool {
        self.node(class).is_some_and(|node| {
            let mut methods = node.prints().iter();
            self.is_interface(class) && methods.any(|m| m.name == b"<clinit>")
        })
    }

    /// Whether a class is an annotation type.
    pub(super) fn is_annotation(&self, class: u32) -> bool {
        const ANNOTATION: u16 = 0x2000;
        let node = self.node(class);
        node.is_some_and(|node| node.outline.access & ANNOTATION != 0)
    }

    /// The ids of the classes of this name.
    pub(super) fn ids(&self, name: &[u8]) -> impl Iterator<Item = u32> {
        let first = self.by_name.partition_point(|(other, _)| *other < name);
        let from = self.by_name.get(first..).unwrap_or_default();
        let ids = from.iter().take_while(move |(other, _)| *other == name);
        ids.map(|(_, id)| *id)
    }

    fn named(&self, name: &[u8]) -> impl Iterator<Item = &Node<'a>> {
        self.ids(name).filter_map(|id| self.node(id))
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
            let inside = self.named(name).flat_map(|node| supertypes(&node.outline));
            inside.chain(outside.map(String::as_bytes))
        })
    }

    /// The classes of this name and their subclasses.
    pub(super) fn below(&self, name: &[u8]) -> HashSet<u32> {
        let names = self.names_below(name);
        names.into_iter().flat_map(|name| self.ids(name)).collect()
    }

    /// Whether a test framework looks at `class` for the test class `test`: it is that class, a
    /// supertype, a class nested in one of these, or a supertype of such a one, to the end.
    pub(super) fn is_inspected_by_framework(&self, class: u32, test: &[u8]) -> bool {
        let Some(node) = self.node(class) else {
            return true;
        };
        let around = closure([test], |name| {
            let above = self.named(name).flat_map(|node| supertypes(&node.outline));
            above.chain(self.nested.get(name).into_iter().flatten().copied())
        });
        around.contains(node.outline.name)
    }

    /// The methods of this name and descriptor in the supertypes of `class` and of its subclasses.
    pub(super) fn rivals(&self, class: &str, name: &[u8], descriptor: &[u8]) -> Vec<Method> {
        let class = class.replace('.', "/");
        let below = self.names_below(class.as_bytes());
        let around = self.names_above(below.iter().copied());
        let nodes = around.iter().filter(|other| **other != class.as_bytes());
        let mut rivals = Vec::new();
        for node in nodes.flat_map(|name| self.named(name)) {
            let methods = node.methods().zip(node.prints());
            let same = methods.filter(|(_, m)| m.name == name && m.descriptor == descriptor);
            rivals.extend(same.map(|(mut method, print)| {
                // What a subclass declares always runs on its own kind.
                let tells = !below.contains(node.outline.name)
                    && print.access & (PRIVATE | STATIC) == 0
                    && !name.starts_with(b"<");
                method.on = tells.then(|| self.pairs_on(&method.numbers, &below));
                method
            }));
        }
        sorted(rivals)
    }

    /// The overriding methods that run where the method of `class` is called on an object of a subclass.
    pub(super) fn overriding(&self, class: &str, name: &[u8], descriptor: &[u8]) -> Vec<Method> {
        let mut rivals = self.rivals(class, name, descriptor);
        let class = class.replace('.', "/");
        let above = self.names_above([class.as_bytes()]);
        rivals.retain(|rival| {
            let node = self.node(rival.class);
            node.is_none_or(|node| !above.contains(node.outline.name))
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

    /// Whether a receiver is of one of these classes, as far as is known. A supertype of which
    /// nothing is known may extend one of them, unless it is the JDK's.
    fn may_be_among(&self, receiver: Option<u32>, below: &HashSet<&[u8]>) -> bool {
        let Some(node) = receiver.and_then(|id| self.node(id)) else {
            return true;
        };
        let is_unknown = |name: &[u8]| {
            let known = self.is_known(name) || self.outside.contains_key(name);
            self.unseen.contains(name) || !(known || name.starts_with(b"java/"))
        };
        let above = self.names_above([node.outline.name]);
        above
            .iter()
            .any(|name| below.contains(name) || is_unknown(name))
    }

    /// The methods that objects of `class` can inherit.
    pub(super) fn inherited(&self, class: &str) -> Vec<Method> {
        let class = class.replace('.', "/");
        let above = self.names_above([class.as_bytes()]);
        let nodes = above.iter().filter(|other| **other != class.as_bytes());
        let nodes = nodes.flat_map(|name| self.named(name));
        sorted(nodes.flat_map(Node::methods).collect())
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

    fn is_known(&self, name: &[u8]) -> bool {
        self.ids(name).next().is_some()
    }

    /// Whether a type may have a method of this signature that leaves no trace.
    fn may_declare(&self, owner: &[u8], signature: u64) -> bool {
        let declares = match self.outside.get(owner) {
            Some(declared) => declared.methods.contains(&signature),
            None => !self.is_known(owner),
        };
        declares || self.unseen.contains(owner)
    }

    /// A method, for people.
    pub(super) fn member(&self, method: &Method) -> Option<String> {
        let node = self.node(method.class)?;
        let method = node.prints().get(usize::from(method.index))?;
        let class = String::from_utf8_lossy(node.outline.name).replace('/', ".");
        let member = readable(method.name, method.descriptor);
        Some(MemberName::member(class, member).to_string())
    }
}

impl<'a> Node<'a> {
    /// `None` if the fingerprint cannot be read.
    fn new(id: u32, shape: &'a Shape<'a>) -> Option<Self> {
        Some(Node {
            id,
            shape,
            outline: Outline::decode(shape.print)?,
            prints: OnceCell::new(),
        })
    }

    /// The fingerprints of its methods.
    fn prints(&self) -> &[MemberPrint<'a>] {
        self.prints.get_or_init(|| {
            // Its outline could be read, so all of it can.
            let print = Fingerprint::decode(self.shape.print);
            print.map(|print| print.methods).unwrap_or_default()
        })
    }

    fn methods(&self) -> impl Iterator<Item = Method> {
        let numberings = &self.shape.numberings;
        (0..).zip(self.prints()).map(|(index, _)| Method {
            class: self.id,
            numbers: numberings.iter().flat_map(|n| n.of(index)).collect(),
            index,
            on: None,
        })
    }
}

fn supertypes<'a>(outline: &Outline<'a>) -> impl Iterator<Item = &'a [u8]> {
    let interfaces = outline.interfaces.iter().copied();
    outline.super_class.into_iter().chain(interfaces)
}

/// The nodes that can be reached from `start`, including it.
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
