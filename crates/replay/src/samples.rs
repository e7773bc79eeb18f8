//! Rows for tests, as a replay might find them out.

use crate::{
    Alone, Changes, ClassOutcome, Mutation, Replay, Retest, Setting, Skip, Step, Survey, Tried,
    Unmutated, Why,
};
use std::collections::BTreeMap;

/// Names, how much each selects, and what its recording costs.
const TECHNIQUES: [(&str, f64, f64); 5] = [
    ("ekstazi", 1.0, 1.05),
    ("hyrts", 0.62, 1.1),
    ("hyrts --granularity method", 0.6, 1.2),
    ("fest", 1.9, 1.0),
    ("mest", 1.2, 1.0),
];

const SUBJECTS: [&str; 6] = [
    "Keep the order of attributes",
    "Bump jetty from 9.4.56 to 9.4.57",
    "Fix <script> & \"quoted\" 'names' in Cleaner",
    "Übersetze Schlüssel für 日本語",
    "Speed up the tokeniser, and say in the change log what that means for those who have written parsers of their own",
    "Tests for bogus comments",
];

/// Numbers that look random and are the same each time, from 0 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// A step with the given times and, per technique, name, classes, selected and time.
pub(crate) fn step(
    revision: &str,
    before: Option<&str>,
    seconds: f64,
    techniques: &[(&str, usize, usize, f64)],
) -> Step {
    let tried = |(name, classes, selected, aec): &(&str, usize, usize, f64)| {
        let tried = Tried {
            classes: *classes,
            selected: *selected,
            ae: vec![aec * 0.9],
            aec: vec![*aec],
            ..Tried::default()
        };
        ((*name).to_owned(), tried)
    };
    Step {
        revision: revision.into(),
        before: before.map(str::to_owned),
        subject: format!("Change {revision}"),
        retest: Retest {
            seconds: vec![seconds],
            ..Retest::default()
        },
        techniques: techniques.iter().map(tried).collect(),
        ..Step::default()
    }
}

/// A replay of these steps.
pub(crate) fn of(steps: Vec<Step>) -> Replay {
    Replay {
        steps,
        ..Replay::default()
    }
}

fn setting() -> Setting {
    Setting {
        project: "jsoup".into(),
        version: "0.1.0".into(),
        runtime: "OpenJDK 17.0.15".into(),
        machine: "Linux, 4 processors".into(),
        build_tool: "Maven".into(),
        build_arguments: vec!["-o".into(), "-q".into()],
        techniques: TECHNIQUES.map(|(name, ..)| name.to_owned()).to_vec(),
        runs: 3,
        seed: Some(42),
        revision: Some("5da06e7b5d3f0a".into()),
        alone: false,
    }
}

fn class(number: usize) -> String {
    format!("core:org.jsoup.Sample{number}Test")
}

/// Twenty-five steps and a hundred mutants; nothing is missed.
pub(crate) fn replay() -> Replay {
    sized(25, 65, 38.0)
}

/// The same with a suite that takes half a second.
pub(crate) fn short() -> Replay {
    sized(25, 12, 0.5)
}

/// The same where one technique misses, at a step and with a mutant, and another gives no answer at two steps and with a mutant.
pub(crate) fn missing() -> Replay {
    let mut replay = replay();
    let problem = || Some("the graph has no node for <init> & \"friends\"".to_owned());
    for place in [4, 13] {
        let fest = replay.steps[place].techniques.get_mut("fest").unwrap();
        *fest = Tried {
            problem: problem(),
            ..Tried::default()
        };
    }
    let survey = replay.mutants[7].techniques.get_mut("fest").unwrap();
    *survey = Survey {
        problem: problem(),
        ..Survey::default()
    };
    let step = &mut replay.steps[12];
    let class = step.retest.differing[0].clone();
    let mest = step.techniques.get_mut("mest").unwrap();
    mest.missed = vec![class];
    let mutant = replay
        .mutants
        .iter_mut()
        .find(|mutant| mutant.killers.len() == 1)
        .unwrap();
    let killers = mutant.killers.clone();
    let survey = mutant.techniques.get_mut("mest").unwrap();
    (survey.missed, survey.kills) = (killers, false);
    replay
}

