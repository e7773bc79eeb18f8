//! Classes of tests as Java.

use super::code::expr;
use super::reflection::reflection_text;
use super::{LOST_TEXT, imports, word};
use crate::idioms;
use crate::model::*;

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

pub(super) fn test_class(program: &Program, class: &TestClass) -> String {
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
    if let Some(cached) = &class.cached {
        text += "static Integer kept;\nstatic int kept() {\nif (kept == null) ";
        text += &guarded("kept", cached);
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
        if fixtures.cached.is_some() {
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
                Check::Reflection(query, ty) => (
                    reflection_text(program, *query, ty),
                    "Throwable",
                    match query {
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
