use super::Share;
use crate::{Mutation, Survey};
use serde::Serialize;
use std::collections::BTreeMap;

/// The results of mutants.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MutantFigures {
    /// All values.
    pub all: MutantGroup,
    /// By operator.
    pub operators: BTreeMap<String, MutantGroup>,
}

/// The results of some mutants.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MutantGroup {
    /// How many were tried.
    pub tried: usize,
    /// How many no test class reaches.
    pub unreached: usize,
    /// How many some test class kills, of all that there are.
    pub killed: usize,
    /// With how many a test never ended.
    pub endless: usize,
    /// How many ran alone.
    pub alone: usize,
    /// With how many of these at least one test class differs.
    pub changed: usize,
    /// With how many of these all that differs is what tests print.
    pub only_output: usize,
    /// With how many of these test classes did not run, because a JVM or the build came to its end before.
    pub not_all_run: usize,
    /// The results of each technique, in the order of tables.
    pub techniques: Vec<MutantChoice>,
}

/// The results of a technique for some mutants.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MutantChoice {
    /// Its name.
    pub name: String,
    /// The number of mutants for which it gave an answer.
    pub tried: usize,
    /// How many of these some test class kills, of all that there are.
    pub killed: usize,
    /// How many of those one kills that it selected.
    pub kills: usize,
    /// Test classes it selected, of those it knew; a step is a mutant.
    pub classes: Share,
    /// Mutants of which it left out a test class that differs.
    pub missed: Vec<MutantMiss>,
    /// Mutants for which it gave no answer, and so failed.
    pub failed: Vec<MutantFailure>,
}

impl MutantChoice {
    /// How many test classes it missed, over all mutants.
    pub fn missed_classes(&self) -> usize {
        self.missed.iter().map(|miss| miss.classes.len()).sum()
    }
}

/// A mutant for which a technique gave no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MutantFailure {
    /// The place and the change, such as `com.acme.Foo:12, >= becomes >`.
    pub mutant: String,
    /// Why.
    pub problem: String,
}

/// A mutant of which a technique left out a test class that differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MutantMiss {
    /// The place and the change, such as `com.acme.Foo:12, >= becomes >`.
    pub mutant: String,
    /// The method with its descriptor; none if the class itself is changed.
    pub method: Option<String>,
    /// The test classes.
    pub classes: Vec<String>,
    /// The classes of these that end as without the mutant and print something else.
    pub only_output: Vec<String>,
    /// Whether another one that it selected kills the mutant.
    pub killed: bool,
}

impl MutantFigures {
    pub(super) fn of(mutants: &[Mutation], names: &[String]) -> Option<MutantFigures> {
        let all: Vec<&Mutation> = mutants.iter().collect();
        let mut operators: BTreeMap<String, Vec<&Mutation>> = BTreeMap::new();
        for mutant in mutants {
            let group = operators.entry(mutant.operator.clone()).or_default();
            group.push(mutant);
        }
        let operators = operators.into_iter();
        (!all.is_empty()).then(|| MutantFigures {
            all: group(&all, names),
            operators: operators
                .map(|(operator, mutants)| (operator, group(&mutants, names)))
                .collect(),
        })
    }
}

fn group(mutants: &[&Mutation], names: &[String]) -> MutantGroup {
    let count =
        |which: fn(&Mutation) -> bool| mutants.iter().filter(|mutant| which(mutant)).count();
    MutantGroup {
        tried: mutants.len(),
        unreached: count(|mutant| mutant.reached_by == 0),
        killed: count(Mutation::is_killed),
        endless: count(|mutant| mutant.endless),
        alone: count(|mutant| mutant.alone.is_some()),
        changed: count(|mutant| mutant.alone.is_some() && mutant.differing().next().is_some()),
        only_output: count(Mutation::is_output_only),
        not_all_run: count(|mutant| {
            let alone = mutant.alone.as_ref();
            alone.is_some_and(|alone| !alone.not_run.is_empty())
        }),
        techniques: names.iter().map(|name| choice(mutants, name)).collect(),
    }
}

fn choice(mutants: &[&Mutation], name: &str) -> MutantChoice {
    let all = mutants
        .iter()
        .filter_map(|mutant| Some((*mutant, mutant.techniques.get(name)?)));
    let failed = all.clone().filter_map(|(mutant, survey)| {
        Some(MutantFailure {
            mutant: place_and_change(mutant),
            problem: survey.problem.clone()?,
        })
    });
    let failed = failed.collect();
    let rows: Vec<(&Mutation, &Survey)> =
        all.filter(|(_, survey)| survey.problem.is_none()).collect();
    let killed = rows.iter().filter(|(mutant, _)| mutant.is_killed());
    let classes = rows.iter();
    let missed = rows.iter();
    MutantChoice {
        name: name.to_owned(),
        tried: rows.len(),
        killed: killed.clone().count(),
        kills: killed.filter(|(_, survey)| survey.kills).count(),
        classes: Share::of(
            classes.map(|(_, survey)| (survey.selected as f64, survey.classes as f64)),
        ),
        missed: missed
            .filter_map(|(mutant, survey)| miss(mutant, survey))
            .collect(),
        failed,
    }
}

