//! Random programs and parts of them.

mod expressions;
mod members;
mod objects;
mod scope;
mod statements;
mod tests;
mod types;

pub(crate) use members::{constructor, field, method, plain};
pub(crate) use scope::{Maker, Scope};
pub(crate) use tests::{test, test_class};
pub(crate) use types::{a_type, notes};

use crate::idioms;
use crate::model::*;
use crate::random::Random;
use tests::test_of_idiom;
use types::thrown;

/// How many idioms a program has, and how many of them are without state.
const IDIOMS: usize = 5;
const PLAIN_IDIOMS: usize = 3;

/// How many classes test nothing but one of its methods, for each idiom: it takes several to share a state.
const TESTS_OF_IDIOMS: usize = 3;
const TESTS_OF_STATE: usize = 6;

/// How many packages a program has, if any.
pub(crate) const PACKAGES: usize = 2;

/// A program whose names differ from those of programs with other numbers.
pub(crate) fn program(
    random: &mut Random,
    number: usize,
    (state, jupiter): (State, bool),
) -> Program {
    let packages = (0..PACKAGES).map(|at| format!("k{number}x{at}"));
    let mut program = Program {
        names: 1000 * number,
        jupiter,
        state,
        packages: packages.filter(|_| number % 3 == 1).collect(),
        ..Program::default()
    };
    for at in 0..IDIOMS {
        let number = program.fresh();
        let idiom = match at < PLAIN_IDIOMS || state == State::None {
            true => idioms::plain(random, number, &program.idioms),
            false => idioms::with_state(random, number, &program.idioms, (state, jupiter)),
        };
        program.idioms.extend(idiom);
    }
    let note = a_type(&mut program, random, Kind::Annotation);
    program.types.push(note);
    let exception = thrown(&mut program, random, "RuntimeException");
    let name = exception.name.clone();
    program.types.push(exception);
    for _ in 0..2 {
        let other = thrown(&mut program, random, &name);
        program.types.push(other);
    }
    for _ in 0..6 + random.below(7) {
        let kind = match random.below(20) {
            0..=10 => Kind::Class,
            11..=15 => Kind::Interface,
            16 | 17 => Kind::Enum,
            _ => Kind::Record,
        };
        let ty = a_type(&mut program, random, kind);
        program.types.push(ty);
    }
    if random.chance(50) {
        let base = test_class(&mut program, random, true);
        program.tests.push(base);
    }
    for _ in 0..6 + random.below(5) {
        let class = test_class(&mut program, random, false);
        program.tests.push(class);
    }
    // A test that does little else is not selected for another reason.
    for (at, idiom) in program.idioms.clone().iter().enumerate() {
        let count = match at < PLAIN_IDIOMS || state == State::None {
            true => TESTS_OF_IDIOMS,
            false => TESTS_OF_STATE,
        };
        for _ in 0..count {
            let class = test_of_idiom(&mut program, random, idiom);
            program.tests.push(class);
        }
    }
    program
}