/// Steps of a project with so many test classes, that take so long.
pub(crate) fn sized(steps: usize, classes: usize, seconds: f64) -> Replay {
    let mut numbers = Numbers(7);
    let hash = |place: usize| format!("{:08x}5d3f0a", (place as u64 + 3) * 0x1f35_7a29 % (1 << 32));
    let steps: Vec<Step> = (0..steps)
        .map(|place| {
            let before = place.checked_sub(1).map(hash);
            let all = classes + place / 6;
            one(&mut numbers, hash(place), before, place, all, seconds)
        })
        .collect();
    let skip = |place: usize, why| Skip {
        revision: hash(100 + place),
        why,
    };
    Replay {
        setting: setting(),
        steps,
        skipped: vec![
            skip(1, Why::NoRelevantChange),
            skip(2, Why::NoRelevantChange),
            skip(3, Why::DoesNotBuild),
            skip(4, Why::DoesNotBuild),
        ],
        unmutated: None,
        mutants: (0..100)
            .map(|place| mutation(&mut numbers, place, classes))
            .collect(),
    }
}

/// Mutants that ran alone, of which one technique misses a test class that prints something else.
pub(crate) fn alone() -> Replay {
    let mut replay = replay();
    replay.steps.clear();
    replay.skipped.clear();
    replay.setting.alone = true;
    replay.unmutated = Some(Unmutated {
        goal: "surefire:test@default-test".into(),
        seconds: vec![31.0, 33.0],
        classes: 64,
        failing: 1,
        flaky: vec![class(3)],
        varying_output: vec![class(4), class(5)],
    });
    for (place, mutant) in replay.mutants.iter_mut().enumerate() {
        let mut alone = Alone {
            seconds: 30.0,
            ..Alone::default()
        };
        match place % 20 {
            5 => alone.output = vec![class(60)],
            9 => alone.unfinished = vec![class(61)],
            _ => {}
        }
        if mutant.endless {
            alone.not_run = vec![class(62)];
        }
        mutant.alone = Some(alone);
    }
    let survey = replay.mutants[5].techniques.get_mut("mest").unwrap();
    survey.missed = vec![class(60)];
    replay
}

fn one(
    numbers: &mut Numbers,
    revision: String,
    before: Option<String>,
    place: usize,
    classes: usize,
    seconds: f64,
) -> Step {
    let first = before.is_none();
    let build = 0.1 * seconds + 0.9;
    let mut around = |middle: f64| -> Vec<f64> {
        (0..3)
            .map(|_| middle * (0.94 + 0.12 * numbers.next()))
            .collect()
    };
    let retest_seconds = around(seconds * (1.0 + place as f64 / 60.0));
    let affected = match place % 7 {
        0 => 0.0,
        3 => 0.75,
        _ => 0.03 + 0.4 * (place as f64 * 1.7).sin().powi(4),
    };
    let differing = match place % 4 {
        0 if !first => vec![class(place), class(place + 1)],
        _ => vec![],
    };
    let mut techniques = BTreeMap::new();
    for (name, breadth, recording) in TECHNIQUES {
        let share = if first {
            1.0
        } else {
            (affected * breadth).min(1.0)
        };
        let selected = ((classes as f64 * share).round() as usize).max(differing.len());
        let running = seconds * 0.9 * selected as f64 / classes as f64;
        let tests = name.contains("method").then_some(classes * 20);
        let tried = Tried {
            classes,
            selected,
            tests,
            selected_tests: tests.map(|_| selected * 14),
            analysis: around(0.12 * breadth),
            execution: around(build + running * recording),
            collection: around(0.08 * recording),
            ae: around(build + running + 0.2),
            aec: around(build + running * recording + 0.3),
            ..Tried::default()
        };
        techniques.insert(name.to_owned(), tried);
    }
    let outcome = |number: usize| match differing.first() {
        Some(failed) if *failed == class(number) => (class(number), ClassOutcome::Failed),
        _ => (class(number), ClassOutcome::Passed),
    };
    Step {
        subject: SUBJECTS[place % SUBJECTS.len()].into(),
        changes: Changes {
            main: place % 4,
            test: place % 3,
            build: usize::from(place % 6 == 1),
            other: usize::from(place.is_multiple_of(5)),
        },
        retest: Retest {
            seconds: retest_seconds,
            classes: (0..classes).map(outcome).collect(),
            tests: classes * 20,
            flaky: if place % 11 == 5 {
                vec![class(3)]
            } else {
                vec![]
            },
            differing,
        },
        techniques,
        revision,
        before,
    }
}

