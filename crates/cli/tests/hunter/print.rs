//! Programs as Java.

use crate::idioms;
use crate::model::*;
use std::collections::BTreeMap;

/// The sources by the names of their files.
pub(crate) type Sources = BTreeMap<String, String>;

/// How many ways to look at a type there are.
pub(crate) const LOOKS: usize = 24;

/// Put out where a class was found by its name and its code did not run: a known limit of tamis.
pub(crate) const LOST: &str = "!lost";

const LOST_TEXT: &str = "\"!lost\"";

/// Starts a line that says that a test changed a part of the state: its name, and what it was and is.
pub(crate) const WROTE: &str = "@w ";

/// What a test class gets from an extension of Jupiter.
const KEPT: &str = "package safe;
public interface Kept { void keep(String text); }
";

/// Computes without an exception, where an initializer is no block; copies by serialization; calls idioms.
const SAFE: &str = "package safe;
import java.io.*;
public class Safe {
    public interface Go {
        Object go(int v) throws Throwable;
    }
    public static String text(Go go, int v) {
        try { return String.valueOf(go.go(v)); } catch (Throwable e) { return e.getClass().getSimpleName(); }
    }
    public static int at(Go go, int v) {
        return text(go, v).hashCode() % 1000;
    }
    public static Object copy(Object object) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(object);
        return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    }
    public static void wrote(String part, Object from, Object to) {
        System.out.println(\"@w \" + part + '|' + from + '|' + to);
    }
    public static int of(java.util.function.IntSupplier value) {
        try { return value.getAsInt(); } catch (RuntimeException e) { return -7; }
    }
}
";

pub(crate) fn sources(program: &Program) -> Sources {
    let safe = [("safe/Safe.java", SAFE), ("safe/Kept.java", KEPT)];
    let mut files = Sources::from(safe.map(|(name, text)| (name.to_owned(), text.to_owned())));
    for idiom in &program.idioms {
        files.append(&mut idioms::sources(idiom));
    }
    for ty in program.types.iter().filter(|ty| ty.outer().is_none()) {
        let (folder, head) = match program.package(&ty.name) {
            Some(package) => (format!("{package}/"), format!("package {package};\n")),
            None => Default::default(),
        };
        let text = head + &imports(program) + &type_text(program, ty);
        files.insert(format!("{folder}{}.java", ty.name), text);
    }
    for class in &program.tests {
        files.insert(format!("{}.java", class.name), test_class(program, class));
    }
    files
}

/// Names are never used twice, so everything can be imported.
fn imports(program: &Program) -> String {
    let packages = program.packages.iter();
    packages.map(|name| format!("import {name}.*;\n")).collect()
}

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

fn word(is: bool, text: &str) -> &str {
    if is { text } else { "" }
}

