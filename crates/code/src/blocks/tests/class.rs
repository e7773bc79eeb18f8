//! Classes with code that is assembled by hand.

/// `start_pc`, `end_pc`, `handler_pc`, `catch_type`.
pub(crate) type Handler = [u16; 4];

const STATIC: u16 = 8;

/// A class with methods of this code, all alike.
pub(crate) fn class(code: &[u8], handlers: &[Handler], methods: u16) -> Vec<u8> {
    let words = |words: &[u16]| {
        words
            .iter()
            .flat_map(|w| w.to_be_bytes())
            .collect::<Vec<_>>()
    };
    let content = [
        words(&[4, 4]),
        (code.len() as u32).to_be_bytes().to_vec(),
        code.to_vec(),
        words(&[handlers.len() as u16]),
        words(handlers.as_flattened()),
        words(&[0]),
    ]
    .concat();
    let length = (content.len() as u32).to_be_bytes().to_vec();
    let method = [words(&[STATIC, 3, 4, 1, 5]), length, content].concat();
    // Class 2 is called by constant 1; 3 to 5 are name, descriptor and "Code".
    let pool = [
        &[1, 0, 1, b'C', 7, 0, 1, 1, 0, 1, b'm', 1, 0, 3][..],
        b"()V",
        &[1, 0, 4],
        b"Code",
    ];
    [
        vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 49, 0, 6],
        pool.concat(),
        words(&[0x21, 2, 0, 0, 0, methods]),
        method.repeat(methods.into()),
        words(&[0]),
    ]
    .concat()
}
