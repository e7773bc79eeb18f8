//! Prints which test classes a change affects, by each graph, and how long that took since the start:
//! `reach CACHE CLASS_PATH CLASS[#MEMBER(DESCRIPTOR)] [PATHS]`.

use std::collections::BTreeSet;
use std::env::args;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use tamis_classpath::{Entries, Roots};
use tamis_graph::{
    Affected, Cause, Change, Changes, ClassGraph, MemberGraph, MemberKey, MemberRules, Nothing,
    Program, Relations, UnknownReflection,
};
use tamis_snapshot::{Cache, Snapshot, find_tests};

const RULES: [(&str, bool, Option<UnknownReflection>); 2] = [
    ("mest-s", false, None),
    ("mest", true, Some(UnknownReflection::Everything)),
];

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = args().skip(1);
    let mut next = |what: &'static str| args.next().ok_or(what);
    let (cache, path) = (next("no cache")?, next("no class path")?);
    let changed = next("no change")?;
    let shown = args.next().map_or(Ok(0), |number| number.parse())?;
    let paths: Vec<_> = path.split(':').map(Into::into).collect();
    let start = Instant::now();
    let ms = || start.elapsed().as_millis();
    let class_path = Entries::new(None).class_path(&paths);
    let cache = Cache::new(cache.into(), Roots::detect(Path::new("/")));
    let snapshot = Snapshot::read(&class_path, Some(&cache));
    println!("snapshot {} ms", ms());
    let program = Program::new(&snapshot, |_| true, &Nothing);
    let tests: BTreeSet<u32> = find_tests(&snapshot)
        .tests
        .iter()
        .filter_map(|test| program.class(test.class.name()))
        .collect();
    let tests: Vec<u32> = tests.into_iter().collect();
    println!("linked {} ms", ms());
    let changes = change(&changed);
    let tell = |name: &str, (nodes, edges): (usize, usize), affected: Vec<Affected>| {
        let (count, all) = (affected.len(), tests.len());
        println!(
            "{name} {} ms, {count} of {all} tests, {nodes} nodes, {edges} edges",
            ms()
        );
        for one in affected.iter().take(shown) {
            let (Cause::Path(path) | Cause::UnknownReflection(path)) = &one.cause;
            let path: Vec<String> = path.iter().map(ToString::to_string).collect();
            println!("  {}: {}", program.class_name(one.test), path.join(" -> "));
        }
    };
    for (name, relations) in [("firewall", Relations::Named), ("fest", Relations::Hidden)] {
        let graph = ClassGraph::new(&program, relations, vec![]);
        tell(name, graph.size(), graph.affected(&changes, &tests));
    }
    for (name, binding, reflection) in RULES {
        let rules = MemberRules {
            reflection,
            binding,
        };
        let graph = MemberGraph::new(&program, rules, vec![], &Nothing);
        tell(name, graph.size(), graph.affected(&changes, &tests));
    }
    Ok(())
}

fn change(text: &str) -> Changes {
    let (class, member) = text.split_once('#').unwrap_or((text, ""));
    let mut change = Change::Whole;
    if let Some(at) = member.find('(') {
        change = Change::nothing();
        if let Change::Parts { changed, .. } = &mut change {
            changed.insert(MemberKey {
                name: member[..at].to_owned(),
                descriptor: member[at..].to_owned(),
            });
        }
    }
    Changes {
        classes: [(class.replace('.', "/"), change)].into(),
        ..Changes::default()
    }
}
