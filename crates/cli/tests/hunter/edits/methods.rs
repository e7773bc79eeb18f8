//! Edits of methods and of the code in them.

use super::{an_access, any, any_method, is_needed, maker_of};
use crate::generate::{self, Maker, Scope};
use crate::model::*;
use crate::random::Random;

pub(super) fn body(program: &mut Program, random: &mut Random) -> Option<String> {
    let place = any_method(program, random, |_, m| m.body.is_some())?;
    let what = random.below(4);
    let mut maker = maker_of(program, random, place);
    let (statement, result) = (maker.statement(2), maker.expr(2));
    let cut = maker.random.next() as usize;
    let ty = &mut program.types[place.0];
    let method = &mut ty.methods[place.1];
    let body = method.body.as_mut()?;
    let count = body.statements.len();
    match what {
        0 if count > 0 => drop(body.statements.remove(cut % count)),
        0 | 1 => body.statements.insert(cut % (count + 1), statement),
        2 if count > 0 => body.statements[cut % count] = statement,
        _ => body.result = result,
    }
    Some(format!("body of {}.{}", ty.name, method.name))
}

/// Another number somewhere in the code.
pub(super) fn number(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_in_tests = random.chance(10);
    let mut count = 0;
    let mut changed = program.clone();
    if !is_in_tests {
        changed.tests.clear();
    }
    let is_number = |expr: &Expr| matches!(expr, Expr::Number(_));
    changed.each_expr(&mut |expr| count += usize::from(is_number(expr)));
    if count == 0 {
        return None;
    }
    let (mut at, new) = (random.below(count), 10 + random.small());
    changed.each_expr(&mut |expr| {
        if is_number(expr) {
            if at == 0 {
                *expr = Expr::Number(new);
            }
            at = at.wrapping_sub(1);
        }
    });
    if is_in_tests {
        program.tests = changed.tests;
    }
    program.types = changed.types;
    Some("a number".into())
}

pub(super) fn add_method(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind != Kind::Annotation)?;
    let method = generate::method(program, random, &program.types[rank]);
    add(program, random, rank, method)
}

fn add(program: &mut Program, random: &mut Random, rank: usize, method: Method) -> Option<String> {
    let ty = &mut program.types[rank];
    let is_same = |m: &Method| m.name == method.name && m.takes == method.takes;
    if ty.methods.iter().any(is_same) {
        return None;
    }
    let told = format!("{}.{} added", ty.name, method.name);
    let at = random.below(ty.methods.len() + 1);
    ty.methods.insert(at, method);
    Some(told)
}

/// A method that hides an inherited one.
pub(super) fn add_override(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind != Kind::Annotation)?;
    let ty = &program.types[rank];
    let above = ty.superclass.iter().chain(&ty.interfaces);
    let inherited = above
        .flat_map(|name| program.lineage(name))
        .flat_map(|ty| &ty.methods);
    let mut inherited: Vec<&Method> = inherited.filter(|m| !m.is_final).collect();
    if ty.kind == Kind::Interface {
        inherited.retain(|m| !m.is_of_jdk());
    }
    let mut method = (*random.pick(&inherited)?).clone();
    let mut maker = Maker {
        scope: Scope::of_method(program, ty, &method),
        program,
        random,
    };
    let statements = maker.random.below(2);
    method.body = Some(maker.body(2, statements));
    method.notes.clear();
    add(program, random, rank, method)
}

/// A method that hides one of the JDK.
pub(super) fn add_override_of_jdk(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| {
        matches!(ty.kind, Kind::Class | Kind::Record)
    })?;
    let ty = &program.types[rank];
    let name = *random.pick(&OF_JDK)?;
    if name == "getMessage" && !program.is_thrown(&ty.name) {
        return None;
    }
    let mut method = generate::plain(name, false);
    let mut maker = Maker {
        scope: Scope::of_method(program, ty, &method),
        program,
        random,
    };
    method.body = Some(maker.body(1, 0));
    add(program, random, rank, method)
}

pub(super) fn remove_method(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |ty, m| !is_needed(ty, m))?;
    let ty = &mut program.types[rank];
    let method = ty.methods.remove(at);
    Some(format!("{}.{} removed", ty.name, method.name))
}

/// One of the same name for another type of argument.
pub(super) fn add_overload(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |_, m| !m.is_of_jdk())?;
    let takes = *random.pick(&TAKES)?;
    let mut maker = maker_of(program, random, (rank, at));
    let body = maker.body(1, 0);
    let method = Method {
        takes,
        body: Some(body),
        ..program.types[rank].methods[at].clone()
    };
    add(program, random, rank, method)
}

