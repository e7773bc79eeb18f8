/// The start of the second range of numbers: pseudo-probes.
pub const HIGH: u32 = 1 << 31;

/// The number of the first word of the second range.
const HIGH_WORD: u32 = HIGH / 64;

/// A growing set of numbers that lie close to zero or closely behind [`HIGH`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    high: Vec<u64>,
}

impl Bits {
    /// Adds `value`; returns whether it is new.
    pub fn insert(&mut self, value: u32) -> bool {
        let (words, value) = match value.checked_sub(HIGH) {
            None => (&mut self.words, value),
            Some(value) => (&mut self.high, value),
        };
        let (word, bit) = (value as usize / 64, 1u64 << (value % 64));
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        match words.get_mut(word) {
            Some(w) if *w & bit == 0 => {
                *w |= bit;
                true
            }
            _ => false,
        }
    }

    /// Adds the numbers of a word; returns those that are new.
    pub fn insert_word(&mut self, (word, bits): Word) -> Word {
        let (words, at) = match word.checked_sub(HIGH_WORD) {
            None => (&mut self.words, word as usize),
            Some(at) => (&mut self.high, at as usize),
        };
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        let before = words
            .get_mut(at)
            .map_or(0, |w| std::mem::replace(w, *w | bits));
        (word, bits & !before)
    }

    /// Adds all of `other`.
    pub fn add(&mut self, other: &SparseBits) {
        for word in other.words() {
            self.insert_word(word);
        }
    }

    /// Its words that are not empty, ascending.
    pub fn words(&self) -> impl Iterator<Item = Word> + '_ {
        let low = (0..).zip(self.words.iter().copied());
        let high = (HIGH_WORD..).zip(self.high.iter().copied());
        low.chain(high).filter(|(_, bits)| *bits != 0)
    }

    /// The bits of one of its words.
    pub fn word(&self, word: u32) -> u64 {
        let bits = match word.checked_sub(HIGH_WORD) {
            None => self.words.get(word as usize),
            Some(at) => self.high.get(at as usize),
        };
        bits.copied().unwrap_or_default()
    }

    /// Whether `value` is among them.
    pub fn contains(&self, value: u32) -> bool {
        let (words, value) = match value.checked_sub(HIGH) {
            None => (&self.words, value),
            Some(value) => (&self.high, value),
        };
        let word = words.get(value as usize / 64);
        word.is_some_and(|word| word & (1 << (value % 64)) != 0)
    }

    /// Adds all of `other`.
    pub fn union(&mut self, other: &Bits) {
        union(&mut self.words, &other.words);
        union(&mut self.high, &other.high);
    }

    /// All numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words().flat_map(numbers)
    }

    /// The numbers below [`HIGH`].
    pub fn low(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(self.words.iter().copied()).flat_map(numbers)
    }

    /// The numbers from [`HIGH`] on.
    pub fn high(&self) -> impl Iterator<Item = u32> + '_ {
        let words = (HIGH_WORD..).zip(self.high.iter().copied());
        words.flat_map(numbers)
    }

    /// The numbers below [`HIGH`], and those from there on for which `stays` holds.
    pub fn with_high(&self, stays: impl Fn(u32) -> bool) -> Bits {
        let mut bits = Bits {
            words: self.words.clone(),
            high: Vec::new(),
        };
        bits.extend(self.high().filter(|number| stays(*number)));
        bits
    }

    /// The numbers below [`HIGH`] that are in both.
    pub fn and<'a>(&'a self, other: &'a Bits) -> impl Iterator<Item = u32> + 'a {
        let words = self.words.iter().zip(&other.words);
        (0..)
            .zip(words)
            .flat_map(|(word, (a, b))| numbers((word, a & b)))
    }
}

fn union(mine: &mut Vec<u64>, theirs: &[u64]) {
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), 0);
    }
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine |= theirs;
    }
}

/// Sixty-four numbers that follow each other, and which of them are in a set: the first of them is 64 times
/// the number of the word.
pub type Word = (u32, u64);

/// The numbers in a word, ascending.
pub fn numbers((word, bits): Word) -> impl Iterator<Item = u32> {
    let mut left = bits;
    std::iter::from_fn(move || {
        let bit = left.checked_ilog2().map(|_| left.trailing_zeros())?;
        left &= left - 1;
        Some(word * 64 + bit)
    })
}

fn word_of(value: u32) -> Word {
    (value / 64, 1 << (value % 64))
}

impl Extend<u32> for Bits {
    fn extend<T: IntoIterator<Item = u32>>(&mut self, values: T) {
        for value in values {
            self.insert(value);
        }
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<T: IntoIterator<Item = u32>>(values: T) -> Self {
        let mut bits = Bits::default();
        bits.extend(values);
        bits
    }
}

/// A set of numbers as its words that are not empty: it takes the room, and walking it the time, of what is
/// in it, however large the numbers are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseBits {
    /// Ascending, none of them empty.
    words: Vec<Word>,
}

