//! Random types.

use super::PACKAGES;
use super::members::{constructor, field, fits, method, plain};
use super::scope::{Maker, Scope};
use crate::model::*;
use crate::random::Random;

/// Whether a lambda can be of this type.
pub(super) fn is_function(program: &Program, name: &str) -> bool {
    let lineage = program.lineage(name);
    let methods = lineage.iter().flat_map(|ty| &ty.methods);
    let open: Vec<&Method> = methods.filter(|m| m.body.is_none()).collect();
    let is_interface = lineage.iter().all(|ty| ty.kind == Kind::Interface);
    let takes_int = |m: &Method| matches!(m.takes, Takes::Int | Takes::Integer);
    is_interface && matches!(open[..], [one] if takes_int(one))
}

/// Whether the JDK can call objects of this type.
pub(super) fn is_operator(program: &Program, name: &str) -> bool {
    let lineage = program.lineage(name);
    let mut above = lineage.iter().flat_map(|ty| &ty.interfaces);
    above.any(|name| name == OPERATOR)
}

fn note(program: &Program, random: &mut Random) -> Option<Note> {
    let types = program.types.iter();
    let notes: Vec<&Type> = types.filter(|ty| ty.kind == Kind::Annotation).collect();
    let name = random.pick(&notes)?.name.clone();
    Some(Note {
        name,
        value: random.small(),
    })
}

/// Annotations for something, mostly none.
pub(crate) fn notes(program: &Program, random: &mut Random, percent: usize) -> Vec<Note> {
    match random.chance(percent) {
        true => note(program, random).into_iter().collect(),
        false => Vec::new(),
    }
}

/// A type after all others, which may name them.
pub(crate) fn a_type(program: &mut Program, random: &mut Random, kind: Kind) -> Type {
    let number = program.fresh();
    let program = &*program;
    let tops: Vec<&Type> = program
        .types
        .iter()
        .filter(|ty| ty.outer().is_none() && matches!(ty.kind, Kind::Class | Kind::Interface))
        .collect();
    let outer = random.pick(&tops).filter(|_| random.chance(15));
    let name = match (kind, outer) {
        (Kind::Annotation, _) => format!("N{number}"),
        (Kind::Interface, _) => format!("I{number}"),
        (_, Some(outer)) => format!("{}.C{number}", outer.name),
        _ => format!("C{number}"),
    };
    let superclasses: Vec<&Type> = program
        .types
        .iter()
        .filter(|ty| ty.kind == Kind::Class && !ty.is_final && !program.is_thrown(&ty.name))
        .collect();
    let superclass = random
        .pick(&superclasses)
        .filter(|_| kind == Kind::Class && random.chance(55))
        .map(|ty| ty.name.clone());
    let mut ty = Type {
        name,
        kind,
        is_abstract: kind == Kind::Class && random.chance(20),
        is_final: false,
        // Others could not name it.
        is_public: random.chance(50) || !program.packages.is_empty(),
        package: random.below(PACKAGES),
        superclass,
        interfaces: Vec::new(),
        notes: notes(program, random, 20),
        constants: Vec::new(),
        fields: Vec::new(),
        constructors: Vec::new(),
        methods: Vec::new(),
    };
    if kind == Kind::Annotation {
        ty.notes.clear();
        return ty;
    }
    let interfaces: Vec<&Type> = program
        .types
        .iter()
        .filter(|ty| ty.kind == Kind::Interface)
        .collect();
    if random.chance(40) {
        ty.interfaces
            .extend(random.pick(&interfaces).map(|ty| ty.name.clone()));
    }
    if kind == Kind::Class && random.chance(10) {
        ty.interfaces.push("java.io.Serializable".into());
    }
    let is_operator = kind == Kind::Class && random.chance(15);
    if is_operator {
        ty.interfaces.push(OPERATOR.into());
    }
    if matches!(kind, Kind::Enum | Kind::Record) {
        let prefix = if kind == Kind::Enum { "A" } else { "a" };
        let count = 1 + random.below(3);
        ty.constants = (0..count)
            .map(|n| (format!("{prefix}{n}"), Vec::new()))
            .collect();
    }
    for _ in 0..random.below(3) {
        let field = field(program, random, &ty);
        if ty.fields.iter().all(|known| known.name != field.name) {
            ty.fields.push(field);
        }
    }
    let constructor = constructor(program, random, &ty);
    ty.constructors.push(constructor);
    let is_root = kind == Kind::Class && ty.superclass.is_none();
    for name in OF_JDK {
        let is_wanted = match name {
            "toString" | "hashCode" => is_root,
            "applyAsInt" => is_operator,
            _ => false,
        };
        if is_wanted {
            let mut of_jdk = plain(name, false);
            let mut maker = Maker {
                scope: Scope::of_method(program, &ty, &of_jdk),
                program,
                random,
            };
            of_jdk.body = Some(maker.body(1, 0));
            ty.methods.push(of_jdk);
        }
    }
    for _ in 0..2 + random.below(3) {
        let method = method(program, random, &ty);
        if fits(program, &ty, &method) {
            ty.methods.push(method);
        }
    }
    if !ty.is_abstract && kind != Kind::Interface {
        implement(program, random, &mut ty);
    }
    ty
}

/// Gives a type bodies for what it inherits without one.
fn implement(program: &Program, random: &mut Random, ty: &mut Type) {
    let above = ty.superclass.iter().chain(&ty.interfaces);
    let lineage: Vec<&Type> = above.flat_map(|name| program.lineage(name)).collect();
    let same = |a: &Method, b: &Method| a.name == b.name && a.takes == b.takes;
    let inherited = lineage.iter().flat_map(|ty| &ty.methods);
    let missing: Vec<Method> = inherited.filter(|m| m.body.is_none()).cloned().collect();
    for method in missing {
        let in_classes = lineage.iter().filter(|ty| ty.kind == Kind::Class);
        let mut bodies = in_classes
            .flat_map(|ty| &ty.methods)
            .filter(|m| m.body.is_some());
        if bodies.any(|m| same(m, &method)) || ty.methods.iter().any(|m| same(m, &method)) {
            continue;
        }
        let mut maker = Maker {
            scope: Scope::of_method(program, ty, &method),
            program,
            random,
        };
        let body = Some(maker.body(1, 0));
        ty.methods.push(Method { body, ..method });
    }
}

/// An exception.
pub(super) fn thrown(program: &mut Program, random: &mut Random, superclass: &str) -> Type {
    let mut ty = a_type(program, random, Kind::Annotation);
    ty.name = ty.name.replace('N', "E");
    ty.kind = Kind::Class;
    ty.superclass = Some(superclass.to_owned());
    let constructor = constructor(program, random, &ty);
    ty.constructors.push(constructor);
    ty
}
