//! Puts classes together whose tables are apart.

use crate::tables::{ClassRow, DeclaredRow, FactsRow, MemberRow, PassedRow, ReferenceRow, Tables};
use indexmap::IndexSet;

/// Tables that grow. Texts and references get their numbers in the order in which they come, so that the
/// same classes make the same tables, wherever they come from.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    texts: IndexSet<Box<str>>,
    references: IndexSet<ReferenceRow>,
    classes: Vec<ClassRow>,
}

impl Merge {
    /// The number of a text.
    pub(crate) fn text(&mut self, text: &str) -> u32 {
        number(match self.texts.get_index_of(text) {
            Some(index) => index,
            None => self.texts.insert_full(text.into()).0,
        })
    }

    /// The number of a reference.
    pub(crate) fn reference(&mut self, row: ReferenceRow) -> u32 {
        number(self.references.insert_full(row).0)
    }

    /// Adds a class whose numbers are those of these tables.
    pub(crate) fn add(&mut self, class: ClassRow) {
        self.classes.push(class);
    }

    /// The tables of the classes that were added.
    pub(crate) fn finish(self) -> Tables {
        Tables {
            texts: self.texts.into_iter().collect(),
            references: self.references.into_iter().collect(),
            classes: self.classes,
        }
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Copies classes to other tables.
pub(crate) struct Copier<'t> {
    from: &'t Tables,
    /// The numbers there of the texts and references here, as far as they are known.
    texts: Vec<Option<u32>>,
    references: Vec<Option<u32>>,
}

impl<'t> Copier<'t> {
    pub(crate) fn new(from: &'t Tables) -> Self {
        Copier {
            from,
            texts: vec![None; from.texts.len()],
            references: vec![None; from.references.len()],
        }
    }

    /// Adds `class` of these tables to others.
    pub(crate) fn class(&mut self, class: &ClassRow, to: &mut Merge) {
        let name = self.text(class.name, to);
        let facts = class.facts.as_deref();
        let facts = facts.map(|facts| Box::new(self.facts(facts, to)));
        to.add(ClassRow {
            name,
            release: class.release,
            raw: class.raw,
            facts,
        });
    }

    fn facts(&mut self, facts: &FactsRow, to: &mut Merge) -> FactsRow {
        FactsRow {
            digest: facts.digest,
            print: facts.print.clone(),
            access: facts.access,
            declared: match facts.declared {
                DeclaredRow::Member { outer, access } => DeclaredRow::Member {
                    outer: self.text(outer, to),
                    access,
                },
                other => other,
            },
            super_class: facts.super_class.map(|name| self.text(name, to)),
            interfaces: self.texts(&facts.interfaces, to),
            annotations: self.texts(&facts.annotations, to),
            classes: self.texts(&facts.classes, to),
            source: facts.source.map(|name| self.text(name, to)),
            annotation_values: self.references(&facts.annotation_values, to),
            fields: facts.fields.iter().map(|m| self.member(m, to)).collect(),
            methods: facts.methods.iter().map(|m| self.member(m, to)).collect(),
        }
    }

    fn member(&mut self, member: &MemberRow, to: &mut Merge) -> MemberRow {
        MemberRow {
            name: self.text(member.name, to),
            descriptor: self.text(member.descriptor, to),
            access: member.access,
            annotations: self.texts(&member.annotations, to),
            references: self.references(&member.references, to),
            asks: member.asks.clone(),
            passed: {
                let passed = member.passed.iter();
                passed.map(|row| self.passed(row, to)).collect()
            },
        }
    }

    fn passed(&mut self, row: &PassedRow, to: &mut Merge) -> PassedRow {
        PassedRow {
            name: self.text(row.name, to),
            descriptor: self.text(row.descriptor, to),
            ..row.clone()
        }
    }

    fn references(&mut self, references: &[u32], to: &mut Merge) -> Vec<u32> {
        let references = references.iter();
        references.map(|old| self.reference(*old, to)).collect()
    }

    fn texts(&mut self, texts: &[u32], to: &mut Merge) -> Vec<u32> {
        texts.iter().map(|old| self.text(*old, to)).collect()
    }

    fn text(&mut self, old: u32, to: &mut Merge) -> u32 {
        if let Some(Some(new)) = self.texts.get(old as usize) {
            return *new;
        }
        let new = to.text(self.from.text(old));
        if let Some(known) = self.texts.get_mut(old as usize) {
            *known = Some(new);
        }
        new
    }

    fn reference(&mut self, old: u32, to: &mut Merge) -> u32 {
        if let Some(Some(new)) = self.references.get(old as usize) {
            return *new;
        }
        // All numbers of tables have a row.
        let Some(mut row) = self.from.references.get(old as usize).copied() else {
            return old;
        };
        for number in row.texts.iter_mut().take(row.kind.texts()) {
            *number = self.text(*number, to);
        }
        let new = to.reference(row);
        if let Some(known) = self.references.get_mut(old as usize) {
            *known = Some(new);
        }
        new
    }
}
