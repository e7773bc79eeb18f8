//! Static fields of the program: the roots of state that outlives units.
//!
//! Every class gets a tag when it is prepared, which says how its objects count in digests. The classes
//! of the project whose static fields can change are remembered; what such a field leads to can then be
//! asked for at any time.

mod comparison;
mod kinds;

pub(crate) use comparison::{EMPTY, RootComparison};
pub(crate) use kinds::is_opaque;

use crate::agent::Agent;
use comparison::Purpose;
use kinds::kind_of;
use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_attribution::State;
use tamis_code::references::{StaticField, StaticUse};
use tamis_jvmti::raw::EVENT_CLASS_PREPARE;
use tamis_jvmti::{
    Heap, HeapComparison, Jni, Jvmti, Kind, Object, StaticField as StaticFieldId, Tag, Weak,
};

/// The static fields of one name in one class; several loaders may define that class.
struct Root {
    /// The number of its class.
    class: u32,
    field: CString,
    descriptor: CString,
    /// It leads to more than is followed, or its class was loaded before anybody looked: it is not asked,
    /// and counts as changed by all who use it.
    is_unknown: bool,
    /// Whether test frameworks may read it.
    is_offered: bool,
    /// Whether it is a library's, and no code of the project names it: it does not count yet.
    is_foreign: bool,
    /// The field in each class of that name, as far as somebody has looked.
    fields: Vec<Option<StaticFieldId>>,
    /// What it was at the last comparison.
    last: Option<Last>,
}

/// The state of a root in a comparison.
#[derive(Clone, Copy)]
struct Last {
    /// The values of the field.
    values: u128,
    /// A number that is another one whenever something changed that it leads to.
    state: u128,
}

/// The classes of one name that have roots.
struct Class {
    name: Box<[u8]>,
    /// Whether it sets its static fields in an initializer.
    has_initializer: bool,
    /// The names of its fields that are roots, and the numbers of these.
    fields: Vec<(Box<[u8]>, u32)>,
    /// The classes themselves, as soon as they are prepared.
    prepared: Vec<Weak>,
}

/// The static fields that are roots.
#[derive(Default)]
pub(crate) struct Statics(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    roots: Vec<Root>,
    classes: Vec<Class>,
    /// Their numbers, by their internal names.
    numbers: HashMap<Box<[u8]>, u32>,
    /// Per class that it names there, the static fields that code of the project names.
    named: HashMap<Box<[u8]>, HashSet<Box<[u8]>>>,
    /// Classes whose own fields no code changes that names them.
    frozen: HashSet<Box<[u8]>>,
    /// Classes of the project whose own fields are followed, whatever they extend.
    of_project: HashSet<Box<[u8]>>,
    heap: Heap,
    tagged: u32,
    is_on: bool,
}

/// The declarations of a class's fields in its class file.
pub(crate) struct Declared<'a> {
    pub(crate) class: &'a [u8],
    /// The fields that can change; none for a class of a library.
    pub(crate) statics: Vec<StaticField<'a>>,
    /// Whether it has an initializer.
    pub(crate) has_initializer: bool,
    /// Whether the fields of its objects never change.
    pub(crate) is_frozen: bool,
    /// Whether it is a class of the project that counts by what it adds to what it extends, or by its
    /// package.
    pub(crate) extends: bool,
    /// Whether it is loaded before the first sign of tests.
    pub(crate) is_early: bool,
    /// Whether it is a library's.
    pub(crate) is_library: bool,
}

