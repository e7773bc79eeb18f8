//! Compares the objects that roots reach with those of the last comparison.

use super::{Class, Last, Root};
use tamis_attribution::{State, that_lead_to};
use tamis_jvmti::{HeapComparison, Jni, Jvmti, Object, Seen, Thrown, Value};

/// How many references are followed from one root, as far as no root before it led there.
const MOST: usize = 50_000;

/// How many are followed in one comparison.
const MOST_AT_ONCE: usize = 200_000;

/// The value of a root in a comparison: of the field in each of the classes that have it.
type Values = Vec<Option<Seen>>;

/// The state of an empty field.
pub(crate) const EMPTY: State = State::Seen(0);

/// The purpose of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To compare with the last comparison.
    Compare,
    /// To know what the fields of a class are when its initializer ends. Others look at the same objects
    /// later and compare with what they were before.
    Initial,
}

/// A comparison of roots with what they were, in progress.
pub(crate) struct RootComparison<'f, 'h, 'i> {
    pub(super) jvmti: Jvmti,
    pub(super) roots: &'i mut [Root],
    pub(super) classes: &'i [Class],
    pub(super) heap: &'i mut HeapComparison<'f, 'h>,
    pub(super) purpose: Purpose,
}

impl RootComparison<'_, '_, '_> {
    /// How many roots there are; their numbers are below this.
    pub(crate) fn len(&self) -> u32 {
        self.roots.len() as u32
    }

    /// Whether the class of a root has no initializer, so that its fields start out as null and zero.
    pub(crate) fn starts_empty(&self, root: u32) -> bool {
        let root = self.roots.get(root as usize);
        let class = root.and_then(|root| self.classes.get(root.class as usize));
        class.is_some_and(|class| !class.has_initializer)
    }

    /// Whether a root that counts starts out empty.
    pub(crate) fn is_known_empty(&self, root: u32) -> bool {
        let counts = self.roots.get(root as usize);
        counts.is_some_and(|root| !root.is_foreign) && self.starts_empty(root)
    }

    /// The states of these roots; `None` for those that no initialized class has.
    pub(crate) fn states(&mut self, roots: &[u32]) -> Vec<(u32, Option<State>)> {
        let values: Vec<(u32, Result<Values, State>)> = roots
            .iter()
            .map(|root| {
                let values = self.values(*root);
                (*root, values)
            })
            .collect();
        let heap = &*self.heap;
        let lead_to = |is_marked: &dyn Fn(usize) -> bool| {
            that_lead_to(heap.len(), |object| heap.next(object), is_marked)
        };
        let unknown = lead_to(&|object| heap.is_unknown(object));
        let changed = lead_to(&|object| heap.is_changed(object));
        let is_in = |marks: &[bool], values: &Values| {
            let objects = values.iter().flatten().filter_map(|seen| seen.object);
            objects
                .filter_map(|object| marks.get(object as usize))
                .any(|is_marked| *is_marked)
        };
        let mut states = Vec::with_capacity(values.len());
        for (root, values) in values {
            let state = match values {
                Err(state) => Some(state),
                Ok(values) if values.is_empty() => None,
                Ok(values) if is_in(&unknown, &values) => Some(State::Unknown),
                Ok(values) => Some(self.state(root, &values, is_in(&changed, &values))),
            };
            if let (Some(State::Unknown), Some(root)) = (state, self.roots.get_mut(root as usize)) {
                root.is_unknown = true;
            }
            states.push((root, state));
        }
        states
    }

    /// Whether an object changed that other roots may lead to.
    pub(crate) fn has_changes(&self) -> bool {
        self.heap.has_changes()
    }

    /// How many references were followed.
    pub(crate) fn followed(&self) -> usize {
        self.heap.followed()
    }

    /// Notes that all roots have been compared that later comparisons need.
    pub(crate) fn was_at_all(&mut self) {
        self.heap.forget_others();
    }

    /// The state of a root, all of which is known.
    fn state(&mut self, root: u32, values: &Values, is_changed: bool) -> State {
        let sum = |all: u128, one: u128| all.rotate_left(1).wrapping_add(one);
        let now = values
            .iter()
            .map(|seen| seen.map_or(0, |seen| seen.value as u128))
            .fold(0, sum);
        let last = self.roots.get(root as usize).and_then(|root| root.last);
        let state = match last.filter(|_| self.purpose == Purpose::Compare) {
            Some(last) if last.values == now && !is_changed => last.state,
            Some(last) => last.state.wrapping_mul(3).wrapping_add(1),
            None => {
                let mut all = 0;
                for seen in values {
                    let digest = match seen {
                        None => Some(0),
                        Some(Seen {
                            value,
                            object: None,
                        }) => Some(*value as u128),
                        // Another object that holds the same may be one of another class.
                        Some(Seen {
                            value,
                            object: Some(object),
                        }) => {
                            let digest = self.heap.digest(*object, MOST);
                            digest.map(|digest| sum(digest, *value as u128))
                        }
                    };
                    let Some(digest) = digest else {
                        return State::Unknown;
                    };
                    all = sum(all, digest);
                }
                all
            }
        };
        if let (Purpose::Compare, Some(root)) = (self.purpose, self.roots.get_mut(root as usize)) {
            root.last = Some(Last { values: now, state });
        }
        State::Seen(state)
    }

    /// The values of a root in the classes that have it and are initialized.
    fn values(&mut self, root: u32) -> Result<Values, State> {
        let root = self.roots.get_mut(root as usize).ok_or(State::Unknown)?;
        if root.is_unknown {
            return Err(State::Unknown);
        }
        let mut values = Vec::new();
        let class = self.classes.get(root.class as usize);
        let prepared = class.into_iter().flat_map(|class| &class.prepared);
        for (number, class) in prepared.enumerate() {
            let Some(class) = self.heap.jni().local_of(class) else {
                continue;
            };
            // Inside the initializer of the class, on its thread, it need not be ready.
            if self.purpose == Purpose::Initial || self.jvmti.is_initialized(class).unwrap_or(true)
            {
                let value = root.value(self.heap.jni(), number, class);
                let value = value.map_err(|_| State::Unknown)?;
                values.push(seen(self.heap, value).ok_or(State::Unknown)?);
            }
        }
        Ok(values)
    }
}

