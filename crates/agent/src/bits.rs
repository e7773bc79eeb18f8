/// A growing set of small numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Adds `value`; says whether it is new.
    pub(crate) fn insert(&mut self, value: u32) -> bool {
        let (word, bit) = (value as usize / 64, 1u64 << (value % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        match self.words.get_mut(word) {
            Some(w) if *w & bit == 0 => {
                *w |= bit;
                true
            }
            _ => false,
        }
    }

    pub(crate) fn union(&mut self, other: &Bits) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        numbers(self.words.iter().copied())
    }

    /// What both have.
    pub(crate) fn and<'a>(&'a self, other: &'a Bits) -> impl Iterator<Item = u32> + 'a {
        numbers(self.words.iter().zip(&other.words).map(|(a, b)| a & b))
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
    use super::Bits;

    #[test]
    fn a_set_gives_back_what_was_put_in_once_and_in_order() {
        let mut bits: Bits = [130, 0, 64, 63, 130].into_iter().collect();
        bits.union(&[1, 500].into_iter().collect());
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 1, 63, 64, 130, 500]);
        assert!(!bits.insert(64));
        assert!(bits.insert(65));
        let other = [0, 65, 66, 500, 900].into_iter().collect();
        assert_eq!(bits.and(&other).collect::<Vec<_>>(), [0, 65, 500]);
    }
}
