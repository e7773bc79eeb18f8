//! Idioms: parts of programs that are written by hand, with slots in them that edits fill in other ways.
//!
//! A template is some Java: a line `--- path` starts a file, `§` is the name of the idiom. `«a¦b»` is a
//! slot that is filled with one of these texts, in which there may be other slots; `«#»` is a number, and
//! `«i»` calls another idiom. The class `§` has methods `go0`, `go1`, ... that compute something.
//!
//! Templates in `idioms/state` keep something in static fields that other tests find there.

use crate::model::{Idiom, Pick, State};
use crate::print::Sources;
use crate::random::Random;

/// The name of a kind of idiom, and its text.
type Template = (&'static str, &'static str);

macro_rules! templates {
    ($folder:literal: $($name:literal,)*) => {
        &[$(($name, include_str!(concat!($folder, $name, ".txt"))),)*]
    };
}

const PLAIN: &[Template] = templates! {
    "idioms/":
    "fields",
    "flags",
    "packages",
    "generics",
    "inner",
    "sealed",
    "records",
    "threads",
    "interfaces",
    "enums",
    "handlers",
    "strings",
    "statics",
    "annotations",
    "looks",
    "named",
    "jdk",
    "serial",
    "overloads",
    "templates",
    "functions",
    "flow",
    "privates",
    "casts",
    "proxies",
    "files",
    "resources",
    "missing",
};

/// Idioms that keep what is computed once: the same value, whichever test comes first.
const CACHING: &[Template] = templates! {
    "idioms/state/":
    "caches",
    "lazy",
    "slots",
    "elsewhere",
};

/// Idioms in which a test leaves something that changes what later tests do. Only tests call them:
/// what an initializer or a cache finds there would depend on when it runs.
const LEFT: &[Template] = templates! {
    "idioms/state/":
    "setters",
    "counters",
    "registry",
    "aliases",
    "singletons",
    "properties",
};

/// Extensions of Jupiter, and class rules of JUnit 4, that test classes share.
const STORE: &[Template] = templates! { "idioms/state/": "store", };
const RULE: &[Template] = templates! { "idioms/state/": "rule", };

const GROUPS: [&[Template]; 5] = [PLAIN, CACHING, LEFT, STORE, RULE];

/// Where idioms lie that name no package.
const PACKAGE: &str = "g";

/// Files that are no sources start with one of these: beside the classes, and where tests run.
pub(crate) const DATA: &str = "data/";
pub(crate) const RESOURCE: &str = "resource/";

enum Node {
    Text(String),
    Slot(usize, Vec<Vec<Node>>),
    Number(usize),
    Call(usize),
}

/// The parts of a template, and how many slots it has.
fn parse(template: &str) -> (Vec<Node>, usize) {
    let mut slots = 0;
    let mut rest = template;
    let nodes = sequence(&mut rest, &mut slots);
    assert!(rest.is_empty(), "unbalanced: {rest}");
    (nodes, slots)
}

/// Up to the end of the slot or of one of its texts, which is left.
fn sequence(rest: &mut &str, slots: &mut usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    loop {
        let end = rest.find(['«', '¦', '»']).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        nodes.push(Node::Text(text.to_owned()));
        *rest = after;
        let Some(inside) = rest.strip_prefix('«') else {
            return nodes;
        };
        let slot = *slots;
        *slots += 1;
        if let Some(after) = inside.strip_prefix("#»") {
            nodes.push(Node::Number(slot));
            *rest = after;
        } else if let Some(after) = inside.strip_prefix("i»") {
            nodes.push(Node::Call(slot));
            *rest = after;
        } else {
            *rest = inside;
            let mut texts = vec![sequence(rest, slots)];
            while let Some(after) = rest.strip_prefix('¦') {
                *rest = after;
                texts.push(sequence(rest, slots));
            }
            *rest = rest.strip_prefix('»').expect("a slot has an end");
            nodes.push(Node::Slot(slot, texts));
        }
    }
}

fn template(kind: &str) -> &'static str {
    let mut all = GROUPS.into_iter().flatten();
    let known = all.find(|(name, _)| *name == kind);
    known.expect("a known kind").1
}

fn is_of(group: &[Template], idiom: &Idiom) -> bool {
    group.iter().any(|(name, _)| *name == idiom.kind)
}

/// Whether only tests may call it.
pub(crate) fn is_left(idiom: &Idiom) -> bool {
    is_of(LEFT, idiom)
}

/// Whether test classes share it as an extension or a class rule.
pub(crate) fn is_shared(idiom: &Idiom) -> bool {
    is_of(STORE, idiom) || is_of(RULE, idiom)
}

