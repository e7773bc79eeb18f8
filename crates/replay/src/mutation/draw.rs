//! Draws the faults that are tried: the same seed gives the same faults.

use super::Faults;
use crate::error::Error;
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tamis_mutants::Mutant;
use tamis_select::{MemberName, TestId};
use tamis_store::Store;

/// A fault, and where it is.
pub(super) struct Candidate {
    pub(super) file: PathBuf,
    pub(super) mutant: Mutant,
    /// Test classes that use the class, as far as was recorded.
    pub(super) users: BTreeSet<String>,
}

/// Draws faults: as many of each operator as possible, in an order that the seed gives. Methods that no test
/// executes have none.
pub(super) fn from_reached_methods(
    class_files: Vec<PathBuf>,
    store: &Store,
    faults: Faults,
) -> Result<Vec<Candidate>, Error> {
    let mut random = Rng::with_seed(faults.seed);
    let mut by_operator: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    let mut reached: BTreeMap<MemberName<'_>, BTreeSet<String>> = BTreeMap::new();
    for file in class_files {
        let mutants = mutants_of(&file)?;
        let Some(first) = mutants.first() else {
            continue;
        };
        let users = classes(store.affected(&*first.class));
        for mutant in mutants {
            let asked = MemberName {
                class: mutant.class.clone().into(),
                member: mutant
                    .method
                    .as_deref()
                    .map(|m| name_of(m).to_owned().into()),
            };
            let reaching = reached
                .entry(asked)
                .or_insert_with_key(|asked| classes(store.affected(asked.clone())));
            if !reaching.is_empty() {
                let of_operator = by_operator.entry(mutant.operator.to_string()).or_default();
                of_operator.push(Candidate {
                    file: file.clone(),
                    mutant,
                    users: users.clone(),
                });
            }
        }
    }
    let mut drawn = Vec::new();
    while drawn.len() < faults.number && by_operator.values().any(|left| !left.is_empty()) {
        for left in by_operator.values_mut().filter(|left| !left.is_empty()) {
            let index = random.usize(..left.len());
            drawn.push(left.swap_remove(index));
        }
    }
    drawn.truncate(faults.number);
    Ok(drawn)
}

/// Draws faults from all methods of all classes, whatever was recorded of them: a method, then a fault in it. No method
/// has a second one before all have one.
pub(super) fn from_all_methods(
    class_files: Vec<PathBuf>,
    store: &Store,
    faults: Faults,
) -> Result<Vec<Candidate>, Error> {
    let mut methods: Vec<(PathBuf, Vec<Mutant>)> = Vec::new();
    for file in class_files {
        let mut of_class: BTreeMap<Option<String>, Vec<Mutant>> = BTreeMap::new();
        for mutant in mutants_of(&file)? {
            let of_method = of_class.entry(mutant.method.clone()).or_default();
            of_method.push(mutant);
        }
        let of_class = of_class.into_values();
        methods.extend(of_class.map(|mutants| (file.clone(), mutants)));
    }
    let mut random = Rng::with_seed(faults.seed);
    let mut drawn = Vec::new();
    let mut later = Vec::new();
    while drawn.len() < faults.number {
        if methods.is_empty() {
            methods.append(&mut later);
        }
        if methods.is_empty() {
            break;
        }
        let index = random.usize(..methods.len());
        let (file, mut mutants) = methods.swap_remove(index);
        let index = random.usize(..mutants.len());
        let mutant = mutants.swap_remove(index);
        if !mutants.is_empty() {
            later.push((file.clone(), mutants));
        }
        drawn.push(Candidate {
            users: classes(store.affected(&*mutant.class)),
            file,
            mutant,
        });
    }
    Ok(drawn)
}

/// The faults that can be made in a class file; none in one that cannot be read.
fn mutants_of(file: &Path) -> Result<Vec<Mutant>, Error> {
    let bytes = fs::read(file).map_err(Error::io("read", file))?;
    Ok(tamis_mutants::mutants(&bytes).unwrap_or_default())
}

/// The name of a method that has its descriptor behind it.
fn name_of(method: &str) -> &str {
    method.split('(').next().unwrap_or(method)
}

fn classes(tests: Vec<TestId>) -> BTreeSet<String> {
    let names = tests.into_iter().map(|test| {
        let test = test.outermost();
        format!("{}:{test}", test.module)
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_each_time() {
        let numbers = |seed| {
            let mut random = Rng::with_seed(seed);
            [(); 5].map(|()| random.usize(..1000))
        };
        // A replay that was interrupted goes on with the same faults.
        assert_eq!(numbers(1), [657, 534, 239, 778, 9]);
        assert_ne!(numbers(1), numbers(2));
        assert_eq!(Rng::with_seed(3).usize(..1), 0);
    }
}
