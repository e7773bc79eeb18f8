//! Private methods that have other names than before.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use tamis_classfile::{ClassFile, Constant, Result, access};
use xxhash_rust::xxh3::xxh3_128;

use crate::constants::Names;
use crate::ignorable::{Rule, Rules, has_nest_mates, inherits_nothing, is_special};
use crate::{Fingerprint, MemberPrint};

/// Lambdas inside lambdas are recognised to this depth.
const ROUNDS: usize = 16;

/// Which methods were renamed, and the class as it would be under the old names.
pub(crate) struct Renaming<'a> {
    /// The old names of renamed methods, by their index now.
    pub(crate) names_before: BTreeMap<usize, &'a [u8]>,
    /// The methods of now, where code refers to each other by the old names.
    pub(crate) methods: Vec<MemberPrint<'a>>,
    /// What stands for the names of methods where code refers to them: of renamed ones the old
    /// name, and where that would be confused with another method of this name now, no name at all.
    pub(crate) names: Names<'a>,
}

/// The index of methods before, by their index now.
type Pairs = BTreeMap<usize, usize>;

impl<'a> Renaming<'a> {
    /// Pairs private methods of now with equal ones of before. As equality depends on the names of
    /// others that code refers to, it is looked at again under the new names, until nothing changes
    /// any more. If that does not come to an end, or spoils others, nothing is renamed.
    pub(crate) fn find(
        before: &Fingerprint<'a>,
        now: &ClassFile<'a>,
        print: &Fingerprint<'a>,
        rules: Rules,
    ) -> Result<Renaming<'a>> {
        let search = Search::new(before, now, print, rules)?;
        let mut pairs = Pairs::new();
        let mut found = search.renaming(&pairs);
        for _ in 0..ROUNDS {
            let next = search.pairs(&pairs, &found.methods);
            if next == pairs {
                match search.spoils(&found.methods) {
                    true => break,
                    false => return Ok(found),
                }
            }
            found = search.renaming(&next);
            if is_ambiguous(now, &found.names)? {
                break;
            }
            found.methods = Fingerprint::under(now, &found.names)?.methods;
            pairs = next;
        }
        Ok(search.renaming(&Pairs::new()))
    }
}

/// What can be paired.
struct Search<'s, 'a> {
    before: &'s [MemberPrint<'a>],
    now: &'s [MemberPrint<'a>],
    /// Methods of before and of now that can be paired, in the order of the numbers in their names.
    old: Vec<usize>,
    new: Vec<usize>,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(
        before: &'s Fingerprint<'a>,
        class: &ClassFile<'a>,
        print: &'s Fingerprint<'a>,
        rules: Rules,
    ) -> Result<Self> {
        let (before, now) = (before.methods.as_slice(), print.methods.as_slice());
        let mut search = Search {
            before,
            now,
            old: Vec::new(),
            new: Vec::new(),
        };
        if before == now {
            return Ok(search);
        }
        let has_nest_mates = has_nest_mates(class)?;
        let inherits_nothing = inherits_nothing(class)?;
        let may = |method: &MemberPrint<'a>, others: &Flags<'a>, may_be_new: bool| {
            let rule = Rule::renaming(method);
            rules.contains(rule)
                && (rule == Rule::RenamedSynthetic || !has_nest_mates)
                && is_private(method.access)
                && method.body.is_some()
                && !is_special(method.name)
                && match others.get(&method.key()) {
                    Some(&other) => is_private(other),
                    None => may_be_new || rule == Rule::RenamedSynthetic,
                }
        };
        let (old, new) = (flags(before), flags(now));
        search.old = choose(before, |method| may(method, &new, true));
        search.new = choose(now, |method| may(method, &old, inherits_nothing));
        Ok(search)
    }

    /// Those of `pairs` that are equal when they look like `methods`, and others that are.
    fn pairs(&self, pairs: &Pairs, methods: &[MemberPrint<'a>]) -> Pairs {
        let called = |methods: &[MemberPrint<'a>], index: usize, label: Label| {
            let method = methods.get(index)?;
            let name = label(method);
            Some(MemberPrint { name, ..*method })
        };
        let mut pairs = pairs.clone();
        pairs.retain(|&new, &mut old| {
            called(methods, new, nameless) == called(self.before, old, nameless)
        });
        for label in [by_name, by_stem, nameless] {
            let taken: HashSet<usize> = pairs.values().copied().collect();
            let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
            for &old in self.old.iter().filter(|old| !taken.contains(old)) {
                let equal = free.entry(called(self.before, old, label)).or_default();
                equal.push_back(old);
            }
            for &new in &self.new {
                if !pairs.contains_key(&new)
                    && let Some(equal) = free.get_mut(&called(methods, new, label))
                    && let Some(old) = equal.pop_front()
                {
                    pairs.insert(new, old);
                }
            }
        }
        pairs
    }

    /// Whether a method that is what it was means something else when all look like `methods`: the
    /// methods it refers to have changed places, and they are what has changed.
    fn spoils(&self, methods: &[MemberPrint<'a>]) -> bool {
        let old: HashSet<&MemberPrint<'a>> = self.before.iter().collect();
        let mut both = self.now.iter().zip(methods);
        both.any(|(plain, renamed)| plain != renamed && old.contains(plain))
    }

    /// What the names are when `pairs` are the same methods; the methods are not renamed yet.
    fn renaming(&self, pairs: &Pairs) -> Renaming<'a> {
        let mut names_before = BTreeMap::new();
        let mut names = Names::new();
        let mut hidden = Vec::new();
        for (&index, &old) in pairs {
            if let (Some(new), Some(old)) = (self.now.get(index), self.before.get(old))
                && new.name != old.name
            {
                names_before.insert(index, old.name);
                names.insert(new.key(), xxh3_128(old.name));
                hidden.push(old);
            }
        }
        for old in hidden {
            // No name has a semicolon in it (section 4.2.2).
            let none = || xxh3_128(&[b";", old.name].concat());
            names.entry(old.key()).or_insert_with(none);
        }
        Renaming {
            names_before,
            methods: self.now.to_vec(),
            names,
        }
    }
}