impl Statics {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A class is about to be defined.
    pub(crate) fn declare(&self, declared: &Declared<'_>) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        if declared.is_frozen {
            inner.frozen.insert(declared.class.into());
        } else if declared.extends {
            inner.of_project.insert(declared.class.into());
        }
        if declared.statics.is_empty() {
            return;
        }
        let number = match inner.numbers.get(declared.class) {
            Some(number) => *number,
            None => {
                let number = inner.classes.len() as u32;
                inner.numbers.insert(declared.class.into(), number);
                inner.classes.push(Class {
                    name: declared.class.into(),
                    has_initializer: false,
                    fields: Vec::new(),
                    prepared: Vec::new(),
                });
                number
            }
        };
        let Some(class) = inner.classes.get_mut(number as usize) else {
            return;
        };
        class.has_initializer |= declared.has_initializer;
        let fields = &mut class.fields;
        for field in &declared.statics {
            let is_known = fields.iter().any(|(name, _)| **name == *field.name);
            if let (false, Ok(name), Ok(descriptor)) = (
                is_known,
                CString::new(field.name),
                CString::new(field.descriptor),
            ) {
                let named = inner.named.get(declared.class);
                let is_named = named.is_some_and(|named| named.contains(field.name));
                fields.push((field.name.into(), inner.roots.len() as u32));
                inner.roots.push(Root {
                    is_foreign: declared.is_library && !is_named,
                    class: number,
                    field: name,
                    descriptor,
                    is_unknown: declared.is_early,
                    is_offered: field.is_offered,
                    fields: Vec::new(),
                    last: None,
                });
            }
        }
    }

    /// Code of the project names these fields.
    pub(crate) fn named<'a>(&self, uses: impl Iterator<Item = &'a StaticUse<'a>>) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        for used in uses {
            let fields = inner.named.entry(used.class.into()).or_default();
            if fields.insert(used.field.into())
                && let Some(root) = inner.find(used.class, used.field)
                && let Some(root) = inner.roots.get_mut(root as usize)
            {
                root.is_foreign = false;
            }
        }
    }

    /// A class (internal name) is one of a library: its static fields are no roots after all.
    pub(crate) fn forget(&self, class: &[u8]) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        inner.of_project.remove(class);
        if let Some(number) = inner.numbers.remove(class)
            && let Some(class) = inner.classes.get_mut(number as usize)
        {
            class.name = Box::default();
        }
    }

    /// Reflection comes to a final static field of a class (internal name): it may be set from now on. Its
    /// root, if it was none before.
    pub(crate) fn add(
        &self,
        jni: &Jni<'_>,
        name: &[u8],
        class: Object<'_>,
        field: StaticField<'_>,
    ) -> Option<u32> {
        let field_name = field.name;
        let is_known = self.inner().find(name, field_name).is_some();
        self.declare(&Declared {
            class: name,
            statics: vec![field],
            has_initializer: true,
            is_frozen: false,
            extends: false,
            is_early: false,
            is_library: false,
        });
        let mut inner = self.inner();
        let root = inner.find(name, field_name)?;
        let number = *inner.numbers.get(name)?;
        let prepared = &mut inner.classes.get_mut(number as usize)?.prepared;
        if !prepared.iter().any(|known| jni.is(known, Some(class))) {
            prepared.push(jni.weak(class).ok()?);
        }
        (!is_known).then_some(root)
    }

    /// Reflection comes to a field of the objects of a class (internal name) that is final.
    pub(crate) fn thaw(&self, jvmti: Jvmti, name: &[u8], class: Object<'_>) {
        let mut inner = self.inner();
        inner.frozen.remove(name);
        // Another loader may have defined a class of this name that is frozen, too.
        if let Ok(Some(tag)) = jvmti.class_tag(class) {
            inner.heap.thaw(tag);
        }
    }

    /// The roots of the fields of a class that test frameworks may read.
    pub(crate) fn offered(&self, class: &[u8]) -> Vec<u32> {
        let inner = self.inner();
        let roots = inner.roots_of(class);
        roots
            .filter(|(_, root)| root.is_offered)
            .map(|(number, _)| number)
            .collect()
    }

    /// The root of a field that the class itself declares.
    pub(crate) fn root(&self, class: &[u8], field: &[u8]) -> Option<u32> {
        let inner = self.inner();
        let found = inner.find(class, field)?;
        let root = inner.roots.get(found as usize)?;
        (!root.is_foreign).then_some(found)
    }

    /// The roots of a class.
    pub(crate) fn roots_of(&self, class: &[u8]) -> Vec<u32> {
        let inner = self.inner();
        inner.roots_of(class).map(|(number, _)| number).collect()
    }

    /// A number for an object, by its identity, and the name of its class.
    pub(crate) fn identity(
        &self,
        jvmti: Jvmti,
        jni: &Jni<'_>,
        object: Object<'_>,
    ) -> Option<(i64, String)> {
        let class = jni.class_of(object).ok()?;
        let identity = jvmti.identity(&mut self.inner().heap, object).ok()?;
        let signature = jvmti.signature(class).ok()?;
        let name = signature
            .strip_prefix(b"L")
            .and_then(|name| name.strip_suffix(b";"))
            .unwrap_or(&signature);
        Some((identity, String::from_utf8_lossy(name).replace('/', ".")))
    }

    /// A number for an object that is a text or a class, the same for equal ones; 0 for any other.
    pub(crate) fn content(&self, jvmti: Jvmti, jni: &Jni<'_>, object: Object<'_>) -> Option<u128> {
        let class = jni.class_of(object).ok()?;
        Some(match jvmti.signature(class).ok()?.as_slice() {
            b"Ljava/lang/String;" => {
                // SAFETY: it is a text.
                let text = unsafe { jni.text(object) }.ok()?;
                tamis_fingerprint::raw(&text).0
            }
            b"Ljava/lang/Class;" => jvmti.identity(&mut self.inner().heap, object).ok()? as u128,
            _ => 0,
        })
    }

    /// The roots of classes that reflection has come to.
    pub(crate) fn accessed(&self, is_accessed: impl Fn(&[u8]) -> bool) -> Vec<u32> {
        let inner = self.inner();
        let roots = (0..).zip(&inner.roots);
        let is_accessed = |root: &Root| {
            let class = inner.classes.get(root.class as usize);
            class.is_some_and(|class| is_accessed(&class.name))
        };
        let accessed = roots.filter(|(_, root)| !root.is_foreign && is_accessed(root));
        accessed.map(|(number, _)| number).collect()
    }

    /// The class and the field of a root, as people write them.
    pub(crate) fn name(&self, root: u32) -> Option<String> {
        let inner = self.inner();
        let root = inner.roots.get(root as usize)?;
        let class = inner.classes.get(root.class as usize)?;
        let class = String::from_utf8_lossy(&class.name).replace('/', ".");
        Some(format!("{class}.{}", root.field.to_string_lossy()))
    }

    /// Compares roots with what they were while `body` lasts, which must ask nothing else of them.
    pub(crate) fn compare<T>(
        &self,
        jvmti: Jvmti,
        jni: &mut Jni<'_>,
        body: impl FnOnce(&mut RootComparison<'_, '_, '_>) -> T,
    ) -> T {
        self.compare_for(jvmti, jni, Purpose::Compare, body)
    }

    /// The states of a class's roots when its initializer ends, on the thread that runs it.
    pub(crate) fn initial(
        &self,
        jvmti: Jvmti,
        jni: &mut Jni<'_>,
        class: &[u8],
    ) -> Vec<(u32, Option<State>)> {
        self.are(jvmti, jni, &self.roots_of(class))
    }

    /// The states of these roots before any unit touched them.
    pub(crate) fn are(
        &self,
        jvmti: Jvmti,
        jni: &mut Jni<'_>,
        roots: &[u32],
    ) -> Vec<(u32, Option<State>)> {
        if roots.is_empty() {
            return Vec::new();
        }
        self.compare_for(jvmti, jni, Purpose::Initial, |compared| {
            compared.states(roots)
        })
    }

    fn compare_for<T>(
        &self,
        jvmti: Jvmti,
        jni: &mut Jni<'_>,
        purpose: Purpose,
        body: impl FnOnce(&mut RootComparison<'_, '_, '_>) -> T,
    ) -> T {
        let mut inner = self.inner();
        let Inner {
            roots,
            classes,
            heap,
            ..
        } = &mut *inner;
        HeapComparison::with(jvmti, jni, heap, purpose == Purpose::Compare, |heap| {
            body(&mut RootComparison {
                jvmti,
                roots,
                classes,
                heap,
                purpose,
            })
        })
    }
}

/// Tests will run: from now on classes get their tags.
pub(crate) fn watch(agent: &Agent, jvmti: Jvmti, jni: &mut Jni<'_>) {
    agent.statics.inner().is_on = true;
    let on = jvmti.event(EVENT_CLASS_PREPARE, true);
    let seen = jvmti.each_loaded_class(jni, |jni, class| prepared(agent, jvmti, jni, class));
    if on.is_err() || seen.is_err() {
        agent.distrust("this JVM does not show which objects static fields reach".into());
    }
}

/// A class has its fields.
pub(crate) fn prepared(agent: &Agent, jvmti: Jvmti, jni: &Jni<'_>, class: Object<'_>) {
    let Ok(signature) = jvmti.signature(class) else {
        return;
    };
    let Some(name) = signature
        .strip_prefix(b"L")
        .and_then(|n| n.strip_suffix(b";"))
    else {
        return;
    };
    if jvmti.class_tag(class).is_ok_and(|tag| tag.is_some()) {
        return;
    }
    // What a class extends says how it counts. Of classes that are loaded already any may come first.
    // SAFETY: it is a class.
    if let Ok(Some(parent)) = unsafe { jni.superclass(class) } {
        prepared(agent, jvmti, jni, parent);
    }
    let mut inner = agent.statics.inner();
    let inner = &mut *inner;
    inner.tagged += 1;
    let kind = inner.kind(jvmti, jni, name, class);
    let _ = jvmti.tag_class(class, Tag::of_class(kind, inner.tagged));
    if let Some(number) = inner.numbers.get(name)
        && let Some(known) = inner.classes.get_mut(*number as usize)
        && let Ok(weak) = jni.weak(class)
    {
        known.prepared.push(weak);
    }
}

impl Inner {
    /// The fields of a class that are roots.
    fn fields(&self, class: &[u8]) -> &[(Box<[u8]>, u32)] {
        let number = self.numbers.get(class);
        let class = number.and_then(|number| self.classes.get(*number as usize));
        class.map_or(&[], |class| &class.fields)
    }

    /// The field of a class that is a root, or may be one.
    fn find(&self, class: &[u8], field: &[u8]) -> Option<u32> {
        let mut fields = self.fields(class).iter();
        let found = fields.find(|(name, _)| **name == *field);
        found.map(|(_, root)| *root)
    }

    /// The roots of a class, with their numbers.
    fn roots_of(&self, class: &[u8]) -> impl Iterator<Item = (u32, &Root)> {
        let fields = self.fields(class).iter();
        let roots = fields.filter_map(|(_, root)| Some((*root, self.roots.get(*root as usize)?)));
        roots.filter(|(_, root)| !root.is_foreign)
    }

    fn kind(&self, jvmti: Jvmti, jni: &Jni<'_>, name: &[u8], class: Object<'_>) -> Kind {
        if let Some(kind) = kind_of(name) {
            let is_own = kind == Kind::Opaque && self.of_project.contains(name);
            return if is_own { Kind::Plain } else { kind };
        }
        // SAFETY: it is a class.
        let parent = unsafe { jni.superclass(class) }.ok().flatten();
        let of_parent = parent.and_then(|parent| jvmti.class_tag(parent).ok().flatten());
        match of_parent.map(Tag::kind) {
            Some(Kind::Opaque) if self.of_project.contains(name) => Kind::Plain,
            Some(kind @ (Kind::Opaque | Kind::PerThread | Kind::Elsewhere)) => kind,
            Some(Kind::Leaf | Kind::Frozen) if self.frozen.contains(name) => Kind::Frozen,
            _ => Kind::Plain,
        }
    }
}
