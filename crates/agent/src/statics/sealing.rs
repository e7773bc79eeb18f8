//! Which static fields need not be looked at: see [`tamis_attribution::Seals`] for the rule.

use super::{Inner, Looking, MOST, Purpose, Statics};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tamis_attribution::{Candidate, Seals, groups};
use tamis_jvmti::{Jni, Jvmti, Object, Reached, Weak, Without};

/// What is sealed, and what decides about the next walk.
pub(super) struct Sealing {
    seals: Seals,
    /// The leaks of what is sealed, by their tags.
    leaks: HashMap<i64, Weak>,
    /// How much time was spent since the last walk on looks at roots that nobody touched.
    spent: Duration,
    /// How much of it a walk is worth.
    patience: Duration,
    /// Classes of which libraries name static fields.
    named_by_libraries: HashSet<Box<[u8]>>,
    /// Whether classes keep objects of the program: no walk goes there.
    in_classes: bool,
    looks: u32,
}

impl Default for Sealing {
    fn default() -> Self {
        Sealing {
            seals: Seals::default(),
            leaks: HashMap::new(),
            spent: Duration::ZERO,
            patience: Duration::from_millis(100),
            named_by_libraries: HashSet::new(),
            in_classes: false,
            looks: 0,
        }
    }
}

/// While threads of this class run, objects may be kept on stacks that no walk sees.
pub(super) const VIRTUAL_THREAD: &[u8] = b"java/lang/VirtualThread";

/// What a walk is to find out.
#[derive(Default)]
pub(crate) struct Walk {
    candidates: Vec<Candidate>,
    without: Without,
}

impl Statics {
    /// A class of a library names static fields of these classes.
    pub(crate) fn named_by_library<'n>(&self, names: impl Iterator<Item = &'n [u8]>) {
        let named = &mut self.inner().sealing.named_by_libraries;
        for name in names {
            if !named.contains(name) {
                named.insert(name.into());
            }
        }
    }

    /// Somebody touched these roots, or may have: those of classes that reflection comes to.
    pub(crate) fn open(&self, touched: &[u32], is_accessed: impl Fn(&[u8]) -> bool) {
        let mut inner = self.inner();
        let Inner { roots, sealing, .. } = &mut *inner;
        touched.iter().for_each(|root| sealing.seals.open(*root));
        let is_accessed = |root: &u32| {
            let root = roots.get(*root as usize);
            root.is_none_or(|root| is_accessed(&root.class))
        };
        let accessed: Vec<u32> = sealing.seals.sealed().filter(is_accessed).collect();
        accessed
            .into_iter()
            .for_each(|root| sealing.seals.open(root));
    }

    /// Whether any root is sealed.
    pub(crate) fn has_seals(&self) -> bool {
        self.inner().sealing.seals.sealed().next().is_some()
    }

    /// No root is sealed any more.
    pub(crate) fn open_all(&self) {
        self.inner().sealing.seals.open_all();
    }

    /// Whether it is time to see what can be sealed; with `is_checked` at every other of the first looks, and
    /// now and then later.
    pub(crate) fn is_time_to_seal(&self, is_checked: bool) -> bool {
        let sealing = &mut self.inner().sealing;
        sealing.looks = sealing.looks.wrapping_add(1);
        match is_checked {
            true => sealing.looks % if sealing.looks < 10 { 2 } else { 64 } == 1,
            false => sealing.spent > sealing.patience,
        }
    }

    /// Whether nothing can be sealed in this JVM: libraries name fields of the project, whose classes
    /// `is_project` knows (`None`: not loaded), threads run that no walk sees, or the program has a `ClassValue`.
    pub(crate) fn is_open(
        &self,
        jvmti: Jvmti,
        jni: Jni<'_>,
        mut is_project: impl FnMut(&[u8]) -> Option<bool>,
    ) -> bool {
        let mut inner = self.inner();
        let Inner {
            sealing, classes, ..
        } = &mut *inner;
        let mut is_named = false;
        sealing.named_by_libraries.retain(|name| {
            let is_project = is_project(name);
            is_named |= is_project == Some(true);
            is_project != Some(false)
        });
        let virtual_thread = classes.get(VIRTUAL_THREAD).into_iter().flatten();
        let has_virtual_threads = jni.frame(|jni| {
            let mut found = virtual_thread.filter_map(|class| jni.local_of(class));
            found.any(|class| jvmti.is_initialized(class).unwrap_or(true))
        });
        is_named || has_virtual_threads || sealing.in_classes
    }

    /// Walks, and seals what it allows. Nobody may hold references to objects of candidates in JNI.
    pub(crate) fn seal(&self, jvmti: Jvmti, jni: Jni<'_>, walk: Walk) {
        let started = std::time::Instant::now();
        let mut inner = self.inner();
        let reached: Option<Reached> = jvmti.walk(&inner.heap, inner.tagged, walk.without).ok();
        let sealing = &mut inner.sealing;
        sealing.seals.open_all();
        let is_worth_it = reached.is_some_and(|reached| {
            let seals = &mut sealing.seals;
            seals.seal_unreached(walk.candidates, |object| reached.has(object))
        });
        sealing.find_leaks(jvmti, jni);
        sealing.walked(started.elapsed(), is_worth_it);
    }

    /// No walk was made, because it would have been in vain.
    pub(crate) fn put_off(&self) {
        self.inner().sealing.walked(Duration::ZERO, false);
    }
}