/// How many methods a test can call.
pub(crate) fn entries(kind: &str) -> usize {
    template(kind).matches("public static Object go").count()
}

/// The files of an idiom.
pub(crate) fn sources(idiom: &Idiom) -> Sources {
    let (nodes, _) = parse(template(&idiom.kind));
    let mut text = String::new();
    write(&nodes, idiom, &mut text);
    let text = text.replace('§', &idiom.name);
    let mut files = Sources::new();
    for file in text.split("--- ").skip(1) {
        let (path, text) = file.split_once('\n').expect("a file has a name");
        match path.contains('/') {
            _ if path.is_empty() => None,
            true => files.insert(path.to_owned(), text.to_owned()),
            false => files.insert(
                format!("{PACKAGE}/{path}"),
                format!("package {PACKAGE};\n{text}"),
            ),
        };
    }
    files
}

fn write(nodes: &[Node], idiom: &Idiom, out: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Slot(slot, texts) => match &idiom.picks[*slot] {
                Pick::Number(number) => write(&texts[number % texts.len()], idiom, out),
                Pick::Call(..) => {}
            },
            Node::Number(slot) | Node::Call(slot) => match &idiom.picks[*slot] {
                Pick::Number(number) => out.push_str(&number.to_string()),
                Pick::Call(name, entry) => out.push_str(&call(name, *entry, "3")),
            },
        }
    }
}

/// A number that an idiom computes.
pub(crate) fn call(name: &str, entry: usize, argument: &str) -> String {
    format!("safe.Safe.at({PACKAGE}.{name}::go{entry}, {argument})")
}

/// What it computes, as a text.
pub(crate) fn text(name: &str, entry: usize) -> String {
    format!("safe.Safe.text({PACKAGE}.{name}::go{entry}, 2)")
}

/// The Java by which a test class uses what test classes share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) annotation: String,
    pub(crate) implements: &'static str,
    pub(crate) member: String,
    /// What is added to the output of its tests.
    pub(crate) seen: &'static str,
}

impl Shared {
    pub(crate) fn of(idiom: &str, jupiter: bool) -> Shared {
        let extension = "org.junit.jupiter.api.extension.ExtendWith";
        let rule = format!("{PACKAGE}.{idiom}Rule");
        match jupiter {
            true => Shared {
                annotation: format!("@{extension}({PACKAGE}.{idiom}Ext.class)\n"),
                implements: " implements safe.Kept",
                member: "String shared;\npublic void keep(String text) { shared = text; }\n".into(),
                seen: " + shared + \" \"",
            },
            false => Shared {
                member: format!("@ClassRule public static final {rule} shared = {rule}.SHARED;\n"),
                seen: " + shared.text() + \" \"",
                ..Shared::default()
            },
        }
    }
}

/// Of several idioms.
fn any_call(random: &mut Random, idioms: &[Idiom]) -> Option<Pick> {
    let callable: Vec<&Idiom> = idioms.iter().filter(|idiom| !is_left(idiom)).collect();
    let other = *random.pick(&callable)?;
    let entry = random.below(entries(&other.kind));
    Some(Pick::Call(other.name.clone(), entry))
}

/// One without state, which may call those before it.
pub(crate) fn plain(random: &mut Random, number: usize, before: &[Idiom]) -> Option<Idiom> {
    make(random, number, before, PLAIN)
}

/// How many of a hundred idioms with state are class rules of JUnit 4, or extensions of Jupiter. The
/// former are rare because JUnit 4 looks at them before the first test, so that a change of one concerns
/// every test of its JVM.
const RULES: usize = 5;
const STORES: usize = 30;

/// One with state, of a kind that `HUNT_KINDS` names, if it is set.
pub(crate) fn with_state(
    random: &mut Random,
    number: usize,
    before: &[Idiom],
    (state, jupiter): (State, bool),
) -> Option<Idiom> {
    let (shared, share) = if jupiter {
        (STORE, STORES)
    } else {
        (RULE, RULES)
    };
    let is_shared = random.chance(share);
    let left = if state == State::Left { LEFT } else { &[] };
    let wanted = std::env::var("HUNT_KINDS").unwrap_or_default();
    let templates: Vec<Template> = match (state, wanted.as_str()) {
        (State::None, _) => Vec::new(),
        (_, "") if is_shared => shared.to_vec(),
        (_, "") => [CACHING, left].concat(),
        _ => {
            let mut all = [CACHING, left, shared].concat();
            all.retain(|(kind, _)| wanted.split(',').any(|word| word == *kind));
            all
        }
    };
    make(random, number, before, &templates)
}

