use crate::{Error, Result};

/// A position in a byte slice; every read checks the bounds.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `bytes` starts in the class file, so that errors and edits know absolute offsets.
    base: usize,
}

impl<'a> Reader<'a> {
    /// Reads `bytes`, which start at offset `base` of the class file.
    pub fn new(bytes: &'a [u8], base: usize) -> Self {
        Reader { bytes, at: 0, base }
    }

    /// The offset in the class file of the next byte to be read.
    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let end = self
            .at
            .checked_add(n)
            .ok_or(Error::Truncated { at: self.offset() })?;
        let taken = self
            .bytes
            .get(self.at..end)
            .ok_or(Error::Truncated { at: self.offset() })?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let at = self.offset();
        self.take(N)?
            .try_into()
            .map_err(|_| Error::Truncated { at })
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8> {
        let [byte] = self.array::<1>()?;
        Ok(byte)
    }

    /// Two bytes, big-endian.
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    /// Four bytes, big-endian.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// Eight bytes, big-endian.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// A reader of the next `n` bytes, which are passed over here.
    pub fn sub(&mut self, n: usize) -> Result<Reader<'a>> {
        let base = self.offset();
        Ok(Reader::new(self.take(n)?, base))
    }
}
