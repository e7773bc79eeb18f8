//! Edits of tests.

use crate::generate::{self, Maker, Scope};
use crate::model::*;
use crate::random::Random;

fn a_test_class(program: &Program, random: &mut Random) -> usize {
    random.below(program.tests.len())
}

pub(super) fn test_checks(program: &mut Program, random: &mut Random) -> Option<String> {
    let class = a_test_class(program, random);
    let scope = Scope::of_tests(program);
    let check = Maker {
        program,
        random,
        scope,
    }
    .check();
    let class = &mut program.tests[class];
    let count = class.tests.len();
    let test = class.tests.get_mut(random.below(count.max(1)))?;
    let at = random.below(test.checks.len());
    match random.chance(50) {
        true => test.checks[at] = check,
        false => test.checks.insert(at, check),
    }
    Some(format!("checks of {}", class.name))
}

/// A test, or a class of tests, comes or goes.
pub(super) fn tests(program: &mut Program, random: &mut Random) -> Option<String> {
    let class = a_test_class(program, random);
    let new = generate::test(program, random);
    let new_class = generate::test_class(program, random, false);
    let count = program.tests[class].tests.len();
    let at = random.below(count.max(1));
    match random.below(6) {
        0 | 1 => program.tests[class].tests.insert(at.min(count), new),
        2 | 3 if count > 1 => drop(program.tests[class].tests.remove(at)),
        4 if program.tests.len() > 4 && !program.tests[class].is_abstract => {
            let gone = program.tests.remove(class);
            return Some(format!("{} removed", gone.name));
        }
        _ => program.tests.push(new_class),
    }
    Some("tests".into())
}

pub(super) fn fixtures(program: &mut Program, random: &mut Random) -> Option<String> {
    let class = a_test_class(program, random);
    let is_abstract = program.tests[class].is_abstract;
    let new = generate::test_class(program, random, is_abstract);
    let class = &mut program.tests[class];
    match random.below(5) {
        0 => class.before = new.before,
        1 => class.before_class = new.before_class,
        2 if class.is_abstract => class.cached = new.cached,
        3 if !class.is_abstract => class.shares = new.shares,
        _ if !class.is_abstract => class.base = new.base,
        _ => return None,
    }
    Some(format!("fixtures of {}", class.name))
}

pub(super) fn ignored(program: &mut Program, random: &mut Random) -> Option<String> {
    let class = a_test_class(program, random);
    let class = &mut program.tests[class];
    let count = class.tests.len();
    let test = class.tests.get_mut(random.below(count.max(1)))?;
    test.is_ignored = !test.is_ignored;
    Some(format!("{}.{} ignored or not", class.name, test.name))
}
