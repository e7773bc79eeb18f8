/// Writes values one behind the other, for a [`Reader`](crate::Reader).
#[derive(Debug, Clone, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// A writer with memory for so many bytes.
    pub fn with_capacity(bytes: usize) -> Writer {
        Writer {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// The bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Forgets what was written, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Writes one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) -> &mut Self {
        self.bytes.push(byte);
        self
    }

    /// Writes `true` or `false` as one byte.
    #[inline]
    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.byte(flag.into())
    }

    /// Writes a number; small ones take fewer bytes.
    #[inline]
    pub fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        let mut number = number.into();
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8)
    }

    /// Writes the number of things that follow.
    #[inline]
    pub fn length(&mut self, length: usize) -> &mut Self {
        self.number(length as u64)
    }

    /// Writes bytes whose number the reader knows.
    #[inline]
    pub fn fixed<const N: usize>(&mut self, bytes: [u8; N]) -> &mut Self {
        self.raw(&bytes)
    }

    /// Writes a checksum.
    #[inline]
    pub fn digest(&mut self, digest: u128) -> &mut Self {
        self.fixed(digest.to_le_bytes())
    }

    /// Writes bytes without their number, which the reader must find out elsewhere.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Writes bytes with their number.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.length(bytes.len()).raw(bytes)
    }

    /// Writes a text.
    #[inline]
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Writes what there is, or that there is nothing.
    pub fn option<T>(
        &mut self,
        value: Option<T>,
        write: impl FnOnce(&mut Self, T) -> &mut Self,
    ) -> &mut Self {
        match value {
            None => self.flag(false),
            Some(value) => write(self.flag(true), value),
        }
    }

    /// Writes a list, each item by `write`, which must write at least one byte.
    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut write: impl FnMut(&mut Self, T) -> &mut Self,
    ) -> &mut Self {
        let items = items.into_iter();
        self.length(items.len());
        for item in items {
            write(self, item);
        }
        self
    }

    /// Writes a list of texts.
    pub fn texts(
        &mut self,
        texts: impl IntoIterator<Item: AsRef<str>, IntoIter: ExactSizeIterator>,
    ) -> &mut Self {
        self.list(texts, |writer, text| writer.text(text.as_ref()))
    }

    /// Writes ascending numbers, as differences.
    pub fn ascending(&mut self, numbers: &[u32]) -> &mut Self {
        let mut last = 0;
        self.list(numbers, |writer, &number| {
            let gap = number.wrapping_sub(last);
            last = number;
            writer.number(gap)
        })
    }

    /// Writes pairs whose first numbers ascend, these as differences.
    pub fn pairs(&mut self, pairs: &[(u32, u32)]) -> &mut Self {
        let mut last = 0;
        self.list(pairs, |writer, &(first, second)| {
            let gap = first.wrapping_sub(last);
            last = first;
            writer.number(gap).number(second)
        })
    }
}
