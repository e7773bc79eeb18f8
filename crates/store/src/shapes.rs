//! The fingerprints of classes, each kept once however many versions and tests refer to it.
//!
//! Methods have numbers: those of the first shape come first, in the order of its fingerprint. A
//! test's list of executed methods is a list of such numbers. Where basic blocks were recorded, a
//! method has a number for each of them; the same class is then another shape.

use std::collections::HashMap;
use tamis_fingerprint::Fingerprint;
use tamis_select::Numbering;

/// What a class is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The smart checksum of the class, which says it all.
    pub(crate) smart: u128,
    /// How many methods it has.
    pub(crate) methods: u32,
    /// Its fingerprint, encoded; read only where a class changed.
    pub(crate) print: Box<[u8]>,
    /// How many numbers each method has; none at all if each has one.
    pub(crate) counts: Box<[u16]>,
    /// The basic blocks of the methods, encoded; empty without counts.
    pub(crate) blocks: Box<[u8]>,
}

impl Shape {
    /// How many numbers its methods have.
    pub(crate) fn numbers(&self) -> u32 {
        match self.counts.is_empty() {
            true => self.methods,
            false => self.counts.iter().map(|count| u32::from(*count)).sum(),
        }
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

    /// The shapes by their smart checksums.
    pub(crate) fn by_smart(&self) -> HashMap<u128, Vec<Numbered<'_>>> {
        let mut by_smart: HashMap<u128, Vec<Numbered<'_>>> = HashMap::new();
        for (shape, first) in self.iter() {
            let same = by_smart.entry(shape.smart).or_default();
            same.push(Numbered { shape, first });
        }
        by_smart
    }
}

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
}

impl ShapeTable {
    pub(crate) fn new(shapes: Shapes) -> Self {
        let range = |(shape, first): (&Shape, u32)| (shape.key(), (first, shape.numbers()));
        let ranges = shapes.iter().map(range).collect();
        ShapeTable { shapes, ranges }
    }

    pub(crate) fn into_shapes(self) -> Shapes {
        self.shapes
    }

    /// Adds a class, unless it is there: its checksum, its encoded fingerprint, and what is known of
    /// its blocks. Gives its first number and how many it has; `None` if it cannot be read.
    pub(crate) fn add(
        &mut self,
        smart: u128,
        print: &[u8],
        (counts, blocks): (&[u16], &[u8]),
    ) -> Option<(u32, u32)> {
        if let Some(range) = self.ranges.get(&(smart, counts.into())) {
            return Some(*range);
        }
        let methods = Fingerprint::decode(print)?.methods.len();
        if !counts.is_empty() && counts.len() != methods {
            return None;
        }
        self.copy(&Shape {
            smart,
            methods: methods as u32,
            print: print.into(),
            counts: counts.into(),
            blocks: blocks.into(),
        })
    }

    /// Adds a shape as it is, unless it is there; gives its first number and how many it has.
    pub(crate) fn copy(&mut self, shape: &Shape) -> Option<(u32, u32)> {
        let key = shape.key();
        if let Some(range) = self.ranges.get(&key) {
            return Some(*range);
        }
        let range = (self.shapes.push(shape.clone())?, shape.numbers());
        self.ranges.insert(key, range);
        Some(range)
    }

    /// The first number of this shape.
    pub(crate) fn get(&self, shape: &Shape) -> Option<u32> {
        self.ranges.get(&shape.key()).map(|(first, _)| *first)
    }
}
