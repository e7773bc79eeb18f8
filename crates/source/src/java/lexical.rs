//! Where comments and literals are, from the rules of the language and nothing else.

use std::ops::Range;

/// A comment, or a literal in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) range: Range<usize>,
    pub(super) is_comment: bool,
}

/// Finds comments, strings, text blocks and characters, in order; `None` if something does not end, or if
/// an escape such as `\u0041` makes javac read something else than what is written.
pub(super) fn scan(source: &str) -> Option<Vec<Span>> {
    let mut scanner = Scanner {
        bytes: source.as_bytes(),
        at: 0,
    };
    let mut spans = Vec::new();
    loop {
        let start = scanner.at;
        let Some(byte) = scanner.next() else {
            return Some(spans);
        };
        let is_comment = byte == b'/';
        match byte {
            b'/' if scanner.skip(b"/") => scanner.line()?,
            b'/' if scanner.skip(b"*") => scanner.until(b"*/", "*/", true)?,
            b'"' if scanner.skip(b"\"\"") => scanner.until(b"\"\"\"", "\"\\", true)?,
            b'"' => scanner.until(b"\"", "\"\\\n\r", false)?,
            b'\'' => scanner.until(b"'", "'\\\n\r", false)?,
            b'\\' => return None,
            _ => continue,
        }
        let range = start..scanner.at;
        spans.push(Span { range, is_comment });
    }
}

struct Scanner<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at)?;
        self.at += 1;
        Some(*byte)
    }

    fn skip(&mut self, expected: &[u8]) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_there = rest.starts_with(expected);
        if is_there {
            self.at += expected.len();
        }
        is_there
    }

    /// The rest of a line, which the end of the file may end.
    fn line(&mut self) -> Option<()> {
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => {
                    self.at -= 1;
                    return Some(());
                }
                b'\\' => self.escape("\n\r")?,
                _ => {}
            }
        }
        Some(())
    }

    /// The rest of what ends so, in which some characters may only stand as they are.
    fn until(&mut self, end: &[u8], marks: &str, has_lines: bool) -> Option<()> {
        let is_comment = end == b"*/";
        loop {
            if self.skip(end) {
                return Some(());
            }
            match self.next()? {
                b'\n' if !has_lines => return None,
                b'\\' if is_comment => self.escape(marks)?,
                // What is escaped ends nothing. `\{` would be an expression in a string.
                b'\\' => match self.bytes.get(self.at)? {
                    b'"' | b'\'' => self.at += 1,
                    b'{' => return None,
                    _ => self.escape(marks)?,
                },
                _ => {}
            }
        }
    }

    /// What follows a backslash: another one, which belongs to it, or a character by its number, which may
    /// not be one of the marks.
    fn escape(&mut self, marks: &str) -> Option<()> {
        if self.skip(b"\\") || !self.skip(b"u") {
            return Some(());
        }
        while self.skip(b"u") {}
        let digits = self.bytes.get(self.at..self.at + 4)?;
        let digits = std::str::from_utf8(digits).ok()?;
        let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let character = u32::from_str_radix(digits, 16).ok().map(char::from_u32);
        let is_mark = character
            .flatten()
            .is_some_and(|found| marks.contains(found));
        self.at += 4;
        (is_number && !is_mark).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows comments in parentheses, and literals in brackets.
    fn check(source: &str, expected: &str) {
        let spans = scan(source);
        let shown = spans.map(|spans| {
            let show = |span: &Span| match (span.is_comment, &source[span.range.clone()]) {
                (true, text) => format!("({text})"),
                (false, text) => format!("[{text}]"),
            };
            spans.iter().map(show).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(shown.as_deref().unwrap_or("refused"), expected, "{source}");
    }

    #[test]
    fn comments_and_literals_are_found() {
        check(
            "a / b; // c\nd /* e * / */ f /**/",
            "(// c) (/* e * / */) (/**/)",
        );
        check(
            r#"a "b // c" '"' 'd' '\'' "\"" "\\" "#,
            r#"["b // c"] ['"'] ['d'] ['\''] ["\""] ["\\"]"#,
        );
        check(
            "\"\"\"\n a \"\" b \\\"\"\" c\"\"\" d",
            "[\"\"\"\n a \"\" b \\\"\"\" c\"\"\"]",
        );
        check(r#"f("")"#, r#"[""]"#);
        check("// at the end", "(// at the end)");
        check("/* 'a' \"b */ // \"", "(/* 'a' \"b */) (// \")");
        check("/*/ still */", "(/*/ still */)");
    }

    #[test]
    fn what_does_not_end_is_refused() {
        check("\"a\nb\"", "refused");
        check("\"a", "refused");
        check("'", "refused");
        check("/* a", "refused");
        check("\"\"\" a \"\"", "refused");
        check("\"\\{x}\"", "refused");
    }

    #[test]
    fn escapes_that_javac_reads_first_are_refused_where_they_could_matter() {
        check(r"int \u0061;", "refused");
        check(r#""\u0041 \u001b""#, r#"["\u0041 \u001b"]"#);
        check(r#""\u0022 + x + \u0022""#, "refused");
        check(r#""\uuu005c""#, "refused");
        check(
            r#""\u0027 \u002f" '\u0022'"#,
            r#"["\u0027 \u002f"] ['\u0022']"#,
        );
        check(r"'\u0027'", "refused");
        check(
            r"/* '\u005Cu0020' \u000a */",
            r"(/* '\u005Cu0020' \u000a */)",
        );
        check(r#""\\u0022""#, r#"["\\u0022"]"#);
        check(r"// \u000a int x;", "refused");
        check(r"/* \u002a/ int x; */", "refused");
        check(r"// the \u00e9 of \\user", r"(// the \u00e9 of \\user)");
        check(r"// C:\users", "refused");
        check(r#""\u+041""#, "refused");
    }
}
