/// Where the second range of numbers starts.
pub const HIGH: u32 = 1 << 31;

/// A growing set of numbers that lie close to zero or closely behind [`HIGH`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    high: Vec<u64>,
}

impl Bits {
    /// Adds `value`; says whether it is new.
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
        self.low().chain(self.high())
    }

    /// The numbers below [`HIGH`].
    pub fn low(&self) -> impl Iterator<Item = u32> + '_ {
        numbers(self.words.iter().copied())
    }

    /// The numbers from [`HIGH`] on.
    pub fn high(&self) -> impl Iterator<Item = u32> + '_ {
        numbers(self.high.iter().copied()).map(|number| HIGH + number)
    }

    /// All below [`HIGH`], and those from there on that `stays` says.
    pub fn with_high(&self, stays: impl Fn(u32) -> bool) -> Bits {
        let mut bits = Bits {
            words: self.words.clone(),
            high: Vec::new(),
        };
        bits.extend(self.high().filter(|number| stays(*number)));
        bits
    }

    /// What both have below [`HIGH`].
    pub fn and<'a>(&'a self, other: &'a Bits) -> impl Iterator<Item = u32> + 'a {
        numbers(self.words.iter().zip(&other.words).map(|(a, b)| a & b))
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

fn numbers(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    words.enumerate().flat_map(|(index, word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = left.checked_ilog2().map(|_| left.trailing_zeros())?;
            left &= left - 1;
            Some(index as u32 * 64 + bit)
        })
    })
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

#[cfg(test)]
mod tests {
    use super::{Bits, HIGH};

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
}