fn place_and_change(mutant: &Mutation) -> String {
    let line = mutant.line.map(|line| format!(":{line}"));
    let line = line.unwrap_or_default();
    format!("{}{line}, {}", mutant.class, mutant.description)
}

fn miss(mutant: &Mutation, survey: &Survey) -> Option<MutantMiss> {
    let output = mutant.alone.iter().flat_map(|alone| &alone.output);
    let only_output = output.filter(|class| survey.missed.contains(class));
    (!survey.missed.is_empty()).then(|| MutantMiss {
        mutant: place_and_change(mutant),
        method: mutant.method.clone(),
        classes: survey.missed.clone(),
        only_output: only_output.cloned().collect(),
        killed: survey.kills,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(operator: &str, killers: &[&str], missed: &[&str]) -> Mutation {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let survey = Survey {
            classes: 10,
            selected: 2,
            selected_tests: None,
            kills: killers.len() > missed.len(),
            missed: owned(missed),
            ..Survey::default()
        };
        Mutation {
            class: "a.A".into(),
            line: Some(7),
            operator: operator.into(),
            description: "> becomes >=".into(),
            reached_by: killers.len(),
            killers: owned(killers),
            techniques: [("x".to_owned(), survey)].into(),
            ..Mutation::default()
        }
    }

    #[test]
    fn kills_are_counted_against_those_of_all_tests() {
        let mutants = [
            mutant("math", &["A", "B"], &[]),
            mutant("math", &["A", "B"], &["B"]),
            mutant("math", &[], &[]),
            mutant("conditionals", &["A"], &["A"]),
        ];
        let figures = MutantFigures::of(&mutants, &["x".into(), "y".into()]).unwrap();
        let all = &figures.all;
        assert_eq!((all.tried, all.killed, all.unreached), (4, 3, 1));
        let x = &all.techniques[0];
        assert_eq!((x.killed, x.kills, x.missed_classes()), (3, 2, 2));
        assert_eq!(x.classes.of_sums, Some(0.2));
        assert_eq!(x.missed[1].mutant, "a.A:7, > becomes >=");
        assert_eq!((x.missed[0].killed, x.missed[1].killed), (true, false));
        assert_eq!(all.techniques[1].tried, 0);
        assert_eq!(figures.operators["conditionals"].tried, 1);
        assert_eq!(MutantFigures::of(&[], &[]), None);
    }

    #[test]
    fn a_technique_that_gives_no_answer_has_failed() {
        let mut unanswered = mutant("math", &["A"], &[]);
        let survey = unanswered.techniques.get_mut("x").unwrap();
        *survey = Survey {
            problem: Some("no answer".into()),
            ..Survey::default()
        };
        let mutants = [mutant("math", &["A"], &[]), unanswered];
        let figures = MutantFigures::of(&mutants, &["x".into()]).unwrap();
        let x = &figures.all.techniques[0];
        assert_eq!((x.tried, x.killed, x.kills), (1, 1, 1));
        let failed = MutantFailure {
            mutant: "a.A:7, > becomes >=".into(),
            problem: "no answer".into(),
        };
        assert_eq!(x.failed, [failed]);
    }

    #[test]
    fn mutants_that_ran_alone_are_counted_by_what_they_change() {
        let alone = |output: &[&str], unfinished: &[&str], killers: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let alone = crate::Alone {
                output: owned(output),
                unfinished: owned(unfinished),
                ..crate::Alone::default()
            };
            Mutation {
                alone: Some(alone),
                ..mutant("math", killers, output)
            }
        };
        let mutants = [
            alone(&["A"], &[], &[]),
            alone(&["A"], &[], &["B"]),
            alone(&[], &["A"], &[]),
            alone(&[], &[], &[]),
            mutant("math", &["A"], &[]),
        ];
        let all = MutantFigures::of(&mutants, &["x".into()]).unwrap().all;
        assert_eq!((all.alone, all.changed, all.only_output), (4, 3, 1));
        assert_eq!(all.killed, 3);
        assert_eq!(all.techniques[0].missed[0].only_output, ["A"]);
    }
}
