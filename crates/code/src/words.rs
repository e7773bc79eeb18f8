//! How many words plain instructions take from the stack and put there.

/// What an instruction takes and puts; `None` for those that move values, call, jump to subroutines
/// or are none.
pub(crate) fn words(opcode: u8) -> Option<(usize, usize)> {
    Some(match opcode {
        // nop, goto, return
        0x00 | 0xa7 | 0xb1 | 0xc8 => (0, 0),
        // Constants of float; of long and double.
        0x0b..=0x0d => (0, 1),
        0x09 | 0x0a | 0x0e | 0x0f | 0x14 => (0, 2),
        // Loads of int and float; of long and double.
        0x15 | 0x17 | 0x1a..=0x1d | 0x22..=0x25 => (0, 1),
        0x16 | 0x18 | 0x1e..=0x21 | 0x26..=0x29 => (0, 2),
        // Elements of arrays.
        0x2e | 0x30 | 0x33..=0x35 => (2, 1),
        0x2f | 0x31 => (2, 2),
        0x4f | 0x51 | 0x54..=0x56 => (3, 0),
        0x50 | 0x52 => (4, 0),
        0x57 => (1, 0),
        0x58 => (2, 0),
        // Arithmetic: int, long, float, double in turn.
        0x60..=0x73 if opcode.is_multiple_of(2) => (2, 1),
        0x60..=0x73 => (4, 2),
        0x74 | 0x76 => (1, 1),
        0x75 | 0x77 => (2, 2),
        // Shifts and logic: int and long in turn.
        0x78 | 0x7a | 0x7c | 0x7e | 0x80 | 0x82 => (2, 1),
        0x79 | 0x7b | 0x7d => (3, 2),
        0x7f | 0x81 | 0x83 => (4, 2),
        // Conversions.
        0x86 | 0x8b | 0x91..=0x93 => (1, 1),
        0x85 | 0x87 | 0x8c | 0x8d => (1, 2),
        0x88 | 0x89 | 0x8e | 0x90 => (2, 1),
        0x8a | 0x8f => (2, 2),
        // Comparisons.
        0x94 | 0x97 | 0x98 => (4, 1),
        0x95 | 0x96 => (2, 1),
        // Jumps and switches.
        0x99..=0x9e | 0xc6 | 0xc7 | 0xaa | 0xab => (1, 0),
        0x9f..=0xa6 => (2, 0),
        // Returns and throws; what is behind them does not matter.
        0xac | 0xae | 0xb0 | 0xbf => (1, 0),
        0xad | 0xaf => (2, 0),
        // New arrays of primitive types, lengths, type checks, monitors.
        0xbc | 0xbe | 0xc1 => (1, 1),
        0xc2 | 0xc3 => (1, 0),
        _ => return None,
    })
}

/// How the instructions from `dup` to `swap` arrange the words on the stack: how many they take, and
/// which of these they put, counted from the lowest.
pub(crate) fn arrangement(opcode: u8) -> Option<(usize, &'static [usize])> {
    Some(match opcode {
        0x59 => (1, &[0, 0]),
        0x5a => (2, &[1, 0, 1]),
        0x5b => (3, &[2, 0, 1, 2]),
        0x5c => (2, &[0, 1, 0, 1]),
        0x5d => (3, &[1, 2, 0, 1, 2]),
        0x5e => (4, &[2, 3, 0, 1, 2, 3]),
        0x5f => (2, &[1, 0]),
        _ => return None,
    })
}