impl Sealing {
    /// A class was loaded whose objects keep something in classes.
    pub(super) fn keeps_elsewhere(&mut self) {
        self.in_classes = true;
        self.seals.open_all();
    }

    /// Finds the leaks of what has been sealed. What has one that cannot be found is not sealed.
    fn find_leaks(&mut self, jvmti: Jvmti, jni: Jni<'_>) {
        for (_, leak) in self.leaks.drain() {
            jni.drop_weak(leak);
        }
        let wanted: Vec<(u32, i64)> = self.seals.leaks().collect();
        let tags: Vec<i64> = wanted.iter().map(|(_, leak)| *leak).collect();
        jni.frame(|jni| {
            let found = jvmti.objects_with_tags(jni, &tags);
            let found = found.into_iter().flatten();
            let found = found.filter_map(|(tag, object)| Some((tag, jni.weak(object).ok()?)));
            self.leaks.extend(found);
        });
        for (root, leak) in wanted {
            if !self.leaks.contains_key(&leak) {
                self.seals.open(root);
            }
        }
    }

    fn walked(&mut self, took: Duration, is_worth_it: bool) {
        self.spent = Duration::ZERO;
        self.patience = match is_worth_it {
            true => 2 * took,
            false => 2 * self.patience.max(took),
        };
    }
}

