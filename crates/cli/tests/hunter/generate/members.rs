//! Random members of types: methods, fields, constructors.

use super::scope::{Maker, Scope};
use crate::model::*;
use crate::random::Random;

/// Whether a method can stand in a type beside what that inherits.
pub(super) fn fits(program: &Program, ty: &Type, method: &Method) -> bool {
    let above = ty.superclass.iter().chain(&ty.interfaces);
    let inherited = above
        .flat_map(|name| program.lineage(name))
        .flat_map(|ty| &ty.methods);
    let mut same = inherited
        .chain(&ty.methods)
        .filter(|m| m.name == method.name && m.takes == method.takes);
    let is_new = |known: &Method| known.name != method.name || known.takes != method.takes;
    let made = |m: &Method| m.makes.as_ref().map(|(ty, _)| ty.clone());
    ty.methods.iter().all(is_new)
        && same.all(|m| {
            let is_narrower = match (made(m), made(method)) {
                (Some(old), Some(new)) => program.is_a(&new, &old),
                (old, new) => old == new,
            };
            m.is_static == method.is_static
                && is_narrower
                && m.object == method.object
                && method.access == Access::Public
        })
}

/// A public method without a body yet.
pub(crate) fn plain(name: &str, is_static: bool) -> Method {
    Method {
        name: name.to_owned(),
        access: Access::Public,
        is_static,
        is_final: false,
        is_synchronized: false,
        throws: false,
        notes: Vec::new(),
        takes: Takes::Int,
        object: None,
        makes: None,
        body: None,
    }
}

/// A method for a type that is not, or not yet, part of the program.
pub(crate) fn method(program: &Program, random: &mut Random, ty: &Type) -> Method {
    let kind = random.below(10);
    let mut made = match kind {
        0..=5 => plain(&format!("m{}", random.below(4)), false),
        6 | 7 => plain(&format!("s{}", random.below(3)), true),
        8 => plain(&format!("p{}", random.below(2)), true),
        _ => plain(&format!("k{}", random.below(2)), false),
    };
    if random.chance(10) {
        made.takes = *random.pick(&TAKES).unwrap_or(&Takes::Int);
    }
    if random.chance(8) {
        made.access = Access::Private;
    }
    let mut maker = Maker {
        scope: Scope::of_method(program, ty, &made),
        program,
        random,
    };
    if kind == 8 {
        made.object = maker
            .a_type(|ty| matches!(ty.kind, Kind::Class | Kind::Interface))
            .map(|ty| (ty, maker.random.chance(30)));
        maker.scope.given = made.object.as_ref().map(|(ty, _)| ty.clone());
    }
    if kind == 9 {
        made.makes = maker
            .object(1, None)
            .filter(|(object, _)| !matches!(object, Obj::Given))
            .map(|(object, of)| {
                let lineage = program.lineage(&of);
                let known_by = maker.random.pick(&lineage).map_or(of, |ty| ty.name.clone());
                (known_by, object)
            });
    }
    let statements = maker.random.below(4);
    made.body = Some(maker.body(1, statements));
    let may_be_abstract = ty.kind == Kind::Interface || (ty.kind == Kind::Class && ty.is_abstract);
    let is_plain = !made.is_static && made.access == Access::Public;
    if may_be_abstract && is_plain && random.chance(50) {
        made.body = None;
        made.makes = None;
        if kind == 9 {
            made.name = format!("m{}", random.below(4));
        }
    }
    made
}

pub(crate) fn field(program: &Program, random: &mut Random, ty: &Type) -> Field {
    let mut maker = Maker {
        scope: Scope::of_type(program, ty),
        program,
        random,
    };
    let is_simple = matches!(ty.kind, Kind::Enum | Kind::Annotation);
    let number = maker.random.below(2);
    let (name, value) = match maker.random.below(10) {
        0..=2 => (format!("K{number}"), Value::Constant(maker.random.small())),
        3 | 4 if !is_simple => (format!("S{number}"), Value::Computed(maker.expr(1))),
        5 if !is_simple && ty.kind != Kind::Interface => match maker.object(1, None) {
            Some((object, of)) => (format!("O{number}"), Value::Object(of, object)),
            None => (format!("K{number}"), Value::Constant(5)),
        },
        6 if !is_simple => (format!("S{number}"), Value::Unset(true)),
        7 if ty.kind == Kind::Class => (format!("f{number}"), Value::Unset(false)),
        _ if ty.kind == Kind::Class => (format!("f{number}"), Value::Instance(maker.expr(1))),
        _ => (format!("K{number}"), Value::Constant(maker.random.small())),
    };
    Field {
        name,
        access: match program.packages.is_empty() {
            true => Access::Package,
            false => Access::Public,
        },
        is_final: maker.random.chance(50),
        notes: Vec::new(),
        value,
    }
}

pub(crate) fn constructor(program: &Program, random: &mut Random, ty: &Type) -> Constructor {
    let mut maker = Maker {
        scope: Scope::of_type(program, ty),
        program,
        random,
    };
    let up = maker.expr(1);
    // It may call what subclasses override.
    maker.scope.is_static = false;
    maker.scope.level = 9;
    // Where a constant of an enum throws, all who come later see another error.
    let is_simple = ty.kind == Kind::Enum;
    Constructor {
        takes: Takes::Int,
        up,
        also: (!is_simple && maker.random.chance(30)).then(|| maker.expr(2)),
    }
}
