//! Tables as bytes. What is read has no number without a text or reference.

use crate::tables::{
    AskRow, Asked, ClassRow, DeclaredRow, FactsRow, MemberRow, PassedRow, ReferenceKind,
    ReferenceRow, Tables,
};
use tamis_fingerprint::Digest;
use tamis_wire::{Reader, Writer};

const TOP_LEVEL: u8 = 0;
const MEMBER: u8 = 1;
const LOCAL: u8 = 2;

/// How many texts and references there are.
#[derive(Clone, Copy)]
struct Counts {
    texts: usize,
    references: usize,
}

impl Tables {
    pub(crate) fn write(&self, out: &mut Writer) {
        out.texts(&self.texts);
        out.list(&self.references, |out, row| {
            out.byte(row.kind as u8);
            numbers_of(row).fold(out, |out, number| out.number(*number))
        });
        out.list(&self.classes, |out, class| {
            out.number(class.name)
                .number(class.release)
                .option(class.raw, |out, raw| out.digest(raw.0))
                .option(class.facts.as_deref(), write_facts)
        });
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Option<Tables> {
        let texts: Vec<Box<str>> = from.list(|from| from.text().map(Box::from))?;
        let count = texts.len();
        let references: Vec<_> = from.list(|from| read_reference(from, count))?;
        let counts = Counts {
            texts: count,
            references: references.len(),
        };
        Some(Tables {
            classes: from.list(|from| read_class(from, counts))?,
            texts,
            references,
        })
    }
}

fn numbers_of(row: &ReferenceRow) -> impl Iterator<Item = &u32> {
    row.texts.iter().take(row.kind.texts())
}

fn read_reference(from: &mut Reader<'_>, texts: usize) -> Option<ReferenceRow> {
    let kind = *ReferenceKind::ALL.get(usize::from(from.byte()?))?;
    let mut row = ReferenceRow {
        kind,
        texts: [0; 3],
    };
    for number in row.texts.iter_mut().take(kind.texts()) {
        *number = from.below(texts)?;
    }
    Some(row)
}

fn read_class(from: &mut Reader<'_>, counts: Counts) -> Option<ClassRow> {
    Some(ClassRow {
        name: from.below(counts.texts)?,
        release: from.number()?,
        raw: from.option(|from| from.digest().map(Digest))?,
        facts: from.option(|from| read_facts(from, counts).map(Box::new))?,
    })
}

fn write_facts<'w>(out: &'w mut Writer, facts: &FactsRow) -> &'w mut Writer {
    out.digest(facts.digest.0)
        .bytes(&facts.print)
        .number(facts.access);
    match facts.declared {
        DeclaredRow::TopLevel => out.byte(TOP_LEVEL),
        DeclaredRow::Member { outer, access } => out.byte(MEMBER).number(outer).number(access),
        DeclaredRow::Local => out.byte(LOCAL),
    };
    out.option(facts.super_class, Writer::number)
        .list(&facts.interfaces, write_number)
        .list(&facts.annotations, write_number)
        .list(&facts.classes, write_number)
        .option(facts.source, Writer::number)
        .list(&facts.annotation_values, write_number)
        .list(&facts.fields, write_member)
        .list(&facts.methods, write_member)
}

fn read_facts(from: &mut Reader<'_>, counts: Counts) -> Option<FactsRow> {
    Some(FactsRow {
        digest: from.digest().map(Digest)?,
        print: from.bytes()?.into(),
        access: from.number()?,
        declared: match from.byte()? {
            TOP_LEVEL => DeclaredRow::TopLevel,
            MEMBER => DeclaredRow::Member {
                outer: from.below(counts.texts)?,
                access: from.number()?,
            },
            LOCAL => DeclaredRow::Local,
            _ => return None,
        },
        super_class: from.option(|from| from.below(counts.texts))?,
        interfaces: from.list(|from| from.below(counts.texts))?,
        annotations: from.list(|from| from.below(counts.texts))?,
        classes: from.list(|from| from.below(counts.texts))?,
        source: from.option(|from| from.below(counts.texts))?,
        annotation_values: from.list(|from| from.below(counts.references))?,
        fields: from.list(|from| read_member(from, counts))?,
        methods: from.list(|from| read_member(from, counts))?,
    })
}

fn write_member<'w>(out: &'w mut Writer, member: &MemberRow) -> &'w mut Writer {
    out.number(member.name)
        .number(member.descriptor)
        .number(member.access)
        .list(&member.annotations, write_number)
        .list(&member.references, write_number)
        .list(&member.asks, |out, ask| {
            out.byte(ask.target as u8)
                .option(ask.parameter, Writer::number)
        })
        .list(&member.passed, |out, passed| {
            out.number(passed.name)
                .number(passed.descriptor)
                .number(passed.argument)
                .list(&passed.parameters, |out, number| out.number(*number))
        })
}

fn read_member(from: &mut Reader<'_>, counts: Counts) -> Option<MemberRow> {
    Some(MemberRow {
        name: from.below(counts.texts)?,
        descriptor: from.below(counts.texts)?,
        access: from.number()?,
        annotations: from.list(|from| from.below(counts.texts))?,
        references: from.list(|from| from.below(counts.references))?,
        asks: from.list(|from| {
            Some(AskRow {
                target: *Asked::ALL.get(usize::from(from.byte()?))?,
                parameter: from.option(Reader::number)?,
            })
        })?,
        passed: from.list(|from| {
            Some(PassedRow {
                name: from.below(counts.texts)?,
                descriptor: from.below(counts.texts)?,
                argument: from.number()?,
                parameters: from.list(Reader::number)?,
            })
        })?,
    })
}

fn write_number<'w>(out: &'w mut Writer, number: &u32) -> &'w mut Writer {
    out.number(*number)
}
