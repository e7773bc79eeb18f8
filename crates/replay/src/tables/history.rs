use super::{Cell, Table, Tone};
use crate::conclusion::{CLEARLY_BELOW, reason};
use crate::figures::{Paired, Share, aec_seconds, counted, names, retest_seconds, tried};
use crate::phrases::{NONE, or_none, percent, probability, seconds, short, signed};
use crate::statistics::{FEWEST_PAIRS, Spread};
use crate::{Changes, Figures, Replay, Step};

/// The level at which a difference is called one.
const SIGNIFICANT: f64 = 0.05;

pub(crate) fn selection(figures: &Figures) -> Table {
    let heads = [
        "technique",
        ">commits",
        ">classes",
        ">selected",
        ">share",
        ">median",
        ">quartiles",
        ">tests",
        ">share",
    ];
    let note = "Test classes, then single tests where the technique selects these. Median and quartiles are of the \
                shares of the commits.";
    let rows = figures.techniques.iter().map(|technique| {
        let classes = &technique.classes;
        let tests = technique.tests.as_ref();
        vec![
            Cell::plain(&technique.name),
            Cell::plain(technique.steps.to_string()),
            Cell::plain(whole(classes.whole)),
            Cell::plain(whole(classes.part)),
            Cell::plain(or_none(classes.of_sums, percent)),
            Cell::plain(per_step(classes, |spread| percent(spread.median))),
            Cell::faint(per_step(classes, quartiles)),
            Cell::plain(or_none(tests, |tests| whole(tests.part))),
            Cell::plain(or_none(tests.and_then(|tests| tests.of_sums), percent)),
        ]
    });
    let rows = if figures.steps == 0 {
        vec![]
    } else {
        rows.collect()
    };
    Table::new("Selection", &heads, note).with(rows)
}

pub(crate) fn time(figures: &Figures) -> Table {
    let heads = [
        "technique",
        ">analysis",
        ">execution",
        ">collection",
        ">AE",
        ">AEC",
        ">median",
        ">saved",
    ];
    let note = "Analysis, execution and collection: median per commit. AE and AEC: time end to end without and with \
                recording, of that of all tests, summed; the median is of the commits' AEC.";
    let timed = figures.techniques.iter();
    let timed = timed.filter(|technique| technique.aec.per_step.is_some());
    let rows = timed.map(|technique| {
        let median = |of: Option<Spread>| Cell::plain(or_none(of, |spread| seconds(spread.median)));
        let aec = &technique.aec;
        vec![
            Cell::plain(&technique.name),
            median(technique.analysis),
            median(technique.execution),
            median(technique.collection),
            Cell::plain(or_none(technique.ae.of_sums, percent)),
            Cell::new(or_none(aec.of_sums, percent), pays(aec.of_sums)),
            Cell::plain(per_step(aec, |spread| percent(spread.median))),
            Cell::plain(or_none(technique.saved(), seconds)),
        ]
    });
    Table::new("Time", &heads, note).with(rows)
}

fn pays(time: Option<f64>) -> Tone {
    match time {
        Some(time) if time <= CLEARLY_BELOW => Tone::Good,
        Some(_) => Tone::Warning,
        None => Tone::Plain,
    }
}

pub(crate) fn safety(figures: &Figures) -> Table {
    let heads = [
        "technique",
        ">ended differently",
        ">missed",
        ">of these failed",
        ">no answer",
    ];
    let endings = &figures.endings;
    let note = format!(
        "Test classes that ended differently than at the commit before, without flaky ones; a technique must select them. {} \
         of these {} failed, {} were repaired, {} are new, {} have tests that came, went or ended differently. No answer: \
         commits at which the technique failed; they are in none of its other figures.",
        endings.failed, figures.differing, endings.repaired, endings.new, endings.otherwise,
    );
    let rows = figures.techniques.iter().map(|technique| {
        let failing = technique.missed.iter().filter(|missed| missed.failing);
        vec![
            Cell::plain(&technique.name),
            Cell::plain(technique.differing.to_string()),
            Cell::bad(technique.missed.len()),
            Cell::bad(failing.count()),
            Cell::bad(technique.problems.len()),
        ]
    });
    let rows = if figures.steps == 0 {
        vec![]
    } else {
        rows.collect()
    };
    Table::new("Safety", &heads, &note).with(rows)
}

pub(crate) fn metrics(figures: &Figures) -> Table {
    let heads = [
        "technique",
        ">reduced size",
        ">fault coverage",
        ">all covered",
        ">scale benefits",
    ];
    let note = "Metrics of the paper on FEST and MEST against retest-all, means per commit; coverage and benefits are \
                of commits with failures that are new.";
    let measured = figures.techniques.iter();
    let rows = measured
        .filter(|technique| technique.steps > 0)
        .map(|technique| {
            let mean = |spread: Option<Spread>| {
                Cell::plain(or_none(spread, |spread| percent(spread.mean)))
            };
            let sapient = &technique.sapient;
            let benefits = |spread: Spread| format!("{:.4}", spread.mean);
            let covered = format!("{} of {}", sapient.covered_steps, technique.steps);
            vec![
                Cell::plain(&technique.name),
                mean(sapient.reduced),
                mean(sapient.coverage),
                Cell::plain(covered),
                Cell::plain(or_none(sapient.benefits, benefits)),
            ]
        });
    Table::new("Metrics of FEST and MEST", &heads, note).with(rows)
}

