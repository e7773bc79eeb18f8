//! Small faults in the classes of a project: all tests against what each technique selects.
//!
//! A fault is put in the place of the compiled class, in a clone. What each technique selects is asked for each fault
//! alone; all tests run for each fault alone, or for several that no test class uses together.

mod alone;
mod draw;
mod shared;

use crate::area::Area;
use crate::contest::Runner;
use crate::error::Error;
use crate::history::{Plan, Played, check_interrupted, setting};
use crate::repository::{Repository, check_out};
use crate::rows::Mutation;
use draw::Candidate;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis_build::{BuildError, Signals};
use tamis_store::{Project, Store};

/// How many faults there are to be, the seed of random choices, and how they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faults {
    /// How many.
    pub number: usize,
    /// The seed of random choices.
    pub seed: u64,
    /// Whether they stand in any method, and all tests run for each one alone; otherwise in methods that a test executes, and
    /// several share a run.
    pub alone: bool,
}

/// Tries faults at the last revision of the plan; `say` is told what is going on.
pub fn mutation(
    plan: &Plan,
    faults: Faults,
    signals: &Signals,
    say: &dyn Fn(&str),
) -> Result<Played, Error> {
    plan.driver.plain_builds()?;
    let repository = Repository::of(&plan.driver.location().dir)?;
    let commit = repository.resolve(&plan.range.to)?;
    let mut setting = setting(plan);
    setting.seed = Some(faults.seed);
    setting.revision = Some(commit.clone());
    setting.alone = faults.alone;
    let area = Area::open(
        &plan.area,
        setting,
        (commit.clone(), format!("{} mutants", faults.number)),
        plan.restart,
    )?;
    let checkout = area.checkout();
    if !checkout.join(".git").exists() {
        repository.clone_to(&checkout)?;
    }
    let mut trial = Trial {
        plan,
        runner: Runner::new(plan, &checkout.join(&repository.inside), signals)?,
        area,
        say,
        signals,
        started: Instant::now(),
        known: BTreeSet::new(),
    };
    let (interrupted, left) = match trial.play(&commit, faults) {
        Err(Error::Build(BuildError::Interrupted)) => (true, 0),
        Err(error) => return Err(error),
        Ok(left) => (false, left),
    };
    Ok(Played {
        replay: trial.area.replay,
        interrupted,
        left,
    })
}

/// A project whose tests are recorded.
struct Trial<'a> {
    plan: &'a Plan,
    runner: Runner<'a>,
    area: Area,
    say: &'a dyn Fn(&str),
    signals: &'a Signals,
    started: Instant,
    /// All test classes.
    known: BTreeSet<String>,
}

impl Trial<'_> {
    /// Tries the faults that are not done yet, and says how many are left when the time is up.
    fn play(&mut self, commit: &str, faults: Faults) -> Result<usize, Error> {
        if self.area.replay.mutants.len() >= faults.number {
            (self.say)("all mutants are done already");
            return Ok(0);
        }
        check_out(&self.area.checkout(), commit)?;
        (self.say)("compiling");
        if !self.runner.compile(&self.area)? {
            check_interrupted(self.signals)?;
            let log = self.area.log_path("compile");
            let why = format!("{commit:.8} does not build; see {}", log.display());
            return Err(Error::Nothing(why));
        }
        (self.say)("recording all tests");
        let here = self.runner.project().join(".tamis");
        fs::create_dir_all(&here).map_err(Error::io("create", &here))?;
        self.known = self.runner.record(&self.area)?;
        check_interrupted(self.signals)?;
        match faults.alone {
            true => alone::play(self, faults),
            false => shared::play(self, faults),
        }
    }

    /// The compiled classes, which get faults.
    fn class_files(&self) -> Result<Vec<PathBuf>, Error> {
        Ok(self.runner.plain_builds()?.class_files())
    }

    fn store(&self) -> Result<Store, Error> {
        let project = Project {
            root: self.runner.project().to_owned(),
        };
        Ok(Store::load(&project)?.store)
    }

    fn say_what_is_drawn(&self, candidates: &[Candidate]) {
        let files: BTreeSet<&Path> = candidates.iter().map(|one| one.file.as_path()).collect();
        let (mutants, classes) = (candidates.len(), files.len());
        (self.say)(&format!("{mutants} mutants in {classes} classes"));
        let done = self.area.replay.mutants.len();
        if done > 0 {
            (self.say)(&format!("{done} mutants are done already"));
        }
    }

    fn is_out_of_time(&self) -> bool {
        let budget = self.plan.budget;
        budget.is_some_and(|budget| self.started.elapsed() > budget)
    }

    /// Asks what each technique selects because of a fault that is in place.
    fn ask(&self, candidate: &Candidate) -> Result<Mutation, Error> {
        let mutant = &candidate.mutant;
        let mut mutation = Mutation {
            class: mutant.class.clone(),
            method: mutant.method.clone(),
            line: mutant.line.map(u32::from),
            operator: mutant.operator.to_string(),
            description: mutant.description.clone(),
            reached_by: candidate.users.len(),
            ..Mutation::default()
        };
        for variant in &self.plan.techniques {
            let selection = self.runner.select(&self.area, variant)?;
            check_interrupted(self.signals)?;
            mutation.techniques.insert(variant.to_string(), selection);
        }
        Ok(mutation)
    }

    /// A mutant is done.
    fn add(&mut self, mut mutation: Mutation, left: usize) -> Result<(), Error> {
        for survey in mutation.techniques.values_mut() {
            survey.names.clear();
        }
        (self.say)(&format!("{}; {left} left", summary(&mutation)));
        self.area.add_mutant(mutation)
    }
}

