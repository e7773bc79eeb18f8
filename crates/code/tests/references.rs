//! What the code of compiled Java sources refers to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use tamis_classfile::{ClassFile, Member, access};
use tamis_code::references::{Kind, annotations, around, made, of_code, shown, structural};
use tamis_code::{Nesting, nesting};

const SOURCE: &str = r#"
    package p;
    import java.lang.annotation.*;
    import java.util.function.*;

    class Empty {}
    class Other { static int field; int instance; static void run() {} int m(Empty e) { return 1; } }
    class Failure extends RuntimeException {}
    class Element {}
    interface Marker {}
    interface Marked { void mark(); }
    interface Task { Empty run(Other o); }
    enum Color { RED }
    @Retention(RetentionPolicy.RUNTIME) @interface Seen {
        Class<?>[] types() default {}; Color color() default Color.RED; Inner inner() default @Inner;
    }
    @Retention(RetentionPolicy.RUNTIME) @interface Inner { Class<?> value() default int.class; }
    @Retention(RetentionPolicy.RUNTIME) @interface OnMember {}
    @Retention(RetentionPolicy.RUNTIME) @interface OnParameter {}
    @Retention(RetentionPolicy.RUNTIME) @Target(ElementType.TYPE_USE) @interface OnType {}
    @interface Unseen {}

    class Code {
        void nothing() { int i = 3; String s = "p/Empty"; }
        int reads() { return Other.field; }
        void writes(Other o) { o.instance = 2; }
        Object literal() { return Empty.class; }
        Object arrayLiteral() { return Element[][].class; }
        Object primitives() { return new int[2][2].clone(); }
        Object cast(Object o) { return (Marker) o; }
        Object castArray(Object o) { return (Element[][]) o; }
        Object castFirst(Object o) { Object e = (Empty) o; return new Empty(); }
        Object castLast(Object o) { Object c = Empty.class; return o instanceof Empty; }
        int castToRead(Object o) { return ((Other) o).instance; }
        int castToCall(Object o) { return ((Other) o).m(null); }
        Object castArrayAndMake(Object o) { Object e = (Empty[]) o; return new Empty(); }
        Object castHidden(java.util.List<Element> l) { Element e = l.get(0); return e; }
        void catchesAndThrows() { try { hashCode(); } catch (Failure f) { throw new Failure(); } }
        boolean instance(Object o) { return o instanceof Marker; }
        Object creates() { return new Empty(); }
        Object array() { return new Element[2]; }
        Object arrays() { return new Element[2][2]; }
        Object cloned(Element[] e) { return e.clone(); }
        void catches() { try { hashCode(); } catch (Failure f) { hashCode(); } }
        void calls() { Other.run(); }
        Object handle() { return (Runnable) Other::run; }
        Object bound(Other o) { return (ToIntFunction<Empty>) o::m; }
        Object lambda() { return (Task) o -> null; }
        Object twice() { Runnable r = Other::run; return (Marked) Other::run; }
        Object serializable() { return (Runnable & java.io.Serializable) Other::run; }
        Object castForLambda(Object o) { Object t = (Task) o; return (Task) x -> null; }
        Object marked() { return (Runnable & Marker) () -> {}; }
    }

    @Seen(types = {Empty.class, Element[].class}, color = Color.RED, inner = @Inner(Other.class))
    @Unseen
    class Annotated extends Other implements Marker {
        @OnMember int field;
        void m(@OnParameter int i) {}
        @OnType String typed;
    }

    record Components(@OnMember int a) {}

    sealed class Shapes<LIST extends Marker> extends java.util.ArrayList<Element> {
        Empty field;
        java.util.Map<String, ? super Other[]> generic;
        Generic<String>.Member member;
        <T extends Task> Color[] method(Components[][] c) throws Failure { return new Object() { Color[] a; }.a; }
        private static class Nested {}
    }
    final class Permitted extends Shapes<Marker> {}
    class Generic<T> { class Member { class Deep {} } }
    record Pair(java.util.List<Seen> first, Inner second) {}
