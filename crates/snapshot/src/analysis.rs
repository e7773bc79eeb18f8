//! Analyses the bytes of one class file.

use crate::merge::Merge;
use crate::tables::{
    AskRow, Asked, ClassRow, DeclaredRow, FactsRow, MemberRow, PassedRow, ReferenceKind,
    ReferenceRow, Tables,
};
use indexmap::IndexSet;
use tamis_classfile::{Attributes, ClassFile, Member, Members, Result, decode_mutf8};
use tamis_code::names::{Finder, Lookup, Target, Value, Values};
use tamis_code::references::{self, Invoke, Kind, Lambda, Made};
use tamis_code::{Nesting, nesting};
use tamis_fingerprint::{Digest, Fingerprint, raw};

/// Longer texts are no names of anything.
const LONGEST_NAME: usize = 512;

/// The tables of the class file that stands at `name`; `None` if it is that of another class, which nobody
/// can load from there.
pub(crate) fn analyse(name: &str, release: u32, bytes: &[u8]) -> Option<Tables> {
    let class = ClassFile::parse(bytes).ok();
    let own = class.as_ref().and_then(|class| class.name().ok());
    if own.is_some_and(|own| is_other(own, name)) {
        return None;
    }
    let mut analysis = Analysis::default();
    let facts = class.and_then(|class| analysis.facts(&class));
    Some(match facts {
        // What makes no sense leaves nothing behind.
        None => alone(Merge::default(), name, release, Some(raw(bytes)), None),
        facts => alone(analysis.tables, name, release, Some(raw(bytes)), facts),
    })
}

/// The tables of a class file that cannot be read.
pub(crate) fn unreadable(name: &str) -> Tables {
    alone(Merge::default(), name, 0, None, None)
}

fn alone(
    mut tables: Merge,
    name: &str,
    release: u32,
    raw: Option<Digest>,
    facts: Option<FactsRow>,
) -> Tables {
    let name = tables.text(name);
    tables.add(ClassRow {
        name,
        release,
        raw,
        facts: facts.map(Box::new),
    });
    tables.finish()
}

fn is_other(own: &[u8], name: &str) -> bool {
    decode_mutf8(own).is_some_and(|own| own != name)
}

#[derive(Default)]
struct Analysis {
    tables: Merge,
}

/// Names among the tables' texts, each once; `None` once one of them is no text.
struct Names<'m> {
    tables: &'m mut Merge,
    numbers: Option<IndexSet<u32>>,
}

impl Names<'_> {
    fn add(&mut self, name: &[u8]) {
        let number = decode_mutf8(name).map(|name| self.tables.text(&name));
        match number {
            Some(number) => drop(self.numbers.as_mut().map(|all| all.insert(number))),
            None => self.numbers = None,
        }
    }
}

impl Analysis {
    fn facts(&mut self, class: &ClassFile<'_>) -> Option<FactsRow> {
        let print = Fingerprint::of(class).ok()?;
        let declared = match nesting(class).ok()? {
            Nesting::TopLevel => DeclaredRow::TopLevel,
            Nesting::Member { outer, access } => DeclaredRow::Member {
                outer: self.text(outer)?,
                access,
            },
            Nesting::Local => DeclaredRow::Local,
        };
        Some(FactsRow {
            digest: print.class(),
            access: class.access,
            declared,
            super_class: match print.super_class {
                Some(name) => Some(self.text(name)?),
                None => None,
            },
            interfaces: {
                let interfaces = print.interfaces.iter();
                interfaces
                    .map(|name| self.text(name))
                    .collect::<Option<_>>()?
            },
            annotations: self.annotations(class, class.attributes())?,
            classes: self.classes(class)?,
            source: self.source(class)?,
            annotation_values: self
                .references_of(|visit| references::annotation_values(class, visit))?,
            fields: self.members(class, class.fields())?,
            methods: self.members(class, class.methods())?,
            print: print.encode().into(),
        })
    }

    fn text(&mut self, name: &[u8]) -> Option<u32> {
        Some(self.tables.text(&decode_mutf8(name)?))
    }

