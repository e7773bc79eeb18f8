use bytes::Bytes;
use std::fmt;
use tamis_wire::{Reader, Writer};

/// Ascending numbers without repetition, as LEB128 differences; borrowed.
///
/// A test uses hundreds of classes whose ids lie close together, so nearly every number takes one
/// byte. Bytes that are no such list are noticed while iterating, never by a panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ids<'a>(pub &'a [u8]);

/// [`Ids`] that own their bytes, together with others that came from the same file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IdsBuf(pub Bytes);

/// The bytes are not a list of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a list of ascending ids")
    }
}

impl std::error::Error for Malformed {}

impl IdsBuf {
    /// Packs ids in any order.
    pub fn pack(mut ids: Vec<u32>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        let mut out = Writer::with_capacity(ids.len() + 8);
        let mut next = 0;
        for id in ids {
            out.number(id.wrapping_sub(next));
            next = id.wrapping_add(1);
        }
        IdsBuf(out.finish().into())
    }

    /// The same, borrowed.
    pub fn as_ids(&self) -> Ids<'_> {
        Ids(&self.0)
    }
}

impl<'a> Ids<'a> {
    /// How many ids there are, if the bytes are well formed.
    pub fn count(self) -> usize {
        self.0.iter().filter(|byte| **byte < 0x80).count()
    }

    /// The ids in ascending order; ends after the first error.
    pub fn iter(self) -> IdsIter<'a> {
        IdsIter {
            rest: Reader::new(self.0),
            next: 0,
        }
    }
}

/// Iterates over [`Ids`].
#[derive(Debug, Clone)]
pub struct IdsIter<'a> {
    rest: Reader<'a>,
    next: u64,
}

impl Iterator for IdsIter<'_> {
    type Item = Result<u32, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let gap = self.rest.number::<u32>();
        let id = gap.and_then(|gap| u32::try_from(self.next + u64::from(gap)).ok());
        match id {
            Some(id) => self.next = u64::from(id) + 1,
            None => self.rest = Reader::default(),
        }
        Some(id.ok_or(Malformed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ids: &[u32], bytes: &[u8]) {
        let packed = IdsBuf::pack(ids.to_vec());
        assert_eq!(&*packed.0, bytes);
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(
            packed.as_ids().iter().collect::<Result<Vec<_>, _>>(),
            Ok(sorted.clone())
        );
        assert_eq!(packed.as_ids().count(), sorted.len());
    }

    fn check_malformed(bytes: &[u8]) {
        assert_eq!(Ids(bytes).iter().last(), Some(Err(Malformed)));
    }

    #[test]
    fn neighbours_take_one_zero_byte_each() {
        check(&[], &[]);
        check(&[0, 1, 2], &[0, 0, 0]);
        check(&[5, 3, 5], &[3, 1]);
        check(&[128], &[0x80, 1]);
        check(&[u32::MAX], &[0xff, 0xff, 0xff, 0xff, 0x0f]);
        check(&[0, u32::MAX], &[0, 0xfe, 0xff, 0xff, 0xff, 0x0f]);
    }

    #[test]
    fn bytes_that_are_no_list_are_malformed() {
        check_malformed(&[0x80]);
        check_malformed(&[0x80, 0]);
        check_malformed(&[0xff, 0xff, 0xff, 0xff, 0x0f, 0]);
        check_malformed(&[0xff, 0xff, 0xff, 0xff, 0x1f]);
        check_malformed(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]);
    }
}