/// The access flags of methods.
type Flags<'a> = HashMap<(&'a [u8], &'a [u8]), u16>;

fn flags<'a>(methods: &[MemberPrint<'a>]) -> Flags<'a> {
    let flags = methods.iter().map(|method| (method.key(), method.access));
    flags.collect()
}

fn choose<'a>(methods: &[MemberPrint<'a>], may: impl Fn(&MemberPrint<'a>) -> bool) -> Vec<usize> {
    let all = methods.iter().enumerate();
    let mut chosen: Vec<_> = all.filter(|(_, method)| may(method)).collect();
    chosen.sort_by_key(|(_, method)| (method.name.len(), method.name));
    chosen.into_iter().map(|(index, _)| index).collect()
}

fn is_private(flags: u16) -> bool {
    flags & access::PRIVATE != 0
}

/// What of a method's name is compared.
type Label = for<'a> fn(&MemberPrint<'a>) -> &'a [u8];

/// All of it; of a synthetic method, without the number behind it.
fn by_name<'a>(method: &MemberPrint<'a>) -> &'a [u8] {
    match Rule::renaming(method) {
        Rule::RenamedSynthetic => by_stem(method),
        _ => method.name,
    }
}

/// All but the number behind it.
fn by_stem<'a>(method: &MemberPrint<'a>) -> &'a [u8] {
    let digits = method
        .name
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit());
    let length = method.name.len() - digits.count();
    method.name.get(..length).unwrap_or_default()
}

fn nameless<'a>(_: &MemberPrint<'a>) -> &'a [u8] {
    b""
}

/// Whether the class may mean one of the methods called `names` otherwise than by a reference to
/// itself: through a subclass, whose references find it too, or by a text.
fn is_ambiguous(class: &ClassFile<'_>, names: &Names<'_>) -> Result<bool> {
    let texts: HashSet<&[u8]> = names.keys().map(|(name, _)| *name).collect();
    let pool = &class.pool;
    for (_, constant) in pool.iter() {
        let ambiguous = match constant? {
            Constant::String { utf8 } => texts.contains(pool.utf8(utf8)?),
            Constant::Method {
                class: owner,
                name_and_type,
            }
            | Constant::InterfaceMethod {
                class: owner,
                name_and_type,
            } => {
                names.contains_key(&pool.name_and_type(name_and_type)?)
                    && pool.class_name(owner)? != class.name()?
            }
            _ => false,
        };
        if ambiguous {
            return Ok(true);
        }
    }
    Ok(false)
}