"#;

/// Where the classes of the source are, compiled once.
static CLASSES: LazyLock<PathBuf> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("references");
    fs::create_dir_all(&directory).unwrap();
    let source = directory.join("Code.java");
    fs::write(&source, SOURCE).unwrap();
    let output = Command::new(javac())
        .env_remove("JAVA_TOOL_OPTIONS")
        .args(["-proc:none", "--release", "17", "-d"])
        .args([&directory, &source])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    directory
});

fn javac() -> PathBuf {
    let listed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let homes = env::var_os("JAVA_HOME").map(PathBuf::from).into_iter();
    homes
        .chain(listed.map(|entry| entry.path()))
        .map(|home| home.join("bin/javac"))
        .find(|javac| javac.exists())
        .unwrap_or_else(|| PathBuf::from("javac"))
}

fn bytes(class: &str) -> Vec<u8> {
    fs::read(CLASSES.join("p").join(class).with_extension("class")).unwrap()
}

/// What `method` refers to in package `p`: types by name, calls as `Class.method`.
fn references(bytes: &[u8], method: &str) -> BTreeSet<String> {
    let class = ClassFile::parse(bytes).unwrap();
    let mut seen = BTreeSet::new();
    for member in class.methods() {
        let member = member.unwrap();
        if class.pool.utf8(member.name).unwrap() != method.as_bytes() {
            continue;
        }
        let code = class.code(&member).unwrap().unwrap();
        of_code(&class, &code, &mut |owner, kind| {
            let Some(owner) = text(owner).strip_prefix("p/") else {
                return;
            };
            seen.insert(match kind {
                Kind::Type | Kind::New | Kind::Literal => owner.to_owned(),
                Kind::Check => format!("({owner})"),
                Kind::Call { name, .. } => format!("{owner}.{}", text(name)),
                Kind::Field { name, .. } => format!("{owner}:{}", text(name)),
                Kind::Handle { name } => format!("&{owner}.{}", text(name)),
                Kind::Text => format!("{owner:?}"),
            });
        })
        .unwrap();
    }
    seen
}

fn check(method: &str, expected: &[&str]) {
    let expected = expected.iter().map(|name| name.to_string()).collect();
    assert_eq!(references(&bytes("Code"), method), expected, "{method}");
}

fn text(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap()
}

#[test]
fn call_sites_make_objects_of_interfaces_with_methods_that_javac_wrote() {
    let check = |method: &str, expected: &[&str]| {
        let bytes = bytes("Code");
        let class = ClassFile::parse(&bytes).unwrap();
        let members = class.methods().map(Result::unwrap);
        let is_it =
            |member: &Member<'_>| class.pool.utf8(member.name).unwrap() == method.as_bytes();
        let member = members.into_iter().find(is_it).unwrap();
        let found = made(&class, &class.code(&member).unwrap().unwrap()).unwrap();
        let types = found.types.iter().map(|name| text(name).to_owned());
        let lambdas = found.lambdas.iter().map(|lambda| {
            let [owner, name, _] = lambda.body.map(text);
            let (interface, method) = (text(lambda.interface), text(lambda.method));
            format!("{interface}.{method} = {owner}.{name}")
        });
        assert_eq!(
            types.chain(lambdas).collect::<Vec<_>>(),
            expected,
            "{method}"
        );
    };
    check("calls", &[]);
    check("handle", &["java/lang/Runnable"]);
    check("bound", &["java/util/function/ToIntFunction"]);
    check("lambda", &["p/Task", "p/Task.run = p/Code.lambda$lambda$0"]);
    check("twice", &["java/lang/Runnable", "p/Marked"]);
    check("serializable", &["java/lang/Runnable"]);
    check("marked", &["java/lang/Runnable", "p/Marker"]);
}

