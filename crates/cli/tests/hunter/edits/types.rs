//! Edits of types: what stands at their heads, and the order of what is in them.

use super::any;
use super::tests::test_checks;
use crate::generate::{self, Maker, Scope};
use crate::model::*;
use crate::random::Random;

/// A type moves to another package.
pub(super) fn package(program: &mut Program, random: &mut Random) -> Option<String> {
    if program.packages.is_empty() {
        return None;
    }
    let rank = any(program, random, |ty| ty.outer().is_none())?;
    let ty = &mut program.types[rank];
    ty.package = (ty.package + 1) % generate::PACKAGES;
    Some(format!("package of {}", ty.name))
}

pub(super) fn superclass(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| {
        ty.kind == Kind::Class && ty.superclass.is_some()
    })?;
    let is_thrown = program.is_thrown(&program.types[rank].name);
    let others = program.types[..rank]
        .iter()
        .filter(|ty| ty.kind == Kind::Class && program.is_thrown(&ty.name) == is_thrown);
    let mut others: Vec<String> = others.map(|ty| ty.name.clone()).collect();
    if is_thrown {
        others.push("RuntimeException".into());
    }
    let other = random.pick(&others)?.clone();
    let ty = &mut program.types[rank];
    if ty.superclass.as_ref() == Some(&other) {
        return None;
    }
    ty.superclass = Some(other);
    Some(format!("superclass of {}", ty.name))
}

pub(super) fn interfaces(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind != Kind::Annotation)?;
    let before = program.types[..rank].iter();
    let all: Vec<String> = before
        .filter(|ty| ty.kind == Kind::Interface)
        .map(|ty| ty.name.clone())
        .chain(["java.io.Serializable".into(), OPERATOR.into()])
        .collect();
    let chosen = random.pick(&all)?.clone();
    let ty = &mut program.types[rank];
    match ty.interfaces.iter().position(|name| *name == chosen) {
        Some(at) => drop(ty.interfaces.remove(at)),
        None if !ty.interfaces.is_empty() && random.chance(40) => {
            let at = random.below(ty.interfaces.len());
            ty.interfaces.remove(at);
        }
        None => ty.interfaces.push(chosen),
    }
    Some(format!("interfaces of {}", ty.name))
}

pub(super) fn type_flags(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind != Kind::Annotation)?;
    let ty = &mut program.types[rank];
    match random.below(3) {
        0 => ty.is_abstract = !ty.is_abstract,
        1 => ty.is_final = !ty.is_final,
        _ => ty.is_public = !ty.is_public,
    }
    Some(format!("flags of {}", ty.name))
}

/// An annotation comes, goes, or has another value.
pub(super) fn annotations(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind != Kind::Annotation)?;
    let new = generate::notes(program, random, 70);
    let ty = &mut program.types[rank];
    let methods = ty.methods.iter_mut().map(|m| &mut m.notes);
    let fields = ty.fields.iter_mut().map(|f| &mut f.notes);
    let mut all: Vec<&mut Vec<Note>> = methods.chain(fields).chain([&mut ty.notes]).collect();
    let at = random.below(all.len());
    *all[at] = new;
    Some(format!("annotations in {}", ty.name))
}

/// Of an enum.
pub(super) fn constants(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind == Kind::Enum)?;
    let number = program.fresh();
    let ty = &program.types[rank];
    let mut inside = ty.clone();
    inside
        .methods
        .retain(|m| !m.is_static && !m.is_final && m.makes.is_none());
    let method = random.pick(&inside.methods).cloned();
    let method = method.map(|method| {
        let mut maker = Maker {
            scope: Scope::of_method(program, ty, &method),
            program,
            random,
        };
        let body = Some(maker.body(1, 0));
        Method { body, ..method }
    });
    let ty = &mut program.types[rank];
    let count = ty.constants.len();
    let at = random.below(count);
    match random.below(4) {
        0 => ty.constants.insert(at, (format!("A{number}"), Vec::new())),
        1 => drop(ty.constants.remove(at)),
        2 => random.shuffle(&mut ty.constants),
        _ => {
            let body = &mut ty.constants[at].1;
            match body.is_empty() {
                true => body.extend(method),
                false => body.clear(),
            }
        }
    }
    (!ty.constants.is_empty()).then(|| format!("constants of {}", ty.name))
}

/// Those of a record change places.
pub(super) fn components(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind == Kind::Record)?;
    let ty = &mut program.types[rank];
    random.shuffle(&mut ty.constants);
    Some(format!("components of {}", ty.name))
}

/// A new type, and something that uses it.
pub(super) fn add_type(program: &mut Program, random: &mut Random) -> Option<String> {
    let kind = match random.below(5) {
        0 => Kind::Interface,
        1 => Kind::Enum,
        2 => Kind::Record,
        _ => Kind::Class,
    };
    let ty = generate::a_type(program, random, kind);
    let name = ty.name.clone();
    program.types.push(ty);
    if random.chance(50) {
        test_checks(program, random)?;
    }
    Some(format!("{name} added"))
}

pub(super) fn remove_type(program: &mut Program, random: &mut Random) -> Option<String> {
    // One with the most dependents rarely compiles without it.
    let from = program.types.len() / 2;
    let rank = from + random.below(program.types.len() - from);
    let ty = program.types.remove(rank);
    Some(format!("{} removed", ty.name))
}

pub(super) fn reorder(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |_| true)?;
    let ty = &mut program.types[rank];
    random.shuffle(&mut ty.methods);
    // Fields are initialized in their order, which decides what an initializer sees.
    random.shuffle(&mut ty.fields);
    Some(format!("order of {}", ty.name))
}
