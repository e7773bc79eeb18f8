//! Roots of shared state that need not be looked at.
//!
//! A unit can change what a root leads to in two ways: through the root, or through another reference to
//! one of the same objects. **Rule:** a root is *sealed* once a walk over all objects of the JVM has shown
//! that no other reference leads to its objects; it is then not looked at until somebody touches it.
//! **Argument:** who wants a reference to an object must get it from somebody who has one. All of them are
//! the root's own objects, so it must come through the root; and code that comes through the root touches
//! it, by the names in the bytes of the code. Roots that lead to the same objects form a *group*: who
//! touches one of them may come to the objects of all.
//!
//! A few objects of a group may be *leaks*, to which the walk did come: constants that several classes share,
//! for example. Whoever has a leak comes from there to leaks only, so the others are safe as before. The
//! leaks are looked at, and when one of them changed, the group is open.
//!
//! The caller answers for what the argument takes for granted:
//! - code whose bytes do not name the field does not read it: no reflection came to fields of its class;
//! - code that was running when the walk was made counts as touching what it names;
//! - objects that are not followed, such as class loaders, may lead anywhere: see [`Candidate::opaque`].

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Roots that lead to the same objects, and might be sealed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The numbers of the roots.
    pub roots: Vec<u32>,
    /// The objects that they lead to and that are looked at.
    pub objects: Vec<i64>,
    /// Objects that they lead to and that are not followed. What these lead to must be known to the walk,
    /// so it must have come to them by other ways.
    pub opaque: Vec<i64>,
}

/// The roots that are sealed.
#[derive(Debug, Default)]
pub struct Seals {
    /// Per sealed root the group that it is in.
    group_of: HashMap<u32, u32>,
    groups: HashMap<u32, Group>,
    next: u32,
    /// Roots whose opaque objects nothing else led to.
    refused: HashSet<u32>,
}

#[derive(Debug)]
struct Group {
    roots: Vec<u32>,
    objects: usize,
    leaks: Vec<i64>,
}

/// How many leaks a group may have, and all groups together.
const LEAKS: usize = 64;
const LEAKS_OF_ALL: usize = 512;

impl Seals {
    /// Whether a root is sealed.
    pub fn is_sealed(&self, root: u32) -> bool {
        self.group_of.contains_key(&root)
    }

    /// Whether a walk must go through this root like through any other.
    pub fn is_refused(&self, root: u32) -> bool {
        self.refused.contains(&root)
    }

    /// The roots that are sealed.
    pub fn sealed(&self) -> impl Iterator<Item = u32> {
        self.group_of.keys().copied()
    }

    /// How many objects the sealed roots lead to.
    pub fn objects(&self) -> usize {
        self.groups.values().map(|group| group.objects).sum()
    }

    /// The leaks of the sealed groups, each with a root of its group.
    pub fn leaks(&self) -> impl Iterator<Item = (u32, i64)> {
        self.groups.values().flat_map(|group| {
            let root = group.roots.first().copied();
            let leaks = group.leaks.iter();
            leaks.filter_map(move |leak| Some((root?, *leak)))
        })
    }

    /// Somebody touched this root, or changed a leak of its group.
    pub fn open(&mut self, root: u32) {
        let group = self.group_of.get(&root);
        let group = group.and_then(|group| self.groups.remove(group));
        for root in group.into_iter().flat_map(|group| group.roots) {
            self.group_of.remove(&root);
        }
    }

    /// No root is sealed any more.
    pub fn open_all(&mut self) {
        self.group_of.clear();
        self.groups.clear();
    }

    /// Seals roots that lead to so many objects, to which nothing else leads, these leaks aside.
    fn seal(&mut self, roots: Vec<u32>, objects: usize, leaks: Vec<i64>) {
        // Those that were sealed with others are so no more.
        roots.iter().for_each(|root| self.open(*root));
        let group = self.next;
        self.next = self.next.wrapping_add(1);
        self.group_of
            .extend(roots.iter().map(|root| (*root, group)));
        let group_of_these = Group {
            roots,
            objects,
            leaks,
        };
        self.groups.insert(group, group_of_these);
    }

