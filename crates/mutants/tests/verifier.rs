//! What the verifiers of JVMs say about mutants.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write;

use support::jdk::Jdk;
use support::judge::{Case, is_invalid, judge};
use support::{Classes, SAMPLES, compile, jars};
use tamis_mutants::{Mutant, Operator, mutants};

/// How many mutants of each jar a JVM looks at, unless `MUTANTS_PER_JAR` says otherwise.
const PER_JAR: usize = 1000;

/// Jars that need hardly any others: of javac with stack maps, and without, and of another language.
const JARS: [&str; 4] = ["commons-lang3", "junit", "guava", "scala-library"];

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

/// Lets a JVM judge all of `chosen`; `accepts` says which answers are good.
fn check(
    jdk: &Jdk,
    (name, wish): (&str, &str),
    company: &Classes,
    chosen: &[(Mutant, &[u8])],
    accepts: impl Fn(&str) -> bool,
) {
    let cases = chosen.iter().map(|(mutant, original)| {
        let bytes = applied(mutant, original);
        Case::new(&mutant.class, wish, bytes)
    });
    let answers = judge(jdk, name, company, cases);
    for ((mutant, _), answer) in chosen.iter().zip(answers) {
        assert!(accepts(&answer), "{mutant:?}: {answer}");
    }
}

/// How many mutants each operator has.
fn table(mutants: &[(Mutant, &[u8])]) -> String {
    let mut table = String::new();
    for operator in Operator::ALL {
        let of = mutants.iter().filter(|(m, _)| m.operator == operator);
        writeln!(table, "{operator:22}{:6}", of.count()).expect("written");
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
        assert!(mutants.len() > 200, "{}", mutants.len());
        let wish = ("features", "initialize");
        check(&jdk, wish, &classes, &mutants, |answer| !is_invalid(answer));
    }
    let wish = ("all-samples", "initialize");
    let mutants = all(&SAMPLES);
    check(&Jdk::find(25), wish, &SAMPLES, &mutants, |answer| {
        !is_invalid(answer)
    });
}

/// Those of `chosen` whose classes link without anything that is not there; the others cannot be
/// judged.
fn linked<'c>(
    jdk: &Jdk,
    jar: &str,
    classes: &Classes,
    chosen: Vec<(Mutant, &'c [u8])>,
) -> Vec<(Mutant, &'c [u8])> {
    let names: BTreeSet<&str> = chosen.iter().map(|(m, _)| m.class.as_str()).collect();
    let cases: Vec<Case> = names
        .iter()
        .map(|name| Case::new(name, "link", classes[*name].clone()))
        .collect();
    let answers = judge(jdk, jar, classes, cases.into_iter());
    let linked = names.iter().zip(answers).filter(|(_, a)| a == "links");
    let linked: BTreeSet<String> = linked.map(|(name, _)| (*name).to_owned()).collect();
    assert!(linked.len() * 10 > names.len() * 9, "{jar}");
    let is_linked = |(mutant, _): &(Mutant, _)| linked.contains(&mutant.class);
    chosen.into_iter().filter(is_linked).collect()
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
        let mutants = all(&classes);
        insta::assert_snapshot!(jar, table(&mutants));
        let step = mutants.len().div_ceil(per_jar).max(1);
        let chosen = mutants.into_iter().step_by(step).collect();
        let chosen = linked(&jdk, jar, &classes, chosen);
        check(&jdk, (jar, "link"), &classes, &chosen, |answer| {
            answer == "links"
        });
    }
}