impl SparseBits {
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Its words, ascending; none is empty.
    pub fn words(&self) -> impl Iterator<Item = Word> + '_ {
        self.words.iter().copied()
    }

    /// All numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words().flat_map(numbers)
    }

    /// Adds the numbers of a word. It is quick at the end.
    pub fn insert_word(&mut self, (word, bits): Word) {
        let is_behind = self.words.last().is_none_or(|(last, _)| *last < word);
        let at = match is_behind {
            true => self.words.len(),
            false => self.words.partition_point(|(other, _)| *other < word),
        };
        match self.words.get_mut(at) {
            Some((other, mine)) if *other == word => *mine |= bits,
            _ if bits == 0 => {}
            _ => self.words.insert(at, (word, bits)),
        }
    }

    /// Adds all of `other`.
    pub fn union(&mut self, other: &SparseBits) {
        let Some((first, _)) = other.words.first() else {
            return;
        };
        // What lies before the other's first word stays where it is.
        let from = self.words.partition_point(|(word, _)| word < first);
        let tail = self.words.split_off(from);
        let (mut mine, mut theirs) = (tail.into_iter().peekable(), other.words().peekable());
        loop {
            let next = match (mine.peek(), theirs.peek()) {
                (Some((a, _)), Some((b, _))) if a == b => {
                    let (a, b) = (mine.next(), theirs.next());
                    a.zip(b).map(|((word, a), (_, b))| (word, a | b))
                }
                (Some((a, _)), Some((b, _))) if a < b => mine.next(),
                (_, Some(_)) => theirs.next(),
                (_, None) => mine.next(),
            };
            match next {
                Some(word) => self.words.push(word),
                None => return,
            }
        }
    }

    /// Whether some number is in both.
    pub fn meets(&self, other: &Bits) -> bool {
        self.words()
            .any(|(word, bits)| other.word(word) & bits != 0)
    }

    /// Keeps the numbers below [`HIGH`], and those from there on for which `stays` holds.
    pub fn retain_high(&mut self, stays: impl Fn(u32) -> bool) {
        for (word, bits) in self.words.iter_mut().rev() {
            if *word < HIGH_WORD {
                break;
            }
            let left = numbers((*word, *bits)).filter(|number| stays(*number));
            *bits = left.fold(0, |left, number| left | word_of(number).1);
        }
        self.words.retain(|(_, bits)| *bits != 0);
    }
}

impl Extend<u32> for SparseBits {
    fn extend<T: IntoIterator<Item = u32>>(&mut self, values: T) {
        for value in values {
            self.insert_word(word_of(value));
        }
    }
}

impl FromIterator<u32> for SparseBits {
    fn from_iter<T: IntoIterator<Item = u32>>(values: T) -> Self {
        let mut values: Vec<u32> = values.into_iter().collect();
        values.sort_unstable();
        let mut bits = SparseBits::default();
        bits.extend(values);
        bits
    }
}

impl FromIterator<Word> for SparseBits {
    fn from_iter<T: IntoIterator<Item = Word>>(words: T) -> Self {
        let mut bits = SparseBits::default();
        words.into_iter().for_each(|word| bits.insert_word(word));
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_set_gives_back_what_was_put_in_once_and_in_order() {
        let mut bits: Bits = [130, 0, 64, 63, 130].into_iter().collect();
        bits.union(&[1, 500].into_iter().collect());
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 1, 63, 64, 130, 500]);
        assert!(bits.contains(64) && !bits.contains(65) && !bits.contains(HIGH));
        assert!(!bits.insert(64));
        assert!(bits.insert(65));
        let other = [0, 65, 66, 500, 900].into_iter().collect();
        assert_eq!(bits.and(&other).collect::<Vec<_>>(), [0, 65, 500]);
        assert!(bits.insert(HIGH + 70));
        bits.union(&[HIGH, 2].into_iter().collect());
        assert!(!bits.insert(HIGH));
        assert_eq!(bits.low().last(), Some(500));
        assert_eq!(bits.high().collect::<Vec<_>>(), [HIGH, HIGH + 70]);
        assert_eq!(bits.iter().count(), 10);
    }

    fn some_numbers() -> impl Strategy<Value = Vec<u32>> {
        let number = prop_oneof![0..200u32, 5_000..5_100u32, HIGH..HIGH + 200];
        prop::collection::vec(number, 0..40)
    }

    fn sparse(numbers: &[u32]) -> SparseBits {
        numbers.iter().copied().collect()
    }

    proptest! {
        #[test]
        fn both_kinds_of_sets_are_sets(a in some_numbers(), b in some_numbers()) {
            let (one, two): (BTreeSet<u32>, BTreeSet<u32>) =
                (a.iter().copied().collect(), b.iter().copied().collect());
            let both: Vec<u32> = one.union(&two).copied().collect();
            let check = |found: Vec<u32>, expected: &[u32]| {
                prop_assert_eq!(found, expected);
                Ok(())
            };

            let mut joined = sparse(&a);
            joined.union(&sparse(&b));
            check(joined.iter().collect(), &both)?;
            let mut inserted = sparse(&a);
            inserted.extend(b.iter().copied());
            prop_assert_eq!(&inserted, &joined, "in any order");
            prop_assert_eq!(joined.words().collect::<SparseBits>(), joined.clone());

            let mut dense: Bits = a.iter().copied().collect();
            prop_assert_eq!(sparse(&b).meets(&dense), one.intersection(&two).next().is_some());
            let words = sparse(&b).words().map(|word| dense.insert_word(word)).collect::<Vec<_>>();
            let new: Vec<u32> = two.difference(&one).copied().collect();
            check(words.into_iter().flat_map(numbers).collect(), &new)?;
            check(dense.iter().collect(), &both)?;
            prop_assert_eq!(dense.words().collect::<SparseBits>(), joined.clone());

            joined.retain_high(|number| number.is_multiple_of(3));
            let stays = |number: &u32| *number < HIGH || number.is_multiple_of(3);
            let stay: Vec<u32> = both.into_iter().filter(stays).collect();
            check(joined.iter().collect(), &stay)?;
            prop_assert_eq!(joined, sparse(&stay), "no word is empty");
        }
    }
}
