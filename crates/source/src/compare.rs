use crate::change::{Kind, Member, MemberChange};
use crate::unit::{Code, Type, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// The names that may mean something else though they are written as before.
#[derive(Debug, Default)]
pub(crate) struct Uncertain<'n> {
    /// Whether any name may.
    all: bool,
    names: BTreeSet<&'n str>,
}

impl<'n> Uncertain<'n> {
    /// These, and what imports by way of them give a meaning.
    pub(crate) fn names<'s: 'n>(names: &'n BTreeSet<String>, unit: &Unit<'s>) -> Uncertain<'n> {
        let mut uncertain = Uncertain {
            all: false,
            names: names.iter().map(String::as_str).collect(),
        };
        for import in &unit.imports {
            if import.tokens.iter().any(|token| names.contains(*token)) {
                uncertain.import(import.name);
            }
        }
        uncertain
    }

    /// Those that the imports of one side only give a meaning.
    pub(crate) fn imports<'s: 'n>(before: &Unit<'s>, now: &Unit<'s>) -> Uncertain<'n> {
        let before: BTreeSet<_> = before.imports.iter().collect();
        let now: BTreeSet<_> = now.imports.iter().collect();
        let mut uncertain = Uncertain::default();
        for import in before.symmetric_difference(&now) {
            uncertain.import(import.name);
        }
        uncertain
    }

    fn import(&mut self, name: Option<&'n str>) {
        match name {
            Some(name) => self.names.extend([name]),
            None => self.all = true,
        }
    }

    fn reaches(&self, tokens: &[&str]) -> bool {
        !self.names.is_empty() && tokens.iter().any(|token| self.names.contains(token))
    }
}

/// What is different between two states of a file, by class and member.
///
/// Where something is gone, its name may now mean something inherited or imported.
pub(crate) fn compare(
    before: &Unit<'_>,
    now: &Unit<'_>,
    uncertain: &Uncertain<'_>,
) -> Vec<MemberChange> {
    let mut gone = BTreeSet::new();
    loop {
        let mut uncertain = Uncertain {
            all: uncertain.all,
            names: uncertain.names.clone(),
        };
        uncertain.names.extend(gone.iter().map(String::as_str));
        let changes = compare_once(before, now, &uncertain);
        let found = names_gone(&changes, now);
        if found.is_subset(&gone) {
            return changes;
        }
        gone.extend(found);
    }
}

fn compare_once(before: &Unit<'_>, now: &Unit<'_>, uncertain: &Uncertain<'_>) -> Vec<MemberChange> {
    let has_lombok = before.has_lombok || now.has_lombok;
    let has_other_types = !before.types.keys().eq(now.types.keys());
    let names: BTreeSet<&String> = before.types.keys().chain(now.types.keys()).collect();
    let mut changes = Vec::new();
    let mut other_heads: BTreeSet<&str> = BTreeSet::new();
    for name in names {
        let found = match (before.types.get(name), now.types.get(name)) {
            (Some(before), Some(now)) => {
                // Names in a nested class are looked up in the supertypes of those around it too.
                let outer = name.rsplit_once('$').map(|(outer, _)| outer);
                let has_other_head = has_other_head(before, now, uncertain)
                    || outer.is_some_and(|outer| other_heads.contains(outer))
                    || has_other_types && permits_by_file(now);
                if has_other_head {
                    other_heads.insert(name);
                }
                let mut found = Found::default();
                if has_other_head || before.constants != now.constants {
                    found.add(Member::Class, Kind::Changed, true);
                }
                found.compare(before, now, uncertain);
                found.follow_lombok(has_lombok);
                found
            }
            (Some(_), None) => Found::class(Kind::Deleted),
            (None, _) => Found::class(Kind::Added),
        };
        let change = |(member, found): (Member, Difference)| MemberChange {
            class: name.clone(),
            member,
            kind: found.kind,
            inside: found.inside,
            head: found.head,
        };
        changes.extend(found.members.into_iter().map(change));
    }
    changes
}

