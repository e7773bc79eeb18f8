//! Pseudo-probes: events that are attributed to units exactly like probe hits.

use std::collections::HashMap;
use tamis_attribution::HIGH;

/// A pseudo-probe. It has a number from [`HIGH`] on, and reaches whoever a probe would reach that fires now: units that
/// overlap, those that use an initializer, all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mark {
    /// A method, by its probe, ran on an object of a class, by the number of its name; `None` for a
    /// class that is not recorded: a proxy, a lambda, a hidden one.
    Receiver(u32, Option<u32>),
    /// A class was looked up, by the number of its name.
    Name(u32),
    /// The JDK found a class, by the number of its name, and keeps what it got of it.
    Kept(u32),
    /// Something beside code was looked at, by its number.
    Input(u32),
    /// A shared object was used, by its number: a cached context, a store.
    Shared(u32),
    /// A setting of the JVM was read, by its number.
    Setting(u32),
    /// It was written.
    Written(u32),
}

/// The numbers of marks.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marks: Vec<Mark>,
    numbers: HashMap<Mark, u32>,
}

impl Marks {
    pub(crate) fn number(&mut self, mark: Mark) -> u32 {
        *self.numbers.entry(mark).or_insert_with(|| {
            self.marks.push(mark);
            HIGH + self.marks.len() as u32 - 1
        })
    }

    pub(crate) fn get(&self, number: u32) -> Option<Mark> {
        self.marks.get(number.checked_sub(HIGH)? as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_has_one_number_and_is_found_by_it() {
        let mut marks = Marks::default();
        let all = [
            Mark::Receiver(3, Some(1)),
            Mark::Receiver(3, None),
            Mark::Name(3),
            Mark::Kept(3),
            Mark::Input(3),
            Mark::Shared(3),
            Mark::Setting(3),
            Mark::Written(3),
        ];
        for (number, mark) in (HIGH..).zip(all) {
            assert_eq!(marks.number(mark), number);
            assert_eq!(marks.number(mark), number);
            assert_eq!(marks.get(number), Some(mark));
        }
        assert_eq!(marks.get(HIGH + 8), None);
        assert_eq!(marks.get(3), None);
    }
}