impl Looking<'_, '_, '_> {
    /// Whether this root need not be looked at.
    pub(crate) fn is_sealed(&self, root: u32) -> bool {
        self.sealing.seals.is_sealed(root)
    }

    /// Opens what is sealed and has a leak that changed.
    pub(crate) fn look_at_leaks(&mut self) {
        let leaks: Vec<(u32, i64)> = self.sealing.seals.leaks().collect();
        for (root, leak) in leaks {
            let leak = self.sealing.leaks.get(&leak);
            // One that is gone was given up by who is sealed: it has been touched.
            let object = leak.and_then(|leak| self.jni.local_of(leak));
            if object.is_some_and(|object| self.is_changed(object)) {
                self.sealing.seals.open(root);
            }
        }
    }

    /// Whether an object changed, or one that it leads to.
    fn is_changed(&mut self, object: Object<'_>) -> bool {
        let first = self.look.len();
        // SAFETY: nothing here makes a frame.
        let seen = unsafe { self.look.follow(object, MOST) };
        let Some(number) = seen.map(|seen| seen.object) else {
            return true;
        };
        let met = (first..self.look.len()).chain(number.map(|number| number as usize));
        let is_other = |object: usize| self.look.is_changed(object) || self.look.is_unknown(object);
        met.into_iter().any(is_other)
    }

    /// Roots were looked at that nobody touched.
    pub(crate) fn spent(&mut self, time: Duration) {
        self.sealing.spent += time;
    }

    /// All roots have been looked at with which later looks compare, but for those that are sealed.
    pub(crate) fn was_at_all(&mut self) {
        let sealed = self.sealing.seals.objects();
        if self.look.is_crowded(sealed) {
            match sealed {
                0 => self.look.forget_others(),
                _ => self.sealing.seals.open_all(),
            }
        }
    }

    /// Those of these roots, which this look was at, that a walk might allow to seal.
    pub(crate) fn candidates(
        &mut self,
        roots: &[u32],
        may_seal: impl Fn(u32, &[u8]) -> bool,
    ) -> Walk {
        debug_assert!(self.purpose == Purpose::Compare);
        let look = &*self.look;
        let group_of = groups(look.len(), |object| look.next(object));
        let mut walk = Walk::default();
        let mut by_group: HashMap<u32, Candidate> = HashMap::new();
        for &root in roots {
            let known = self.roots.get(root as usize);
            let is_candidate = known.is_some_and(|known| {
                let is_open = known.is_unknown || known.is_enum;
                known.last.is_some() && !is_open && may_seal(root, &known.class)
            });
            if !is_candidate || self.sealing.seals.is_refused(root) {
                continue;
            }
            let Some(held) = self.held(root) else {
                continue;
            };
            let group = |object: &u32| group_of.get(*object as usize).copied();
            let of_objects: Option<Vec<u32>> =
                held.iter().map(|(_, _, object)| group(object)).collect();
            match of_objects.as_deref() {
                // Nothing but the field itself counts.
                Some([]) => walk.candidates.push(Candidate {
                    roots: vec![root],
                    ..Candidate::default()
                }),
                Some([first, others @ ..]) if others.iter().all(|other| other == first) => {
                    by_group.entry(*first).or_default().roots.push(root);
                    for (class, object, _) in held {
                        *walk.without.entry((class, object)).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        let look = &*self.look;
        for (object, group) in group_of.iter().enumerate() {
            if let (Some(candidate), Some(tag)) = (by_group.get_mut(group), look.tag(object)) {
                candidate.objects.push(tag);
            }
        }
        for (from, tag) in look.opaque() {
            let group = group_of.get(*from as usize);
            if let Some(candidate) = group.and_then(|group| by_group.get_mut(group)) {
                candidate.opaque.push(*tag);
            }
        }
        walk.candidates.extend(by_group.into_values());
        walk
    }

    /// The objects that a root holds: the tag of the class that has the field, that of the object, and the
    /// number of the object in this look.
    fn held(&mut self, root: u32) -> Option<Vec<(i64, i64, u32)>> {
        let values = self.values(root).ok()?;
        let classes = self.initialized_classes(root)?;
        if values.len() != classes.len() {
            return None;
        }
        let held = classes.into_iter().zip(values);
        let held = held.filter_map(|(class, seen)| {
            let seen = seen?;
            Some((class, seen.value, seen.object?))
        });
        Some(held.collect())
    }

    /// The tags of the classes that have a root and are initialized.
    fn initialized_classes(&self, root: u32) -> Option<Vec<i64>> {
        let root = self.roots.get(root as usize)?;
        let mut tags = Vec::new();
        for class in self.classes.get(&root.class).into_iter().flatten() {
            let Some(class) = self.jni.local_of(class) else {
                continue;
            };
            if self.jvmti.is_initialized(class).unwrap_or(true) {
                tags.push(self.jvmti.class_tag(class).ok()??.raw());
            }
        }
        Some(tags)
    }
}