    /// The names that `visit` is given.
    fn names(&mut self, visit: impl FnOnce(&mut Names<'_>) -> Result<()>) -> Option<Vec<u32>> {
        let mut names = Names {
            tables: &mut self.tables,
            numbers: Some(IndexSet::new()),
        };
        visit(&mut names).ok()?;
        Some(names.numbers?.into_iter().collect())
    }

    fn annotations(
        &mut self,
        class: &ClassFile<'_>,
        attributes: Attributes<'_>,
    ) -> Option<Vec<u32>> {
        self.names(|names| references::annotations(class, attributes, &mut |name| names.add(name)))
    }

    /// All classes that a class names, but for itself.
    fn classes(&mut self, class: &ClassFile<'_>) -> Option<Vec<u32>> {
        let own = class.name().ok()?;
        self.names(|names| {
            let mut add = |name: &[u8]| {
                if name != own {
                    names.add(name);
                }
            };
            references::structural(class, &mut |name| add(name))?;
            references::linked(class, &mut |name| add(name))?;
            references::shown(class, &mut add)?;
            references::around(class, &mut |name| add(name))
        })
    }

    fn members<'a>(
        &mut self,
        class: &ClassFile<'a>,
        members: Members<'a>,
    ) -> Option<Vec<MemberRow>> {
        let finder = Finder::new(class).ok()?;
        members
            .map(|member| self.member(class, &finder, &member.ok()?))
            .collect()
    }

    fn member<'a>(
        &mut self,
        class: &ClassFile<'a>,
        finder: &Finder<'_, 'a>,
        member: &Member<'a>,
    ) -> Option<MemberRow> {
        let mut row = MemberRow {
            name: self.text(class.pool.utf8(member.name).ok()?)?,
            descriptor: self.text(class.pool.utf8(member.descriptor).ok()?)?,
            access: member.access,
            annotations: self.annotations(class, member.attributes)?,
            references: Vec::new(),
            asks: Vec::new(),
            passed: Vec::new(),
        };
        let Some(code) = class.code(member).ok()? else {
            return Some(row);
        };
        let names = finder.find(member, &code).ok()?;
        let made = references::made(class, &code).ok()?;
        row.references = self.references_of(|visit| {
            references::of_code(class, &code, &mut |owner, kind| {
                if !is_body(&made, owner, kind) {
                    visit(owner, kind);
                }
            })?;
            made.types.iter().for_each(|made| visit(made, Kind::New));
            // An array knows the class of its elements.
            made.elements
                .iter()
                .for_each(|name| visit(name, Kind::Literal));
            let texts = names.texts.iter();
            texts.for_each(|text| visit(text.as_bytes(), Kind::Text));
            Ok(())
        })?;
        for lambda in &made.lambdas {
            row.references.push(self.lambda(lambda)?);
        }
        row.asks = asks(&names.lookups);
        let passed = names.passed.iter();
        for passed in passed.filter(|passed| passed.values.iter().all(is_kept)) {
            row.passed.push(PassedRow {
                name: self.text(passed.name)?,
                descriptor: self.text(passed.descriptor)?,
                argument: passed.argument,
                parameters: passed.values.iter().filter_map(parameter).collect(),
            });
        }
        Some(row)
    }

    /// The references that `visit` is given, each once.
    fn references_of<'a>(
        &mut self,
        visit_all: impl FnOnce(&mut dyn FnMut(&'a [u8], Kind<'a>)) -> Result<()>,
    ) -> Option<Vec<u32>> {
        let mut seen = IndexSet::new();
        let mut all_are_texts = true;
        visit_all(&mut |owner, kind| {
            let owner = match kind {
                Kind::Text => without_parameters(owner),
                _ => owner,
            };
            if kind == Kind::Text && !is_like_a_name(owner) {
                return;
            }
            match self.reference(owner, kind) {
                Some(number) => drop(seen.insert(number)),
                None => all_are_texts = false,
            }
        })
        .ok()?;
        all_are_texts.then(|| seen.into_iter().collect())
    }

    /// The name of the source file; what is no text is no name of one.
    fn source(&mut self, class: &ClassFile<'_>) -> Option<Option<u32>> {
        let attribute = class.find(class.attributes(), b"SourceFile").ok()?;
        let name = attribute.and_then(|attribute| {
            let index = attribute.reader().u16().ok()?;
            class.pool.utf8(index).ok()
        });
        Some(name.and_then(|name| self.text(name)))
    }

    fn lambda(&mut self, lambda: &Lambda<'_>) -> Option<u32> {
        let [owner, name, descriptor] = lambda.body;
        let body = [owner, b".", name, descriptor].concat();
        let texts = [lambda.interface, lambda.method, &body];
        let [interface, method, body] = texts.map(|text| self.text(text));
        let row = ReferenceRow {
            kind: ReferenceKind::Lambda,
            texts: [interface?, method?, body?],
        };
        Some(self.tables.reference(row))
    }

    fn reference(&mut self, owner: &[u8], kind: Kind<'_>) -> Option<u32> {
        let owner = self.text(owner)?;
        let (kind, name, descriptor) = match kind {
            Kind::Type => (ReferenceKind::Type, None, None),
            Kind::New => (ReferenceKind::New, None, None),
            Kind::Literal => (ReferenceKind::Literal, None, None),
            Kind::Check => (ReferenceKind::Check, None, None),
            Kind::Text => (ReferenceKind::Text, None, None),
            Kind::Handle { name } => (ReferenceKind::Handle, Some(name), None),
            Kind::Field { name, descriptor } => {
                (ReferenceKind::Field, Some(name), Some(descriptor))
            }
            Kind::Call {
                name,
                descriptor,
                invoke,
            } => {
                let kind = match invoke {
                    Invoke::Static => ReferenceKind::StaticCall,
                    Invoke::Special => ReferenceKind::SpecialCall,
                    Invoke::Virtual => ReferenceKind::VirtualCall,
                    Invoke::Handle => ReferenceKind::HandleCall,
                };
                (kind, Some(name), Some(descriptor))
            }
        };
        let mut number = |text: Option<&[u8]>| text.map_or(Some(0), |text| self.text(text));
        let texts = [owner, number(name)?, number(descriptor)?];
        Some(self.tables.reference(ReferenceRow { kind, texts }))
    }
}

