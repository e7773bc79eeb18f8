//! Random edits of programs. One that does not compile is the caller's to drop.

use crate::idioms;
use crate::make::{self, Maker, Scope};
use crate::model::*;
use crate::random::Random;

type Edit = fn(&mut Program, &mut Random) -> Option<String>;

/// Each with how often it is taken.
const EDITS: &[(usize, Edit)] = &[
    (130, idiom),
    (3, package),
    (10, body),
    (8, number),
    (8, add_method),
    (12, add_override),
    (4, add_override_of_jdk),
    (8, remove_method),
    (6, add_overload),
    (4, constant),
    (3, add_field),
    (3, remove_field),
    (6, initializer),
    (8, superclass),
    (8, interfaces),
    (4, without_body),
    (6, method_flags),
    (3, field_flags),
    (3, type_flags),
    (5, annotations),
    (5, constants),
    (2, components),
    (3, add_type),
    (2, remove_type),
    (8, move_method),
    (3, rename),
    (2, reorder),
    (3, lambda),
    (4, exceptions),
    (3, constructors),
    (3, made),
    (2, test_checks),
    (2, tests),
    (2, fixtures),
    (1, ignored),
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

/// A type moves to another package.
fn package(program: &mut Program, random: &mut Random) -> Option<String> {
    if program.packages.is_empty() {
        return None;
    }
    let rank = any(program, random, |ty| ty.outer().is_none())?;
    let ty = &mut program.types[rank];
    ty.package = (ty.package + 1) % make::PACKAGES;
    Some(format!("package of {}", ty.name))
}

fn body(program: &mut Program, random: &mut Random) -> Option<String> {
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
fn number(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn add_method(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind != Kind::Annotation)?;
    let method = make::method(program, random, &program.types[rank]);
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
fn add_override(program: &mut Program, random: &mut Random) -> Option<String> {
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
fn add_override_of_jdk(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| {
        matches!(ty.kind, Kind::Class | Kind::Record)
    })?;
    let ty = &program.types[rank];
    let name = *random.pick(&OF_JDK)?;
    if name == "getMessage" && !program.is_thrown(&ty.name) {
        return None;
    }
    let mut method = make::plain(name, false);
    let mut maker = Maker {
        scope: Scope::of_method(program, ty, &method),
        program,
        random,
    };
    method.body = Some(maker.body(1, 0));
    add(program, random, rank, method)
}

fn remove_method(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |ty, m| !is_needed(ty, m))?;
    let ty = &mut program.types[rank];
    let method = ty.methods.remove(at);
    Some(format!("{}.{} removed", ty.name, method.name))
}

/// One of the same name for another type of argument.
fn add_overload(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn constant(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_constant = |field: &Field| matches!(field.value, Value::Constant(_));
    let rank = any(program, random, |ty| ty.fields.iter().any(is_constant))?;
    let ty = &mut program.types[rank];
    let field = ty.fields.iter_mut().find(|field| is_constant(field))?;
    field.value = Value::Constant(20 + random.small());
    Some(format!("constant {}.{}", ty.name, field.name))
}

fn add_field(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |_| true)?;
    let field = make::field(program, random, &program.types[rank]);
    let ty = &mut program.types[rank];
    if ty.fields.iter().any(|known| known.name == field.name) {
        return None;
    }
    let told = format!("field {}.{} added", ty.name, field.name);
    let at = random.below(ty.fields.len() + 1);
    ty.fields.insert(at, field);
    Some(told)
}

fn remove_field(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| !ty.fields.is_empty())?;
    let ty = &mut program.types[rank];
    let field = ty.fields.remove(random.below(ty.fields.len()));
    Some(format!("field {}.{} removed", ty.name, field.name))
}

fn initializer(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| !ty.fields.is_empty())?;
    let other = make::field(program, random, &program.types[rank]);
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

fn superclass(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn interfaces(program: &mut Program, random: &mut Random) -> Option<String> {
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

/// An abstract method gets a body, or loses it.
fn without_body(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn method_flags(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn an_access(random: &mut Random) -> Access {
    match random.below(4) {
        0 => Access::Public,
        1 => Access::Protected,
        2 => Access::Package,
        _ => Access::Private,
    }
}

fn field_flags(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn type_flags(program: &mut Program, random: &mut Random) -> Option<String> {
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
fn annotations(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind != Kind::Annotation)?;
    let new = make::notes(program, random, 70);
    let ty = &mut program.types[rank];
    let methods = ty.methods.iter_mut().map(|m| &mut m.notes);
    let fields = ty.fields.iter_mut().map(|f| &mut f.notes);
    let mut all: Vec<&mut Vec<Note>> = methods.chain(fields).chain([&mut ty.notes]).collect();
    let at = random.below(all.len());
    *all[at] = new;
    Some(format!("annotations in {}", ty.name))
}

/// Of an enum.
fn constants(program: &mut Program, random: &mut Random) -> Option<String> {
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
fn components(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind == Kind::Record)?;
    let ty = &mut program.types[rank];
    random.shuffle(&mut ty.constants);
    Some(format!("components of {}", ty.name))
}

/// A new type, and something that uses it.
fn add_type(program: &mut Program, random: &mut Random) -> Option<String> {
    let kind = match random.below(5) {
        0 => Kind::Interface,
        1 => Kind::Enum,
        2 => Kind::Record,
        _ => Kind::Class,
    };
    let ty = make::a_type(program, random, kind);
    let name = ty.name.clone();
    program.types.push(ty);
    if random.chance(50) {
        test_checks(program, random)?;
    }
    Some(format!("{name} added"))
}

fn remove_type(program: &mut Program, random: &mut Random) -> Option<String> {
    // One with the most dependents rarely compiles without it.
    let from = program.types.len() / 2;
    let rank = from + random.below(program.types.len() - from);
    let ty = program.types.remove(rank);
    Some(format!("{} removed", ty.name))
}

/// Up to the superclass or an interface, or down from it.
fn move_method(program: &mut Program, random: &mut Random) -> Option<String> {
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
fn rename(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |ty, m| {
        m.access == Access::Private && ty.kind != Kind::Interface
    })?;
    let number = program.fresh();
    let ty = &mut program.types[rank];
    let old = ty.methods[at].name.clone();
    let new = format!("q{number}_{}", level(&old));
    ty.methods[at].name.clone_from(&new);
    ty.each_expr(&mut |expr| match expr {
        Expr::CallOwn(name, _) if *name == old => name.clone_from(&new),
        _ => {}
    });
    Some(format!("{}.{old} renamed", ty.name))
}

fn reorder(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |_| true)?;
    let ty = &mut program.types[rank];
    random.shuffle(&mut ty.methods);
    // Fields are initialized in their order, which decides what an initializer sees.
    random.shuffle(&mut ty.fields);
    Some(format!("order of {}", ty.name))
}

/// A lambda around the result of a method: those after it get other numbers.
fn lambda(program: &mut Program, random: &mut Random) -> Option<String> {
    let (rank, at) = any_method(program, random, |_, m| m.body.is_some())?;
    let ty = &mut program.types[rank];
    let method = &mut ty.methods[at];
    let body = method.body.as_mut()?;
    let old = std::mem::replace(&mut body.result, Expr::V);
    body.result = Expr::Lambda(Box::new(old), Box::new(Expr::V));
    Some(format!("lambda in {}.{}", ty.name, method.name))
}

/// Another exception is thrown or caught.
fn exceptions(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn constructors(program: &mut Program, random: &mut Random) -> Option<String> {
    let rank = any(program, random, |ty| ty.kind == Kind::Class)?;
    let mut new = make::constructor(program, random, &program.types[rank]);
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

/// Another type of what a method returns: there may be a bridge then.
fn made(program: &mut Program, random: &mut Random) -> Option<String> {
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

fn a_test_class(program: &Program, random: &mut Random) -> usize {
    random.below(program.tests.len())
}

fn test_checks(program: &mut Program, random: &mut Random) -> Option<String> {
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
fn tests(program: &mut Program, random: &mut Random) -> Option<String> {
    let class = a_test_class(program, random);
    let new = make::test(program, random);
    let new_class = make::test_class(program, random, false);
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

fn fixtures(program: &mut Program, random: &mut Random) -> Option<String> {
    let class = a_test_class(program, random);
    let is_abstract = program.tests[class].is_abstract;
    let new = make::test_class(program, random, is_abstract);
    let class = &mut program.tests[class];
    match random.below(5) {
        0 => class.before = new.before,
        1 => class.before_class = new.before_class,
        2 if class.is_abstract => class.kept = new.kept,
        3 if !class.is_abstract => class.shares = new.shares,
        _ if !class.is_abstract => class.base = new.base,
        _ => return None,
    }
    Some(format!("fixtures of {}", class.name))
}

fn ignored(program: &mut Program, random: &mut Random) -> Option<String> {
    let class = a_test_class(program, random);
    let class = &mut program.tests[class];
    let count = class.tests.len();
    let test = class.tests.get_mut(random.below(count.max(1)))?;
    test.is_ignored = !test.is_ignored;
    Some(format!("{}.{} ignored or not", class.name, test.name))
}
