//! Statements and expressions as Java.

use super::declarations::method;
use crate::idioms;
use crate::model::*;

pub(super) fn statement(statement: &Statement, returns_number: bool) -> String {
    let e = |value: &Expr| expr(value, "v");
    match statement {
        Statement::Add(a) => format!("v += {};\n", e(a)),
        Statement::If(a, n, b, c) => {
            format!(
                "if ({} > {n}) {{ v += {}; }} else {{ v += {}; }}\n",
                e(a),
                e(b),
                e(c)
            )
        }
        Statement::Return(n, a) if returns_number => format!("if (v > {n}) return {};\n", e(a)),
        Statement::Return(n, a) => format!("if (v > {n}) v = {};\n", e(a)),
        Statement::Throw(n, ty) => format!("if ((v & 7) == {n}) throw new {ty}(v);\n"),
        Statement::Try(a, ty, b) => format!(
            "try {{ v += {}; }} catch ({ty} e) {{ v += {}; }}\n",
            e(a),
            e(b)
        ),
        Statement::Strings(all) => {
            let cases = all
                .iter()
                .enumerate()
                .map(|(n, a)| format!("case \"k{n}\": v += {}; break;\n", e(a)));
            let cases: String = cases.collect();
            format!("switch (\"k\" + (v & 3)) {{\n{cases}default: v++;\n}}\n")
        }
        Statement::Constants(on, cases) => {
            let cases = cases
                .iter()
                .map(|(name, a)| format!("case {name}: v += {}; break;\n", e(a)));
            let cases: String = cases.collect();
            format!(
                "switch ({}) {{\n{cases}default: v += 2;\n}}\n",
                object(on, "v")
            )
        }
        Statement::Loop(a) => format!("for (int i = 0; i < 2; i++) v += {};\n", e(a)),
        Statement::Local(superclass, inner) => {
            let (up, call) = match superclass {
                Some(name) => (format!(" extends {name}"), "Local() { super(2); }\n"),
                None => (String::new(), ""),
            };
            let name = &inner.name;
            let inner = method(inner, Kind::Class);
            format!("{{ class Local{up} {{\n{call}{inner}}}\nv += new Local().{name}(v); }}\n")
        }
    }
}

/// An expression as the operand of anything.
pub(super) fn expr(value: &Expr, v: &str) -> String {
    let e = |value: &Expr| expr(value, v);
    let o = |value: &Obj| object(value, v);
    match value {
        Expr::Number(n) if *n < 0 => format!("({n})"),
        Expr::Number(n) => n.to_string(),
        Expr::V => v.to_owned(),
        Expr::Field(name) => name.clone(),
        Expr::Static(ty, name) => format!("{ty}.{name}"),
        Expr::Plus(a, b) => format!("({} + {})", e(a), e(b)),
        Expr::Less(a, b, c) => format!("({} < {} ? {} : 5)", e(a), e(b), e(c)),
        Expr::Divide(a, b) => format!("({} / ({} % 3))", e(a), e(b)),
        Expr::Long(a) => format!("(long) {}", e(a)),
        Expr::Boxed(a) => format!("Integer.valueOf({})", e(a)),
        Expr::CallStatic(ty, name, a) => format!("{ty}.{name}({})", e(a)),
        Expr::Hand(ty, name, object, a) => format!("{ty}.{name}({}, {})", o(object), e(a)),
        Expr::Call(object, name, a) => format!("{}.{name}({})", o(object), e(a)),
        Expr::CallSelf(name, a) => format!("{name}({})", e(a)),
        Expr::CallSuper(None, name, a) => format!("super.{name}({})", e(a)),
        Expr::CallSuper(Some(of), name, a) => format!("{of}.super.{name}({})", e(a)),
        Expr::FieldOf(object, name) => format!("{}.{name}", o(object)),
        Expr::AreArrays(ty, of) => format!("(((Object) new {ty}[0]) instanceof {of}[] ? 13 : 14)"),
        Expr::Stream(object, a) => {
            format!(
                "java.util.stream.IntStream.of({}).map({}).sum()",
                e(a),
                o(object)
            )
        }
        Expr::Is(object, ty) => format!("(((Object) {}) instanceof {ty} ? 11 : 12)", o(object)),
        Expr::Text(object) => format!("((\"\" + {}).hashCode() % 1000)", o(object)),
        Expr::Hash(object) => format!("(java.util.List.of({}).hashCode() % 1000)", o(object)),
        Expr::Ordinal(object) => format!("{}.ordinal()", o(object)),
        Expr::Count(ty) => format!("{ty}.values().length"),
        Expr::Lambda(body, a) => {
            let inner = lambda_variable(v);
            format!(
                "((java.util.function.IntUnaryOperator) {inner} -> {}).applyAsInt({})",
                expr(body, &inner),
                e(a)
            )
        }
        Expr::Reference(ty, name, a) => format!(
            "((java.util.function.IntUnaryOperator) {ty}::{name}).applyAsInt({})",
            e(a)
        ),
        Expr::ReferenceTo(object, name, a) => format!(
            "((java.util.function.IntUnaryOperator) {}::{name}).applyAsInt({})",
            o(object),
            e(a)
        ),
        Expr::Elements(ty, objects, name, a) => {
            let all: Vec<String> = objects.iter().map(o).collect();
            let count = all.len();
            format!(
                "new {ty}[] {{ {} }}[({v} & 7) % {count}].{name}({})",
                all.join(", "),
                e(a)
            )
        }
        Expr::Literal(ty) => format!("{ty}.class.getSimpleName().length()"),
        Expr::Component(object, name) => format!("{}.{name}()", o(object)),
        Expr::Idiom(name, entry, a) => idioms::call(name, *entry, &e(a)),
    }
}

/// The name of the parameter of a lambda, where `v` is the number outside.
fn lambda_variable(v: &str) -> String {
    match v.starts_with('w') {
        true => format!("{v}w"),
        false => "w".to_owned(),
    }
}

pub(super) fn object(value: &Obj, v: &str) -> String {
    match value {
        Obj::New(ty, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|a| expr(a, v)).collect();
            format!("new {ty}({})", arguments.join(", "))
        }
        Obj::Static(ty, name) | Obj::Constant(ty, name) => format!("{ty}.{name}"),
        Obj::Given => "o".to_owned(),
        Obj::Cast(ty, inner) => format!("(({ty}) (Object) {})", object(inner, v)),
        Obj::Anonymous(ty, a, methods) => {
            let methods: String = methods.iter().map(|m| method(m, Kind::Class)).collect();
            let argument = match a {
                Expr::V => String::new(),
                a => expr(a, v),
            };
            format!("new {ty}({argument}) {{\n{methods}}}")
        }
        Obj::Lambda(ty, body) => {
            let inner = lambda_variable(v);
            format!("(({ty}) {inner} -> {})", expr(body, &inner))
        }
        Obj::Reference(ty, of, name) => format!("(({ty}) {of}::{name})"),
        Obj::Made(from, name, a) => format!("{}.{name}({})", object(from, v), expr(a, v)),
    }
}
