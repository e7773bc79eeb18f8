use super::graph::{Block, Blocks, Exit};

const END: u8 = 0;
const NEXT: u8 = 1;
const BRANCH: u8 = 2;
const SWITCH: u8 = 3;

/// The blocks of several methods as bytes, which [`decode_all`] reads.
pub fn encode_all(methods: &[Blocks]) -> Vec<u8> {
    let count: usize = methods.iter().map(Blocks::count).sum();
    let mut out = Vec::with_capacity(count * 20 + methods.len() + 2);
    number(&mut out, methods.len() as u32);
    methods.iter().for_each(|blocks| blocks.write(&mut out));
    out
}

/// Reads what [`encode_all`] wrote; `None` for anything it cannot have written.
pub fn decode_all(bytes: &[u8]) -> Option<Vec<Blocks>> {
    let mut decoder = Decoder { bytes };
    let methods = decoder.list(Decoder::blocks)?;
    decoder.bytes.is_empty().then_some(methods)
}

impl Blocks {
    fn write(&self, out: &mut Vec<u8>) {
        number(out, self.blocks.len() as u32);
        for block in &self.blocks {
            out.extend(block.digest.to_le_bytes());
            match &block.exit {
                Exit::End => out.push(END),
                Exit::Next(next) => {
                    out.push(NEXT);
                    number(out, u32::from(*next));
                }
                Exit::Branch { taken, next } => {
                    out.push(BRANCH);
                    number(out, u32::from(*taken));
                    number(out, u32::from(*next));
                }
                Exit::Switch { default, cases } => {
                    out.push(SWITCH);
                    number(out, u32::from(*default));
                    number(out, cases.len() as u32);
                    for (key, to) in cases {
                        out.extend(key.to_le_bytes());
                        number(out, u32::from(*to));
                    }
                }
            }
            number(out, block.handlers.len() as u32);
            for handler in &block.handlers {
                number(out, u32::from(*handler));
            }
        }
    }
}

/// Writes a number as LEB128.
fn number(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

struct Decoder<'a> {
    bytes: &'a [u8],
}

impl Decoder<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in (0..u32::BITS).step_by(7) {
            let [byte] = self.take()?;
            let bits = u32::from(byte & 0x7f);
            value |= bits << shift;
            // The last byte has room for four bits, and a longer form than needed is none.
            if value >> shift != bits || byte == 0 && shift > 0 {
                return None;
            }
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn block_number(&mut self) -> Option<u16> {
        self.number()?.try_into().ok()
    }

    /// As many as the number says; they get their memory as they come.
    fn list<T>(&mut self, mut next: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| next(self)).collect()
    }

    fn blocks(&mut self) -> Option<Blocks> {
        let blocks = Blocks {
            blocks: self.list(Self::block)?,
        };
        blocks.is_whole().then_some(blocks)
    }

    fn block(&mut self) -> Option<Block> {
        let digest = u128::from_le_bytes(self.take()?);
        let exit = match self.take()? {
            [END] => Exit::End,
            [NEXT] => Exit::Next(self.block_number()?),
            [BRANCH] => Exit::Branch {
                taken: self.block_number()?,
                next: self.block_number()?,
            },
            [SWITCH] => self.switch()?,
            _ => return None,
        };
        Some(Block {
            digest,
            exit,
            handlers: self.list(Self::block_number)?,
        })
    }

    fn switch(&mut self) -> Option<Exit> {
        let default = self.block_number()?;
        let cases = self.list(|d| Some((i32::from_le_bytes(d.take()?), d.block_number()?)))?;
        let ascend = cases.is_sorted_by(|(a, _), (b, _)| a < b);
        let is_short = cases.iter().all(|(_, to)| *to != default);
        (ascend && is_short).then_some(Exit::Switch { default, cases })
    }
}
