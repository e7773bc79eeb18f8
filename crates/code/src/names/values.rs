//! What a value may be, and a table that has each set of values once.

use std::collections::HashMap;

/// A value that is known without running the code.
///
/// Where a class is needed, a text is the name of one; where a text is needed, a class stands for its
/// name. So a parameter can be followed through `Class.forName` and `Class.getName`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A text.
    Text(Box<str>),
    /// A class, by its internal name (`p/C$D`); an array by its descriptor.
    Class(Box<str>),
    /// What callers hand over for a declared parameter; the receiver is not counted. Of an array it
    /// is any element.
    Parameter(u16),
}

impl Value {
    /// The text itself, or the name of the class as Java writes it (`p.C$D`).
    pub fn to_text(&self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text.to_string()),
            Value::Class(name) => Some(name.replace('/', ".")),
            Value::Parameter(_) => None,
        }
    }

    /// The internal name of the class, or of the class that the text names.
    pub fn to_class(&self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text.replace('.', "/")),
            Value::Class(name) => Some(name.to_string()),
            Value::Parameter(_) => None,
        }
    }
}

/// All that a value may be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Values {
    /// One of these or `null`; each once, in order.
    Known(Vec<Value>),
    /// Anything.
    Unknown,
}

/// How many values are told apart before they are unknown.
pub const MAX_VALUES: usize = 8;

/// How long a text gets before it is unknown.
const MAX_TEXT: usize = 4096;

/// How long all texts of a method get before further ones are unknown.
const MAX_TEXTS: usize = 1 << 22;

impl Values {
    /// Any of these.
    pub fn of(values: impl IntoIterator<Item = Value>) -> Values {
        let mut all: Vec<Value> = values.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        match all.len() > MAX_VALUES || all.iter().any(|value| length(value) > MAX_TEXT) {
            true => Values::Unknown,
            false => Values::Known(all),
        }
    }

    /// What is one of these or one of `other`.
    pub fn join(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Known(a), Values::Known(b)) => Values::of(a.iter().chain(b).cloned()),
            _ => Values::Unknown,
        }
    }

    /// What these become, if `change` knows that of each.
    fn map(&self, change: impl Fn(&Value) -> Option<Value>) -> Values {
        let Values::Known(all) = self else {
            return Values::Unknown;
        };
        let changed: Option<Vec<Value>> = all.iter().map(change).collect();
        changed.map_or(Values::Unknown, Values::of)
    }

    /// The texts that these are; `None` if they may be anything else.
    fn texts(&self) -> Option<Vec<&str>> {
        let Values::Known(all) = self else {
            return None;
        };
        let texts = all.iter().map(|value| match value {
            Value::Text(text) => Some(text.as_ref()),
            _ => None,
        });
        // `null` would become a text as well.
        texts
            .collect::<Option<Vec<_>>>()
            .filter(|texts| !texts.is_empty())
    }
}

/// How long the text or the name is.
fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) | Value::Class(text) => text.len(),
        Value::Parameter(_) => 0,
    }
}

/// Stands for a set of values in a [`Table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(u32);

/// `null`, or what was not set.
pub(super) const NOTHING: Id = Id(0);
pub(super) const UNKNOWN: Id = Id(1);

/// Sets of values, each once, so that frames are small.
pub(super) struct Table {
    all: Vec<Values>,
    ids: HashMap<Values, Id>,
    /// How long all texts are.
    size: usize,
}

impl Default for Table {
    fn default() -> Self {
        Table {
            all: vec![Values::Known(Vec::new()), Values::Unknown],
            ids: HashMap::new(),
            size: 0,
        }
    }
}

impl Table {
    pub(super) fn get(&self, id: Id) -> &Values {
        self.all.get(id.0 as usize).unwrap_or(&Values::Unknown)
    }

    pub(super) fn add(&mut self, values: Values) -> Id {
        match &values {
            Values::Unknown => return UNKNOWN,
            Values::Known(all) if all.is_empty() => return NOTHING,
            Values::Known(_) => {}
        }
        if let Some(id) = self.ids.get(&values) {
            return *id;
        }
        if let Values::Known(all) = &values {
            self.size += all.iter().map(length).sum::<usize>();
        }
        if self.size > MAX_TEXTS {
            return UNKNOWN;
        }
        let id = Id(u32::try_from(self.all.len()).unwrap_or(UNKNOWN.0));
        self.all.push(values.clone());
        self.ids.insert(values, id);
        id
    }

    pub(super) fn value(&mut self, value: Value) -> Id {
        self.add(Values::of([value]))
    }

    pub(super) fn text(&mut self, text: &str) -> Id {
        self.value(Value::Text(text.into()))
    }

    pub(super) fn join(&mut self, a: Id, b: Id) -> Id {
        match (a, b) {
            _ if a == b => a,
            (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
            (NOTHING, some) | (some, NOTHING) => some,
            _ => {
                let joined = self.get(a).join(self.get(b));
                self.add(joined)
            }
        }
    }

    pub(super) fn map(&mut self, id: Id, change: impl Fn(&Value) -> Option<Value>) -> Id {
        match id {
            NOTHING | UNKNOWN => id,
            id => {
                let changed = self.get(id).map(change);
                self.add(changed)
            }
        }
    }

    /// The texts that result from each choice of parts, one after the other.
    pub(super) fn concat(&mut self, parts: &[Id]) -> Id {
        let empty = self.text("");
        let parts: Vec<Id> = parts
            .iter()
            .copied()
            .filter(|part| *part != empty)
            .collect();
        match parts.as_slice() {
            [] => return empty,
            // A parameter stays one.
            [part] if *part != NOTHING => return *part,
            _ => {}
        }
        let mut made = vec![String::new()];
        for part in parts {
            let Some(texts) = self.get(part).texts() else {
                return UNKNOWN;
            };
            let longest = made.iter().map(String::len).max().unwrap_or(0);
            if made.len() * texts.len() > MAX_VALUES || longest > MAX_TEXT {
                return UNKNOWN;
            }
            let combine = |start: &String| {
                let texts = texts.iter();
                texts
                    .map(|text| format!("{start}{text}"))
                    .collect::<Vec<_>>()
            };
            made = made.iter().flat_map(combine).collect();
        }
        let made = made.into_iter().map(|text| Value::Text(text.into()));
        self.add(Values::of(made))
    }

    /// The texts among these, for what is told of texts that were made.
    pub(super) fn texts(&self, id: Id) -> impl Iterator<Item = &str> {
        self.get(id).texts().into_iter().flatten()
    }
}
