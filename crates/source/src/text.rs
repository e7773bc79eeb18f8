//! Bytes of sources as text, the way javac reads them.

/// Turns the sides of a file into text, so that bytes which differ are characters which differ.
///
/// If one is not UTF-8, each byte of both is a character: most encodings are like ASCII where the language
/// itself is concerned. Line ends become `\n`, as in javac.
pub(crate) fn decode<const N: usize>(sides: [Option<Vec<u8>>; N]) -> [Option<String>; N] {
    let is_utf8 = |side: &Option<Vec<u8>>| {
        let bytes = side.as_deref().unwrap_or_default();
        std::str::from_utf8(bytes).is_ok()
    };
    let are_utf8 = sides.iter().all(is_utf8);
    let text = |bytes: Vec<u8>| match are_utf8 {
        true => String::from_utf8(bytes).unwrap_or_default(),
        false => bytes.into_iter().map(char::from).collect(),
    };
    sides.map(|side| side.map(|bytes| normalize(text(bytes))))
}

fn normalize(text: String) -> String {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if bare.contains('\r') {
        return bare.replace("\r\n", "\n").replace('\r', "\n");
    }
    match bare.len() == text.len() {
        true => text,
        false => bare.to_owned(),
    }
}

/// The words of a text: letters, digits, and what else names are made of.
pub(crate) fn words(source: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    source
        .split(move |letter| !is_part(letter))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_marks_of_encodings_do_not_count() {
        let check = |bytes: &[u8], expected: &str| {
            let [text] = decode([Some(bytes.to_vec())]);
            assert_eq!(text.unwrap(), expected);
        };
        check(b"a\r\nb\rc\n\r", "a\nb\nc\n\n");
        check("\u{feff}é".as_bytes(), "é");
        check(b"", "");
    }

    #[test]
    fn other_encodings_do_not_make_different_bytes_equal() {
        let check = |before: &[u8], now: &[u8], expected: bool| {
            let [before, now] = decode([Some(before.to_vec()), Some(now.to_vec())]);
            assert_eq!(before == now, expected);
        };
        check("é".as_bytes(), b"\xe9", false);
        check(b"\xe9", b"\xe9", true);
        check(b"\xe9", b"\xe8", false);
        assert_eq!(decode([None, Some(b"a".to_vec())])[0], None);
    }
}