fn make(
    random: &mut Random,
    number: usize,
    before: &[Idiom],
    templates: &[Template],
) -> Option<Idiom> {
    let (kind, template) = random.pick(templates)?;
    let (nodes, slots) = parse(template);
    let mut idiom = Idiom {
        name: format!("G{number}"),
        kind: (*kind).to_owned(),
        picks: vec![Pick::Number(0); slots],
    };
    fill(&nodes, random, before, &mut idiom);
    Some(idiom)
}

/// Many first texts, which are known to go together.
fn fill(nodes: &[Node], random: &mut Random, before: &[Idiom], idiom: &mut Idiom) {
    for node in nodes {
        match node {
            Node::Text(_) => {}
            Node::Slot(slot, texts) => {
                let number = match random.chance(70) {
                    true => 0,
                    false => random.below(texts.len()),
                };
                idiom.picks[*slot] = Pick::Number(number);
                for text in texts {
                    fill(text, random, before, idiom);
                }
            }
            Node::Number(slot) => idiom.picks[*slot] = Pick::Number(random.below(9)),
            Node::Call(slot) => {
                let call = any_call(random, before).filter(|_| random.chance(60));
                idiom.picks[*slot] = call.unwrap_or(Pick::Number(random.below(9)));
            }
        }
    }
}

/// One of each kind, with the first texts, and for each other text the same with that one.
pub(crate) fn variants() -> Vec<(Idiom, Vec<Idiom>)> {
    let of_kind = |(kind, template): &Template| {
        let (nodes, slots) = parse(template);
        let first = Idiom {
            name: "G1".to_owned(),
            kind: (*kind).to_owned(),
            picks: vec![Pick::Number(0); slots],
        };
        let mut shows = Vec::new();
        shown(&nodes, &first, &mut shows);
        let numbers = |(slot, texts): (usize, Option<usize>)| {
            (1..texts.unwrap_or(1)).map(move |text| (slot, text))
        };
        let others = shows.into_iter().flat_map(numbers).map(|(slot, text)| {
            let mut other = first.clone();
            other.picks[slot] = Pick::Number(text);
            other
        });
        let others = others.collect();
        (first, others)
    };
    GROUPS.into_iter().flatten().map(of_kind).collect()
}

/// Every idiom with state, each with another text or number in one of its slots: both revisions. Of
/// Jupiter only its stores, the rest is the same as with JUnit 4.
pub(crate) fn state_edits(jupiter: bool) -> Vec<(Idiom, Idiom)> {
    let templates = match jupiter {
        true => STORE.to_vec(),
        false => [CACHING, LEFT, RULE].concat(),
    };
    let mut edits = Vec::new();
    for (kind, template) in templates {
        let (nodes, slots) = parse(template);
        let mut first = Idiom {
            name: String::new(),
            kind: kind.to_owned(),
            picks: vec![Pick::Number(0); slots],
        };
        let mut shows = Vec::new();
        shown(&nodes, &first, &mut shows);
        for (slot, texts) in shows {
            let others = texts.map_or(10..11, |count| 1..count);
            for other in others {
                first.name = format!("G{}", edits.len());
                let mut after = first.clone();
                after.picks[slot] = Pick::Number(other);
                edits.push((first.clone(), after));
            }
        }
    }
    edits
}

/// The slots that show, with how many texts they have; none of numbers and calls.
fn shown(nodes: &[Node], idiom: &Idiom, out: &mut Vec<(usize, Option<usize>)>) {
    for node in nodes {
        match node {
            Node::Text(_) => {}
            Node::Number(slot) | Node::Call(slot) => out.push((*slot, None)),
            Node::Slot(slot, texts) => {
                out.push((*slot, Some(texts.len())));
                if let Pick::Number(number) = &idiom.picks[*slot] {
                    shown(&texts[number % texts.len()], idiom, out);
                }
            }
        }
    }
}

/// Fills a slot in another way. Numbers are taken less often: a method that computes something else is
/// found by everybody.
pub(crate) fn change(idiom: &mut Idiom, random: &mut Random) -> Option<()> {
    let (nodes, _) = parse(template(&idiom.kind));
    let mut slots = Vec::new();
    shown(&nodes, idiom, &mut slots);
    if random.chance(75) {
        slots.retain(|(_, texts)| texts.is_some());
    }
    let (slot, texts) = *random.pick(&slots)?;
    let Pick::Number(old) = idiom.picks[slot] else {
        idiom.picks[slot] = Pick::Number(random.below(9));
        return Some(());
    };
    let new = match texts {
        Some(count) => (old % count + 1 + random.below(count - 1)) % count,
        None => 10 + random.below(9),
    };
    idiom.picks[slot] = Pick::Number(new);
    Some(())
}
