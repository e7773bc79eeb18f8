//! The fingerprints of classes, each kept once however many versions and tests refer to it.
//!
//! Methods have numbers: those of the first shape come first, in the order of its fingerprint. A
//! test's list of executed methods is a list of such numbers.

use std::collections::HashMap;
use tamis_fingerprint::Fingerprint;

/// What a class is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The smart checksum of the class, which says it all.
    pub(crate) smart: u128,
    /// How many methods it has.
    pub(crate) methods: u32,
    /// Its fingerprint, encoded; read only where a class changed.
    pub(crate) print: Box<[u8]>,
}

/// All shapes, in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shapes {
    items: Vec<Shape>,
    /// The number of each one's first method.
    firsts: Vec<u32>,
    /// How many numbers are taken.
    end: u32,
}

impl Shapes {
    /// Adds a shape; `None` if there are no numbers left for it.
    pub(crate) fn push(&mut self, shape: Shape) -> Option<u32> {
        let first = self.end;
        self.end = self.end.checked_add(shape.methods)?;
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
        (number - first < shape.methods).then_some(position)
    }

    /// The shapes by their smart checksums.
    pub(crate) fn by_smart(&self) -> HashMap<u128, (&Shape, u32)> {
        let pairs = self
            .iter()
            .map(|(shape, first)| (shape.smart, (shape, first)));
        pairs.collect()
    }
}

/// Shapes while some are added.
#[derive(Debug)]
pub(crate) struct ShapeTable {
    shapes: Shapes,
    firsts: HashMap<u128, (u32, u32)>,
}

impl ShapeTable {
    pub(crate) fn new(shapes: Shapes) -> Self {
        let firsts = shapes
            .iter()
            .map(|(shape, first)| (shape.smart, (first, shape.methods)))
            .collect();
        ShapeTable { shapes, firsts }
    }

    pub(crate) fn into_shapes(self) -> Shapes {
        self.shapes
    }

    /// The number of the first method of the class with this checksum, and how many it has.
    pub(crate) fn get(&self, smart: u128) -> Option<(u32, u32)> {
        self.firsts.get(&smart).copied()
    }

    /// Adds the class with this checksum and encoded fingerprint, unless it is there or cannot be
    /// read.
    pub(crate) fn add(&mut self, smart: u128, print: &[u8]) {
        if self.firsts.contains_key(&smart) {
            return;
        }
        let Some(methods) = Fingerprint::decode(print).map(|print| print.methods.len() as u32)
        else {
            return;
        };
        self.copy(&Shape {
            smart,
            methods,
            print: print.into(),
        });
    }

    /// Adds a shape as it is, unless it is there; gives the number of its first method.
    pub(crate) fn copy(&mut self, shape: &Shape) -> Option<u32> {
        if let Some((first, _)) = self.get(shape.smart) {
            return Some(first);
        }
        let first = self.shapes.push(shape.clone())?;
        self.firsts.insert(shape.smart, (first, shape.methods));
        Some(first)
    }
}
