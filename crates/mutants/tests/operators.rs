//! What each operator does to its sample, and that it shows when the sample runs.

mod support;

use std::sync::LazyLock;

use support::jdk::Jdk;
use support::judge::{Case, is_invalid, judge};
use support::{SAMPLES, of_sample, source};
use tamis_mutants::{Mutant, Operator, mutants};

static SOURCE: LazyLock<String> =
    LazyLock::new(|| std::fs::read_to_string(source("Samples.java")).expect("samples"));

/// The line of the source, and what happens there.
fn show(mutant: &Mutant) -> String {
    let line = mutant.line.map(usize::from);
    let line = line.and_then(|line| SOURCE.lines().nth(line - 1));
    let place = line.map_or(mutant.class.as_str(), str::trim);
    format!("{place} // {}", mutant.description)
}

fn shown<'m>(mutants: impl IntoIterator<Item = &'m Mutant>) -> String {
    let lines: Vec<String> = mutants.into_iter().map(show).collect();
    lines.join("\n")
}

#[test]
fn each_operator_does_what_it_says() {
    for operator in Operator::ALL {
        let mutants = of_sample(operator);
        let mutants = mutants.iter().map(|(mutant, _)| mutant);
        insta::with_settings!({
            description => operator.description(),
            omit_expression => true,
        }, {
            insta::assert_snapshot!(operator.name(), shown(mutants));
        });
    }
}

/// The class whose `run` shows what an operator does.
fn runner(operator: Operator) -> String {
    match operator {
        Operator::DroppedInterface => "DroppedInterface$Sample".to_owned(),
        _ => format!("{operator:?}"),
    }
}

#[test]
fn every_mutant_of_a_sample_shows_when_it_runs() {
    let runners = Operator::ALL.map(runner);
    let mut cases = Vec::new();
    let mut told = Vec::new();
    for (operator, run) in Operator::ALL.into_iter().zip(&runners) {
        cases.push(Case::new(run, run, SAMPLES[run].clone()));
        told.push(None);
        for (mutant, original) in of_sample(operator) {
            let bytes = mutant.apply(original).expect("mutated class");
            cases.push(Case::new(&mutant.class, run, bytes));
            told.push(Some(format!("{operator}: {}", show(&mutant))));
        }
    }
    let answers = judge(&Jdk::find(17), "samples", &SAMPLES, cases.into_iter());
    let mut original = String::new();
    for (told, answer) in told.into_iter().zip(answers) {
        let Some(told) = told else {
            assert!(answer.starts_with("returns "), "{answer}");
            original = answer;
            continue;
        };
        assert!(!is_invalid(&answer), "{told}: {answer}");
        assert_ne!(answer, original, "{told}");
    }
}

#[test]
fn what_compilers_generate_is_left_alone() {
    let classes = SAMPLES
        .iter()
        .filter(|(name, _)| name.starts_with("Generated"));
    let all = classes.flat_map(|(_, bytes)| mutants(bytes).expect("mutants"));
    let all: Vec<Mutant> = all.collect();
    insta::assert_snapshot!("generated", shown(&all));
}

#[test]
fn a_mutant_fits_only_its_own_class() {
    let (mutant, original) = of_sample(Operator::Arithmetic).remove(0);
    assert!(mutant.apply(original).is_ok());
    let error = mutant.apply(&SAMPLES["Constant"]).unwrap_err();
    assert_eq!(error.to_string(), "mutant of another class at byte 0");
    let mutated = mutant.apply(original).unwrap();
    assert!(mutant.apply(&mutated).is_err(), "it was applied already");
    assert!(mutant.apply(b"no class").is_err());
}

#[test]
fn names_of_operators_are_unique_and_told() {
    let mut names: Vec<String> = Operator::ALL.iter().map(ToString::to_string).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), Operator::ALL.len());
}
