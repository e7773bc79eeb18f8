use std::borrow::Cow;

/// A member as people write it: `add(int,String[])` for a method, the name alone for a field.
pub fn readable(name: &[u8], descriptor: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    match descriptor.strip_prefix(b"(") {
        None => name.into_owned(),
        Some(parameters) => format!("{name}({})", types(parameters).join(",")),
    }
}

/// A name as people can read it. Tests may look up names that are none: what a terminal would obey is
/// replaced, and what is too long is cut.
pub fn tame(name: &str) -> Cow<'_, str> {
    const MOST: usize = 150;
    let is_long = name.len() > MOST && name.chars().nth(MOST).is_some();
    if !is_long && !name.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let visible = |c: char| match c.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    };
    let mut tame: String = name.chars().take(MOST).map(visible).collect();
    if is_long {
        tame.push('…');
    }
    Cow::Owned(tame)
}

/// The simple names of parameter types, up to the closing parenthesis.
fn types(mut rest: &[u8]) -> Vec<String> {
    let mut types = Vec::new();
    let mut dimensions = 0;
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        let simple = match first {
            b'[' => {
                dimensions += 1;
                continue;
            }
            b'L' => {
                let end = tail.iter().position(|byte| *byte == b';');
                let (class, after) = tail.split_at(end.unwrap_or(tail.len()));
                rest = after.get(1..).unwrap_or_default();
                let simple = class.rsplit(|byte| *byte == b'/').next();
                String::from_utf8_lossy(simple.unwrap_or(class)).replace('$', ".")
            }
            b'B' => "byte".into(),
            b'C' => "char".into(),
            b'D' => "double".into(),
            b'F' => "float".into(),
            b'I' => "int".into(),
            b'J' => "long".into(),
            b'S' => "short".into(),
            b'Z' => "boolean".into(),
            _ => break,
        };
        types.push(simple + &"[]".repeat(dimensions));
        dimensions = 0;
    }
    types
}

#[cfg(test)]
mod tests {
    use super::{readable, tame};

    #[test]
    fn a_name_that_is_none_can_be_read_too() {
        assert_eq!(tame("a.B$C"), "a.B$C");
        assert_eq!(tame("a\u{1b}[31m\nb"), "a\u{fffd}[31m\u{fffd}b");
        let long = "ü".repeat(150);
        assert_eq!(tame(&long), long.as_str());
        assert_eq!(tame(&format!("{long}x")), format!("{long}…"));
    }

    #[test]
    fn a_member_reads_as_in_source() {
        let check = |name: &str, descriptor: &str, expected| {
            assert_eq!(readable(name.as_bytes(), descriptor.as_bytes()), expected);
        };
        check("size", "I", "size");
        check("run", "()V", "run()");
        check(
            "add",
            "(I[[Ljava/lang/String;La/B$C;J)V",
            "add(int,String[][],B.C,long)",
        );
        check("<init>", "(Z)V", "<init>(boolean)");
        check("odd", "(Ljava/lang/String", "odd(String)");
    }
}
