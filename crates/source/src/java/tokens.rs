use super::lexical::{self, Span};
use crate::unit::Code;
use std::ops::Range;
use tree_sitter::{Language, Node, Tree, TreeCursor};

/// What a node is to a reader of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Root,
    Comment,
    /// A literal in quotes, which is one token.
    Literal,
    /// A lambda, or what declares a class.
    Class,
    Other,
}

/// The kinds of nodes by number: to ask each node for its name takes longer than all else.
#[derive(Debug)]
pub(super) struct Kinds(Vec<Kind>);

impl Kinds {
    pub(super) fn of(language: &Language) -> Kinds {
        let ids = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let kind = |id| match language.node_kind_for_id(id).unwrap_or_default() {
            "program" => Kind::Root,
            "line_comment" | "block_comment" => Kind::Comment,
            "string_literal" | "character_literal" => Kind::Literal,
            "lambda_expression"
            | "class_body"
            | "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration" => Kind::Class,
            _ => Kind::Other,
        };
        Kinds(ids.map(kind).collect())
    }

    fn kind(&self, node: Node<'_>) -> Kind {
        let kind = self.0.get(usize::from(node.kind_id()));
        kind.copied().unwrap_or(Kind::Other)
    }
}

/// The tokens of a file, without comments.
#[derive(Debug)]
pub(super) struct Tokens<'s> {
    source: &'s str,
    tokens: Vec<Range<usize>>,
    /// Where lambdas and bodies of classes start.
    classes: Vec<usize>,
}

impl<'s> Tokens<'s> {
    /// All tokens; `None` if there is anything else between them than white space and comments.
    pub(super) fn of(source: &'s str, tree: &Tree, kinds: &Kinds) -> Option<Tokens<'s>> {
        let spans = lexical::scan(source)?;
        let mut reader = Reader {
            kinds,
            found: Tokens {
                source,
                tokens: Vec::with_capacity(source.len() / 5),
                classes: Vec::new(),
            },
            spans: spans.into_iter(),
            end: 0,
        };
        let mut cursor = tree.walk();
        loop {
            let descends = reader.read(cursor.node())?;
            if !(descends && cursor.goto_first_child() || forward(&mut cursor, None)) {
                break;
            }
        }
        reader.gap(source.len())?;
        reader.spans.next().is_none().then_some(reader.found)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'s str> {
        self.tokens.iter().map(|range| self.text(range.clone()))
    }

    /// The code of a range of the file.
    pub(super) fn code(&self, range: Range<usize>) -> Code<'s> {
        let start = self
            .tokens
            .partition_point(|token| token.start < range.start);
        let tokens = self.tokens.iter().skip(start);
        let tokens = tokens.take_while(|token| token.start < range.end);
        let class = self.classes.partition_point(|at| *at < range.start);
        Code {
            head: 0,
            tokens: tokens.map(|token| self.text(token.clone())).collect(),
            has_classes: self.classes.get(class).is_some_and(|at| *at < range.end),
            is_constant: false,
        }
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'s str {
        self.text(node.byte_range())
    }

    fn text(&self, range: Range<usize>) -> &'s str {
        self.source.get(range).unwrap_or_default()
    }
}

struct Reader<'k, 's> {
    kinds: &'k Kinds,
    found: Tokens<'s>,
    spans: std::vec::IntoIter<Span>,
    /// Where the last token or comment ended.
    end: usize,
}

impl Reader<'_, '_> {
    /// Reads a node, and tells whether its children are to be read; `None` if it makes no sense.
    fn read(&mut self, node: Node<'_>) -> Option<bool> {
        let range = node.byte_range();
        let is_comment = match self.kinds.kind(node) {
            Kind::Comment => true,
            Kind::Literal => false,
            Kind::Class => {
                self.found.classes.push(range.start);
                return Some(true);
            }
            // The root of a file without tokens has no children.
            Kind::Root => return Some(true),
            Kind::Other if node.child_count() > 0 => return Some(true),
            Kind::Other => {
                self.token(range)?;
                return Some(false);
            }
        };
        let span = self.spans.next()?;
        if span != (Span { range, is_comment }) {
            return None;
        }
        match is_comment {
            true => self.gap(span.range.start)?,
            false => self.token(span.range.clone())?,
        }
        self.end = span.range.end;
        Some(false)
    }

    fn token(&mut self, range: Range<usize>) -> Option<()> {
        self.gap(range.start)?;
        self.end = range.end;
        let is_there = !range.is_empty();
        self.found.tokens.push(range);
        is_there.then_some(())
    }

    /// Goes on to what starts there: only what javac skips may lie between.
    fn gap(&mut self, start: usize) -> Option<()> {
        let gap = self.found.source.as_bytes().get(self.end..start)?;
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
        gap.iter().all(is_blank).then_some(())
    }
}

/// Goes to the next node that is not below this one; `false` if there is none in `top`.
fn forward(cursor: &mut TreeCursor<'_>, top: Option<Node<'_>>) -> bool {
    loop {
        if Some(cursor.node()) == top {
            return false;
        }
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

/// Whether a node or one below it has one of these kinds.
pub(super) fn has_any(node: Node<'_>, kinds: &[&str]) -> bool {
    let mut cursor = node.walk();
    loop {
        if kinds.contains(&cursor.node().kind()) {
            return true;
        }
        if !(cursor.goto_first_child() || forward(&mut cursor, Some(node))) {
            return false;
        }
    }
}
