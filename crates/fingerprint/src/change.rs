use std::collections::{BTreeMap, HashSet};

use tamis_classfile::{ClassFile, Error, Member, Result, access};

use crate::ignorable::Excuses;
use crate::names::named;
use crate::nested;
use crate::printer::Place;
use crate::renamed::Renaming;
use crate::{Fingerprint, MemberPrint, Rule, Rules};

named! {
    /// The kind of a member's change, by the names of HyRTS; those of fields are of the same kind.
    pub enum Kind {
        /// A static initializer was added.
        Asi = "ASI",
        /// A static initializer was deleted.
        Dsi = "DSI",
        /// A static initializer was changed.
        Csi = "CSI",
        /// A constructor was added.
        Ai = "AI",
        /// A constructor was deleted.
        Di = "DI",
        /// A constructor was changed.
        Ci = "CI",
        /// A static method was added.
        Asm = "ASM",
        /// A static method was deleted.
        Dsm = "DSM",
        /// A static method was changed.
        Csm = "CSM",
        /// An instance method was added.
        Aim = "AIM",
        /// An instance method was deleted.
        Dim = "DIM",
        /// An instance method was changed.
        Cim = "CIM",
        /// A field was added.
        Afd = "AFD",
        /// A field was deleted.
        Dfd = "DFD",
        /// A field was changed.
        Cfd = "CFD",
    }
}

/// Name and descriptor of a method.
pub type MethodKey = (Box<[u8]>, Box<[u8]>);

/// The differences of two versions of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// Whether the head differs (CH).
    pub head: bool,
    /// The fields, then the methods that differ.
    pub members: Vec<MemberChange>,
    /// Substitutes for the names of methods to which the present code refers, by name and
    /// descriptor; see [`crate::constants_under`].
    pub names: BTreeMap<MethodKey, u128>,
    /// The internal names of nested classes that it did not list before.
    pub nested: Vec<Box<[u8]>>,
    /// The internal names of nested classes that it listed before and does not list now, or lists
    /// otherwise.
    pub nested_lost: Vec<Box<[u8]>>,
}

/// A field or method that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberChange {
    /// The kind of the change.
    pub kind: Kind,
    /// Its name; of a renamed method the new one.
    pub name: Box<[u8]>,
    /// Its descriptor.
    pub descriptor: Box<[u8]>,
    /// Its state before, unless it was added.
    pub before: Option<Before>,
    /// Its access flags now, unless it was deleted.
    pub now_access: Option<u16>,
    /// Whether the access flags differ; like the parts below, only of a changed member.
    pub flags: bool,
    /// Whether what reflection can see differs, apart from name, flags and exceptions.
    pub mirror: bool,
    /// Whether the declared exceptions differ.
    pub thrown: bool,
    /// Whether the code of a method or the constant value of a field differs.
    pub body: bool,
    /// The rule that excuses the change: only code that looks at declarations can see it.
    pub ignored: Option<Rule>,
    /// Whether it is an added method that a test framework runs as a test, and that is all its
    /// annotations say.
    pub is_test: bool,
}

/// A member as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    /// Its index among the fields or among the methods.
    pub index: u16,
    /// Its access flags.
    pub access: u16,
}

/// How `now` differs from the class that had the checksums `before`.
///
/// Members are matched by name and descriptor; a class that has two of one is an error. Where the
/// head differs or a nested class is lost, and in classes with native methods, no rule excuses anything.
pub fn diff(before: &Fingerprint<'_>, now: &ClassFile<'_>, rules: Rules) -> Result<Diff> {
    let print = Fingerprint::of(now)?;
    for class in [before, &print] {
        unique(&class.fields)?;
        unique(&class.methods)?;
    }
    let [nested, nested_lost] = nested::compare(&before.nested, &print.nested);
    let head = before.head != print.head;
    // Native code finds members by their names.
    let mut both = before.methods.iter().chain(&print.methods);
    let is_seen =
        head || !nested_lost.is_empty() || both.any(|method| method.access & access::NATIVE != 0);
    let rules = if is_seen { Rules::NONE } else { rules };
    let renaming = Renaming::find(before, now, &print, rules)?;
    let mut members = compare(
        Place::Field,
        &before.fields,
        &print.fields,
        &BTreeMap::new(),
    )?;
    members.extend(compare(
        Place::Method,
        &before.methods,
        &renaming.methods,
        &renaming.names_before,
    )?);
    if !members.is_empty() && rules != Rules::NONE {
        let excuses = Excuses::new(now, &renaming.names, rules)?;
        for change in &mut members {
            change.ignored = change.ignored.or_else(|| excuses.of(change));
        }
    }
    for change in members.iter_mut().filter(|c| c.kind == Kind::Aim) {
        let is_it = |method: &Member<'_>| {
            now.pool.utf8(method.name).ok() == Some(&change.name)
                && now.pool.utf8(method.descriptor).ok() == Some(&change.descriptor)
        };
        let added = now.methods().filter_map(Result::ok).find(is_it);
        change.is_test = added.map_or(Ok(false), |method| is_test(now, &method))?;
    }
    let owned = |((name, descriptor), digest): (&(&[u8], &[u8]), &u128)| {
        (((*name).into(), (*descriptor).into()), *digest)
    };
    Ok(Diff {
        head,
        members,
        names: renaming.names.iter().map(owned).collect(),
        nested,
        nested_lost,
    })
}

