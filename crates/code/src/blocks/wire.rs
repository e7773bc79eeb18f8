use super::graph::{Block, Blocks, Exit};
use tamis_wire::{Reader, Writer};

const END: u8 = 0;
const NEXT: u8 = 1;
const BRANCH: u8 = 2;
const SWITCH: u8 = 3;

/// The blocks of several methods as bytes, which [`decode_all`] reads.
pub fn encode_all(methods: &[Blocks]) -> Vec<u8> {
    let count: usize = methods.iter().map(Blocks::count).sum();
    let mut out = Writer::with_capacity(count * 20 + methods.len() + 2);
    out.list(methods, |out, method| out.list(&method.blocks, write_block));
    out.finish()
}

/// Reads what [`encode_all`] wrote; `None` for anything it cannot have written.
pub fn decode_all(bytes: &[u8]) -> Option<Vec<Blocks>> {
    tamis_wire::read(bytes, |from| {
        from.list(|from| {
            let blocks = Blocks {
                blocks: from.list(read_block)?,
            };
            blocks.is_whole().then_some(blocks)
        })
    })
}

fn write_block<'w>(out: &'w mut Writer, block: &Block) -> &'w mut Writer {
    out.digest(block.digest);
    match &block.exit {
        Exit::End => out.byte(END),
        Exit::Next(next) => out.byte(NEXT).number(*next),
        Exit::Branch { taken, next } => out.byte(BRANCH).number(*taken).number(*next),
        Exit::Switch { default, cases } => out
            .byte(SWITCH)
            .number(*default)
            .list(cases, |out, (key, to)| {
                out.fixed(key.to_le_bytes()).number(*to)
            }),
    }
    .list(&block.handlers, |out, handler| out.number(*handler))
}

fn read_block(from: &mut Reader<'_>) -> Option<Block> {
    Some(Block {
        digest: from.digest()?,
        exit: match from.byte()? {
            END => Exit::End,
            NEXT => Exit::Next(from.number()?),
            BRANCH => Exit::Branch {
                taken: from.number()?,
                next: from.number()?,
            },
            SWITCH => read_switch(from)?,
            _ => return None,
        },
        handlers: from.list(Reader::number)?,
    })
}

fn read_switch(from: &mut Reader<'_>) -> Option<Exit> {
    let default = from.number()?;
    let case = |from: &mut Reader<'_>| Some((i32::from_le_bytes(from.fixed()?), from.number()?));
    let cases: Vec<(i32, u16)> = from.list(case)?;
    let ascend = cases.is_sorted_by(|(a, _), (b, _)| a < b);
    let is_short = cases.iter().all(|(_, to)| *to != default);
    (ascend && is_short).then_some(Exit::Switch { default, cases })
}