/// A value as a comparison sees it; the outer `None` if it is unknown, the inner for null and zero.
fn seen<'f>(heap: &mut HeapComparison<'f, '_>, value: Value<'f>) -> Option<Option<Seen>> {
    let object = match value {
        Value::Object(None) | Value::Number(0) => return Some(None),
        Value::Number(value) => {
            return Some(Some(Seen {
                value,
                object: None,
            }));
        }
        Value::Object(Some(object)) => object,
    };
    let left = MOST_AT_ONCE.saturating_sub(heap.followed());
    heap.follow(object, MOST.min(left)).map(Some)
}

impl Root {
    /// The value of the field in the class with this number among those of its name, which is initialized
    /// or whose initializer runs on this thread.
    fn value<'f>(
        &mut self,
        jni: &Jni<'f>,
        number: usize,
        class: Object<'_>,
    ) -> Result<Value<'f>, Thrown> {
        let field = match self.fields.get(number) {
            Some(Some(field)) => *field,
            _ => {
                // SAFETY: it is a class.
                let field = unsafe { jni.static_field_id(class, &self.field, &self.descriptor)? };
                let missing = (number + 1).saturating_sub(self.fields.len());
                self.fields.extend(std::iter::repeat_n(None, missing));
                if let Some(known) = self.fields.get_mut(number) {
                    *known = Some(field);
                }
                field
            }
        };
        // SAFETY: the field was found in this class: classes are not renumbered.
        unsafe { jni.static_field(class, field) }
    }
}
