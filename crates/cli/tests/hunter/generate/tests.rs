//! Random classes of tests.

use super::scope::{Maker, Scope};
use crate::idioms;
use crate::model::*;
use crate::random::Random;

/// A class with one test of one method of an idiom, or of what it shares.
pub(super) fn test_of_idiom(
    program: &mut Program,
    random: &mut Random,
    idiom: &Idiom,
) -> TestClass {
    let entry = random.below(idioms::entries(&idiom.kind));
    let mut class = test_class(program, random, false);
    (class.base, class.before, class.before_class) = (None, None, None);
    (class.cached, class.shares) = (None, None);
    let check = match idioms::is_shared(idiom) {
        true => {
            class.shares = Some(idiom.name.clone());
            Check::Value(Expr::Number(1))
        }
        false => Check::Idiom(idiom.name.clone(), entry),
    };
    class.tests.truncate(1);
    for test in &mut class.tests {
        test.checks = vec![check.clone()];
    }
    class
}

pub(crate) fn test_class(
    program: &mut Program,
    random: &mut Random,
    is_abstract: bool,
) -> TestClass {
    let number = program.fresh();
    let base = program.tests.iter().find(|class| class.is_abstract);
    let base = base.filter(|_| !is_abstract && random.chance(30));
    let mut class = TestClass {
        name: match is_abstract {
            true => format!("Base{number}"),
            false => format!("T{number}Test"),
        },
        is_abstract,
        base: base.map(|base| base.name.clone()),
        before: None,
        before_class: None,
        cached: None,
        shares: None,
        tests: Vec::new(),
    };
    let shared = program.idioms.iter().find(|idiom| idioms::is_shared(idiom));
    let shared = shared.filter(|_| !is_abstract && random.chance(25));
    class.shares = shared.map(|idiom| idiom.name.clone());
    let keeps = is_abstract && program.state != State::None && random.chance(60);
    let scope = Scope::of_tests(program);
    let mut maker = Maker {
        program,
        random,
        scope,
    };
    class.before = maker.random.chance(20).then(|| maker.expr(2));
    class.before_class = maker.random.chance(15).then(|| maker.expr(2));
    class.cached = keeps.then(|| maker.call(2));
    let count = match is_abstract {
        true => 1,
        false => 1 + random.below(2),
    };
    for _ in 0..count {
        let test = test(program, random);
        class.tests.push(test);
    }
    class
}

pub(crate) fn test(program: &mut Program, random: &mut Random) -> Test {
    let number = program.fresh();
    let scope = Scope::of_tests(program);
    let mut maker = Maker {
        program,
        random,
        scope,
    };
    let count = 1 + maker.random.below(2);
    Test {
        name: format!("t{number}"),
        is_ignored: maker.random.chance(3),
        checks: (0..count).map(|_| maker.check()).collect(),
        fails: maker.random.chance(15).then_some(5),
    }
}
