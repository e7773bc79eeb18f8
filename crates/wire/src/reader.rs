/// Reads values that a [`Writer`](crate::Writer) wrote; `None` for anything that it cannot have
/// written.
#[derive(Debug, Clone, Default)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

/// Reads all of `bytes`: `None` if something is left over, too.
pub fn read<'a, T>(bytes: &'a [u8], value: impl FnOnce(&mut Reader<'a>) -> Option<T>) -> Option<T> {
    let mut reader = Reader::new(bytes);
    value(&mut reader).filter(|_| reader.is_empty())
}

impl<'a> Reader<'a> {
    /// A reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// Whether all was read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads one byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    /// Reads `true` or `false`.
    #[inline]
    pub fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads a number that fits its type.
    #[inline]
    pub fn number<T: TryFrom<u64>>(&mut self) -> Option<T> {
        // Most numbers are small.
        let number = match self.byte()? {
            byte @ ..0x80 => byte.into(),
            byte => self.long_number(byte)?,
        };
        T::try_from(number).ok()
    }

    fn long_number(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first & 0x7f);
        let mut shift = 7;
        while shift < u64::BITS {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            number |= bits << shift;
            // The last byte has room for one bit.
            if number >> shift != bits {
                return None;
            }
            if byte < 0x80 {
                // A longer form than needed is none.
                return (byte != 0).then_some(number);
            }
            shift += 7;
        }
        None
    }

    /// Reads a number below `end`, such as an index of a list.
    #[inline]
    pub fn below(&mut self, end: usize) -> Option<u32> {
        let number: u32 = self.number()?;
        ((number as usize) < end).then_some(number)
    }

    /// Reads as many bytes as the result has.
    #[inline]
    pub fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(bytes)
    }

    /// Reads a checksum.
    #[inline]
    pub fn digest(&mut self) -> Option<u128> {
        self.fixed().map(u128::from_le_bytes)
    }

    /// Reads so many bytes.
    #[inline]
    pub fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    /// Reads bytes that have their number before them.
    #[inline]
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.raw(length)
    }

    /// Reads a text.
    #[inline]
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// Reads something or nothing.
    pub fn option<T>(&mut self, value: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.flag()? {
            false => Some(None),
            true => value(self).map(Some),
        }
    }

    /// Reads a list, each item by `item`, which must read at least one byte.
    pub fn list<T, C: FromIterator<T>>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<C> {
        let count: usize = self.number()?;
        if count > self.rest.len() {
            return None;
        }
        // A count may lie: no more memory for it than there are bytes, until the items are there.
        let room = self.rest.len() / size_of::<T>().max(1);
        let mut items = Vec::with_capacity(count.min(room));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Some(items.into_iter().collect())
    }

    /// Reads a list of texts.
    pub fn texts<C: FromIterator<String>>(&mut self) -> Option<C> {
        self.list(|reader| reader.text().map(str::to_owned))
    }

    /// Reads numbers that ascend.
    pub fn ascending(&mut self) -> Option<Vec<u32>> {
        let mut last = 0u32;
        self.list(|reader| {
            last = last.checked_add(reader.number()?)?;
            Some(last)
        })
    }

    /// Reads pairs whose first numbers ascend.
    pub fn pairs(&mut self) -> Option<Vec<(u32, u32)>> {
        let mut last = 0u32;
        self.list(|reader| {
            last = last.checked_add(reader.number()?)?;
            Some((last, reader.number()?))
        })
    }
}