/// Whether it is the call that a lambda makes once its method is called.
fn is_body(made: &Made<'_>, owner: &[u8], kind: Kind<'_>) -> bool {
    let Kind::Call {
        name,
        descriptor,
        invoke: Invoke::Handle,
    } = kind
    else {
        return false;
    };
    let call = [owner, name, descriptor];
    made.lambdas.iter().any(|lambda| lambda.body == call)
}

/// The look-ups by names that do not stand in the code, each once.
fn asks(lookups: &[Lookup]) -> Vec<AskRow> {
    let mut asks = IndexSet::new();
    for lookup in lookups {
        let target = match lookup.target {
            Target::Class | Target::Service => Asked::Class,
            Target::Method(_) | Target::Field(_) => Asked::Member,
            Target::Constructor(_) => Asked::Constructor,
            Target::Bundle | Target::Resource => Asked::Resource,
        };
        // Which constructor it is does not matter, but of which class.
        let values = match target {
            Asked::Constructor => lookup.on.as_ref(),
            _ => Some(&lookup.name),
        };
        match values {
            Some(Values::Known(values)) if values.iter().all(is_kept) => {
                asks.extend(values.iter().filter_map(parameter).map(|number| AskRow {
                    target,
                    parameter: Some(number),
                }));
            }
            _ => drop(asks.insert(AskRow {
                target,
                parameter: None,
            })),
        }
    }
    asks.into_iter().collect()
}

/// Whether a value is found again among what is kept of code: odd texts are not.
fn is_kept(value: &Value) -> bool {
    match value {
        Value::Text(text) => is_like_a_name(text.as_bytes()),
        Value::Class(_) | Value::Parameter(_) => true,
    }
}

fn parameter(value: &Value) -> Option<u16> {
    match value {
        Value::Parameter(number) => Some(*number),
        Value::Text(_) | Value::Class(_) => None,
    }
}

/// A text without the types of parameters that a framework takes behind the name of a method: `a.B#m(int)`.
fn without_parameters(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| *byte == b'(');
    match end.filter(|_| text.contains(&b'#')) {
        Some(end) => text.get(..end).unwrap_or_default(),
        None => text,
    }
}

/// Whether code may mean a class, a member or a file by this text: names, with dots or slashes between them.
fn is_like_a_name(text: &[u8]) -> bool {
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_$./-#[;".contains(byte) || *byte > 127;
    (1..=LONGEST_NAME).contains(&text.len())
        && text.iter().all(is_part)
        && !text.first().is_some_and(u8::is_ascii_digit)
        // Lone surrogates stand in no name that a compiler writes.
        && (text.is_ascii() || decode_mutf8(text).is_some())
}
