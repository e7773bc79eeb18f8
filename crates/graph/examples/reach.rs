//! Prints which test classes a change of a class or member affects, by each graph:
//! `reach CACHE CLASS_PATH CLASS[#MEMBER]...`.

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

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = args().skip(1);
    let (cache, path) = (
        args.next().ok_or("no cache")?,
        args.next().ok_or("no class path")?,
    );
    let paths: Vec<_> = path.split(':').map(Into::into).collect();
    let start = Instant::now();
    let class_path = Entries::new(Some(cache.clone().into())).class_path(&paths);
    let cache = Cache::new(cache.into(), Roots::detect(Path::new("/")));
    let snapshot = Snapshot::read(&class_path, Some(&cache));
    println!("snapshot {:.1?}", start.elapsed());
    let program = Program::new(&snapshot, Path::is_dir, &Nothing);
    println!("linked {:.1?}", start.elapsed());
    let tests: BTreeSet<u32> = find_tests(&snapshot)
        .tests
        .iter()
        .filter_map(|test| program.class(test.class.name()))
        .collect();
    let tests: Vec<u32> = tests.into_iter().collect();
    println!("{} tests found {:.1?}", tests.len(), start.elapsed());
    let mut changes = Changes::default();
    for changed in args {
        let (class, member) = changed.split_once('#').unwrap_or((&changed, ""));
        let key = |descriptor: &str| MemberKey {
            name: member.split('(').next().unwrap_or_default().to_owned(),
            descriptor: descriptor.to_owned(),
        };
        let change = match member.find('(') {
            None => Change::Whole,
            Some(at) => Change::Parts {
                head: false,
                nested: false,
                changed: BTreeSet::from([key(&member[at..])]),
                added: BTreeSet::new(),
                deleted: BTreeSet::new(),
            },
        };
        changes.classes.insert(class.replace('.', "/"), change);
    }
    let tell = |name: &str, affected: Vec<Affected>| {
        println!("{name}: {} tests {:.1?}", affected.len(), start.elapsed());
        for one in affected.iter().take(5) {
            let (Cause::Path(path) | Cause::UnknownReflection(path)) = &one.cause;
            let path: Vec<String> = path.iter().map(ToString::to_string).collect();
            println!("  {}: {}", program.class_name(one.test), path.join(" -> "));
        }
    };
    for relations in [Relations::Named, Relations::Hidden] {
        let graph = ClassGraph::new(&program, relations, vec![]);
        tell(&format!("{relations:?}"), graph.affected(&changes, &tests));
    }
    for (binding, reflection) in [
        (false, None),
        (true, None),
        (true, Some(UnknownReflection::Everything)),
    ] {
        let rules = MemberRules {
            reflection,
            binding,
        };
        let graph = MemberGraph::new(&program, rules, vec![], &Nothing);
        println!(
            "{:?} nodes and targets {:.1?}",
            graph.size(),
            start.elapsed()
        );
        tell(&format!("{rules:?}"), graph.affected(&changes, &tests));
    }
    Ok(())
}
