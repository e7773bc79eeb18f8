//! Types and their members as Java.

use super::code::{expr, object, statement};
use super::word;
use crate::model::*;

fn notes(notes: &[Note]) -> String {
    let texts = notes
        .iter()
        .map(|note| format!("@{}({}) ", note.name, note.value));
    texts.collect()
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Public => "public ",
        Access::Protected => "protected ",
        Access::Package => "",
        Access::Private => "private ",
    }
}

pub(super) fn type_text(program: &Program, ty: &Type) -> String {
    let mut text = notes(&ty.notes);
    if ty.kind == Kind::Annotation {
        text += "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) ";
    }
    let nested = ty.outer().is_some();
    text += word(ty.is_public, "public ");
    text += word(nested && ty.kind == Kind::Class, "static ");
    text += word(ty.is_abstract && ty.kind == Kind::Class, "abstract ");
    text += word(
        ty.is_final && matches!(ty.kind, Kind::Class | Kind::Record),
        "final ",
    );
    text += match ty.kind {
        Kind::Class => "class ",
        Kind::Interface => "interface ",
        Kind::Enum => "enum ",
        Kind::Record => "record ",
        Kind::Annotation => "@interface ",
    };
    text += ty.simple();
    if ty.kind == Kind::Record {
        let components = ty.constants.iter().map(|(name, _)| format!("int {name}"));
        text += &format!("({})", components.collect::<Vec<_>>().join(", "));
    }
    if let Some(superclass) = &ty.superclass {
        text += &format!(" extends {superclass}");
    }
    if !ty.interfaces.is_empty() {
        let word = match ty.kind {
            Kind::Interface => "extends",
            _ => "implements",
        };
        text += &format!(" {word} {}", ty.interfaces.join(", "));
    }
    text += " {\n";
    match ty.kind {
        Kind::Enum => {
            let constants = ty.constants.iter().zip(1..).map(|((name, body), number)| {
                let methods: String = body.iter().map(|m| method(m, Kind::Class)).collect();
                let body = match body.is_empty() {
                    true => String::new(),
                    false => format!(" {{\n{methods}}}"),
                };
                format!("{name}({number}){body}")
            });
            text += &format!("{};\n", constants.collect::<Vec<_>>().join(", "));
        }
        Kind::Annotation => text += "int value();\n",
        _ => {}
    }
    text.extend(ty.fields.iter().map(|f| field(f, ty.kind)));
    if matches!(ty.kind, Kind::Class | Kind::Enum) {
        text.extend(ty.constructors.iter().map(|c| constructor(c, ty)));
    }
    text.extend(ty.methods.iter().map(|m| method(m, ty.kind)));
    let inner = program
        .types
        .iter()
        .filter(|inner| inner.outer() == Some(&ty.name));
    text.extend(inner.map(|inner| type_text(program, inner)));
    text + "}\n"
}

fn field(field: &Field, of: Kind) -> String {
    let name = &field.name;
    let in_interface = matches!(of, Kind::Interface | Kind::Annotation);
    let mut head = notes(&field.notes);
    if !in_interface {
        head += access(field.access);
        head += word(field.is_static(), "static ");
    }
    match &field.value {
        Value::Constant(value) => format!("{head}final int {name} = {value};\n"),
        Value::Computed(value) if in_interface => {
            format!(
                "{head}int {name} = safe.Safe.of(() -> {});\n",
                expr(value, "0")
            )
        }
        Value::Computed(value) => format!(
            "{head}{}int {name};\nstatic {{ int v = 1; try {{ v += {}; }} \
             catch (RuntimeException e) {{ v = -7; }} {name} = v; }}\n",
            word(field.is_final, "final "),
            expr(value, "v")
        ),
        Value::Object(ty, value) => format!(
            "{head}final {ty} {name};\nstatic {{ {ty} o = null; try {{ o = {}; }} \
             catch (RuntimeException e) {{ }} {name} = o; }}\n",
            object(value, "1")
        ),
        Value::Unset(_) if in_interface => format!("{head}int {name} = 0;\n"),
        Value::Unset(_) => format!("{head}int {name};\n"),
        Value::Instance(value) => {
            let last = word(field.is_final, "final ");
            format!("{head}{last}int {name} = {};\n", expr(value, "1"))
        }
    }
}

/// The type of the parameter, and the number that it stands for.
fn takes(takes: Takes) -> (&'static str, &'static str) {
    match takes {
        Takes::Int => ("int", "x"),
        Takes::Long => ("long", "(int) x + 100"),
        Takes::Integer => ("Integer", "x + 200"),
        Takes::Object => ("Object", "x.hashCode() % 1000 + 300"),
        Takes::Many => ("int...", "x.length + 400"),
    }
}

fn constructor(constructor: &Constructor, ty: &Type) -> String {
    let (parameter, number) = takes(constructor.takes);
    let up = match &ty.superclass {
        Some(name) if name == "RuntimeException" => "super(\"e\" + x);".to_owned(),
        Some(_) => format!("super({});", expr(&constructor.up, &format!("({number})"))),
        None => String::new(),
    };
    let also = constructor.also.as_ref().map_or_else(String::new, |also| {
        format!(" int v = {number}; v += {};", expr(also, "v"))
    });
    let access = word(ty.is_public && ty.kind == Kind::Class, "public ");
    format!("{access}{}({parameter} x) {{ {up}{also} }}\n", ty.simple())
}

pub(super) fn method(method: &Method, of: Kind) -> String {
    let in_interface = of == Kind::Interface;
    let mut text = notes(&method.notes);
    text += match in_interface {
        true => word(
            method.access == Access::Private && method.body.is_some(),
            "private ",
        ),
        false => access(method.access),
    };
    text += word(method.is_static, "static ");
    let is_default = in_interface && !method.is_static && method.access != Access::Private;
    text += word(is_default && method.body.is_some(), "default ");
    text += word(!in_interface && method.body.is_none(), "abstract ");
    text += word(!in_interface && method.is_final, "final ");
    text += word(!in_interface && method.is_synchronized, "synchronized ");
    let (parameter, number) = takes(method.takes);
    let mut parameters = format!("{parameter} x");
    if let Some((ty, is_generic)) = &method.object {
        let name = match is_generic {
            true => {
                text += &format!("<T extends {ty}> ");
                "T"
            }
            false => ty,
        };
        parameters = format!("{name} o, {parameters}");
    }
    let (returned, start) = match (&method.makes, method.name.as_str()) {
        (Some((ty, _)), _) => (ty.as_str(), number),
        (None, "toString" | "getMessage") => ("String", "1"),
        (None, "hashCode") => ("int", "1"),
        _ => ("int", number),
    };
    if method.is_of_jdk() && method.name != "applyAsInt" {
        parameters.clear();
    }
    let throws = word(method.throws, " throws IllegalStateException");
    text += &format!("{returned} {}({parameters}){throws}", method.name);
    let Some(body) = &method.body else {
        return text + ";\n";
    };
    text += &format!(" {{\nint v = {start};\n");
    text.extend(
        body.statements
            .iter()
            .map(|s| statement(s, returned == "int")),
    );
    let result = match (&method.makes, returned) {
        (Some((_, made)), _) => object(made, "v"),
        (None, "String") => format!("\"t\" + ({})", expr(&body.result, "v")),
        _ => expr(&body.result, "v"),
    };
    text + &format!("return {result};\n}}\n")
}
