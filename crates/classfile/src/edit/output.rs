use crate::{Error, Result};

/// The edited class while it is written: ranges of the source, copied or skipped in order, with
/// new bytes between them.
pub(super) struct Output<'a> {
    source: &'a [u8],
    done: usize,
    bytes: Vec<u8>,
}

impl<'a> Output<'a> {
    pub(super) fn new(source: &'a [u8], growth: usize) -> Self {
        Output {
            source,
            done: 0,
            bytes: Vec::with_capacity(source.len() + growth),
        }
    }

    /// Copies the source up to the offset `end`; what was copied can be changed in place.
    pub(super) fn copy_to(&mut self, end: usize) -> Result<&mut [u8]> {
        let at = self.bytes.len();
        let range = self
            .source
            .get(self.done..end)
            .ok_or(Error::Truncated { at: end })?;
        self.bytes.extend_from_slice(range);
        self.done = end;
        Ok(self.bytes.get_mut(at..).unwrap_or_default())
    }

    /// Leaves out the source up to the offset `end`.
    pub(super) fn skip_to(&mut self, end: usize) {
        self.done = end;
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.extend(&value.to_be_bytes());
    }

    /// Leaves room for an `attribute_length` that `end_attribute` fills in.
    pub(super) fn begin_attribute(&mut self) -> usize {
        self.extend(&[0; 4]);
        self.bytes.len()
    }

    /// Writes the length of the attribute whose content starts at `begin`.
    pub(super) fn end_attribute(&mut self, begin: usize) -> Result<()> {
        const WHAT: Error = Error::TooLarge { what: "attribute" };
        let length = u32::try_from(self.bytes.len() - begin).map_err(|_| WHAT)?;
        let place = self.bytes.get_mut(begin - 4..begin).ok_or(WHAT)?;
        place.copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        self.copy_to(self.source.len())?;
        Ok(self.bytes)
    }
}