/// An abstract method gets a body, or loses it.
pub(super) fn without_body(program: &mut Program, random: &mut Random) -> Option<String> {
    let place = any_method(program, random, |ty, m| {
        let may_be_abstract = ty.kind == Kind::Interface || ty.is_abstract;
        may_be_abstract && !m.is_static && m.makes.is_none() && !is_needed(ty, m)
    })?;
    let body = maker_of(program, random, place).body(2, 0);
    let ty = &mut program.types[place.0];
    let method = &mut ty.methods[place.1];
    method.body = match method.body {
        Some(_) => None,
        None => Some(body),
    };
    Some(format!("abstract or not: {}.{}", ty.name, method.name))
}

pub(super) fn method_flags(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |_, m| !m.is_of_jdk())?;
    let ty = &mut program.types[rank];
    let method = &mut ty.methods[at];
    match random.below(5) {
        0 => method.is_static = !method.is_static,
        1 => method.is_final = !method.is_final,
        2 => method.is_synchronized = !method.is_synchronized,
        3 => method.throws = !method.throws,
        _ => method.access = an_access(random),
    }
    Some(format!("flags of {}.{}", ty.name, method.name))
}

/// Up to the superclass or an interface, or down from it.
pub(super) fn move_method(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| {
        ty.superclass.is_some() || !ty.interfaces.is_empty()
    })?;
    let ty = &program.types[rank];
    let above: Vec<&String> = ty.superclass.iter().chain(&ty.interfaces).collect();
    let other = program.rank(random.pick(&above)?)?;
    let (from, to) = match random.chance(50) {
        true => (rank, other),
        false => (other, rank),
    };
    let methods = &program.types[from].methods;
    if methods.is_empty() {
        return None;
    }
    let at = random.below(methods.len());
    if methods[at].is_of_jdk() {
        return None;
    }
    let method = program.types[from].methods.remove(at);
    // Upwards only what names nothing that comes later.
    let text = format!("{method:?}");
    let mut later = program.types[to..].iter();
    if later.any(|ty| text.contains(&format!("{:?}", ty.name))) {
        return None;
    }
    let told = add(program, random, to, method)?;
    Some(format!("{told}, moved from {}", program.types[from].name))
}

/// A private method, and what calls it in its class.
pub(super) fn rename(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |ty, m| {
        m.access == Access::Private && ty.kind != Kind::Interface
    })?;
    let number = program.fresh();
    let ty = &mut program.types[rank];
    let old = ty.methods[at].name.clone();
    let new = format!("q{number}_{}", level(&old));
    ty.methods[at].name.clone_from(&new);
    ty.each_expr(&mut |expr| match expr {
        Expr::CallSelf(name, _) if *name == old => name.clone_from(&new),
        _ => {}
    });
    Some(format!("{}.{old} renamed", ty.name))
}

/// A lambda around the result of a method: those after it get other numbers.
pub(super) fn lambda(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |_, m| m.body.is_some())?;
    let ty = &mut program.types[rank];
    let method = &mut ty.methods[at];
    let body = method.body.as_mut()?;
    let old = std::mem::replace(&mut body.result, Expr::V);
    body.result = Expr::Lambda(Box::new(old), Box::new(Expr::V));
    Some(format!("lambda in {}.{}", ty.name, method.name))
}

/// Another exception is thrown or caught.
pub(super) fn exceptions(program: &mut Program, random: &mut Random) -> Option<String> {
    let throws = |s: &Statement| matches!(s, Statement::Throw(..) | Statement::Try(..));
    let (rank, at) = any_method(program, random, |_, m| {
        m.body
            .as_ref()
            .is_some_and(|body| body.statements.iter().any(throws))
    })?;
    let before = program.types[..rank].iter();
    let names = before
        .filter(|ty| program.is_thrown(&ty.name))
        .map(|ty| ty.name.clone());
    let names: Vec<String> = names.collect();
    let new = random.pick(&names)?.clone();
    let ty = &mut program.types[rank];
    for statement in &mut ty.methods[at].body.as_mut()?.statements {
        match statement {
            Statement::Throw(n, name) => {
                name.clone_from(&new);
                *n = random.small();
            }
            Statement::Try(_, name, _) => name.clone_from(&new),
            _ => {}
        }
    }
    Some(format!("exceptions in {}.{}", ty.name, ty.methods[at].name))
}

/// Another type of what a method returns: there may be a bridge then.
pub(super) fn made(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |_, m| m.makes.is_some())?;
    let (old, _) = program.types[rank].methods[at].makes.clone()?;
    let before = program.types[..rank].iter();
    let related = before.filter(|ty| program.is_a(&ty.name, &old) != program.is_a(&old, &ty.name));
    let related: Vec<String> = related.map(|ty| ty.name.clone()).collect();
    let new = random.pick(&related)?.clone();
    let ty = &mut program.types[rank];
    let method = &mut ty.methods[at];
    let (name, _) = method.makes.as_mut()?;
    *name = new;
    Some(format!("type of {}.{}", ty.name, method.name))
}