fn mutation(numbers: &mut Numbers, place: usize, classes: usize) -> Mutation {
    let (operator, description) = [
        ("conditionals", ">= becomes >"),
        ("math", "+ becomes -"),
        ("returns", "returns null"),
        ("calls", "no call of append"),
    ][place % 4];
    let reached_by = (numbers.next() * 9.0) as usize;
    let killers: Vec<String> = (0..reached_by / 3).map(class).collect();
    let survey = |breadth: f64| Survey {
        classes,
        selected: ((reached_by as f64 * breadth).round() as usize).clamp(killers.len(), classes),
        selected_tests: None,
        kills: !killers.is_empty(),
        ..Survey::default()
    };
    let techniques = TECHNIQUES.map(|(name, breadth, _)| (name.to_owned(), survey(breadth)));
    Mutation {
        class: format!("org.jsoup.Part{}", place % 13),
        method: Some("append(Ljava/lang/String;)V".into()),
        line: Some(20 + place as u32),
        operator: operator.into(),
        description: description.into(),
        reached_by,
        endless: place % 40 == 9,
        alone: None,
        techniques: techniques.into_iter().collect(),
        killers,
    }
}

/// Names and messages that break what does not quote them.
pub(crate) fn hostile() -> Replay {
    let mut replay = sized(4, 5, 20.0);
    let evil = "<b>&\"'</b>\u{1b}[31m|`\r\nx,y";
    replay.setting.project = evil.into();
    replay.setting.techniques = vec![evil.into()];
    for step in &mut replay.steps {
        step.subject = evil.into();
        step.retest.flaky = vec![evil.into()];
        step.retest.differing = vec![evil.into()];
        let mut tried = step.techniques["ekstazi"].clone();
        tried.missed = vec![evil.into()];
        step.techniques = [(evil.to_owned(), tried)].into();
    }
    let last = replay.steps.last_mut().unwrap();
    last.techniques.get_mut(evil).unwrap().problem = Some(evil.into());
    for mutant in &mut replay.mutants {
        (mutant.class, mutant.operator) = (evil.into(), evil.into());
        mutant.description = evil.into();
        mutant.techniques = [(evil.to_owned(), mutant.techniques["mest"].clone())].into();
    }
    replay
}

/// What has little or nothing in it.
pub(crate) fn edges() -> Vec<(&'static str, Replay)> {
    let mut everything_skipped = replay();
    everything_skipped.steps.clear();
    everything_skipped.mutants.clear();
    let mut no_techniques = replay();
    no_techniques.setting.techniques.clear();
    no_techniques
        .steps
        .iter_mut()
        .for_each(|step| step.techniques.clear());
    no_techniques.mutants.clear();
    let mut only_mutants = replay();
    only_mutants.steps.clear();
    only_mutants.skipped.clear();
    let zeros = of(vec![step("b", Some("a"), 0.0, &[("x", 0, 0, 0.0)])]);
    let mut untimed = replay();
    for step in &mut untimed.steps {
        step.retest.seconds.clear();
        for tried in step.techniques.values_mut() {
            *tried = Tried {
                classes: tried.classes,
                selected: tried.selected,
                ..Tried::default()
            };
        }
    }
    vec![
        ("nothing", Replay::default()),
        ("everything skipped", everything_skipped),
        ("no techniques", no_techniques),
        ("only the first step", sized(1, 5, 20.0)),
        ("one step", sized(2, 5, 20.0)),
        ("only mutants", only_mutants),
        ("zeros", zeros),
        ("no times", untimed),
    ]
}
