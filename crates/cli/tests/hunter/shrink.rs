//! Makes a found miss smaller, and writes it as a case for `fixtures/safety`.

use crate::case;
use crate::hunt::{Found, Miss, apply, changed, leaves_more};
use crate::model::{Body, Expr, Pick, Program};
use crate::print::sources;
use crate::project::{Project, Tools};
use crate::recording::Recording;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a miss is made smaller.
const PATIENCE: Duration = Duration::from_secs(150);

/// Both revisions of a program.
type Pair = (Program, Program);

struct Shrinker<'a> {
    tools: &'a Tools,
    dir: &'a Path,
    recording: Recording,
    miss: Miss,
    end: Instant,
}

impl Shrinker<'_> {
    /// Whether the test is still missed; if so, all tests that changed.
    fn missed(&self, (before, after): &Pair) -> Option<Vec<String>> {
        let project = Project::new(self.tools, self.dir, 1, self.recording);
        if !after.declared().contains(&self.miss.test) {
            return None;
        }
        // Whether both compile, before anything runs.
        if !project.compile(0, after) || !project.compile(0, before) {
            return None;
        }
        let seen = project.run(std::slice::from_ref(before))?;
        project.compile(0, after);
        let all = project.left_out().into_iter();
        let mut of_technique = all.filter(|(technique, _)| *technique == self.miss.technique);
        let left_out = of_technique.next()?.1;
        let now = project.run(std::slice::from_ref(after))?;
        if leaves_more(after, &seen, &now, self.recording.by_method) {
            return None;
        }
        let changed = changed((before, &seen), (after, &now));
        let class = self.miss.test.split('#').next().unwrap_or_default();
        let is_left_out = left_out.contains(&self.miss.test) || left_out.contains(class);
        (is_left_out && changed.contains(&self.miss.test)).then_some(changed)
    }

    /// Drops what is not needed, part by part.
    fn shrink(&self, mut pair: Pair) -> Pair {
        let mut was_useful = true;
        while std::mem::take(&mut was_useful) {
            for part in parts(&pair) {
                if Instant::now() > self.end {
                    return pair;
                }
                let mut smaller = pair.clone();
                let dropped = [
                    part.drop_from(&mut smaller.0),
                    part.drop_from(&mut smaller.1),
                ];
                if dropped.contains(&true) && self.missed(&smaller).is_some() {
                    pair = smaller;
                    was_useful = true;
                }
            }
        }
        pair
    }
}

/// Something that a program may do without, by the names it has in both revisions.
enum Part {
    TestClass(String),
    Test(String, String),
    Check(String, String),
    Fixtures(String),
    Type(String),
    Method(String, String),
    Body(String, String),
    Field(String, String),
    Interfaces(String),
    Notes(String),
    Constructors(String),
    Idiom(String),
    Calls(String),
}

fn parts((before, after): &Pair) -> Vec<Part> {
    let mut parts = Vec::new();
    for program in [before, after] {
        for class in &program.tests {
            parts.push(Part::TestClass(class.name.clone()));
            for test in &class.tests {
                parts.push(Part::Test(class.name.clone(), test.name.clone()));
            }
            parts.push(Part::Fixtures(class.name.clone()));
        }
    }
    for program in [after, before] {
        for idiom in &program.idioms {
            parts.push(Part::Idiom(idiom.name.clone()));
            parts.push(Part::Calls(idiom.name.clone()));
        }
        for ty in program.types.iter().rev() {
            let name = &ty.name;
            parts.push(Part::Type(name.clone()));
            for method in &ty.methods {
                parts.push(Part::Method(name.clone(), method.name.clone()));
                parts.push(Part::Body(name.clone(), method.name.clone()));
            }
            let fields = ty.fields.iter();
            parts.extend(fields.map(|field| Part::Field(name.clone(), field.name.clone())));
            parts.push(Part::Interfaces(name.clone()));
            parts.push(Part::Notes(name.clone()));
            parts.push(Part::Constructors(name.clone()));
        }
        let tests = program.tests.iter().flat_map(|class| &class.tests);
        for test in tests {
            let checks = test.checks.iter();
            parts.extend(checks.map(|c| Part::Check(test.name.clone(), format!("{c:?}"))));
        }
    }
    parts
}

