//! What methods of the JDK make of names: the next texts, classes and builders.

use super::calls::Call;
use super::frame::{Content, Frame, Site, Slot};
use super::machine::Machine;
use super::types::Type;
use super::values::{Id, NOTHING, UNKNOWN, Value, Values};
use crate::nesting;
use recipe::Part;

pub(super) mod recipe;

impl<'a> Machine<'_, 'a> {
    /// What a call of the JDK returns, if it is known what that does with names; nobody else then gets
    /// hold of what it is given.
    pub(super) fn known(&mut self, frame: &mut Frame, call: &Call<'a>) -> Option<Slot> {
        let [owner, name, descriptor] = call.callee;
        let receiver = call.receiver;
        let first = call.argument(0);
        let made = match owner.strip_prefix(b"java/")? {
            b"lang/StringBuilder" | b"lang/StringBuffer" => return self.builder(frame, call),
            b"lang/String" => self.string(frame, call)?,
            b"lang/Class" => return self.class(frame, call),
            b"lang/Object" | b"lang/CharSequence" if name == b"toString" => {
                self.piece(frame, Type::Text, receiver?)
            }
            b"lang/Package" if name == b"getName" => match receiver? {
                Slot::Package(name) => name,
                _ => UNKNOWN,
            },
            b"util/Objects" if name == b"requireNonNull" => return Some(first),
            b"util/Objects" if name == b"toString" && call.arguments.len() == 1 => {
                self.piece(frame, Type::Object, first)
            }
            _ if name == b"loadClass" && descriptor.starts_with(b"(Ljava/lang/String;") => {
                self.class_of_name(frame, first)
            }
            b"lang/invoke/MethodHandles$Lookup" if name == b"findClass" => {
                self.class_of_name(frame, first)
            }
            _ => return None,
        };
        Some(Slot::Values(made))
    }

    fn made(&mut self, text: Id) -> Id {
        self.found.texts.push(text);
        text
    }

    fn class_of_name(&mut self, frame: &Frame, name: Slot) -> Id {
        let names = frame.values(name, &mut self.table);
        self.table.map(names, |name| match name {
            Value::Parameter(_) => Some(name.clone()),
            name => Some(Value::Class(name.to_class()?.into())),
        })
    }

    /// The text that a value of this type is turned into.
    fn piece(&mut self, frame: &Frame, kind: Type, slot: Slot) -> Id {
        match (kind, slot) {
            (Type::Int, Slot::Number(number)) => self.table.text(&number.to_string()),
            (Type::Char, Slot::Number(number)) => match u32::try_from(number).map(char::from_u32) {
                Ok(Some(letter)) => self.table.text(letter.encode_utf8(&mut [0; 4])),
                _ => UNKNOWN,
            },
            (Type::Boolean, Slot::Number(number)) => {
                self.table.text(if number == 0 { "false" } else { "true" })
            }
            (Type::Text | Type::Object, Slot::Values(id)) => {
                let is_text = |value: &Value| match value {
                    Value::Text(_) => true,
                    Value::Class(_) => false,
                    Value::Parameter(index) => {
                        let kind = self.parameters.get(usize::from(*index));
                        kind.is_some_and(|kind| kind.is_text())
                    }
                };
                match self.table.get(id) {
                    Values::Known(all) if !all.is_empty() && all.iter().all(is_text) => id,
                    _ => UNKNOWN,
                }
            }
            (Type::Text | Type::Object, Slot::Object(site)) => match frame.content(site) {
                Content::Builder(text) => *text,
                _ => UNKNOWN,
            },
            _ => UNKNOWN,
        }
    }

    pub(super) fn concat_parts(&mut self, frame: &Frame, parts: &[Part]) -> Id {
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            pieces.push(match part {
                Part::Text(text) => self.table.text(text),
                Part::Argument((kind, slot)) => self.piece(frame, *kind, *slot),
            });
        }
        let text = self.table.concat(&pieces);
        self.made(text)
    }

    fn builder(&mut self, frame: &mut Frame, call: &Call<'a>) -> Option<Slot> {
        let [_, name, descriptor] = call.callee;
        let receiver = call.receiver?;
        let Slot::Object(site) = receiver else {
            return None;
        };
        let Content::Builder(content) = *frame.content(site) else {
            if !READS_BUILDER.contains(&name) {
                self.lost.insert(site);
            }
            return None;
        };
        let argument = call.typed().next();
        let after = match (name, argument) {
            (b"toString", None) => return Some(Slot::Values(self.made(content))),
            (b"<init>", None | Some((Type::Int, _))) => self.table.text(""),
            (b"<init>", Some((kind, slot))) => self.piece(frame, kind, slot),
            (b"append", Some((kind, slot))) if call.arguments.len() == 1 => {
                let piece = self.piece(frame, kind_of_appended(descriptor, kind), slot);
                self.table.concat(&[content, piece])
            }
            (name, _) if READS_BUILDER.contains(&name) => return Some(Slot::UNKNOWN),
            _ if call.signature.returns == Type::Other => UNKNOWN,
            // Setters return nothing.
            _ if call.signature.returns == Type::Void => UNKNOWN,
            _ => return None,
        };
        frame.set_content(site, Content::Builder(after));
        Some(receiver)
    }

    fn string(&mut self, frame: &Frame, call: &Call<'a>) -> Option<Id> {
        let [_, name, _] = call.callee;
        let (first, second) = (call.typed().next(), call.typed().nth(1));
        let own = match call.receiver {
            Some(receiver) => self.piece(frame, Type::Text, receiver),
            None => UNKNOWN,
        };
        let made = match (name, first, second) {
            (b"toString" | b"intern", None, None) => return Some(own),
            (b"valueOf", Some((kind, slot)), None) => return Some(self.piece(frame, kind, slot)),
            (b"trim" | b"strip", None, None) => self.table.map(own, |value| match value {
                Value::Text(text) => Some(Value::Text(text.trim().into())),
                _ => None,
            }),
            (b"concat", Some((kind, slot)), None) => {
                let piece = self.piece(frame, kind, slot);
                self.table.concat(&[own, piece])
            }
            (b"replace", Some((kind, from)), Some((_, to))) => {
                let from = self.piece(frame, kind, from);
                let to = self.piece(frame, kind, to);
                self.replaced(own, from, to)
            }
            (b"substring", Some((_, Slot::Number(start))), end) => {
                let start = usize::try_from(start).ok()?;
                let end = match end {
                    None => None,
                    Some((_, Slot::Number(end))) => Some(usize::try_from(end).ok()?),
                    Some(_) => return None,
                };
                self.table.map(own, |value| match value {
                    // Others have letters of several bytes, or of two chars.
                    Value::Text(text) if text.is_ascii() => {
                        let part = text.get(start..end.unwrap_or(text.len()))?;
                        Some(Value::Text(part.into()))
                    }
                    _ => None,
                })
            }
            (b"format", Some((Type::Text, format)), Some((Type::Array, array))) => {
                let format = self.piece(frame, Type::Text, format);
                return self.formatted(frame, format, array);
            }
            (b"formatted", Some((Type::Array, array)), None) => {
                return self.formatted(frame, own, array);
            }
            (b"join", Some((_, between)), Some((Type::Array, array))) => {
                let between = self.piece(frame, Type::Text, between);
                let elements = self.elements(frame, array)?;
                let mut parts = Vec::new();
                for (index, element) in elements.into_iter().enumerate() {
                    parts.extend((index > 0).then_some(between));
                    parts.push(element);
                }
                self.table.concat(&parts)
            }
            _ => return None,
        };
        Some(self.made(made))
    }

    fn replaced(&mut self, texts: Id, from: Id, to: Id) -> Id {
        let single = |id: Id| {
            let mut all = self.table.texts(id).map(str::to_owned);
            all.next().filter(|_| all.next().is_none())
        };
        let (Some(from), Some(to)) = (single(from), single(to)) else {
            return UNKNOWN;
        };
        self.table.map(texts, |value| match value {
            Value::Text(text) => Some(Value::Text(text.replace(&from, &to).into())),
            _ => None,
        })
    }

    /// The texts of an array's elements in order.
    fn elements(&mut self, frame: &Frame, array: Slot) -> Option<Vec<Id>> {
        let Slot::Object(site @ Site::New(_)) = array else {
            return None;
        };
        let Content::Elements(elements) = frame.content(site) else {
            return None;
        };
        let slots = elements.iter().map(|id| Slot::Values(*id));
        Some(
            slots
                .map(|slot| self.piece(frame, Type::Object, slot))
                .collect(),
        )
    }

    /// `String.format`, where the format has nothing but `%s`.
    fn formatted(&mut self, frame: &Frame, format: Id, array: Slot) -> Option<Id> {
        let elements = self.elements(frame, array)?;
        let mut formats = self.table.texts(format);
        let only = formats
            .next()
            .filter(|_| formats.next().is_none())?
            .to_owned();
        drop(formats);
        let texts: Vec<&str> = only.split("%s").collect();
        if texts.iter().any(|text| text.contains('%')) || texts.len() != elements.len() + 1 {
            return None;
        }
        let mut parts = Vec::new();
        for (index, text) in texts.into_iter().enumerate() {
            parts.push(self.table.text(text));
            parts.extend(elements.get(index));
        }
        let made = self.table.concat(&parts);
        Some(self.made(made))
    }

    fn class(&mut self, frame: &Frame, call: &Call<'a>) -> Option<Slot> {
        let [_, name, _] = call.callee;
        if name == b"forName" {
            let name = call.signature.first(Type::Text)?;
            return Some(Slot::Values(self.class_of_name(frame, call.argument(name))));
        }
        let own = frame.values(call.receiver?, &mut self.table);
        let class = self.finder.class;
        let of_class = |change: fn(&str) -> Option<String>| {
            move |value: &Value| match value {
                Value::Class(name) if !name.starts_with('[') => {
                    Some(Value::Text(change(name)?.into()))
                }
                _ => None,
            }
        };
        let made = match name {
            b"getName" => self.table.map(own, |value| match value {
                Value::Parameter(_) => Some(value.clone()),
                value => Some(Value::Text(value.to_text()?.into())),
            }),
            b"getTypeName" => self.table.map(own, of_class(|name| Some(dotted(name)))),
            b"getPackageName" => self.table.map(own, of_class(package)),
            b"getPackage" => {
                return Some(Slot::Package(self.table.map(own, of_class(package))));
            }
            b"getSimpleName" => self.table.map(own, |value| {
                let simple = nesting::declared_name(class, value_class(value)?)?;
                let simple = simple.rsplit('.').next().unwrap_or_default().to_owned();
                Some(Value::Text(simple.into()))
            }),
            b"getCanonicalName" => self.table.map(own, |value| {
                let name = nesting::declared_name(class, value_class(value)?)?;
                Some(Value::Text(name.into()))
            }),
            b"asSubclass" => own,
            _ => return None,
        };
        if name != b"asSubclass" && made != NOTHING {
            self.made(made);
        }
        Some(Slot::Values(made))
    }
}

fn value_class(value: &Value) -> Option<&str> {
    match value {
        Value::Class(name) if !name.starts_with('[') => Some(name),
        _ => None,
    }
}

fn dotted(name: &str) -> String {
    name.replace('/', ".")
}

fn package(name: &str) -> Option<String> {
    let (package, _) = name.rsplit_once('/').unwrap_or_default();
    Some(dotted(package))
}

/// Builders are texts too; other objects are not.
fn kind_of_appended(descriptor: &[u8], kind: Type) -> Type {
    match descriptor.starts_with(b"(Ljava/lang/StringBu") {
        true => Type::Text,
        false => kind,
    }
}

const READS_BUILDER: &[&[u8]] = &[
    b"capacity",
    b"charAt",
    b"ensureCapacity",
    b"indexOf",
    b"isEmpty",
    b"lastIndexOf",
    b"length",
    b"substring",
    b"trimToSize",
];
