use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use tamis_select::Footprint;

/// The difference of two footprints: what one has and the other lacks, by names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Methods, `a.b.C#m(int)`.
    pub methods: BTreeSet<String>,
    /// Classes, `a.b.C`, also those of the methods.
    pub classes: BTreeSet<String>,
    /// Inputs, `file a/b.txt`.
    pub inputs: BTreeSet<String>,
}

impl Difference {
    /// The names that `more` has and `less` lacks.
    pub fn between(more: &Footprint, less: &Footprint) -> Difference {
        Difference {
            methods: beyond(&more.methods, &less.methods),
            classes: beyond(&more.classes, &less.classes),
            inputs: beyond(&more.inputs, &less.inputs),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.classes.is_empty() && self.inputs.is_empty()
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Difference) {
        self.methods.extend(other.methods.iter().cloned());
        self.classes.extend(other.classes.iter().cloned());
        self.inputs.extend(other.inputs.iter().cloned());
    }

    /// Drops what belongs to classes whose names start so, properties and files that are called like them
    /// included.
    pub(crate) fn drop_all_of(&mut self, starts: &[&str]) {
        let is_of = |name: &str| starts.iter().any(|start| name.starts_with(start));
        self.methods.retain(|name| !is_of(name));
        self.classes.retain(|name| !is_of(name));
        // An input is called `system property junit.x`, `resource META-INF/services/org.junit.x` or
        // `resource org/junit/x.class`.
        self.inputs.retain(|input| {
            let of_path = input.split(' ').any(|path| is_of(&path.replace('/', ".")));
            !of_path && !input.split([' ', '/']).any(is_of)
        });
    }

    /// Takes another one out.
    pub fn remove(&mut self, other: &Difference) {
        self.methods.retain(|name| !other.methods.contains(name));
        self.classes.retain(|name| !other.classes.contains(name));
        self.inputs.retain(|name| !other.inputs.contains(name));
    }
}

/// The names that are in `more` only; both are sorted.
fn beyond(more: &[Arc<str>], less: &[Arc<str>]) -> BTreeSet<String> {
    let only_more = more.iter().filter(|name| less.binary_search(name).is_err());
    only_more.map(|name| name.to_string()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn methods(names: &str) -> Difference {
        Difference {
            methods: names.split_whitespace().map(str::to_owned).collect(),
            ..Difference::default()
        }
    }

    #[test]
    fn a_difference_is_what_one_has_and_the_other_lacks() {
        let footprint = |names: &str| Footprint {
            methods: names.split_whitespace().map(Arc::from).collect(),
            ..Footprint::default()
        };
        let check = |more: &str, less: &str, expected: &str| {
            let difference = Difference::between(&footprint(more), &footprint(less));
            assert_eq!(difference, methods(expected));
            assert_eq!(difference.is_empty(), expected.is_empty());
        };
        check("a b c", "b", "a c");
        check("b", "a b c", "");
        check("", "", "");
    }
}
