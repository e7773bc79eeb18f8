//! Types of parameters as simple names of erased types.

use super::tokens::Tokens;
use tree_sitter::Node;

/// The type variables in scope, each with its first bound; the innermost last.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables(Vec<(String, String)>);

impl Variables {
    /// Those of a declaration beside those around it.
    pub(super) fn with(&self, tokens: &Tokens<'_>, declaration: Node<'_>) -> Variables {
        let mut all = self.clone();
        let Some(list) = declaration.child_by_field_name("type_parameters") else {
            return all;
        };
        let mut cursor = list.walk();
        let parameters = list.named_children(&mut cursor);
        for parameter in parameters.filter(|child| child.kind() == "type_parameter") {
            let Some(name) = named(parameter, |kind| kind == "type_identifier") else {
                continue;
            };
            let bound = named(parameter, |kind| kind == "type_bound");
            let bound = bound.and_then(|bound| named(bound, is_type));
            let bound = bound.map_or_else(|| "Object".into(), |bound| written(tokens, bound));
            all.0.push((tokens.text_of(name).to_owned(), bound));
        }
        all
    }

    fn erase(&self, name: &str) -> String {
        let mut erased = name;
        // A variable may be the bound of another; a circle does not compile.
        for _ in 0..self.0.len() {
            let variables = self.0.iter().rev();
            match variables.clone().find(|(variable, _)| variable == erased) {
                Some((_, bound)) => erased = bound,
                None => break,
            }
        }
        erased.to_owned()
    }
}

/// The erased types of a list of parameters.
pub(super) fn erased(tokens: &Tokens<'_>, list: Node<'_>, variables: &Variables) -> Vec<String> {
    let mut cursor = list.walk();
    let parameters = list.named_children(&mut cursor).filter_map(|parameter| {
        let is_variable = match parameter.kind() {
            "formal_parameter" => false,
            "spread_parameter" => true,
            _ => return None,
        };
        let mut name = type_of(tokens, parameter, variables);
        let declarator = named(parameter, |kind| kind == "variable_declarator");
        name.push_str(&brackets(declarator.unwrap_or(parameter)));
        if is_variable {
            name.push_str("[]");
        }
        Some(name)
    });
    parameters.collect()
}

/// The erased type that a declaration names, without what follows the name that is declared.
pub(super) fn type_of(tokens: &Tokens<'_>, node: Node<'_>, variables: &Variables) -> String {
    let Some(node) = named(node, is_type) else {
        return String::new();
    };
    match node.kind() {
        "array_type" => {
            let element = type_of(tokens, node, variables);
            element + &brackets(node)
        }
        "annotated_type" => type_of(tokens, node, variables),
        "scoped_type_identifier" => written(tokens, node),
        _ => variables.erase(&written(tokens, node)),
    }
}

/// The brackets behind a type or name.
pub(super) fn brackets(node: Node<'_>) -> String {
    let Some(dimensions) = named(node, |kind| kind == "dimensions") else {
        return String::new();
    };
    let mut cursor = dimensions.walk();
    let children = dimensions.children(&mut cursor);
    "[]".repeat(children.filter(|child| child.kind() == "[").count())
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "type_identifier"
            | "scoped_type_identifier"
            | "generic_type"
            | "array_type"
            | "annotated_type"
            | "integral_type"
            | "floating_point_type"
            | "boolean_type"
            | "void_type"
    )
}

/// The simple name of a type that is no array, without arguments.
fn written(tokens: &Tokens<'_>, node: Node<'_>) -> String {
    let mut node = node;
    loop {
        let inner = match node.kind() {
            "generic_type" => named(node, is_type),
            "annotated_type" | "scoped_type_identifier" => last_named(node, is_type),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return tokens.text_of(node).to_owned(),
        }
    }
}

/// The first child of such a kind.
pub(super) fn named<'t>(node: Node<'t>, is_kind: impl Fn(&str) -> bool) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .find(|child| is_kind(child.kind()))
}

fn last_named<'t>(node: Node<'t>, is_kind: impl Fn(&str) -> bool) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    children.filter(|child| is_kind(child.kind())).last()
}
