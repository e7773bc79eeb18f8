use bytes::Bytes;

/// Writes numbers as LEB128, texts and lists with their length, digests as 16 bytes.
#[derive(Default)]
pub(crate) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn byte(&mut self, byte: u8) -> &mut Self {
        self.bytes.push(byte);
        self
    }

    pub(crate) fn uint(&mut self, mut value: u64) -> &mut Self {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8)
    }

    pub(crate) fn id(&mut self, id: u32) -> &mut Self {
        self.uint(id.into())
    }

    pub(crate) fn blob(&mut self, bytes: &[u8]) -> &mut Self {
        self.uint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.blob(text.as_bytes())
    }

    pub(crate) fn digest(&mut self, digest: u128) -> &mut Self {
        self.bytes.extend_from_slice(&digest.to_le_bytes());
        self
    }

    pub(crate) fn option<T>(
        &mut self,
        value: Option<T>,
        write: impl FnOnce(&mut Self, T) -> &mut Self,
    ) -> &mut Self {
        match value {
            None => self.byte(0),
            Some(value) => write(self.byte(1), value),
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        self.uint(items.len() as u64);
        items.for_each(|item| write(self, item));
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what [`Encoder`] wrote; `None` for anything it cannot have written. Allocates no more
/// than a small multiple of what is there, whatever the lengths say.
pub(crate) struct Decoder<'a> {
    all: &'a Bytes,
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// Reads `bytes`, a part of `all`.
    pub(crate) fn new(all: &'a Bytes, bytes: &'a [u8]) -> Self {
        Decoder { all, bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn uint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// An index of a list with `length` items.
    pub(crate) fn id(&mut self, length: usize) -> Option<u32> {
        let id = u32::try_from(self.uint()?).ok()?;
        ((id as usize) < length).then_some(id)
    }

    pub(crate) fn blob(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.uint()?).ok()?;
        self.take(length)
    }

    /// A blob that shares the memory of what is read.
    pub(crate) fn shared(&mut self) -> Option<Bytes> {
        Some(self.all.slice_ref(self.blob()?))
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.blob()?).ok()
    }

    pub(crate) fn digest(&mut self) -> Option<u128> {
        Some(u128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.flag()? {
            false => Some(None),
            true => read(self).map(Some),
        }
    }

    pub(crate) fn list<C: FromIterator<T>, T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<C> {
        // Every item takes at least one byte, so a lying count ends early; and as the length of
        // an iterator of options is not known beforehand, nothing is reserved for it.
        (0..self.uint()?).map(|_| read(self)).collect()
    }
}