fn type_text(program: &Program, ty: &Type) -> String {
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
        Value::Own(value) => {
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

fn method(method: &Method, of: Kind) -> String {
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

fn statement(statement: &Statement, returns_number: bool) -> String {
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
fn expr(value: &Expr, v: &str) -> String {
    let e = |value: &Expr| expr(value, v);
    let o = |value: &Obj| object(value, v);
    match value {
        Expr::Number(n) if *n < 0 => format!("({n})"),
        Expr::Number(n) => n.to_string(),
        Expr::V => v.to_owned(),
        Expr::Own(name) => name.clone(),
        Expr::Static(ty, name) => format!("{ty}.{name}"),
        Expr::Plus(a, b) => format!("({} + {})", e(a), e(b)),
        Expr::Less(a, b, c) => format!("({} < {} ? {} : 5)", e(a), e(b), e(c)),
        Expr::Divide(a, b) => format!("({} / ({} % 3))", e(a), e(b)),
        Expr::Long(a) => format!("(long) {}", e(a)),
        Expr::Boxed(a) => format!("Integer.valueOf({})", e(a)),
        Expr::CallStatic(ty, name, a) => format!("{ty}.{name}({})", e(a)),
        Expr::Hand(ty, name, object, a) => format!("{ty}.{name}({}, {})", o(object), e(a)),
        Expr::Call(object, name, a) => format!("{}.{name}({})", o(object), e(a)),
        Expr::CallOwn(name, a) => format!("{name}({})", e(a)),
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

fn object(value: &Obj, v: &str) -> String {
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

/// How a framework calls things.
struct Framework {
    package: &'static str,
    before: &'static str,
    before_class: &'static str,
    ignored: &'static str,
    assertions: &'static str,
}

const JUNIT4: Framework = Framework {
    package: "org.junit",
    before: "@Before",
    before_class: "@BeforeClass",
    ignored: "@Ignore ",
    assertions: "Assert",
};

const JUPITER: Framework = Framework {
    package: "org.junit.jupiter.api",
    before: "@BeforeEach",
    before_class: "@BeforeAll",
    ignored: "@Disabled ",
    assertions: "Assertions",
};

fn test_class(program: &Program, class: &TestClass) -> String {
    let name = &class.name;
    let framework = if program.jupiter { &JUPITER } else { &JUNIT4 };
    let mut text = format!(
        "import java.io.*;\nimport java.lang.invoke.*;\nimport java.lang.reflect.*;\n\
         import java.util.*;\nimport {}.*;\n{}",
        framework.package,
        imports(program)
    );
    let extends = class
        .base
        .as_ref()
        .map_or_else(String::new, |base| format!(" extends {base}"));
    let is_abstract = word(class.is_abstract, "abstract ");
    let shares = class.shares.as_ref();
    let shared = shares.map(|idiom| idioms::Shared::of(idiom, program.jupiter));
    let shared = shared.unwrap_or_default();
    text += &shared.annotation;
    let head = format!("{is_abstract}class {name}{extends}{}", shared.implements);
    text += &format!("public {head} {{\n{}", shared.member);
    match (class.is_abstract, &class.base) {
        (true, _) => text += &format!("final String me;\n{name}(String me) {{ this.me = me; }}\n"),
        (false, Some(_)) => text += &format!("public {name}() {{ super(\"{name}\"); }}\n"),
        (false, None) => {}
    }
    let me = match class.is_abstract {
        true => "me".to_owned(),
        false => format!("\"{name}\""),
    };
    let guarded = |target: &str, value: &Expr| {
        format!(
            "try {{ {target} = {}; }} catch (RuntimeException e) {{ {target} = -3; }}\n",
            expr(value, "2")
        )
    };
    // A superclass has fixtures of other names, so that nothing is hidden.
    let suffix = word(class.is_abstract, "Base");
    if let Some(before) = &class.before {
        text += &format!(
            "int pre{suffix};\n{} public void before{suffix}() {{\n",
            framework.before
        );
        text += &guarded(&format!("pre{suffix}"), before);
        text += "}\n";
    }
    if let Some(before) = &class.before_class {
        text += &format!(
            "static int all{suffix};\n{} public static void beforeAll{suffix}() {{\n",
            framework.before_class
        );
        text += &guarded(&format!("all{suffix}"), before);
        text += "}\n";
    }
    let base = program
        .tests
        .iter()
        .find(|base| Some(&base.name) == class.base.as_ref());
    if let Some(kept) = &class.kept {
        text += "static Integer kept;\nstatic int kept() {\nif (kept == null) ";
        text += &guarded("kept", kept);
        text += "return kept;\n}\n";
    }
    let mut seen = shared.seen.to_owned();
    for (fixtures, suffix) in [(Some(class), suffix), (base, "Base")] {
        let Some(fixtures) = fixtures else { continue };
        if fixtures.before.is_some() {
            seen += &format!(" + pre{suffix} + \" \"");
        }
        if fixtures.before_class.is_some() {
            seen += &format!(" + all{suffix} + \" \"");
        }
        if fixtures.kept.is_some() {
            seen += " + kept() + \" \"";
        }
    }
    for test in &class.tests {
        text += word(test.is_ignored, framework.ignored);
        text += &format!("@Test public void {}() {{\n", test.name);
        text += &format!("StringBuilder out = new StringBuilder(\"\"{seen});\n");
        for check in &test.checks {
            let (value, kind, told) = match check {
                Check::Value(value) => (expr(value, "2"), "RuntimeException", "e.getMessage()"),
                Check::Trace(value) => (
                    expr(value, "2"),
                    "RuntimeException",
                    "e.getStackTrace()[0].getMethodName()",
                ),
                Check::Idiom(name, entry) => {
                    let value = idioms::text(name, *entry);
                    (value, "RuntimeException", "e.getMessage()")
                }
                Check::Look(look, ty) => (
                    look_text(program, *look, ty),
                    "Throwable",
                    match look {
                        0 | 1 => LOST_TEXT,
                        _ => "e.getClass().getSimpleName()",
                    },
                ),
            };
            text += &format!(
                "try {{ out.append({value}).append(' '); }} \
                 catch ({kind} e) {{ out.append({told}).append(' '); }}\n"
            );
        }
        text += &format!(
            "System.out.println(\"@@\" + {me} + \"#{} \" + out);\n",
            test.name
        );
        if let Some(every) = test.fails {
            let assertions = framework.assertions;
            text +=
                &format!("{assertions}.assertNotEquals(0, out.toString().hashCode() % {every});\n");
        }
        text += "}\n";
    }
    text + "}\n"
}

/// The names of things, sorted.
fn sorted(array: &str, of: &str, name: &str) -> String {
    format!("Arrays.stream({array}).map({of}::{name}).sorted().toList()")
}

/// What reflection shows of a type. The first two find it by its name.
fn look_text(program: &Program, look: usize, ty: &str) -> String {
    let binary = program.binary(ty);
    let note = program.types.iter().find(|ty| ty.kind == Kind::Annotation);
    let note = note.map_or("Deprecated", |note| &note.name);
    let other = program.types.last().map_or("Object", |ty| &ty.name);
    let lookup = "MethodType.methodType(int.class, int.class)";
    match look {
        0 => format!(
            "Class.forName(\"{binary}\").getDeclaredConstructor(int.class)\
             .newInstance(3).toString().length()"
        ),
        1 => format!("Class.forName(\"{binary}\").getMethod(\"s1\", int.class).invoke(null, 3)"),
        2 => sorted(
            &format!("{ty}.class.getDeclaredMethods()"),
            "Method",
            "getName",
        ),
        3 => sorted(&format!("{ty}.class.getMethods()"), "Method", "toString"),
        4 => sorted(
            &format!("{ty}.class.getDeclaredFields()"),
            "Field",
            "toString",
        ),
        5 => sorted(
            &format!("{ty}.class.getDeclaredConstructors()"),
            "Constructor",
            "toString",
        ),
        6 => sorted(
            &format!("{ty}.class.getDeclaredClasses()"),
            "Class",
            "getName",
        ),
        7 => format!("{ty}.class.getAnnotation({note}.class).value()"),
        8 => format!("{ty}.class.getMethod(\"m1\", int.class).getAnnotation({note}.class)"),
        9 => format!("Modifier.toString({ty}.class.getModifiers())"),
        10 => format!("{ty}.class.getSuperclass() + Arrays.toString({ty}.class.getInterfaces())"),
        11 => format!("{ty}.class.getDeclaredField(\"K0\").getInt(null)"),
        12 => format!("{ty}.class.getMethod(\"m1\", int.class).getDeclaringClass().getName()"),
        13 => format!(
            "MethodHandles.lookup().findVirtual({ty}.class, \"m2\", {lookup}).invoke(new {ty}(1), 2)"
        ),
        14 => format!(
            "(int) MethodHandles.lookup().findStatic({ty}.class, \"s0\", {lookup}).invokeExact(2)"
        ),
        15 => format!(
            "{ty}.class.getDeclaredConstructor(int.class).newInstance(4).toString().length()"
        ),
        16 => format!(
            "(({ty}) Proxy.newProxyInstance({ty}.class.getClassLoader(), \
             new Class<?>[] {{ {ty}.class }}, (p, m, a) -> m.isDefault() \
             ? InvocationHandler.invokeDefault(p, m, a) : m.getName().length())).m1(3)"
        ),
        17 => format!("Arrays.toString({ty}.class.getRecordComponents())"),
        18 => format!("Arrays.toString({ty}.class.getEnumConstants())"),
        19 => format!("ObjectStreamClass.lookupAny({ty}.class).getSerialVersionUID()"),
        21 => format!("safe.Safe.copy(new {ty}(5)).toString()"),
        22 => format!("{ty}.class.isAssignableFrom({other}.class)"),
        20 => format!("{ty}.class.getMethod(\"m2\", int.class).invoke(new {ty}(1), 2)"),
        _ => format!(
            "Modifier.toString({ty}.class.getDeclaredMethod(\"m0\", int.class).getModifiers())"
        ),
    }
}
