//! The text of a name.

use std::borrow::Cow;
use std::fmt::{self, Write};

const SEPARATOR: char = '#';
const ESCAPE: char = '\\';

/// Prints a class, and what is meant of it.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, class: &str, inside: Option<&str>) -> fmt::Result {
    for letter in class.chars() {
        if [SEPARATOR, ESCAPE].contains(&letter) {
            f.write_char(ESCAPE)?;
        }
        f.write_char(letter)?;
    }
    match inside {
        Some(inside) => write!(f, "{SEPARATOR}{inside}"),
        None => Ok(()),
    }
}

/// The class, and what is meant of it.
pub(crate) fn split(text: &str) -> (Cow<'_, str>, Option<&str>) {
    let (class, inside) = match text.find([SEPARATOR, ESCAPE]) {
        None => return (text.into(), None),
        Some(at) => text.split_at_checked(at).unwrap_or((text, "")),
    };
    if let Some(inside) = inside.strip_prefix(SEPARATOR) {
        return (class.into(), Some(inside));
    }
    let mut class = class.to_owned();
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match letter {
            SEPARATOR => return (class.into(), Some(letters.as_str())),
            ESCAPE if letters.as_str().starts_with([SEPARATOR, ESCAPE]) => {
                class.extend(letters.next());
            }
            letter => class.push(letter),
        }
    }
    (class.into(), None)
}
