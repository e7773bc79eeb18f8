use super::Share;
use crate::{Mutation, Survey};
use serde::Serialize;
use std::collections::BTreeMap;

/// What became of mutants.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MutantFigures {
    /// All of them.
    pub all: MutantGroup,
    /// By operator.
    pub operators: BTreeMap<String, MutantGroup>,
}

/// What became of some mutants.
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
    /// What each technique did, in the order of tables.
    pub techniques: Vec<MutantChoice>,
}

/// What a technique did with some mutants.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MutantChoice {
    /// Its name.
    pub name: String,
    /// How many it has figures of.
    pub tried: usize,
    /// How many of these some test class kills, of all that there are.
    pub killed: usize,
    /// How many of those one kills that it selected.
    pub kills: usize,
    /// Test classes it selected, of those it knew; a step is a mutant.
    pub classes: Share,
    /// Mutants of which it left out a test class that fails.
    pub missed: Vec<MutantMiss>,
}

impl MutantChoice {
    /// How many test classes it missed, over all mutants.
    pub fn missed_classes(&self) -> usize {
        self.missed.iter().map(|miss| miss.classes.len()).sum()
    }
}

/// A mutant of which a technique left out a test class that fails.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MutantMiss {
    /// Where and what, such as `com.acme.Foo:12, >= becomes >`.
    pub mutant: String,
    /// The test classes.
    pub classes: Vec<String>,
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
        killed: count(killed),
        endless: count(|mutant| mutant.endless),
        techniques: names.iter().map(|name| choice(mutants, name)).collect(),
    }
}

fn killed(mutant: &Mutation) -> bool {
    !mutant.killers.is_empty()
}

fn choice(mutants: &[&Mutation], name: &str) -> MutantChoice {
    let rows: Vec<(&Mutation, &Survey)> = mutants
        .iter()
        .filter_map(|mutant| Some((*mutant, mutant.techniques.get(name)?)))
        .collect();
    let killed = rows.iter().filter(|(mutant, _)| killed(mutant));
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
    }
}

fn miss(mutant: &Mutation, survey: &Survey) -> Option<MutantMiss> {
    let line = mutant.line.map(|line| format!(":{line}"));
    let line = line.unwrap_or_default();
    (!survey.missed.is_empty()).then(|| MutantMiss {
        mutant: format!("{}{line}, {}", mutant.class, mutant.description),
        classes: survey.missed.clone(),
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
            names: vec![],
            missed: owned(missed),
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
}
