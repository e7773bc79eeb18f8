use std::ops::RangeInclusive;
use tamis_classfile::{Code, Result};

/// More handlers than compilers write; looking at each pair of them would take long.
const MANY_HANDLERS: usize = 256;

/// Moves the probes of handlers that cover their own start, as javac writes them to release a
/// monitor, to where that ends. HotSpot's first compiler refuses a method with such a handler if
/// what is covered can throw, as a probe can for all it knows; and both refuse one where something
/// can throw while a monitor is held and no handler is around. A run gets to the new place for sure:
/// nothing before it waits, and everything thrown there leads back to the handler's start.
pub(super) fn leave_own_ranges(code: &Code<'_>, pcs: &mut [u16]) -> Result<()> {
    let handlers = code.handlers().collect::<Result<Vec<_>>>()?;
    if handlers.len() > MANY_HANDLERS {
        return Ok(());
    }
    let leaders = pcs.to_vec();
    for (index, own) in handlers.iter().enumerate() {
        let catches_all = own.catch_type == 0 && own.start_pc == own.handler_pc;
        let mut before = handlers.iter().take(index);
        if !catches_all || before.any(|h| h.start_pc < own.end_pc && own.start_pc < h.end_pc) {
            continue;
        }
        // Inside of the block, so that no jump gets past it; the entry's probe is in the prefix.
        let block = leaders.binary_search(&own.handler_pc).unwrap_or(0);
        let next = leaders.get(block + 1).copied().map(usize::from);
        let block_end = next.unwrap_or(code.code.len());
        let end = usize::from(own.end_pc);
        if let Some(place) = pcs.get_mut(block)
            && block > 0
            && end < block_end
            && only_releases(code, own.start_pc.into(), end)
        {
            *place = own.end_pc;
        }
    }
    Ok(())
}

/// Whether the instructions from `start` to another one at `end` release monitors and move local
/// variables, and do nothing else.
fn only_releases(code: &Code<'_>, start: usize, end: usize) -> bool {
    const LOADS: RangeInclusive<u8> = 0x15..=0x2d;
    const STORES: RangeInclusive<u8> = 0x36..=0x4e;
    const MONITOREXIT: u8 = 0xc3;
    let instructions = code.instructions().flatten();
    for instruction in instructions.skip_while(|i| i.pc < start) {
        let opcode = instruction.opcode;
        if instruction.pc >= end {
            return instruction.pc == end;
        }
        if !LOADS.contains(&opcode) && !STORES.contains(&opcode) && opcode != MONITOREXIT {
            return false;
        }
    }
    false
}
