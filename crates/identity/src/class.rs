/// Whether the class `name` is `outer` or nested in it.
pub fn is_part(name: &str, outer: &str) -> bool {
    name.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// The class around a nested one, at any depth; the class itself if it is not nested.
pub fn outermost(class: &str) -> &str {
    let simple = class.rfind('.').map_or(0, |dot| dot + 1);
    // A name may start with `$`.
    let letters = class.get(simple..).unwrap_or_default().char_indices();
    let nested = letters.skip(1).find(|(_, letter)| *letter == '$');
    let end = nested.map_or(class.len(), |(at, _)| simple + at);
    class.get(..end).unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_belong_to_the_outermost_one() {
        let check = |class: &str, expected: &str| assert_eq!(outermost(class), expected);
        check("a.b.T", "a.b.T");
        check("a.b.T$In$In2", "a.b.T");
        check("T$In", "T");
        check("a.$T$In", "a.$T");
        check("a.é$In", "a.é");
        check("a.", "a.");
        check("", "");
    }

    #[test]
    fn a_class_is_part_of_itself_and_of_those_around_it() {
        assert!(is_part("a.T", "a.T"));
        assert!(is_part("a.T$In$In2", "a.T$In"));
        assert!(!is_part("a.TT", "a.T"));
        assert!(!is_part("a.T", "a.T$In"));
    }
}
