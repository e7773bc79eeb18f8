//! Which tests a change of one member affects, by way of everything that Java can do to reach it.

#[path = "../../fingerprint/tests/support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use tamis_classpath::{ClassPath, Entries, Lookup};
use tamis_graph::{
    Cause, Change, Changes, Declared, MemberGraph, MemberKey, MemberRules, Outside, Program,
    Resource, UnknownReflection,
};
use tamis_snapshot::Snapshot;
use tempfile::TempDir;

const SOURCES: &[(&str, &str)] = &[
    ("Base", "class Base { Base() { start(); } static void start() {} void over() {} void kept() {} }"),
    ("Sub", "class Sub extends Base { Sub() {} void over() {} void up() { super.over(); } }"),
    ("HiddenSuperTest", "class HiddenSuperTest { void t() { new Sub(); } }"),
    ("InheritedTest", "class InheritedTest { void t() { new Sub().kept(); } }"),
    ("SuperCallTest", "class SuperCallTest { void t() { new Sub().up(); } }"),
    ("OverrideTest", "class OverrideTest { void t() { call(new Sub()); } void call(Base b) { b.over(); } }"),
    ("Fields", "class Fields { static int start = Fields.first(); static int first() { return 1; } int own; }"),
    ("InitializedTest", "class InitializedTest { void t() { int i = Fields.start; } }"),
    ("FieldTest", "class FieldTest { void t() { new Fields().own = 1; } }"),
    ("Work", "class Work { void lambda() {} void reference() {} static void both() {} }"),
    ("LambdaTest", "class LambdaTest { void t() { Work w = new Work(); Runnable r = () -> w.lambda(); r.run(); } }"),
    ("Step", "interface Step { void go(); }"),
    ("NextStep", "interface NextStep extends Step {}"),
    ("OpenStep", "interface OpenStep extends Runnable {}"),
    ("Secret", "class Secret { private int m() { return 1; } int go() { return m(); } }"),
    ("SecretBelow", "class SecretBelow extends Secret { private int m() { return 2; } }"),
    ("SecretTest", "class SecretTest { void t() { new SecretBelow().go(); } }"),
    ("Wide", "interface Wide { int wide(); }"),
    ("WideDefault", "interface WideDefault extends Wide { default int wide() { return 1; } }"),
    ("Hides", "class Hides { private int wide() { return 2; } }"),
    ("HidesBelow", "class HidesBelow extends Hides implements WideDefault {}"),
    ("HiddenDefaultTest", "class HiddenDefaultTest { void t() { run(new HidesBelow()); } int run(Wide w) { return w.wide(); } }"),
    ("Started", "class Started { static { System.setProperty(\"p\", \"1\"); } }"),
    ("StartedTest", "class StartedTest { void t() throws Exception { Class.forName(\"p.Started\"); } }"),
    ("Kind", "enum Kind { ONE; public String toString() { return \"\"; } }"),
    ("EnumSetTest", "class EnumSetTest { String t() { return java.util.EnumSet.allOf(Kind.class).toString(); } }"),
    ("Level", "enum Level { LOW; public String toString() { return \"\"; } }"),
    ("AtLevel", "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface AtLevel { Level value(); }"),
    ("Leveled", "@AtLevel(Level.LOW) class Leveled {}"),
    ("AnnotationEnumTest", "class AnnotationEnumTest { String t() { return \"\" + Leveled.class.getAnnotation(AtLevel.class).value(); } }"),
    ("StaticAbove", "class StaticAbove { public static int found() { return 1; } }"),
    ("StaticBelow", "class StaticBelow extends StaticAbove {}"),
    ("InheritedStaticTest", "class InheritedStaticTest { void t() throws Exception { StaticBelow.class.getMethod(\"found\").invoke(null); } }"),
    ("Element", "class Element { public String toString() { return \"\"; } }"),
    ("ElementTest", "class ElementTest { String t() throws Exception { return make(new Element[1]).toString(); }
        Object make(Object[] a) throws Exception { return a.getClass().getComponentType().getDeclaredConstructor().newInstance(); } }"),
    ("Lower", "interface Lower { int low(); }"),
    ("Upper", "interface Upper extends Lower { int up(); default int low() { return up() + Walk.lowered(); } }"),
    ("Job", "interface Job extends Runnable { void work() throws Exception;
        default void run() { try { work(); } catch (Exception e) { Walk.handled(); } } }"),
    ("Jobs", "class Jobs { static Upper upper() { return () -> Walk.raised(); } static Job job() { return () -> Walk.worked(); }
        static int low(Lower lower) { return lower.low(); } static void start(Runnable job) { new Thread(job).start(); } }"),
    ("UpperTest", "class UpperTest { void t() { Jobs.low(Jobs.upper()); } }"),
    ("JobTest", "class JobTest { void t() { Jobs.start(Jobs.job()); } }"),
    ("Held", "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Held { Class<?> value(); }"),
    ("HeldBy", "@Held(HeldValue.class) class HeldBy {}"),
    ("HeldValue", "class HeldValue { HeldValue() {} public String toString() { return \"\"; } }"),
    ("AnnotatedValueTest", "class AnnotatedValueTest { Object t() throws Exception {
        return HeldBy.class.getAnnotation(Held.class).value().getDeclaredConstructor().newInstance().toString(); } }"),
    ("Generic", "abstract class Generic<T> { Object make() throws Exception { return ((Class<?>) ((java.lang.reflect.ParameterizedType)
        getClass().getGenericSuperclass()).getActualTypeArguments()[0]).getDeclaredConstructor().newInstance(); } }"),
    ("Given", "class Given { Given() {} public String toString() { return \"\"; } }"),
    ("GivenGeneric", "class GivenGeneric extends Generic<Given> {}"),
    ("SignatureTest", "class SignatureTest { Object t() throws Exception { return new GivenGeneric().make().toString(); } }"),
    ("Overloaded", "class Overloaded { String as(Object o) { return \"object\"; } String as(String s) { return \"text\"; } }"),
    ("OverloadedBelow", "class OverloadedBelow extends Overloaded { String as(String s) { return \"below\"; } }"),
    ("OverloadedTest", "class OverloadedTest { void t() { run(new OverloadedBelow()); } String run(Overloaded o) { return o.as(\"x\"); } }"),
    ("Walk", "class Walk { static void idle() {} static void called() {} static void above() {} static void open() {}
        static void reflected() {} static void reference() {} static int raised() { return 1; }
        static int lowered() { return 1; } static void worked() {} static void handled() {} }"),
    ("Steps", "class Steps {
        static Step idle() { return () -> Walk.idle(); } static Step called() { return () -> Walk.called(); }
        static NextStep above() { return () -> Walk.above(); } static OpenStep open() { return () -> Walk.open(); }
        static Step reflected() { return () -> Walk.reflected(); } static Step reference() { return Walk::reference; } }"),
    ("IdleStepTest", "class IdleStepTest { void t() { Steps.idle(); Steps.called(); Steps.above(); Steps.reference(); } }"),
    ("CalledStepTest", "class CalledStepTest { void t() { Steps.called().go(); } }"),
    ("AboveStepTest", "class AboveStepTest { void t() { run(Steps.above()); } void run(Step s) { s.go(); } }"),
    ("OpenStepTest", "class OpenStepTest { void t() { new Thread(Steps.open()); } }"),
    ("ReflectedStepTest", "class ReflectedStepTest { void t() throws Exception {
        Step.class.getMethod(\"go\").invoke(Steps.reflected()); } }"),
    ("ReferenceStepTest", "class ReferenceStepTest { void t() { Steps.reference().go(); } }"),
    ("ReferenceTest", "class ReferenceTest { void t() { Runnable r = new Work()::reference; r.run(); } }"),
    ("Order", "class Order implements java.util.Comparator<String> {
        public int compare(String a, String b) { return Work2.help(); } }"),
    ("Work2", "class Work2 { static int help() { return 1; } static String show() { return \"\"; } }"),
    ("CallbackTest", "class CallbackTest { void t() { new java.util.ArrayList<String>().sort(new Order()); } }"),
    ("Shown", "class Shown { public String toString() { return Work2.show(); } }"),
    ("ConcatTest", "class ConcatTest { void t() { String s = \"a\" + new Shown(); } }"),
    ("Maker", "class Maker { static Base make() { return new Late(); } }"),
    ("Late", "class Late extends Base { void over() { Work.both(); } }"),
    ("PassedTest", "class PassedTest { void t() { use(Maker.make()); } void use(Base b) { b.over(); } }"),
    ("Face", "interface Face { default int given() { return 1; } }"),
    ("Impl", "class Impl implements Face {}"),
    ("DefaultTest", "class DefaultTest { void t() { new Impl().given(); } }"),
    ("Color", "enum Color { RED { int value() { return 1; } }; abstract int value(); }"),
    ("SwitchTest", "class SwitchTest { int t(Color c) { switch (c) { case RED: return 1; default: return 0; } } }"),
    ("EnumTest", "class EnumTest { int t() { return Color.RED.value(); } }"),
    ("Reflected", "public class Reflected { public void one() {} public void two() {} public void three() {} public void four() {} }"),
    ("Constants", "class Constants {
        static Object call(Object on, String name) throws Exception { return on.getClass().getMethod(name).invoke(on); }
        static Class<?> find(String end) throws Exception { return Class.forName(\"p.\" + end); } }"),
    ("ConstantTest", "class ConstantTest { void t() throws Exception {
        Reflected.class.getMethod(\"one\").invoke(null); } }"),
    ("LocalTest", "class LocalTest { void t() throws Exception {
        String name = \"two\"; Class<?> c = Class.forName(\"p.Reflected\"); c.getMethod(name); } }"),
    ("ParameterTest", "class ParameterTest { void t() throws Exception { Constants.call(new Reflected(), \"three\"); } }"),
    ("ComputedTest", "class ComputedTest { void t() throws Exception {
        String start = \"p.Refl\"; Class.forName(start + \"ected\").getMethod(\"four\"); } }"),
    ("UnknownTest", "class UnknownTest { void t() throws Exception { Constants.find(System.getProperty(\"x\")); } }"),
    ("Reader", "class Reader { static Object read() { return Reader.class.getResource(\"data.txt\"); } }"),
    ("ResourceTest", "class ResourceTest { void t() { Reader.read(); } }"),
    ("Mark", "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Mark {}"),
    ("Task", "interface Task { void run(); default int more() { return 1; } }"),
    ("Own", "class Own implements Task { public void run() {} public int more() { return 2; } }"),
    ("LambdaDefaultTest", "class LambdaDefaultTest { void t() { show(new Own()); show(() -> {}); }
        void show(Task task) { task.more(); } }"),
    ("Service", "class Service { Service() { Service.set(); } static void set() {} void serve() {} }"),
    ("SubService", "class SubService extends Service { SubService(int i) {} void serve() {} }"),
    ("InjectedTest", "class InjectedTest { @Mark Service service; void t() { service.serve(); other(null); }
        void other(SubService s) {} }"),
    ("Parent", "class Parent { Parent() {} void go() {} }"),
    ("Child", "class Child extends Parent {}"),
    ("SuperclassTest", "class SuperclassTest { void t() throws Exception {
        Child.class.getSuperclass().getDeclaredConstructor().newInstance(); } }"),
    ("Part", "class Part { Part() {} }"),
    ("Holder", "class Holder { Part part; }"),
    ("HandInjectedTest", "class HandInjectedTest { void t() throws Exception { Holder holder = new Holder();
        for (java.lang.reflect.Field f : Holder.class.getDeclaredFields())
            f.set(holder, f.getType().getDeclaredConstructor().newInstance()); } }"),
    ("Outer", "class Outer { static class Deep { Deep() {} } }"),
    ("NestedReflectionTest", "class NestedReflectionTest { void t() throws Exception {
        Outer.class.getDeclaredClasses()[0].getDeclaredConstructor().newInstance(); } }"),
    ("GivenNamesTest", "class GivenNamesTest { @Mark void t(String name) throws Exception { Class.forName(name); }
        void own() throws Exception { t(\"p.Parent\"); } }"),
    ("OddWork", "class OddWork { public void work() {} }"),
    ("OddNameTest", "class OddNameTest { void t() throws Exception { OddWork.class.getMethod(\"odd name\"); } }"),
    ("RunnerTest", "@org.junit.runner.RunWith(com.other.Runner.class) class RunnerTest { void t() {} }"),
    ("WiredTest", "@org.springframework.Wired class WiredTest { void t() {} }"),
    ("OtherTest", "class OtherTest { void t() { new StringBuilder().append(1).toString(); } }"),
];

/// Where the classes of the project are.
const OWN: &str = "own";

/// The tests that look for classes of names that nobody knows, or whose frameworks do: every change affects them.
const ALWAYS: [&str; 4] = [
    "?GivenNamesTest",
    "?RunnerTest",
    "?UnknownTest",
    "?WiredTest",
];

static CLASSES: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let annotation = "package org.springframework;
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Wired {}";
    let run_with = "package org.junit.runner;
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
        public @interface RunWith { Class<?> value(); }";
    let frameworks = [
        ("org/springframework/Wired.java".to_owned(), annotation),
        ("org/junit/runner/RunWith.java".to_owned(), run_with),
        (
            "com/other/Runner.java".to_owned(),
            "package com.other; public class Runner {}",
        ),
    ];
    let sources = SOURCES.iter().map(|(name, text)| {
        let text: &str = Box::leak(format!("package p; {text}").into_boxed_str());
        (format!("p/{name}.java"), text)
    });
    for (path, bytes) in support::javac(sources.chain(frameworks), &[]) {
        let of = if path.starts_with("p/") {
            OWN
        } else {
            "outside"
        };
        let path: PathBuf = dir.path().join(of).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
});

/// What some types of the JDK declare.
struct Jdk;

impl Outside for Jdk {
    fn declared(&self, name: &str) -> Option<Declared> {
        let methods: &[(&str, &str)] = match name {
            "java/lang/Object" => &[("toString", "()Ljava/lang/String;")],
            "java/util/Comparator" => &[("compare", "(Ljava/lang/Object;Ljava/lang/Object;)I")],
            "java/lang/Enum" => &[("toString", "()Ljava/lang/String;")],
            _ => return None,
        };
        let methods = methods.iter();
        Some(Declared {
            supertypes: Vec::new(),
            methods: methods
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                .collect(),
        })
    }
}

fn class_path() -> ClassPath {
    let paths = [OWN, "outside"].map(|of| CLASSES.path().join(of));
    Entries::new(None).class_path(&paths)
}

fn affected(changes: &Changes) -> Vec<String> {
    let path = class_path();
    let snapshot = Snapshot::read(&path, None);
    let program = Program::new(&snapshot, |path| path.ends_with(OWN), &Jdk);
    let rules = MemberRules {
        reflection: Some(UnknownReflection::Everything),
        binding: true,
    };
    let resource = Resource {
        path: "p/data.txt".into(),
        classes: vec![],
    };
    let graph = MemberGraph::new(&program, rules, vec![resource], &Jdk);
    let names = SOURCES.iter().map(|(name, _)| *name);
    let tests: Vec<u32> = names
        .filter(|name| name.ends_with("Test"))
        .map(|name| program.class(&format!("p/{name}")).unwrap())
        .collect();
    let affected = graph.affected(changes, &tests);
    let by_path = affected
        .iter()
        .filter(|one| matches!(one.cause, Cause::Path(_)));
    let mut names: Vec<String> = by_path
        .map(|one| program.class_name(one.test).replace("p/", ""))
        .collect();
    let unknown = affected
        .iter()
        .filter(|one| !matches!(one.cause, Cause::Path(_)));
    names.extend(unknown.map(|one| program.class_name(one.test).replace("p/", "?")));
    names.sort();
    names
}

/// `member` of `class` changes, whatever its descriptor.
fn check(class: &str, member: &str, expected: &[&str]) {
    let path = class_path();
    let snapshot = Snapshot::read(&path, None);
    let name = format!("p/{class}");
    let Lookup::Found(found) = snapshot.class(&name) else {
        panic!("no class {class}");
    };
    let facts = found.facts().unwrap();
    let keys: BTreeSet<MemberKey> = facts
        .fields()
        .chain(facts.methods())
        .filter(|of| of.name() == member)
        .map(|of| MemberKey {
            name: of.name().to_owned(),
            descriptor: of.descriptor().to_owned(),
        })
        .collect();
    assert!(!keys.is_empty(), "no member {class}.{member}");
    let mut change = Change::nothing();
    if let Change::Parts { changed, .. } = &mut change {
        *changed = keys;
    }
    let changes = Changes {
        classes: [(name, change)].into(),
        ..Changes::default()
    };
    check_affected(&changes, expected);
}

fn check_affected(changes: &Changes, expected: &[&str]) {
    let expected: Vec<&str> = ALWAYS.into_iter().chain(expected.iter().copied()).collect();
    assert_eq!(affected(changes), expected, "{:?}", changes.classes);
}

#[test]
fn constructors_run_those_of_their_superclass() {
    let all = [
        "HiddenSuperTest",
        "InheritedTest",
        "OverrideTest",
        "PassedTest",
        "SuperCallTest",
    ];
    check("Base", "start", &all);
}

#[test]
fn inherited_members_and_super_calls_lead_to_the_superclass() {
    check("Base", "kept", &["InheritedTest"]);
    check("Base", "over", &["SuperCallTest"]);
}

#[test]
fn the_object_decides_which_override_runs() {
    check("Sub", "over", &["OverrideTest"]);
    check("Late", "over", &["PassedTest"]);
    check("Work", "both", &["PassedTest"]);
    check("Face", "given", &["DefaultTest"]);
}

#[test]
fn initializers_run_with_the_first_use() {
    check("Fields", "first", &["FieldTest", "InitializedTest"]);
    check("Fields", "own", &["FieldTest"]);
}

#[test]
fn lambdas_and_method_references_lead_to_their_methods() {
    check("Work", "lambda", &["LambdaTest"]);
    check("Work", "reference", &["ReferenceTest"]);
}

#[test]
fn lambdas_of_the_projects_interfaces_run_when_their_method_is_called() {
    check("Walk", "idle", &[]);
    check("Walk", "called", &["CalledStepTest"]);
    check("Walk", "above", &["AboveStepTest"]);
    // When it is made, the JVM links what it refers to.
    check("Walk", "reference", &["IdleStepTest", "ReferenceStepTest"]);
    // The JDK calls it, or reflection.
    check("Walk", "open", &["OpenStepTest"]);
    check("Walk", "reflected", &["ReflectedStepTest"]);
}

#[test]
fn private_methods_override_nothing() {
    check("Secret", "m", &["SecretTest"]);
    check("WideDefault", "wide", &["HiddenDefaultTest"]);
}

#[test]
fn classes_that_are_named_are_initialized_where_code_does_so() {
    check("Started", "<clinit>", &["StartedTest"]);
    check("Kind", "toString", &["EnumSetTest"]);
    check("Level", "toString", &["AnnotationEnumTest"]);
}

#[test]
fn reflection_finds_what_is_inherited_and_what_arrays_hold() {
    check("StaticAbove", "found", &["InheritedStaticTest"]);
    check("Element", "toString", &["ElementTest"]);
}

#[test]
fn default_methods_run_on_lambdas_whoever_calls_them() {
    check("Upper", "low", &["UpperTest"]);
    check("Walk", "lowered", &["UpperTest"]);
    check("Walk", "raised", &["UpperTest"]);
    check("Job", "run", &["JobTest"]);
    check("Walk", "worked", &["JobTest"]);
    check("Walk", "handled", &["JobTest"]);
}

#[test]
fn classes_in_annotations_and_signatures_are_made_by_reflection() {
    check("HeldValue", "toString", &["AnnotatedValueTest"]);
    check("Given", "toString", &["SignatureTest"]);
}

#[test]
fn an_overload_that_is_new_concerns_those_who_run_what_overrides_it() {
    let mut change = Change::nothing();
    if let Change::Parts { added, .. } = &mut change {
        added.insert(MemberKey {
            name: "as".into(),
            descriptor: "(Ljava/lang/String;)Ljava/lang/String;".into(),
        });
    }
    let changes = Changes {
        classes: [("p/Overloaded".to_owned(), change)].into(),
        ..Changes::default()
    };
    check_affected(&changes, &["OverloadedTest"]);
}

#[test]
fn the_jdk_calls_back_what_it_knows() {
    check("Work2", "help", &["CallbackTest"]);
    check("Work2", "show", &["ConcatTest"]);
}

#[test]
fn enums_are_reached_by_their_constants_and_switches() {
    check("Color", "<clinit>", &["EnumTest", "SwitchTest"]);
    check("Color$1", "value", &["EnumTest"]);
}

#[test]
fn reflection_finds_members_by_names_in_constants_locals_and_arguments() {
    check("Reflected", "one", &["ConstantTest"]);
    check("Reflected", "two", &["LocalTest"]);
    check("Reflected", "three", &["ParameterTest"]);
    check("Reflected", "four", &["ComputedTest"]);
}

#[test]
fn a_resource_concerns_those_who_name_it() {
    let changes = Changes {
        resources: ["p/data.txt".to_owned()].into(),
        ..Changes::default()
    };
    check_affected(&changes, &["ResourceTest"]);
}

#[test]
fn a_method_that_is_gone_concerns_those_who_run_what_it_overrode() {
    let mut change = Change::nothing();
    if let Change::Parts { deleted, .. } = &mut change {
        deleted.insert(MemberKey {
            name: "kept".into(),
            descriptor: "()V".into(),
        });
    }
    let changes = Changes {
        classes: [("p/Sub".to_owned(), change)].into(),
        ..Changes::default()
    };
    check_affected(&changes, &["InheritedTest"]);
}

#[test]
fn a_class_that_is_gone_concerns_those_who_have_its_name() {
    let changes = Changes {
        classes: [("p/Gone".to_owned(), Change::Deleted)].into(),
        ..Changes::default()
    };
    check_affected(&changes, &[]);
}

#[test]
fn lambdas_run_the_default_methods_of_their_interface() {
    check("Task", "more", &["LambdaDefaultTest"]);
}

#[test]
fn a_framework_makes_what_annotated_fields_of_tests_hold() {
    check("Service", "set", &["InjectedTest"]);
    check("Service", "serve", &["InjectedTest"]);
}

#[test]
fn reflection_makes_objects_of_what_declarations_lead_to() {
    check("Parent", "<init>", &["SuperclassTest"]);
    check("Part", "<init>", &["HandInjectedTest"]);
    check("Outer$Deep", "<init>", &["NestedReflectionTest"]);
}

#[test]
fn a_name_that_is_not_kept_may_be_any() {
    check("OddWork", "work", &["OddNameTest"]);
}