pub(crate) fn comparisons(figures: &Figures) -> Table {
    let heads = [
        "technique",
        "against",
        ">selected: p",
        ">effect",
        ">time: p",
        ">effect",
        ">reduced",
        ">new faults",
    ];
    let note = format!(
        "Wilcoxon's signed-rank test of the commits' shares and AEC, p raised after Holm for all pairs; the effect is the \
         rank-biserial correlation, negative if the first is less. “too few”: fewer than {FEWEST_PAIRS} commits differ. \
         Reduced: by how much the first selects fewer. New faults: found by the first alone, by the other alone.",
    );
    let rows = figures.comparisons.iter().map(|pair| {
        let [selected, selected_effect] = tested(&pair.selected);
        let [aec, aec_effect] = tested(&pair.aec);
        vec![
            Cell::plain(&pair.left),
            Cell::plain(&pair.right),
            selected,
            selected_effect,
            aec,
            aec_effect,
            Cell::plain(or_none(pair.reduced, percent)),
            Cell::plain(format!("{}, {}", pair.new_left, pair.new_right)),
        ]
    });
    let rows = if figures.steps == 0 {
        vec![]
    } else {
        rows.collect()
    };
    Table::new("Techniques compared", &heads, &note).with(rows)
}

fn tested(pair: &Paired) -> [Cell; 2] {
    let Some(tested) = pair.tested else {
        let words = if pair.pairs == 0 { NONE } else { "too few" };
        return [Cell::faint(words), Cell::faint(NONE)];
    };
    let tone = if tested.p_holm < SIGNIFICANT {
        Tone::Plain
    } else {
        Tone::Faint
    };
    [
        Cell::new(probability(tested.p_holm), tone),
        Cell::new(signed(tested.effect), tone),
    ]
}

pub(crate) fn missed(figures: &Figures) -> Table {
    let rows = figures.techniques.iter().flat_map(|technique| {
        technique.missed.iter().map(|missed| {
            let now = if missed.failing { "failed" } else { "passed" };
            vec![
                Cell::plain(&technique.name),
                Cell::plain(short(&missed.revision)),
                Cell::new(&missed.class, Tone::Bad),
                Cell::plain(now),
                Cell::faint(&missed.subject),
            ]
        })
    });
    let heads = ["technique", "commit", "test class", "now", "subject"];
    Table::new(
        "Missed",
        &heads,
        "Test classes that ended differently and were not selected.",
    )
    .with(rows)
}

pub(crate) fn problems(figures: &Figures) -> Table {
    let rows = figures.techniques.iter().flat_map(|technique| {
        technique.problems.iter().map(|problem| {
            vec![
                Cell::plain(&technique.name),
                Cell::plain(short(&problem.revision)),
                Cell::new(&problem.problem, Tone::Bad),
            ]
        })
    });
    let heads = ["technique", "commit", "problem"];
    Table::new(
        "Failed: no answer",
        &heads,
        "These commits are in no other figure of the technique.",
    )
    .with(rows)
}

pub(crate) fn left_out(figures: &Figures) -> Table {
    let skipped = figures.skipped.iter().map(|(why, number)| {
        vec![
            Cell::plain(format!("commits that {}", reason(*why, 2))),
            Cell::plain(number.to_string()),
        ]
    });
    let flaky = figures.flaky.iter().map(|(class, steps)| {
        vec![
            Cell::plain(format!("flaky: {class}")),
            Cell::plain(steps.to_string()),
        ]
    });
    let note = "Flaky test classes, with the number of commits at which they were, are in no count of differences.";
    Table::new("Left out", &["what", ">commits"], note).with(skipped.chain(flaky))
}

/// Every commit, with what each technique selected and how long it took.
pub(crate) fn revisions(replay: &Replay) -> Table {
    let names = names(replay);
    let note =
        "For each technique the selected test classes and the time end to end with recording.";
    let heads = [
        ">#",
        "commit",
        "subject",
        "files",
        ">classes",
        ">all tests",
        ">differing",
    ];
    let mut table = Table::new("Commits", &heads, note);
    table.columns.extend(names.iter().map(|name| super::Column {
        head: crate::phrases::clean(name),
        right: true,
    }));
    table.with(counted(replay).enumerate().map(|(place, step)| {
        let mut row = vec![
            Cell::faint((place + 1).to_string()),
            Cell::plain(short(&step.revision)),
            Cell::plain(&step.subject),
            Cell::faint(changes(&step.changes)),
            Cell::plain(step.retest.classes.len().to_string()),
            Cell::plain(or_none(retest_seconds(step), seconds)),
            Cell::plain(step.retest.differing.len().to_string()),
        ];
        row.extend(names.iter().map(|name| did(step, name)));
        row
    }))
}

fn did(step: &Step, name: &str) -> Cell {
    let Some(tried) = tried(step, name) else {
        let problem = step.techniques.contains_key(name);
        return match problem {
            true => Cell::new("no answer", Tone::Bad),
            false => Cell::faint(NONE),
        };
    };
    let time = aec_seconds(step, name).map(|time| format!(" · {}", seconds(time)));
    let time = time.unwrap_or_default();
    match tried.missed.len() {
        0 => Cell::plain(format!("{}{time}", tried.selected)),
        missed => Cell::new(
            format!("{}{time}, missed {missed}", tried.selected),
            Tone::Bad,
        ),
    }
}

fn changes(changes: &Changes) -> String {
    let kinds = [
        (changes.main, "main"),
        (changes.test, "test"),
        (changes.build, "build"),
        (changes.other, "other"),
    ];
    let some: Vec<String> = kinds
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, kind)| format!("{number} {kind}"))
        .collect();
    some.join(", ")
}

fn per_step(share: &Share, show: fn(Spread) -> String) -> String {
    or_none(share.per_step, show)
}

fn quartiles(spread: Spread) -> String {
    format!("{:.1}–{:.1}", spread.lower * 100.0, spread.upper * 100.0)
}

fn whole(number: f64) -> String {
    format!("{number:.0}")
}
