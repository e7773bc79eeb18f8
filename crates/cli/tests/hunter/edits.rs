//! Random edits of programs. One that does not compile is the caller's to drop.

mod fields;
mod methods;
mod tests;
mod types;

use crate::generate::{Maker, Scope};
use crate::idioms;
use crate::model::*;
use crate::random::Random;

type Edit = fn(&mut Program, &mut Random) -> Option<String>;

/// Each with how often it is taken.
const EDITS: &[(usize, Edit)] = &[
    (130, idiom),
    (3, types::package),
    (10, methods::body),
    (8, methods::number),
    (8, methods::add_method),
    (12, methods::add_override),
    (4, methods::add_override_of_jdk),
    (8, methods::remove_method),
    (6, methods::add_overload),
    (4, fields::constant),
    (3, fields::add_field),
    (3, fields::remove_field),
    (6, fields::initializer),
    (8, types::superclass),
    (8, types::interfaces),
    (4, methods::without_body),
    (6, methods::method_flags),
    (3, fields::field_flags),
    (3, types::type_flags),
    (5, types::annotations),
    (5, types::constants),
    (2, types::components),
    (3, types::add_type),
    (2, types::remove_type),
    (8, methods::move_method),
    (3, methods::rename),
    (2, types::reorder),
    (3, methods::lambda),
    (4, methods::exceptions),
    (3, fields::constructors),
    (3, methods::made),
    (2, tests::test_checks),
    (2, tests::tests),
    (2, tests::fixtures),
    (1, tests::ignored),
];

/// Applies one edit and tells what it was; `None` if it found nothing to do.
pub(crate) fn edit(program: &mut Program, seed: u64) -> Option<String> {
    let random = &mut Random::new(seed);
    let total = EDITS.iter().map(|(weight, _)| weight).sum();
    let mut at = random.below(total);
    let chosen = EDITS.iter().find(|(weight, _)| {
        let is_it = at < *weight;
        at = at.saturating_sub(*weight);
        is_it
    });
    (chosen?.1)(program, random)
}

fn any(program: &Program, random: &mut Random, is_wanted: impl Fn(&Type) -> bool) -> Option<usize> {
    let ranks = 0..program.types.len();
    let wanted: Vec<usize> = ranks.filter(|at| is_wanted(&program.types[*at])).collect();
    random.pick(&wanted).copied()
}

/// A method, by the ranks of its type and itself.
fn any_method(
    program: &Program,
    random: &mut Random,
    is_wanted: impl Fn(&Type, &Method) -> bool,
) -> Option<(usize, usize)> {
    let mut all = Vec::new();
    for (rank, ty) in program.types.iter().enumerate() {
        let wanted = ty.methods.iter().enumerate();
        let wanted = wanted.filter(|(_, method)| is_wanted(ty, method));
        all.extend(wanted.map(|(at, _)| (rank, at)));
    }
    random.pick(&all).copied()
}

/// What decides whether an object has a text and a checksum that are always the same.
fn is_needed(ty: &Type, method: &Method) -> bool {
    ty.superclass.is_none() && method.is_of_jdk()
}

fn an_access(random: &mut Random) -> Access {
    match random.below(4) {
        0 => Access::Public,
        1 => Access::Protected,
        2 => Access::Package,
        _ => Access::Private,
    }
}

fn maker_of<'a>(
    program: &'a Program,
    random: &'a mut Random,
    (rank, at): (usize, usize),
) -> Maker<'a> {
    let ty = &program.types[rank];
    Maker {
        scope: Scope::of_method(program, ty, &ty.methods[at]),
        program,
        random,
    }
}

/// A slot of an idiom is filled in another way.
fn idiom(program: &mut Program, random: &mut Random) -> Option<String> {
    let count = program.idioms.len();
    let idiom = program.idioms.get_mut(random.below(count.max(1)))?;
    idioms::change(idiom, random)?;
    while random.chance(20) {
        idioms::change(idiom, random)?;
    }
    Some(format!("{}, an idiom of {}", idiom.name, idiom.kind))
}
