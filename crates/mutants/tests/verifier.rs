//! What the verifiers of JVMs say about mutants.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;

use support::jdk::Jdk;
use support::judge::{Case, is_invalid, judge};
use support::{Classes, SAMPLES, compile, jars};
use tamis_mutants::{Mutant, Operator, mutants};

/// How many mutants of each jar a JVM looks at, unless `MUTANTS_PER_JAR` says otherwise.
const PER_JAR: usize = 3000;

/// Jars without dependencies: one that javac wrote with and one without stack maps, two of other
/// languages.
const JARS: [&str; 4] = ["commons-lang3", "junit", "kotlin-stdlib", "clojure"];

/// All mutants of `classes` with the original class files.
fn all(classes: &Classes) -> Vec<(Mutant, &[u8])> {
    let of_class = |(name, bytes): (&String, _)| {
        let mutants = mutants(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        mutants.into_iter().map(move |mutant| (mutant, bytes))
    };
    let classes = classes.iter().map(|(name, bytes)| (name, bytes.as_slice()));
    classes.flat_map(of_class).collect()
}

/// Mutates `original` and checks what needs no JVM.
fn applied(mutant: &Mutant, original: &[u8]) -> Vec<u8> {
    let bytes = mutant
        .apply(original)
        .unwrap_or_else(|e| panic!("{mutant:?}: {e}"));
    assert_ne!(bytes, original, "{mutant:?}");
    bytes
}

/// How many of the mutants of each operator there are, and that the JVM accepts those of `chosen`.
fn check(jdk: &Jdk, name: &str, wish: &str, company: &Classes, chosen: &[(Mutant, &[u8])]) {
    let cases = chosen.iter().map(|(mutant, original)| {
        let bytes = applied(mutant, original);
        Case::new(&mutant.class, wish, bytes)
    });
    let answers = judge(jdk, name, company, cases.collect());
    for ((mutant, _), answer) in chosen.iter().zip(answers) {
        assert!(!is_invalid(&answer), "{mutant:?}: {answer}");
    }
}

fn table(counts: &BTreeMap<Operator, usize>) -> String {
    let mut table = String::new();
    for (operator, count) in counts {
        writeln!(table, "{operator:22}{count:6}").expect("written");
    }
    table
}

#[test]
fn mutants_of_all_kinds_of_code_are_initialized_by_new_and_old_jvms() {
    for (feature, sources) in [
        (17, &["Exercise.java"][..]),
        (25, &["Exercise.java", "Modern.java"][..]),
    ] {
        let jdk = Jdk::find(feature);
        let classes = compile(&jdk, sources, &["-g"], "mutated");
        let mutants = all(&classes);
        assert!(mutants.len() > 300, "{}", mutants.len());
        check(&jdk, "features", "initialize", &classes, &mutants);
    }
    check(
        &Jdk::find(25),
        "all-samples",
        "initialize",
        &SAMPLES,
        &all(&SAMPLES),
    );
}

/// Classes that do not link without things that are not there cannot be judged.
fn linked(jdk: &Jdk, jar: &str, classes: &Classes) -> Classes {
    let cases = classes.iter();
    let cases = cases.map(|(name, bytes)| Case::new(name, "link", bytes.clone()));
    let answers = judge(jdk, &format!("{jar}-originals"), classes, cases.collect());
    let linked = classes.iter().zip(answers);
    let linked = linked.filter(|(_, answer)| answer == "links");
    linked
        .map(|((name, bytes), _)| (name.clone(), bytes.clone()))
        .collect()
}

#[test]
fn mutants_of_published_jars_verify() {
    jars::fetch();
    let jdk = Jdk::find(17);
    let per_jar = std::env::var("MUTANTS_PER_JAR").ok();
    let per_jar = per_jar.map_or(PER_JAR, |number| number.parse().expect("a number"));
    for jar in JARS {
        let name = |file: &str| file.trim_end_matches(".class").replace('/', ".");
        let classes = jars::classes(jar).into_iter();
        let classes: Classes = classes.map(|c| (name(&c.file), c.bytes)).collect();
        let linked = linked(&jdk, jar, &classes);
        assert!(
            linked.len() * 10 > classes.len() * 9,
            "{jar}: {}",
            linked.len()
        );
        let mutants = all(&linked);
        let mut counts = BTreeMap::new();
        for (mutant, _) in &mutants {
            *counts.entry(mutant.operator).or_default() += 1;
        }
        insta::assert_snapshot!(jar, table(&counts));
        let step = mutants.len().div_ceil(per_jar).max(1);
        let chosen: Vec<(Mutant, &[u8])> = mutants.into_iter().step_by(step).collect();
        check(&jdk, jar, "link", &classes, &chosen);
    }
}