fn unique(members: &[MemberPrint<'_>]) -> Result<()> {
    let mut seen = HashSet::with_capacity(members.len());
    match members.iter().all(|member| seen.insert(member.key())) {
        true => Ok(()),
        false => Err(malformed("two members of one name and descriptor")),
    }
}

/// Compares fields or methods; `names_before` are those of the methods of `now` that were renamed,
/// by index.
fn compare(
    place: Place,
    before: &[MemberPrint<'_>],
    now: &[MemberPrint<'_>],
    names_before: &BTreeMap<usize, &[u8]>,
) -> Result<Vec<MemberChange>> {
    let mut changes = Vec::new();
    let keyed = before.iter().enumerate().map(|was| (was.1.key(), was));
    let mut left: BTreeMap<_, _> = keyed.collect();
    for (&index, name) in names_before {
        let is = now.get(index);
        let was = is.and_then(|is| left.remove(&(*name, is.descriptor)));
        let mut renamed = change(place, was, is)?;
        renamed.ignored = is.map(Rule::renaming);
        changes.push(renamed);
    }
    for (index, is) in now.iter().enumerate() {
        if names_before.contains_key(&index) {
            continue;
        }
        match left.remove(&is.key()) {
            Some((_, was)) if was == is => {}
            Some(was) if place == Place::Method && is_another(was.1, is) => {
                changes.push(change(place, Some(was), None)?);
                changes.push(change(place, None, Some(is))?);
            }
            was => changes.push(change(place, was, Some(is))?),
        }
    }
    for was in left.into_values() {
        changes.push(change(place, Some(was), None)?);
    }
    Ok(changes)
}

/// Whether a method is static now and was not, or the other way round.
fn is_another(was: &MemberPrint<'_>, is: &MemberPrint<'_>) -> bool {
    (was.access ^ is.access) & access::STATIC != 0 && !is.name.starts_with(b"<")
}

fn change(
    place: Place,
    was: Option<(usize, &MemberPrint<'_>)>,
    is: Option<&MemberPrint<'_>>,
) -> Result<MemberChange> {
    let before = match was {
        None => None,
        Some((index, was)) => Some(Before {
            index: u16::try_from(index).map_err(|_| malformed("too many members"))?,
            access: was.access,
        }),
    };
    let was = was.map(|(_, was)| was);
    let Some(member) = is.or(was) else {
        return Err(malformed("a change of nothing"));
    };
    let differs = |part: fn(&MemberPrint<'_>, &MemberPrint<'_>) -> bool| {
        was.zip(is).is_some_and(|(was, is)| part(was, is))
    };
    Ok(MemberChange {
        kind: kind(place, member, was.is_some(), is.is_some()),
        name: member.name.into(),
        descriptor: member.descriptor.into(),
        before,
        now_access: is.map(|is| is.access),
        flags: differs(|was, is| was.access != is.access),
        mirror: differs(|was, is| was.mirror != is.mirror),
        thrown: differs(|was, is| was.thrown != is.thrown),
        body: differs(|was, is| was.body != is.body),
        ignored: None,
        is_test: false,
    })
}

/// Whether the only annotation of a method makes it a test.
fn is_test(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
    let Some(annotations) = class.find(method.attributes, b"RuntimeVisibleAnnotations")? else {
        return Ok(false);
    };
    let mut r = annotations.reader();
    Ok(r.u16()? == 1 && tamis_frameworks::is_test(class.pool.utf8(r.u16()?)?))
}

fn kind(place: Place, member: &MemberPrint<'_>, was: bool, is: bool) -> Kind {
    let [added, deleted, changed] = match member.name {
        _ if place == Place::Field => [Kind::Afd, Kind::Dfd, Kind::Cfd],
        b"<clinit>" => [Kind::Asi, Kind::Dsi, Kind::Csi],
        b"<init>" => [Kind::Ai, Kind::Di, Kind::Ci],
        _ if member.access & access::STATIC != 0 => [Kind::Asm, Kind::Dsm, Kind::Csm],
        _ => [Kind::Aim, Kind::Dim, Kind::Cim],
    };
    match (was, is) {
        (false, _) => added,
        (true, false) => deleted,
        (true, true) => changed,
    }
}

fn malformed(what: &'static str) -> Error {
    Error::Malformed { at: 0, what }
}
