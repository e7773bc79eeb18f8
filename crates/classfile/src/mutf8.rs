/// Decodes modified UTF-8 (section 4.4.7) to a string; `None` if it is malformed or holds a lone
/// surrogate, which no Rust string can.
pub fn decode(bytes: &[u8]) -> Option<String> {
    if bytes.is_ascii() {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        rest = match *rest {
            [] => return String::from_utf16(&units).ok(),
            [a, ref tail @ ..] if a < 0x80 => {
                units.push(u16::from(a));
                tail
            }
            [a, b, ref tail @ ..] if a & 0xE0 == 0xC0 && b & 0xC0 == 0x80 => {
                units.push(u16::from(a & 0x1F) << 6 | u16::from(b & 0x3F));
                tail
            }
            [a, b, c, ref tail @ ..]
                if a & 0xF0 == 0xE0 && b & 0xC0 == 0x80 && c & 0xC0 == 0x80 =>
            {
                units.push(
                    u16::from(a & 0x0F) << 12 | u16::from(b & 0x3F) << 6 | u16::from(c & 0x3F),
                );
                tail
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn check(bytes: &[u8], expected: Option<&str>) {
        assert_eq!(decode(bytes).as_deref(), expected, "{bytes:x?}");
    }

    #[test]
    fn ascii_two_and_three_byte_forms_and_pairs_decode() {
        check(b"a/B", Some("a/B"));
        check(&[0xC3, 0xA9], Some("é"));
        check(&[0xE2, 0x82, 0xAC], Some("€"));
        check(&[0xC0, 0x80], Some("\0"));
        check(&[0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], Some("😀"));
    }

    #[test]
    fn lone_surrogates_and_cut_sequences_do_not_decode() {
        check(&[0xED, 0xA0, 0xBD], None);
        check(&[0xE2, 0x82], None);
        check(&[0xFF], None);
    }
}
