//! Names that compiled Java sources ask for.

mod support;

use std::path::PathBuf;
use std::sync::LazyLock;
use support::{compile, jdk::Jdk, scratch, some_classes, write};
use tamis_classfile::ClassFile;
use tamis_code::names::{Finder, Lookup, Names, Passed, Reach, Target, Value, Values};

const SOURCE: &str = include_str!("names/Code.java");

/// The class with builders for texts, and with call sites for them.
static CLASSES: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let jdk = Jdk::find(17);
    let locals: String = (0..300).map(|i| format!("int i{i} = i;")).collect();
    let source = SOURCE.replace("LOCALS", &locals);
    ["8", "17"].map(|release| {
        let dir = scratch(&format!("names-{release}"));
        let source = write(&dir, "Code.java", &source);
        let options = ["--release", release, "-proc:none"].map(str::to_owned);
        compile(&jdk, &options, &[source], &dir);
        let class: PathBuf = [dir.as_path(), "p/Code.class".as_ref()].iter().collect();
        std::fs::read(class).unwrap()
    })
});

/// Checks what `show` tells of `method`, whichever way texts are made.
fn check_with(method: &str, expected: &[&str], show: fn(Names<'_>) -> Vec<String>) {
    for bytes in CLASSES.iter() {
        let class = ClassFile::parse(bytes).unwrap();
        let finder = Finder::new(&class).unwrap();
        let mut found = None;
        for member in class.methods() {
            let member = member.unwrap();
            if class.pool.utf8(member.name) == Ok(method.as_bytes()) {
                let code = class.code(&member).unwrap().unwrap();
                found = Some(show(finder.find(&member, &code).unwrap()));
            }
        }
        let found = found.unwrap_or_else(|| panic!("no method {method}"));
        assert_eq!(found, expected, "{method}, version {}", class.major);
    }
}

fn check(method: &str, expected: &[&str]) {
    check_with(method, expected, |names| {
        names.lookups.iter().map(lookup).collect()
    });
}

fn check_passed(method: &str, expected: &[&str]) {
    check_with(method, expected, |names| {
        names.passed.iter().map(passed).collect()
    });
}

fn check_texts(method: &str, expected: &[&str]) {
    check_with(method, expected, |names| {
        names.texts.iter().map(|text| text.to_string()).collect()
    });
}

fn lookup(lookup: &Lookup) -> String {
    let reach = |reach| match reach {
        Reach::Public => "public",
        Reach::Declared => "declared",
        Reach::Handle => "handle",
    };
    let target = match lookup.target {
        Target::Class => "class".to_owned(),
        Target::Method(of) => format!("{} method", reach(of)),
        Target::Field(of) => format!("{} field", reach(of)),
        Target::Constructor(of) => format!("{} constructor", reach(of)),
        Target::Service => "service".to_owned(),
        Target::Bundle => "bundle".to_owned(),
        Target::Resource => "resource".to_owned(),
    };
    let on = lookup.on.as_ref().map(values);
    let on = on.map_or(String::new(), |on| format!(" of {on}"));
    format!("{target}{on}: {}", values(&lookup.name))
}

fn passed(passed: &Passed<'_>) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (owner, name) = (text(passed.owner), text(passed.name));
    let given = values(&Values::Known(passed.values.clone()));
    format!("{owner}.{name}#{} = {given}", passed.argument)
}

fn values(values: &Values) -> String {
    let Values::Known(values) = values else {
        return "?".to_owned();
    };
    let show = |value: &Value| match value {
        Value::Text(text) => text.to_string(),
        Value::Class(name) => format!("{name}.class"),
        Value::Parameter(index) => format!("#{index}"),
    };
    match values.is_empty() {
        true => "null".to_owned(),
        false => values.iter().map(show).collect::<Vec<_>>().join("|"),
    }
}

#[test]
fn every_way_to_ask_for_a_class_is_found() {
    check("forName", &["class: p.A"]);
    check("forNameInLoader", &["class: p.A"]);
    check("loadClass", &["class: p.A"]);
    check("service", &["service: p/A.class"]);
    check("serviceInLoader", &["service: p/A.class"]);
    check("bundle", &["bundle: p.Messages"]);
}

#[test]
fn every_way_to_ask_for_a_member_is_found() {
    check("method", &["public method of p/A.class: m"]);
    check("declaredMethod", &["declared method of p/A.class: m"]);
    check("publicField", &["public field of p/A.class: f"]);
    check("declaredField", &["declared field of p/A.class: f"]);
    check("constructor", &["public constructor of p/A.class: <init>"]);
    let constructor = "declared constructor of p/A.class: <init>";
    check("declaredConstructor", &[constructor]);
    check("newInstance", &[constructor]);
    check("allMethods", &["declared method of p/A.class: ?"]);
    check("updater", &["declared field of p/A.class: field"]);
    check(
        "handles",
        &[
            "handle method of p/A.class: v",
            "handle method of p/A.class: s",
            "handle constructor of p/A.class: <init>",
            "handle field of p/A.class: g",
            "handle field of p/A.class: t",
            "handle method of p/A.class: p",
            "handle method of ?: b",
        ],
    );
}

#[test]
fn every_way_to_ask_for_a_resource_is_found() {
    check(
        "resources",
        &[
            "resource of p/A.class: a.txt",
            "resource of p/A.class: /b.txt",
            "resource: c.txt",
            "resource: d.txt",
        ],
    );
    check("reference", &["resource: ?"]);
}

#[test]
fn constants_come_through_locals_and_branches() {
    check("local", &["class: p.A"]);
    check("constant", &["class: p.Constant"]);
    check("branches", &["class: p.A|p.B"]);
    let ternary = "public method of p/A.class|p/B.class: m|n";
    check("ternary", &["class: p.B", ternary]);
    check("choice", &["public method of p/A.class: a|b|c"]);
    check("stringChoice", &["public method of p/A.class: a|b"]);
    check("loop", &["public method of p/A.class: a|b"]);
    check("wide", &["class: p.A"]);
}

#[test]
fn too_many_values_are_unknown() {
    check("nine", &["public method of p/A.class: ?"]);
    check("longLoop", &["public method of p/A.class: ?"]);
}

#[test]
fn elements_of_arrays_are_known_until_others_get_hold_of_the_array() {
    check("list", &["public method of p/A.class: a|b"]);
    let of = |name: &str| format!("public method of p/A.class: {name}");
    check("element", &[&of("b"), &of("c"), &of("?")]);
    let all = [of("#0"), of("#0"), of("x|#0"), of("?")];
    check("elementOfParameter", &all.each_ref().map(String::as_str));
}

#[test]
fn parameters_are_named() {
    check(
        "parameter",
        &[
            "class: #1",
            "public method of #1: #2",
            "declared field of #2: #1",
        ],
    );
    check("staticParameter", &["class: #0"]);
    check("changedParameter", &["public method of p/A.class: x|#1"]);
}

#[test]
fn texts_are_put_together() {
    check(
        "concatenated",
        &[
            "public method of p/A.class: getName|setName",
            "public method of p/A.class: getName|setName",
            "public method of p/A.class: ?",
            "public method of p/A.class: getx1Name|setx1Name",
            "public method of p/A.class: #0",
            "public method of p/A.class: ?",
        ],
    );
    check(
        "built",
        &[
            "class: p.A|p.A$Inner",
            "class: ?",
            "class: p.1x",
            "class: ?",
        ],
    );
    check("builtInLoop", &["class: p.A"]);
}

#[test]
fn texts_that_were_made_are_told() {
    let made = ["getName", "getx1Name", "setName", "setx1Name"];
    check_texts("concatenated", &made);
    check_texts("local", &[]);
}

#[test]
fn texts_are_made_of_classes_and_of_other_texts() {
    let class = |name: &str| format!("class: {name}");
    let expected = [
        class("p.A$Inner"),
        class("p.B"),
        class("p.A.Inner"),
        "public method of p/A.class: makeInner".to_owned(),
        class("p.A"),
        class("p.A"),
        class("p.A"),
        class("?"),
        class("p.q.A"),
        class("p.A"),
        class("p.A"),
        class("p.A"),
        class("?"),
    ];
    check("textOfClass", &expected.each_ref().map(String::as_str));
}

#[test]
fn what_comes_from_elsewhere_is_unknown() {
    let any = "class: ?";
    let method = "public method of ?: m";
    check("unknownSources", &[any, any, any, any, method, any]);
}

#[test]
fn a_handler_sees_what_locals_held_where_the_exception_came_from() {
    let of = |name: &str| format!("public method of p/A.class: {name}");
    check("handlers", &[&of("first|second"), &of("first|last|second")]);
    // The compiler copies the block; nothing can go wrong after the last assignment.
    check("finallyBlock", &[&of("c"), &of("b")]);
    check("arrayInHandler", &[&of("?")]);
}

#[test]
fn arguments_of_calls_are_told() {
    check_passed(
        "passes",
        &[
            "p/Helper.<init>#0 = c",
            "p/Helper.many#0 = a|p/A.class",
            "p/Helper.own#0 = null",
            "p/Helper.sequence#0 = ab",
            "p/Helper.text#0 = p.A",
            "p/Helper.two#1 = #0",
            "p/Helper.two#2 = p/A.class",
        ],
    );
    check_passed("passesSeveral", &["p/Helper.text#0 = a|b|c"]);
    check_passed("nothing", &[]);
}

#[test]
fn an_argument_that_may_be_anything_is_not_told() {
    check_passed("passesUnknown", &[]);
    check_passed("passesAndChanges", &[]);
    check_passed("passesAndChangesLater", &[]);
}

#[test]
fn what_a_lambda_captures_is_an_argument_of_its_method() {
    check_passed(
        "captures",
        &[
            "p/Code.lambda$captures$0#0 = #0",
            "p/Code.lambda$captures$1#0 = #0",
        ],
    );
}

/// Finds all names in `bytes`, and counts look-ups and those with a known name.
fn find_all(bytes: &[u8]) -> tamis_classfile::Result<(usize, usize)> {
    let class = ClassFile::parse(bytes)?;
    let finder = Finder::new(&class)?;
    let (mut all, mut known) = (0, 0);
    for method in class.methods() {
        let method = method?;
        if let Some(code) = class.code(&method)? {
            let names = finder.find(&method, &code)?;
            let is_known = |lookup: &&Lookup| lookup.name != Values::Unknown;
            all += names.lookups.len();
            known += names.lookups.iter().filter(is_known).count();
        }
    }
    Ok((all, known))
}

fn check_jdk(feature: u32) {
    let (mut all, mut known) = (0, 0);
    for class in some_classes(&Jdk::find(feature)) {
        let found = find_all(&class.bytes).unwrap_or_else(|e| panic!("{}: {e}", class.file));
        all += found.0;
        known += found.1;
    }
    assert!(known * 4 > all, "{known} of {all} names are known");
}

#[test]
fn names_in_jdk_17_are_found() {
    check_jdk(17);
}

#[test]
fn names_in_jdk_25_are_found() {
    check_jdk(25);
}

#[test]
fn damaged_classes_do_not_panic() {
    for bytes in CLASSES.iter() {
        for at in (0..bytes.len()).step_by(23) {
            let mut damaged = bytes.clone();
            damaged[at] ^= [1, 0x10, 0xff][at % 3];
            // Either is fine: many bytes may be anything.
            let _ = find_all(&damaged);
        }
    }
}