#[test]
fn code_refers_to_the_owners_of_fields_and_to_types() {
    check("nothing", &["\"Empty\""]);
    check("reads", &["Other", "Other:field"]);
    check("writes", &["Other", "Other:instance"]);
    check("literal", &["Empty"]);
    check("arrayLiteral", &["Element"]);
    check("primitives", &[]);
    check("array", &["Element"]);
    check("arrays", &["Element"]);
    check("cloned", &["Element"]);
}

#[test]
fn casts_and_handlers_check_types() {
    check("cast", &["(Marker)"]);
    check("castArray", &["(Element)"]);
    check("castHidden", &["(Element)"]);
    check("instance", &["(Marker)"]);
    check("catches", &["(Failure)"]);
    check("castToCall", &["(Other)", "Other.m"]);
}

#[test]
fn what_is_checked_and_used_otherwise_is_used() {
    check("castFirst", &["Empty", "Empty.<init>"]);
    check("castLast", &["Empty"]);
    check("castToRead", &["Other", "Other:instance"]);
    check("castArrayAndMake", &["(Empty)", "Empty", "Empty.<init>"]);
    check("catchesAndThrows", &["Failure", "Failure.<init>"]);
    // The call site makes a task.
    check(
        "castForLambda",
        &[
            "&Code.lambda$castForLambda$1",
            "(Task)",
            "Code",
            "Code.lambda$castForLambda$1",
            "Empty",
            "Other",
            "Task",
        ],
    );
}

#[test]
fn code_refers_to_what_it_calls() {
    check("calls", &["Other.run"]);
    check("creates", &["Empty", "Empty.<init>"]);
}

#[test]
fn call_sites_refer_to_method_handles_and_to_the_types_that_are_resolved_for_them() {
    check("handle", &["&Other.run", "Other", "Other.run"]);
    check("bound", &["&Other.m", "Empty", "Other", "Other.m"]);
    check(
        "lambda",
        &[
            "&Code.lambda$lambda$0",
            "Code",
            "Code.lambda$lambda$0",
            "Empty",
            "Other",
            "Task",
        ],
    );
}

#[test]
fn dynamic_constants_are_followed_once() {
    let mut bytes = bytes("Code");
    let class = ClassFile::parse(&bytes).unwrap();
    let (count, end) = (class.pool.count(), class.pool.end());
    let table = class
        .find(class.attributes(), b"BootstrapMethods")
        .unwrap()
        .unwrap();
    let (first, arguments) = (table.offset + 2, &table.data[4..6]);
    assert_eq!(
        arguments,
        [0, 3],
        "the first bootstrap method has three arguments"
    );
    // Its arguments become a class and a dynamic constant that it computes itself.
    let [class, dynamic] = [1, 5].map(|i| (count + i).to_be_bytes());
    bytes[first + 4..first + 6].copy_from_slice(&class);
    bytes[first + 6..first + 8].copy_from_slice(&dynamic);
    let [hidden, name, descriptor, name_and_type] = [0, 2, 3, 4].map(|i| (count + i).to_be_bytes());
    let constants = [
        &[1, 0, 8][..],
        b"p/Hidden",
        &[7],
        &hidden,
        &[1, 0, 1],
        b"x",
        &[1, 0, 1],
        b"I",
        &[12],
        &name,
        &descriptor,
        &[17, 0, 0],
        &name_and_type,
    ];
    bytes.splice(end..end, constants.concat());
    bytes[8..10].copy_from_slice(&(count + 6).to_be_bytes());
    assert!(references(&bytes, "handle").contains("Hidden"));
}

