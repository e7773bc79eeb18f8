//! The fingerprints of classes, each kept once however many versions and tests refer to it.
//!
//! Methods have numbers: those of the first shape come first, in the order of its fingerprint. A
//! test's list of executed methods is a list of such numbers. Where basic blocks were recorded, a
//! method has a number for each of them; the same class is then another shape.

use bytes::Bytes;
use std::collections::HashMap;
use tamis_code::blocks::{Blocks, decode_all, encode_all};
use tamis_fingerprint::{Fingerprint, MemberPrint};
use tamis_select::Numbering;

/// The shape of a class: its fingerprint and blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The smart checksum of the class, which says it all.
    pub(crate) smart: u128,
    /// How many methods it has.
    pub(crate) methods: u32,
    /// Its fingerprint, encoded; read only where a class changed.
    pub(crate) print: Bytes,
    /// How many numbers each method has; none at all if each has one.
    pub(crate) counts: Box<[u16]>,
    /// The basic blocks of the methods, encoded; empty without counts.
    pub(crate) blocks: Bytes,
}

impl Shape {
    /// How many numbers its methods have.
    pub(crate) fn numbers(&self) -> u32 {
        match self.counts.is_empty() {
            true => self.methods,
            false => {
                let counts = self.counts.iter().map(|count| u32::from(*count));
                counts.fold(0, u32::saturating_add)
            }
        }
    }

    /// The same class with its methods in another order, that of `print`: its shape in the order of
    /// this one, and what each of its numbers is there.
    fn reordered(
        &self,
        print: &[u8],
        counts: &[u16],
        blocks: &[u8],
    ) -> Option<(Shape, Box<[u32]>)> {
        let (own, other) = (
            Fingerprint::decode(&self.print)?,
            Fingerprint::decode(print)?,
        );
        let key = |method: &MemberPrint<'_>| (method.name.to_vec(), method.descriptor.to_vec());
        let own: HashMap<_, usize> = own.methods.iter().map(key).zip(0..).collect();
        let places = other
            .methods
            .iter()
            .map(|method| own.get(&key(method)).copied());
        let places: Vec<usize> = places.collect::<Option<_>>()?;
        let is_whole = own.len() == places.len() && own.len() == self.methods as usize;
        if !is_whole || !(counts.is_empty() || counts.len() == places.len()) {
            return None;
        }
        let mut sorted = vec![u16::from(counts.is_empty()); places.len()];
        for (place, count) in places.iter().zip(counts) {
            *sorted.get_mut(*place)? = *count;
        }
        let flows = match counts.is_empty() {
            true => Vec::new(),
            false => {
                let mut flows = vec![Blocks::unknown(); places.len()];
                for (place, flow) in places.iter().zip(decode_all(blocks)?) {
                    *flows.get_mut(*place)? = flow;
                }
                encode_all(&flows)
            }
        };
        let numbering = Numbering {
            first: 0,
            counts: &sorted,
        };
        let numbers = places.iter().flat_map(|place| numbering.of(*place as u16));
        let table = numbers.collect();
        let shape = Shape {
            counts: match counts.is_empty() {
                true => Box::default(),
                false => sorted.into(),
            },
            blocks: flows.into(),
            ..self.clone()
        };
        Some((shape, table))
    }

    /// Shapes of one key number the same methods in the same way.
    fn key(&self) -> Key {
        (self.smart, self.counts.clone())
    }
}

type Key = (u128, Box<[u16]>);

/// All shapes, in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shapes {
    items: Vec<Shape>,
    /// The first number of each one.
    firsts: Vec<u32>,
    /// How many numbers are taken.
    end: u32,
}

impl Shapes {
    /// Adds a shape; `None` if there are no numbers left for it.
    pub(crate) fn push(&mut self, shape: Shape) -> Option<u32> {
        let first = self.end;
        self.end = self.end.checked_add(shape.numbers())?;
        self.firsts.push(first);
        self.items.push(shape);
        Some(first)
    }