/// Computes the misses, once the differences are known.
fn close(mutation: &mut Mutation) {
    let differing: Vec<String> = mutation.differing().cloned().collect();
    let unfinished = mutation.alone.iter().flat_map(|alone| &alone.unfinished);
    let killers: BTreeSet<&String> = mutation.killers.iter().chain(unfinished).collect();
    for survey in mutation.techniques.values_mut() {
        let is_selected = |class: &String| survey.names.contains(class);
        survey.kills = killers.iter().any(|class| is_selected(class));
        survey.missed = match survey.problem {
            // It has failed as a whole.
            Some(_) => Vec::new(),
            None => {
                let missed = differing.iter().filter(|class| !is_selected(class));
                missed.cloned().collect()
            }
        };
    }
}

/// A class file with a fault, in the place of the class.
struct Faulty<'c> {
    file: &'c Path,
    original: Vec<u8>,
}

impl Faulty<'_> {
    fn place(candidate: &Candidate) -> Result<Faulty<'_>, Error> {
        let file = candidate.file.as_path();
        let original = fs::read(file).map_err(Error::io("read", file))?;
        let mutated = candidate
            .mutant
            .apply(&original)
            .map_err(|error| Error::Nothing(format!("{}: {error}", file.display())))?;
        fs::write(file, mutated).map_err(Error::io("write", file))?;
        Ok(Faulty { file, original })
    }

    fn remove(self) -> Result<(), Error> {
        fs::write(self.file, self.original).map_err(Error::io("write", self.file))
    }
}

/// A mutant in a line.
fn summary(mutation: &Mutation) -> String {
    let mut ends = Vec::new();
    match mutation.killers.len() {
        0 => {}
        killers => ends.push(format!("killed by {killers}")),
    }
    if let Some(alone) = &mutation.alone {
        let parts = [
            (alone.unfinished.len(), "without end"),
            (alone.otherwise.len(), "with other outcomes"),
            (alone.output.len(), "with other output"),
            (alone.not_run.len(), "not run"),
        ];
        let some = parts.iter().filter(|(number, _)| *number > 0);
        ends.extend(some.map(|(number, what)| format!("{number} {what}")));
    }
    if mutation.endless {
        ends.push("endless".into());
    }
    if ends.is_empty() {
        ends.push("lives".into());
    }
    for (name, survey) in &mutation.techniques {
        match &survey.problem {
            Some(problem) => ends.push(format!("{name} FAILED: {problem}")),
            None if survey.missed.is_empty() => {}
            None => ends.push(format!("{name} MISSED {}", survey.missed.join(", "))),
        }
    }
    let (class, what) = (&mutation.class, &mutation.description);
    format!(
        "{class}: {}: {what}: {}",
        mutation.operator,
        ends.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Alone, Survey};

    fn survey(names: &[&str], problem: Option<&str>) -> Survey {
        Survey {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            problem: problem.map(str::to_owned),
            ..Survey::default()
        }
    }

    #[test]
    fn all_that_differs_must_be_selected_and_no_answer_is_a_failure() {
        let techniques = [
            ("all", survey(&["a", "b", "c", "d"], None)),
            ("some", survey(&["a", "d"], None)),
            ("none", survey(&[], Some("no answer"))),
        ];
        let mut mutation = Mutation {
            class: "acme.Foo".into(),
            operator: "math".into(),
            description: "+ becomes -".into(),
            killers: vec!["a".into()],
            alone: Some(Alone {
                otherwise: vec!["b".into()],
                output: vec!["c".into()],
                unfinished: vec!["d".into()],
                not_run: vec!["e".into()],
                ..Alone::default()
            }),
            techniques: techniques
                .map(|(name, survey)| (name.to_owned(), survey))
                .into(),
            ..Mutation::default()
        };
        close(&mut mutation);
        let missed = |name: &str| mutation.techniques[name].missed.join(" ");
        assert_eq!(
            (missed("all"), missed("some"), missed("none")),
            ("".into(), "b c".into(), "".into())
        );
        assert!(mutation.techniques["some"].kills && !mutation.techniques["none"].kills);
        assert_eq!(
            summary(&mutation),
            "acme.Foo: math: + becomes -: killed by 1, 1 without end, 1 with other outcomes, 1 with other output, \
             1 not run, none FAILED: no answer, some MISSED b, c"
        );
    }
}
