//! Edits of fields and constructors.

use super::{an_access, any};
use crate::generate;
use crate::model::*;
use crate::random::Random;

pub(super) fn constant(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_constant = |field: &Field| matches!(field.value, Value::Constant(_));
    let rank = any(program, random, |ty| ty.fields.iter().any(is_constant))?;
    let ty = &mut program.types[rank];
    let field = ty.fields.iter_mut().find(|field| is_constant(field))?;
    field.value = Value::Constant(20 + random.small());
    Some(format!("constant {}.{}", ty.name, field.name))
}

pub(super) fn add_field(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |_| true)?;
    let field = generate::field(program, random, &program.types[rank]);
    let ty = &mut program.types[rank];
    if ty.fields.iter().any(|known| known.name == field.name) {
        return None;
    }
    let told = format!("field {}.{} added", ty.name, field.name);
    let at = random.below(ty.fields.len() + 1);
    ty.fields.insert(at, field);
    Some(told)
}

pub(super) fn remove_field(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| !ty.fields.is_empty())?;
    let ty = &mut program.types[rank];
    let field = ty.fields.remove(random.below(ty.fields.len()));
    Some(format!("field {}.{} removed", ty.name, field.name))
}

pub(super) fn initializer(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| !ty.fields.is_empty())?;
    let other = generate::field(program, random, &program.types[rank]);
    let ty = &mut program.types[rank];
    let at = random.below(ty.fields.len());
    let field = &mut ty.fields[at];
    let is_object = |value: &Value| matches!(value, Value::Object(..));
    if is_object(&field.value) != is_object(&other.value) {
        return None;
    }
    field.value = other.value;
    Some(format!("initializer of {}.{}", ty.name, field.name))
}

pub(super) fn field_flags(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| !ty.fields.is_empty())?;
    let ty = &mut program.types[rank];
    let at = random.below(ty.fields.len());
    let field = &mut ty.fields[at];
    match random.chance(40) {
        true => field.is_final = !field.is_final,
        false => field.access = an_access(random),
    }
    Some(format!("flags of field {}.{}", ty.name, field.name))
}

pub(super) fn constructors(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind == Kind::Class)?;
    let mut new = generate::constructor(program, random, &program.types[rank]);
    let takes = *random.pick(&TAKES)?;
    let ty = &mut program.types[rank];
    let at = random.below(ty.constructors.len());
    let what = random.below(3);
    if what < 2 {
        new.takes = takes;
        if ty.constructors.iter().any(|known| known.takes == takes) && what == 0 {
            return None;
        }
    }
    match what {
        0 => ty.constructors.push(new),
        1 if ty.constructors.len() > 1 => drop(ty.constructors.remove(at)),
        _ => {
            new.takes = ty.constructors[at].takes;
            ty.constructors[at] = new;
        }
    }
    Some(format!("constructors of {}", ty.name))
}