    /// How many numbers are taken.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&Shape, u32)> {
        self.items.iter().zip(self.firsts.iter().copied())
    }

    /// The shape that has this number, with its position.
    pub(crate) fn of_number(&self, number: u32) -> Option<usize> {
        let at = self.firsts.partition_point(|first| *first <= number);
        let position = at.checked_sub(1)?;
        let shape = self.items.get(position)?;
        let first = self.firsts.get(position)?;
        (number - first < shape.numbers()).then_some(position)
    }

    /// The first number of each shape.
    pub(crate) fn firsts(&self) -> &[u32] {
        &self.firsts
    }

    /// The shapes by their smart checksums.
    pub(crate) fn by_smart(&self) -> BySmart<'_> {
        let mut by_smart = BySmart::with_capacity(self.items.len());
        for (shape, first) in self.iter() {
            let same = by_smart.entry(shape.smart).or_default();
            same.push(Numbered { shape, first });
        }
        by_smart
    }
}

/// Shapes by their smart checksums.
pub(crate) type BySmart<'s> = HashMap<u128, Vec<Numbered<'s>>>;

/// A shape with its first number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbered<'s> {
    pub(crate) shape: &'s Shape,
    pub(crate) first: u32,
}

impl<'s> Numbered<'s> {
    pub(crate) fn numbering(&self) -> Numbering<'s> {
        Numbering {
            first: self.first,
            counts: &self.shape.counts,
        }
    }
}

/// Shapes while some are added.
#[derive(Debug)]
pub(crate) struct ShapeTable {
    shapes: Shapes,
    /// The first number of each one, and how many it has.
    ranges: HashMap<Key, (u32, u32)>,
    /// The position of the first shape of each checksum: all others have its order of methods.
    orders: HashMap<u128, usize>,
}

/// The numbers of a class that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// For each number of the recording, counted from the first one of the class, what it is here;
    /// nothing if it is the same.
    pub(crate) table: Box<[u32]>,
}

impl ShapeTable {
    pub(crate) fn new(shapes: Shapes) -> Self {
        let range = |(shape, first): (&Shape, u32)| (shape.key(), (first, shape.numbers()));
        let ranges = shapes.iter().map(range).collect();
        let mut orders = HashMap::new();
        for (position, (shape, _)) in shapes.iter().enumerate() {
            orders.entry(shape.smart).or_insert(position);
        }
        ShapeTable {
            shapes,
            ranges,
            orders,
        }
    }

    pub(crate) fn into_shapes(self) -> Shapes {
        self.shapes
    }

    /// Adds a class, unless it is there: its checksum, its encoded fingerprint, and what is known of
    /// its blocks. Gives its numbers; `None` if it cannot be read.
    pub(crate) fn add(
        &mut self,
        smart: u128,
        print: &[u8],
        (counts, blocks): (&[u16], &[u8]),
    ) -> Option<Numbers> {
        let known = self.orders.get(&smart);
        let known = known.and_then(|position| self.shapes.items.get(*position));
        if let Some(known) = known.filter(|known| *known.print != *print) {
            // The checksum does not depend on the order of methods, and numbers do.
            let (shape, table) = known.reordered(print, counts, blocks)?;
            let (first, count) = self.copy(&shape)?;
            return Some(Numbers {
                first,
                count,
                table,
            });
        }
        let range = match self.ranges.get(&(smart, counts.into())) {
            Some(range) => *range,
            None => {
                let methods = Fingerprint::decode(print)?.methods.len();
                if !counts.is_empty() && counts.len() != methods {
                    return None;
                }
                self.copy(&Shape {
                    smart,
                    methods: methods as u32,
                    print: Bytes::copy_from_slice(print),
                    counts: counts.into(),
                    blocks: Bytes::copy_from_slice(blocks),
                })?
            }
        };
        Some(Numbers {
            first: range.0,
            count: range.1,
            table: Box::default(),
        })
    }

    /// Adds a shape as it is, unless it is there; gives its first number and how many it has.
    pub(crate) fn copy(&mut self, shape: &Shape) -> Option<(u32, u32)> {
        let key = shape.key();
        if let Some(range) = self.ranges.get(&key) {
            return Some(*range);
        }
        let position = self.shapes.items.len();
        let range = (self.shapes.push(shape.clone())?, shape.numbers());
        self.ranges.insert(key, range);
        self.orders.entry(shape.smart).or_insert(position);
        Some(range)
    }

    /// The first number of this shape.
    pub(crate) fn get(&self, shape: &Shape) -> Option<u32> {
        self.ranges.get(&shape.key()).map(|(first, _)| *first)
    }
}