fn has_other_head(before: &Type<'_>, now: &Type<'_>, uncertain: &Uncertain<'_>) -> bool {
    before.head != now.head || uncertain.all || uncertain.reaches(&now.head)
}

/// Whether a sealed class permits all its subclasses in the file.
fn permits_by_file(class: &Type<'_>) -> bool {
    class.head.contains(&"sealed") && !class.head.contains(&"permits")
}

/// The names that may mean something else in other files because of what changed in one, or that stand for another
/// constant there.
pub(crate) fn names_for_others(before: &Unit<'_>, now: &Unit<'_>) -> BTreeSet<String> {
    let changes = compare(before, now, &Uncertain::imports(before, now));
    let mut names = names_gone(&changes, now);
    names.extend(names_of(&changes));
    let is_on_both =
        |class: &String| before.types.contains_key(class) && now.types.contains_key(class);
    let types = before.types.iter().chain(&now.types);
    for (_, ty) in types.filter(|(class, _)| !is_on_both(class)) {
        for (member, code) in &ty.members {
            if let (Member::Field { name, .. }, true) = (member, code.is_constant) {
                names.insert(name.clone());
            }
        }
    }
    names
}

/// The names that stand for something else elsewhere if their declarations are compiled differently: constants, classes
/// that inherit something else or hide another one, members with another head.
pub(crate) fn names_of(changes: &[MemberChange]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for change in changes {
        match &change.member {
            Member::Class => names.extend(simple_names(&change.class)),
            Member::Field { name, constant } if *constant || change.head => {
                names.insert(name.clone());
            }
            Member::Method { name, .. } if change.head => drop(names.insert(name.clone())),
            Member::Constructor { .. } if change.head => names.extend(simple_names(&change.class)),
            _ => {}
        }
    }
    names
}

/// The names of what is gone, or may be so for others: they are compiled against another head.
fn names_gone(changes: &[MemberChange], now: &Unit<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for change in changes {
        let class = &change.class;
        // What it may be a lambda of depends on how many methods an interface has.
        let is_method = matches!(change.member, Member::Method { .. });
        let ty = now.types.get(class);
        let is_interface = ty.is_some_and(|ty| ty.head.contains(&"interface"));
        if is_method && is_interface && change.kind != Kind::Changed {
            names.extend(simple_names(class));
        }
        if change.kind != Kind::Deleted && !change.head {
            continue;
        }
        match &change.member {
            Member::Class => names.extend(simple_names(class)),
            Member::EnumConstant { name }
            | Member::Field { name, .. }
            | Member::Method { name, .. } => drop(names.insert(name.clone())),
            Member::Constructor { .. }
                if change.head || has_old_constructor(changes, class, now) =>
            {
                names.extend(simple_names(class));
            }
            Member::Constructor { .. } | Member::Initializer { .. } => {}
        }
    }
    names
}

/// Whether a class has a constructor that is not new: who calls a new one depends on it, an old one is as it was.
fn has_old_constructor(changes: &[MemberChange], class: &str, now: &Unit<'_>) -> bool {
    let is_new = |member: &Member| {
        changes.iter().any(|other| {
            other.kind == Kind::Added && other.class == class && other.member == *member
        })
    };
    let members = now
        .types
        .get(class)
        .into_iter()
        .flat_map(|ty| ty.members.keys());
    let mut constructors = members.filter(|member| matches!(member, Member::Constructor { .. }));
    constructors.any(|member| !is_new(member))
}

/// How sources may name a class: names may have `$` in them.
fn simple_names(class: &str) -> impl Iterator<Item = String> {
    let name = class.rsplit_once('/').map_or(class, |(_, name)| name);
    let inner = name.rsplit_once('$').map(|(_, name)| name);
    [Some(name), inner].into_iter().flatten().map(str::to_owned)
}

/// What is different in one class.
#[derive(Debug, Default)]
struct Found {
    members: BTreeMap<Member, Difference>,
}

