//! Names and strings of a class file as people read them.

/// How much of a string is shown.
const SHOWN: usize = 40;

/// Modified UTF-8; what cannot be decoded is replaced.
pub(crate) fn text(bytes: &[u8]) -> String {
    tamis_classfile::decode_mutf8(bytes)
        .unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

/// A class name with dots.
pub(crate) fn class(internal: &[u8]) -> String {
    text(internal).replace('/', ".")
}

/// A string in quotes, cut off if it is long.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let text = text(bytes);
    let shown: String = text.chars().take(SHOWN).collect();
    match shown.len() < text.len() {
        true => format!("{shown:?}..."),
        false => format!("{shown:?}"),
    }
}
