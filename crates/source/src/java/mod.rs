//! Java sources by `tree-sitter`, which nobody else knows.
//!
//! Its grammar is forgiving, and it must not be believed where javac sees another text. So a file is
//! refused if a byte belongs neither to a token nor to white space or a comment, if comments and literals
//! are not where a scanner of their own finds them, or if anything stands where the grammar of Java has
//! nothing.

mod lexical;
mod parameters;
mod tokens;
mod types;

use crate::unit::Unit;
use tokens::{Kinds, Tokens};
use tree_sitter::{Language, Parser, Tree};

/// A parser of Java.
pub(crate) struct Java {
    /// `None` if the grammar does not fit: then nothing is understood.
    parser: Option<Parser>,
    kinds: Kinds,
}

impl Java {
    pub(crate) fn new() -> Java {
        let mut parser = Parser::new();
        let language = Language::from(tree_sitter_java::LANGUAGE);
        let fits = parser.set_language(&language).is_ok();
        Java {
            parser: fits.then_some(parser),
            kinds: Kinds::of(&language),
        }
    }

    /// What a source declares; `None` if it is not understood.
    pub(crate) fn unit<'s>(&mut self, source: &'s str) -> Option<Unit<'s>> {
        let tree = self.parse(source)?;
        let tokens = Tokens::of(source, &tree, &self.kinds)?;
        types::unit(&tokens, tree.root_node())
    }

    /// The tokens of a source without comments; `None` if it is not understood.
    pub(crate) fn tokens<'s>(&mut self, source: &'s str) -> Option<Vec<&'s str>> {
        let tree = self.parse(source)?;
        let tokens = Tokens::of(source, &tree, &self.kinds)?;
        Some(tokens.all().collect())
    }

    fn parse(&mut self, source: &str) -> Option<Tree> {
        let tree = self.parser.as_mut()?.parse(source, None)?;
        (!tree.root_node().has_error()).then_some(tree)
    }
}