impl Found {
    fn class(kind: Kind) -> Found {
        let mut found = Found::default();
        found.add(Member::Class, kind, true);
        found
    }

    /// Adds a member, unless something is known of it.
    fn add(&mut self, member: Member, kind: Kind, inside: bool) {
        let head = false;
        self.insert(member, Difference { kind, inside, head });
    }

    fn insert(&mut self, member: Member, difference: Difference) {
        self.members.entry(member).or_insert(difference);
    }

    fn compare(&mut self, before: &Type<'_>, now: &Type<'_>, uncertain: &Uncertain<'_>) {
        let members = before.members.keys().chain(now.members.keys());
        let is_record = now.head.contains(&"record");
        for member in members.collect::<BTreeSet<_>>() {
            let (before, now) = (before.members.get(member), now.members.get(member));
            if let Some(mut difference) = difference(before, now, uncertain) {
                // What a record has without being told looks as it must when it is written.
                let is_made = |code: Option<&Code<'_>>| code.is_some_and(|c| c.tokens.is_empty());
                if (is_made(before) || is_made(now)) && is_record {
                    difference.head = false;
                }
                let is_constant = |code: &Code<'_>| code.is_constant;
                let was_or_is = before.is_some_and(is_constant) || now.is_some_and(is_constant);
                self.insert(with_constant(member, was_or_is), difference);
            }
        }
        for (before, now, is_static) in [
            (&before.statics, &now.statics, true),
            (&before.instance, &now.instance, false),
        ] {
            let sides = [before, now].map(|code| Some(code).filter(|code| !code.tokens.is_empty()));
            let Some(difference) = difference(sides[0], sides[1], uncertain) else {
                continue;
            };
            let head = false;
            self.insert(
                Member::Initializer { is_static },
                Difference { head, ..difference },
            );
        }
        if self
            .members
            .contains_key(&Member::Initializer { is_static: false })
        {
            for (member, code) in &now.members {
                if matches!(member, Member::Constructor { .. }) {
                    self.add(member.clone(), Kind::Changed, code.has_classes);
                }
            }
        }
    }

    /// Lombok makes methods of fields, and none that is written: what it made is not known.
    fn follow_lombok(&mut self, has_lombok: bool) {
        let matters = self.members.iter().any(|(member, difference)| {
            difference.kind != Kind::Changed
                || matches!(member, Member::Field { .. } | Member::EnumConstant { .. })
        });
        if has_lombok && matters {
            self.add(Member::Class, Kind::Changed, true);
        }
    }
}

/// How a member differs.
#[derive(Debug, Clone, Copy)]
struct Difference {
    kind: Kind,
    /// Whether it has classes inside.
    inside: bool,
    /// Whether more than its body differs.
    head: bool,
}

/// How a piece of code differs; `None` if it does not.
fn difference(
    before: Option<&Code<'_>>,
    now: Option<&Code<'_>>,
    uncertain: &Uncertain<'_>,
) -> Option<Difference> {
    let kind = match (before, now) {
        (Some(before), Some(now)) => {
            let is_same = before.tokens == now.tokens && !uncertain.reaches(&now.tokens);
            (!is_same).then_some(Kind::Changed)
        }
        (Some(_), None) => Some(Kind::Deleted),
        (None, Some(_)) => Some(Kind::Added),
        (None, None) => None,
    };
    let mut sides = before.into_iter().chain(now);
    let inside = sides.any(|code| code.has_classes);
    let head = match (before, now) {
        (Some(before), Some(now)) => {
            let tokens: Vec<&str> = now.head().collect();
            !before.head().eq(now.head()) || uncertain.reaches(&tokens)
        }
        _ => false,
    };
    kind.map(|kind| Difference { kind, inside, head })
}

fn with_constant(member: &Member, constant: bool) -> Member {
    match member {
        Member::Field { name, .. } => Member::Field {
            name: name.clone(),
            constant,
        },
        other => other.clone(),
    }
}