impl Part {
    /// Whether there was anything to drop.
    fn drop_from(&self, program: &mut Program) -> bool {
        let old = format!("{program:?}");
        let in_type =
            |program: &mut Program, of: &str, change: &dyn Fn(&mut crate::model::Type)| {
                program
                    .types
                    .iter_mut()
                    .filter(|ty| ty.name == of)
                    .for_each(change);
            };
        match self {
            Part::TestClass(name) => program.tests.retain(|class| class.name != *name),
            Part::Test(of, name) => {
                for class in program.tests.iter_mut().filter(|class| class.name == *of) {
                    class.tests.retain(|test| test.name != *name);
                }
            }
            Part::Check(of, check) => {
                let tests = program.tests.iter_mut().flat_map(|class| &mut class.tests);
                for test in tests.filter(|test| test.name == *of) {
                    test.checks.retain(|known| format!("{known:?}") != *check);
                }
            }
            Part::Fixtures(name) => {
                for class in program.tests.iter_mut().filter(|class| class.name == *name) {
                    (class.before, class.before_class, class.base) = (None, None, None);
                    (class.cached, class.shares) = (None, None);
                    class.tests.iter_mut().for_each(|test| test.fails = None);
                }
            }
            Part::Type(name) => program.types.retain(|ty| ty.name != *name),
            Part::Method(of, name) => {
                in_type(program, of, &|ty| ty.methods.retain(|m| m.name != *name));
            }
            Part::Body(of, name) => in_type(program, of, &|ty| {
                for method in ty.methods.iter_mut().filter(|m| m.name == *name) {
                    method.body = method.body.take().map(|_| Body {
                        statements: Vec::new(),
                        result: Expr::V,
                    });
                }
            }),
            Part::Field(of, name) => {
                in_type(program, of, &|ty| ty.fields.retain(|f| f.name != *name));
            }
            Part::Interfaces(of) => in_type(program, of, &|ty| ty.interfaces.clear()),
            Part::Notes(of) => in_type(program, of, &|ty| {
                ty.notes.clear();
                ty.methods.iter_mut().for_each(|m| m.notes.clear());
            }),
            Part::Idiom(name) => program.idioms.retain(|idiom| idiom.name != *name),
            Part::Calls(name) => {
                let of = program
                    .idioms
                    .iter_mut()
                    .filter(|idiom| idiom.name == *name);
                let picks = of.flat_map(|idiom| &mut idiom.picks);
                picks
                    .filter(|pick| matches!(pick, Pick::Call(..)))
                    .for_each(|pick| *pick = Pick::Number(1));
            }
            Part::Constructors(of) => in_type(program, of, &|ty| {
                for constructor in &mut ty.constructors {
                    (constructor.up, constructor.also) = (Expr::Number(1), None);
                }
            }),
        }
        format!("{program:?}") != old
    }
}

/// Shrinks a miss and writes it under `base`; tells what was found.
pub(crate) fn report(tools: &Tools, dir: &Path, base: &Path, found: &Found) -> String {
    let miss = found.misses[0].clone();
    let shrinker = Shrinker {
        tools,
        dir,
        recording: found.recording,
        miss: miss.clone(),
        end: Instant::now() + PATIENCE,
    };
    let mut edits = found.edits.clone();
    let mut told = found.told.clone();
    for dropped in (0..edits.len()).rev() {
        let mut fewer = edits.clone();
        fewer.remove(dropped);
        if let Some((after, words)) = apply(&found.before, &fewer)
            && shrinker.missed(&(found.before.clone(), after)).is_some()
        {
            (edits, told) = (fewer, words);
        }
    }
    let after = apply(&found.before, &edits)
        .expect("it was applied before")
        .0;
    let pair = shrinker.shrink((found.before.clone(), after));
    let changed = shrinker.missed(&pair);
    let case = base.join(format!(
        "m6x-seed-{}-{}.txt",
        found.seed,
        miss.test.replace('#', "-")
    ));
    let project = Project::new(tools, dir, 1, found.recording);
    let classes = project.classes(std::slice::from_ref(&pair.1)).concat();
    let told = (told.join(", "), classes.join(", "));
    let expect = expect(&pair.1, changed.as_deref().unwrap_or_default(), &told);
    let [differ, same] = case::print(&sources(&pair.0), &sources(&pair.1));
    fs::create_dir_all(base).unwrap();
    fs::write(&case, format!("{expect}\n{differ}{same}")).unwrap();
    let told = told.0;
    let unsure = match changed {
        Some(_) => "",
        None => " (not when tried again: depends on what ran before)",
    };
    format!(
        "MISSED {} by {}{unsure}\n  {:?}\n  seed {}, edits: {}\n  all: {:?}\n  {}\n{differ}",
        miss.test,
        miss.technique,
        found.recording,
        found.seed,
        told,
        found.misses,
        case.display()
    )
}

/// What a case expects, with what was edited and the test classes in their order.
fn expect(after: &Program, changed: &[String], (told, classes): &(String, String)) -> String {
    let class = |test: &String| test.split('#').next().unwrap_or(test).to_owned();
    let must: BTreeSet<String> = changed.iter().map(class).collect();
    let all: BTreeSet<String> = after.declared().iter().map(class).collect();
    let may: Vec<String> = all.difference(&must).cloned().collect();
    let must: Vec<String> = must.into_iter().collect();
    let mut expect = format!("{}.\nmust: {}\n", told.replace(':', ""), must.join(", "));
    expect += &format!("run: {classes}\n");
    if !may.is_empty() {
        expect += &format!("may: {} because it does not matter here\n", may.join(", "));
    }
    if after.jupiter {
        expect += "runner: platform\n";
    }
    expect
}