    /// Seals those of the candidates that a walk allows, which did not go through their roots and came to
    /// the objects that `is_reached` says; says whether there are any.
    pub fn seal_unreached(
        &mut self,
        mut candidates: Vec<Candidate>,
        is_reached: impl Fn(i64) -> bool,
    ) -> bool {
        let is_dark =
            |candidate: &&Candidate| !candidate.opaque.iter().all(|object| is_reached(*object));
        let dark: Vec<u32> = candidates
            .iter()
            .filter(is_dark)
            .flat_map(|candidate| candidate.roots.iter().copied())
            .collect();
        if !dark.is_empty() {
            // What lies behind them may be objects of any candidate. The next walk goes through these roots.
            self.refused.extend(dark);
            return false;
        }
        let (mut is_any, mut room) = (false, LEAKS_OF_ALL);
        // Those for which it is worth most come first.
        candidates.sort_by_key(|candidate| Reverse(candidate.objects.len()));
        for candidate in candidates {
            let objects = candidate.objects.iter().copied();
            let leaks: Vec<i64> = objects.filter(|object| is_reached(*object)).collect();
            if leaks.len() <= LEAKS.min(room) {
                room -= leaks.len();
                self.seal(candidate.roots, candidate.objects.len(), leaks);
                is_any = true;
            }
        }
        is_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups;
    use proptest::prelude::*;

    fn candidate(roots: &[u32], objects: &[i64], opaque: &[i64]) -> Candidate {
        Candidate {
            roots: roots.to_vec(),
            objects: objects.to_vec(),
            opaque: opaque.to_vec(),
        }
    }

    #[test]
    fn a_root_is_sealed_if_nothing_else_leads_to_its_objects() {
        let check = |story: &str, candidates: &[Candidate], reached: &[i64], expected: &[u32]| {
            let mut seals = Seals::default();
            seals.seal_unreached(candidates.to_vec(), |object| reached.contains(&object));
            let mut sealed: Vec<u32> = seals.sealed().collect();
            sealed.sort_unstable();
            assert_eq!(sealed, expected, "{story}");
        };
        let two = [
            candidate(&[0, 1], &[10, 11], &[]),
            candidate(&[2], &[12], &[]),
        ];
        check("nothing reached", &two, &[], &[0, 1, 2]);
        let many: Vec<i64> = (0..=LEAKS as i64).collect();
        let leaky = [candidate(&[0, 1], &many, &[]), candidate(&[2], &[100], &[])];
        check("a few leaks", &leaky, &many[1..], &[0, 1, 2]);
        check("too many leaks", &leaky, &many, &[2]);
        let dark = [candidate(&[0], &[10], &[20]), candidate(&[1], &[11], &[])];
        check("what is behind 20 is known", &dark, &[20], &[0, 1]);
        check("what is behind 20 is not known", &dark, &[], &[]);
    }

    #[test]
    fn who_touches_one_of_a_group_opens_all_of_it() {
        let mut seals = Seals::default();
        seals.seal(vec![0, 1], 5, vec![7]);
        seals.seal(vec![2], 1, Vec::new());
        assert_eq!(seals.objects(), 6);
        assert_eq!(seals.leaks().collect::<Vec<_>>(), [(0, 7)]);
        seals.open(1);
        assert!(!seals.is_sealed(0) && !seals.is_sealed(1) && seals.is_sealed(2));
        assert_eq!(seals.objects(), 1);
        seals.seal(vec![0, 2], 4, Vec::new());
        seals.open(0);
        assert_eq!(seals.sealed().count(), 0);
    }

    const NODES: usize = 12;
    const ROOTS: usize = 4;

    /// A heap: some nodes are opaque, some are known outside all roots.
    #[derive(Debug, Clone, Default)]
    struct Heap {
        next: Vec<Vec<u32>>,
        value: Vec<u32>,
        roots: [Option<u32>; ROOTS],
        outside: Vec<u32>,
    }

    const OPAQUE: [u32; 2] = [0, 1];

    impl Heap {
        /// The nodes that can be reached from these, through opaque ones only if so.
        fn reach(&self, from: impl IntoIterator<Item = u32>, through_opaque: bool) -> Vec<bool> {
            let mut seen = vec![false; NODES];
            let mut work: Vec<u32> = from.into_iter().collect();
            while let Some(node) = work.pop() {
                let is_new = !std::mem::replace(&mut seen[node as usize], true);
                if is_new && (through_opaque || !OPAQUE.contains(&node)) {
                    work.extend(&self.next[node as usize]);
                }
            }
            seen
        }

        /// What a look at a root sees.
        fn look(&self, root: usize) -> Vec<(u32, u32, Vec<u32>)> {
            let seen = self.reach(self.roots[root], false);
            let nodes = (0..NODES as u32).filter(|node| seen[*node as usize]);
            let open = nodes.filter(|node| !OPAQUE.contains(node));
            open.map(|node| {
                (
                    node,
                    self.value[node as usize],
                    self.next[node as usize].clone(),
                )
            })
            .collect()
        }

        /// What a walk finds that goes through no root that may be sealed.
        fn candidates(&self, seals: &Seals) -> (Vec<Candidate>, Vec<bool>) {
            let is_candidate = |root: &usize| !seals.is_refused(*root as u32);
            let mut lists = vec![Vec::new(); NODES];
            let mut starts: Vec<(u32, u32)> = Vec::new();
            for root in (0..ROOTS).filter(is_candidate) {
                let seen = self.reach(self.roots[root], false);
                for node in
                    (0..NODES).filter(|node| seen[*node] && !OPAQUE.contains(&(*node as u32)))
                {
                    lists[node] = self.next[node].clone();
                }
                let start = self.roots[root].filter(|node| !OPAQUE.contains(node));
                starts.extend(start.map(|node| (root as u32, node)));
            }
            let open: Vec<Vec<u32>> = lists
                .iter()
                .map(|list| {
                    list.iter()
                        .copied()
                        .filter(|node| !OPAQUE.contains(node))
                        .collect()
                })
                .collect();
            let group_of = groups(NODES, |node| &open[node]);
            let mut by_group: HashMap<u32, Candidate> = HashMap::new();
            for (root, node) in &starts {
                let group = group_of[*node as usize];
                by_group.entry(group).or_default().roots.push(*root);
            }
            for (node, list) in lists.iter().enumerate() {
                if let Some(candidate) = by_group.get_mut(&group_of[node]) {
                    candidate.objects.push(node as i64);
                    let opaque = list.iter().filter(|to| OPAQUE.contains(to));
                    candidate.opaque.extend(opaque.map(|to| i64::from(*to)));
                }
            }
            let is_through =
                |root: &usize| !starts.iter().any(|(start, _)| *start as usize == *root);
            let through = (0..ROOTS)
                .filter(is_through)
                .filter_map(|root| self.roots[root]);
            let reached = self.reach(through.chain(self.outside.iter().copied()), true);
            (by_group.into_values().collect(), reached)
        }
    }

    #[derive(Debug, Clone)]
    enum Deed {
        Value(u32),
        Link(u32, u32),
        Unlink(u32),
        SetRoot(usize, u32),
        Publish(u32),
    }

    fn deed() -> impl Strategy<Value = Deed> {
        let node = || 0..NODES as u32;
        prop_oneof![
            node().prop_map(Deed::Value),
            (node(), node()).prop_map(|(from, to)| Deed::Link(from, to)),
            node().prop_map(Deed::Unlink),
            (0..ROOTS, node()).prop_map(|(root, node)| Deed::SetRoot(root, node)),
            node().prop_map(Deed::Publish),
        ]
    }

    /// A unit: the roots it touches, what it does, whether a walk follows.
    fn unit() -> impl Strategy<Value = (Vec<usize>, Vec<Deed>, bool)> {
        let touched = prop::collection::vec(0..ROOTS, 0..2);
        (
            touched,
            prop::collection::vec(deed(), 0..8),
            prop::bool::weighted(0.4),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Units do what they want with all that they can come to.
        #[test]
        fn nobody_changes_what_a_sealed_root_leads_to(
            edges in prop::collection::vec((0..NODES as u32, 0..NODES as u32), 0..14),
            roots in prop::array::uniform4(prop::option::of(0..NODES as u32)),
            outside in prop::collection::vec(0..NODES as u32, 0..2),
            units in prop::collection::vec(unit(), 1..10),
        ) {
            let mut heap = Heap {
                next: vec![Vec::new(); NODES],
                value: vec![0; NODES],
                roots,
                outside,
            };
            edges.into_iter().for_each(|(from, to)| heap.next[from as usize].push(to));
            let mut seals = Seals::default();
            let (candidates, reached) = heap.candidates(&seals);
            seals.seal_unreached(candidates, |node| reached[node as usize]);
            for (number, (touched, deeds, walks)) in units.into_iter().enumerate() {
                let before = heap.clone();
                for deed in deeds {
                    let from = touched.iter().filter_map(|root| heap.roots[*root]);
                    let has = heap.reach(from.chain(heap.outside.iter().copied()), true);
                    let has = |node: u32| has[node as usize];
                    match deed {
                        Deed::Value(node) if has(node) => heap.value[node as usize] += 1,
                        Deed::Link(from, to) if has(from) && has(to) => {
                            heap.next[from as usize].push(to);
                        }
                        Deed::Unlink(node) if has(node) => heap.next[node as usize].clear(),
                        Deed::SetRoot(root, node) if has(node) && touched.contains(&root) => {
                            heap.roots[root] = Some(node);
                        }
                        Deed::Publish(node) if has(node) => heap.outside.push(node),
                        _ => {}
                    }
                }
                touched.iter().for_each(|root| seals.open(*root as u32));
                let leaks: Vec<(u32, i64)> = seals.leaks().collect();
                for (root, leak) in leaks {
                    let state = |heap: &Heap| (heap.value[leak as usize], heap.next[leak as usize].clone());
                    if state(&before) != state(&heap) {
                        seals.open(root);
                    }
                }
                for root in (0..ROOTS).filter(|root| seals.is_sealed(*root as u32)) {
                    prop_assert_eq!(before.look(root), heap.look(root), "unit {}, root {}", number, root);
                }
                if walks {
                    let (candidates, reached) = heap.candidates(&seals);
                    seals.seal_unreached(candidates, |node| reached[node as usize]);
                }
            }
        }
    }
}