type Names = fn(&ClassFile<'_>, &mut dyn FnMut(&[u8])) -> tamis_classfile::Result<()>;

fn check_structural(class: &str, expected: &[&str]) {
    check_names(class, expected, |class, visit| {
        structural(class, &mut |name| visit(name))
    });
}

fn check_shown(class: &str, expected: &[&str]) {
    check_names(class, expected, shown);
}

fn check_around(class: &str, expected: &[&str]) {
    check_names(class, expected, |class, visit| {
        around(class, &mut |name| visit(name))
    });
}

fn check_names(class: &str, expected: &[&str], names: Names) {
    let bytes = bytes(class);
    let mut seen = BTreeSet::new();
    names(&ClassFile::parse(&bytes).unwrap(), &mut |name| {
        seen.extend(text(name).strip_prefix("p/").map(str::to_owned));
    })
    .unwrap();
    assert_eq!(
        seen,
        expected.iter().map(|name| name.to_string()).collect(),
        "{class}"
    );
}

#[test]
fn a_class_refers_to_its_supertypes_and_to_annotations_visible_at_run_time() {
    let annotations = [
        "Color",
        "Element",
        "Empty",
        "Inner",
        "OnMember",
        "OnParameter",
        "OnType",
    ];
    check_structural(
        "Annotated",
        &[&annotations[..], &["Marker", "Other", "Seen"]].concat(),
    );
    check_structural("Components", &["OnMember"]);
    check_structural("Empty", &[]);
}

#[test]
fn a_declaration_has_its_own_annotations_without_those_in_their_values() {
    check_names("Annotated", &["Seen"], |class, visit| {
        annotations(class, class.attributes(), &mut |name| visit(name))
    });
    check_names("Annotated", &["OnMember"], |class, visit| {
        class
            .fields()
            .chain(class.methods())
            .try_for_each(|member| annotations(class, member?.attributes, &mut |name| visit(name)))
    });
    check_names("Empty", &[], |class, visit| {
        annotations(class, class.attributes(), &mut |name| visit(name))
    });
}

#[test]
fn a_class_knows_where_it_is_declared() {
    let check = |name: &str, expected: Nesting<'_>| {
        let bytes = bytes(name);
        let class = ClassFile::parse(&bytes).unwrap();
        assert_eq!(nesting(&class), Ok(expected), "{name}");
    };
    let member = |outer, access| Nesting::Member { outer, access };
    check("Shapes", Nesting::TopLevel);
    check(
        "Shapes$Nested",
        member(b"p/Shapes", access::PRIVATE | access::STATIC),
    );
    check("Generic$Member$Deep", member(b"p/Generic$Member", 0));
    check("Shapes$1", Nesting::Local);
}

#[test]
fn an_annotation_refers_to_its_defaults() {
    check_structural("Seen", &["Color", "Inner"]);
}

#[test]
fn a_class_shows_the_types_that_it_declares_and_names() {
    let shapes = [
        "Color",
        "Components",
        "Element",
        "Empty",
        "Failure",
        "Generic",
        "Generic$Member",
        "Marker",
        "Other",
        "Permitted",
        "Shapes$1",
        "Shapes$Nested",
        "Task",
    ];
    check_shown("Shapes", &shapes);
    check_shown("Pair", &["Inner", "Seen"]);
    check_shown("Empty", &[]);
}

#[test]
fn a_nested_class_has_others_around_it() {
    check_around("Shapes$1", &["Shapes"]);
    check_around("Generic$Member$Deep", &["Generic", "Generic$Member"]);
    check_around("Shapes", &[]);
}

#[test]
fn damaged_classes_do_not_panic() {
    for class in [
        "Code",
        "Annotated",
        "Seen",
        "Components",
        "Shapes",
        "Shapes$1",
        "Pair",
    ] {
        let bytes = bytes(class);
        for at in 0..bytes.len() {
            for flip in [1, 0x10, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                // Either is fine: many bytes may be anything.
                let _ = visit_all(&damaged);
            }
        }
    }
}

fn visit_all(bytes: &[u8]) -> tamis_classfile::Result<()> {
    let class = ClassFile::parse(bytes)?;
    for method in class.methods() {
        if let Some(code) = class.code(&method?)? {
            of_code(&class, &code, &mut |_, _| {})?;
        }
    }
    shown(&class, &mut |_| {})?;
    around(&class, &mut |_| {})?;
    nesting(&class)?;
    annotations(&class, class.attributes(), &mut |_| {})?;
    structural(&class, &mut |_| {})
}
