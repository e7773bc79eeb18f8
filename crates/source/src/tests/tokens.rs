//! Every token counts, and nothing between them does.

use super::compare;
use crate::java::Java;
use proptest::prelude::*;

const SOURCE: &str = r#"
package a.b;

import java.util.List;
import static c.D.max;

@Named("a // b") public sealed class A<T extends List<T>> extends B implements C permits E, F {
    private static final int MAX = 1 + max(2), OTHER[] = {1, 2};
    private final List<T> list = new G<>() { int one() { return 1; } };
    String text;
    static { start(MAX); }
    { text = 'c' + "d /* e */"; }

    A(int a, String... b) throws H { super(a); this.text = b[0]; }

    @Override public <U> U get(T[] a, Map.Entry<U, List<List<U>>> b) {
        label: for (int i = 0; i < 10; i++) { if (i >>> 2 > 3) continue label; else break; }
        try (I i = new I(() -> -1)) { return (U) b.get(A::new); } catch (J | K e) { throw e; }
        assert text != null : """
            a "quoted" block // with
              what looks like a comment
            """;
    }

    enum L implements C { X(1), Y(2) { void m() {} }; L(int a) { } }
    record M(int a, @Named List<int[]> b) { M { check(a); } }
    interface N { int LIMIT = 0x1F; default void m() { } void n(); }
    @interface O { int value() default 3; Class<?>[] classes() default {}; }
}
"#;

/// Pieces of the text, which alone have a meaning: tokens and what is between them.
fn pieces() -> Vec<(String, String)> {
    let mut java = Java::new();
    let tokens = java.tokens(SOURCE).unwrap();
    let mut rest = SOURCE;
    let mut pieces = Vec::new();
    for token in tokens {
        let at = rest.find(token).unwrap();
        pieces.push((rest[..at].to_owned(), token.to_owned()));
        rest = &rest[at + token.len()..];
    }
    assert_eq!(rest.trim(), "");
    pieces
}

fn join<'p>(pieces: impl IntoIterator<Item = &'p (String, String)>) -> String {
    let texts = pieces
        .into_iter()
        .flat_map(|(gap, token)| [&**gap, &**token]);
    texts.collect()
}

proptest! {
    #[test]
    fn nothing_between_tokens_counts(
        fillers in prop::collection::vec((any::<prop::sample::Index>(), 0..7_usize), 1..60)
    ) {
        let all = [" ", "\n", "\t\r\n", "\x0c", "/* \" */", "// it's\n", "/** int a; */ /**/"];
        let mut pieces = pieces();
        let count = pieces.len();
        for (at, filler) in fillers {
            let (gap, _) = &mut pieces[at.index(count)];
            gap.push_str(all[filler]);
        }
        prop_assert_eq!(compare(SOURCE, &normalized(&join(&pieces))), Vec::<String>::new());
    }
}

/// As the files of two sides are read.
fn normalized(source: &str) -> String {
    let [text] = crate::text::decode([Some(source.into())]);
    text.unwrap()
}

#[test]
fn every_token_counts() {
    let pieces = pieces();
    assert!(pieces.len() > 350, "{}", pieces.len());
    let (mut parsed, mut missed) = (0, Vec::new());
    for (at, (gap, token)) in pieces.iter().enumerate() {
        let is_word = token.starts_with(|first: char| first.is_alphanumeric());
        let others = match is_word {
            // Nothing needs a second one, but it may stand there.
            _ if token == ";" => vec![String::new(), ",".into()],
            true => vec![format!("{token}1"), String::new()],
            false => vec![
                String::new(),
                format!("{token}{token}"),
                ";".into(),
                ",".into(),
            ],
        };
        let literal = token
            .starts_with(['"', '\''])
            .then(|| token.replacen(' ', "  ", 1));
        for other in others.into_iter().chain(literal) {
            if other == *token {
                continue;
            }
            let mut changed = pieces.clone();
            changed[at] = (gap.clone(), other.clone());
            let found = compare(SOURCE, &join(&changed));
            if found.is_empty() {
                missed.push(format!("{at}: {token} -> {other}"));
            }
            parsed += usize::from(found != ["unparsed"]);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(parsed > 150, "{parsed}");
}
