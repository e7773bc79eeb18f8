/// Writes numbers as LEB128, texts with their length, digests as 16 bytes.
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
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8)
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.blob(text.as_bytes())
    }

    pub(crate) fn texts(&mut self, texts: &[String]) -> &mut Self {
        self.uint(texts.len() as u64);
        for text in texts {
            self.text(text);
        }
        self
    }

    pub(crate) fn blob(&mut self, bytes: &[u8]) -> &mut Self {
        self.uint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(crate) fn digest(&mut self, digest: u128) -> &mut Self {
        self.bytes.extend_from_slice(&digest.to_le_bytes());
        self
    }

    /// Ascending numbers, as differences.
    pub(crate) fn ascending(&mut self, values: &[u32]) -> &mut Self {
        self.uint(values.len() as u64);
        let mut last = 0;
        for &value in values {
            self.uint(u64::from(value.wrapping_sub(last)));
            last = value;
        }
        self
    }

    /// Pairs whose first numbers ascend, these as differences.
    pub(crate) fn pairs(&mut self, pairs: &[(u32, u32)]) -> &mut Self {
        self.uint(pairs.len() as u64);
        let mut last = 0;
        for &(first, second) in pairs {
            self.uint(u64::from(first.wrapping_sub(last)))
                .uint(second.into());
            last = first;
        }
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what [`Encoder`] wrote; `None` for anything it cannot have written.
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Decoder { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(n)?;
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
        let mut value = 0u64;
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

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.uint()?.try_into().ok()
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.blob()?).ok()
    }

    pub(crate) fn texts(&mut self) -> Option<Vec<String>> {
        // Each text takes at least one byte, so a lying count ends early.
        (0..self.uint()?).map(|_| self.text()).collect()
    }

    pub(crate) fn blob(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.uint()?).ok()?;
        Some(self.take(length)?.to_vec())
    }

    pub(crate) fn digest(&mut self) -> Option<u128> {
        Some(u128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }

    pub(crate) fn ascending(&mut self) -> Option<Vec<u32>> {
        let count = usize::try_from(self.uint()?).ok()?;
        // Each value takes at least one byte.
        if count > self.bytes.len() {
            return None;
        }
        let mut last = 0u32;
        (0..count)
            .map(|_| {
                last = last.checked_add(self.u32()?)?;
                Some(last)
            })
            .collect()
    }

    pub(crate) fn pairs(&mut self) -> Option<Vec<(u32, u32)>> {
        let count = usize::try_from(self.uint()?).ok()?;
        // Each pair takes at least two bytes.
        if count > self.bytes.len() / 2 {
            return None;
        }
        let mut last = 0u32;
        (0..count)
            .map(|_| {
                last = last.checked_add(self.u32()?)?;
                Some((last, self.u32()?))
            })
            .collect()
    }
}
