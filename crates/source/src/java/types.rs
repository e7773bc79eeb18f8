//! What a file declares, from its tree.

use super::parameters::{self, Variables, named};
use super::tokens::{self, Tokens};
use crate::change::Member;
use crate::unit::{Code, Import, Type, Unit};
use tree_sitter::Node;

/// Kinds of expressions that no constant expression has in it.
const NOT_CONSTANT: [&str; 14] = [
    "array_access",
    "array_creation_expression",
    "array_initializer",
    "assignment_expression",
    "class_literal",
    "instanceof_expression",
    "lambda_expression",
    "method_invocation",
    "method_reference",
    "null_literal",
    "object_creation_expression",
    "switch_expression",
    "this",
    "update_expression",
];

/// Reads a file; `None` if something stands at its top that has no place there.
pub(super) fn unit<'s>(tokens: &Tokens<'s>, root: Node<'_>) -> Option<Unit<'s>> {
    let mut unit = Unit {
        has_lombok: tokens.all().any(|token| token == "lombok"),
        ..Unit::default()
    };
    let mut package = String::new();
    let mut cursor = root.walk();
    let mut declarations = Vec::new();
    for node in root.children(&mut cursor) {
        match node.kind() {
            "package_declaration" => package = package_of(tokens, node)?,
            "import_declaration" => unit.imports.push(import(tokens, node)),
            ";" | "line_comment" | "block_comment" => {}
            kind => {
                Shape::of(kind)?;
                declarations.push(node);
            }
        }
    }
    let mut pending: Vec<Pending> = Vec::new();
    for node in declarations {
        let name = tokens.text_of(node.child_by_field_name("name")?);
        pending.push(Pending {
            node,
            name: format!("{package}{name}"),
            variables: Variables::default(),
        });
    }
    while let Some(declaration) = pending.pop() {
        let name = declaration.name.clone();
        let read = Declaration::of(tokens, declaration, &mut pending)?;
        if unit.types.insert(name, read).is_some() {
            return None;
        }
    }
    Some(unit)
}

/// The package as a prefix of names; `None` with annotations, which have their place elsewhere.
fn package_of(tokens: &Tokens<'_>, node: Node<'_>) -> Option<String> {
    let code = tokens.code(node.byte_range());
    let name = code.tokens.strip_prefix(&["package"])?;
    let parts = name
        .iter()
        .filter(|token| !matches!(**token, "." | ";"))
        .copied();
    Some(parts.flat_map(|part| [part, "/"]).collect())
}

fn import<'s>(tokens: &Tokens<'s>, node: Node<'_>) -> Import<'s> {
    let tokens = tokens.code(node.byte_range()).tokens;
    let last = tokens.iter().rev().find(|token| **token != ";").copied();
    Import {
        tokens,
        name: last.filter(|last| *last != "*"),
    }
}

struct Pending<'t> {
    node: Node<'t>,
    /// Its internal name.
    name: String,
    /// The type variables around it.
    variables: Variables,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Class,
    Enum,
    Record,
    /// An interface or annotation.
    Interface,
}

impl Shape {
    fn of(kind: &str) -> Option<Shape> {
        match kind {
            "class_declaration" => Some(Shape::Class),
            "enum_declaration" => Some(Shape::Enum),
            "record_declaration" => Some(Shape::Record),
            "interface_declaration" | "annotation_type_declaration" => Some(Shape::Interface),
            _ => None,
        }
    }
}

/// The reader of one declaration.
struct Declaration<'a, 's> {
    tokens: &'a Tokens<'s>,
    shape: Shape,
    variables: Variables,
    /// The types of the header of a record.
    header: Vec<String>,
    read: Type<'s>,
}

impl<'s> Declaration<'_, 's> {
    fn of<'t>(
        tokens: &Tokens<'s>,
        declared: Pending<'t>,
        pending: &mut Vec<Pending<'t>>,
    ) -> Option<Type<'s>> {
        let node = declared.node;
        let body = node.child_by_field_name("body")?;
        let name = node.child_by_field_name("name")?;
        let mut head = tokens.code(node.start_byte()..name.start_byte());
        head.append(tokens.code(name.end_byte()..body.start_byte()));
        let variables = declared.variables.with(tokens, node);
        let mut declaration = Declaration {
            tokens,
            shape: Shape::of(node.kind())?,
            header: Vec::new(),
            variables,
            read: Type {
                head: head.tokens,
                ..Type::default()
            },
        };
        if declaration.shape == Shape::Record {
            declaration.record(node.child_by_field_name("parameters")?);
        }
        let mut bodies = vec![body];
        while let Some(body) = bodies.pop() {
            let mut cursor = body.walk();
            for node in body.children(&mut cursor) {
                match node.kind() {
                    "enum_body_declarations" => bodies.push(node),
                    kind if Shape::of(kind).is_some() => {
                        let name = tokens.text_of(node.child_by_field_name("name")?);
                        pending.push(Pending {
                            node,
                            name: format!("{}${name}", declared.name),
                            variables: declaration.variables.clone(),
                        });
                    }
                    _ => declaration.member(node)?,
                }
            }
        }
        declaration.constructor_by_default();
        Some(declaration.read)
    }

    fn member(&mut self, node: Node<'_>) -> Option<()> {
        let code = self.without_name(node);
        match node.kind() {
            "{" | "}" | ";" | "," | "line_comment" | "block_comment" => {}
            "field_declaration" | "constant_declaration" => self.fields(node)?,
            "static_initializer" => self.read.statics.append(code),
            "block" => self.read.instance.append(code),
            "enum_constant" => {
                let name = self.tokens.text_of(node.child_by_field_name("name")?);
                self.read.constants.push(name);
                self.read
                    .statics
                    .append(self.tokens.code(node.byte_range()));
                let name = name.to_owned();
                self.insert(Member::EnumConstant { name }, code);
            }
            "constructor_declaration" => {
                let parameters = self.parameters(node)?;
                self.insert(Member::Constructor { parameters }, code);
            }
            "compact_constructor_declaration" => {
                let parameters = self.header.clone();
                self.insert(Member::Constructor { parameters }, code);
            }
            "method_declaration" => {
                let name = self.name(node)?;
                let parameters = self.parameters(node)?;
                self.insert(Member::Method { name, parameters }, code);
            }
            "annotation_type_element_declaration" => {
                let name = self.name(node)?;
                let parameters = Vec::new();
                self.insert(Member::Method { name, parameters }, code);
            }
            _ => return None,
        }
        Some(())
    }

    /// The code of a declaration. The own name of a method says nothing: others of the same name have nothing to do with
    /// it.
    fn without_name(&self, node: Node<'_>) -> Code<'s> {
        let code = |from: usize, to: usize| self.tokens.code(from..to);
        let name = node
            .child_by_field_name("name")
            .filter(|_| node.kind().contains("method"));
        let name = name.map_or(node.start_byte()..node.start_byte(), |name| {
            name.byte_range()
        });
        let body = node.child_by_field_name("body");
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let mut all = code(node.start_byte(), name.start);
        all.append(code(name.end, end));
        // Who names a constant of an enum has it, whatever it is made of.
        all.head = match node.kind() {
            "enum_constant" => 0,
            _ => all.tokens.len(),
        };
        all.append(code(end, node.end_byte()));
        all
    }

    fn insert(&mut self, member: Member, code: Code<'s>) {
        self.read.members.entry(member).or_default().append(code);
    }

    fn name(&self, node: Node<'_>) -> Option<String> {
        let name = node.child_by_field_name("name")?;
        Some(self.tokens.text_of(name).to_owned())
    }

    fn parameters(&self, node: Node<'_>) -> Option<Vec<String>> {
        let list = node.child_by_field_name("parameters")?;
        let variables = self.variables.with(self.tokens, node);
        Some(parameters::erased(self.tokens, list, &variables))
    }

    fn fields(&mut self, node: Node<'_>) -> Option<()> {
        let modifiers = named(node, |kind| kind == "modifiers");
        let has = |modifier: &str| {
            modifiers.is_some_and(|modifiers| {
                let mut cursor = modifiers.walk();
                modifiers
                    .children(&mut cursor)
                    .any(|child| child.kind() == modifier)
            })
        };
        let in_interface = self.shape == Shape::Interface;
        let is_static = in_interface || has("static");
        let is_final = in_interface || has("final");
        let written = parameters::type_of(self.tokens, node, &Variables::default());

        let first = node.child_by_field_name("declarator")?;
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let name = self.name(declarator)?;
            let read = |from: usize| {
                let mut code = self.tokens.code(node.start_byte()..first.start_byte());
                code.append(self.tokens.code(from..declarator.end_byte()));
                code
            };
            let mut code = read(declarator.child_by_field_name("name")?.end_byte());
            code.head = code.tokens.len();
            if let Some(value) = declarator.child_by_field_name("value") {
                let value_tokens = self.tokens.code(value.byte_range()).tokens.len();
                code.head = code.head.saturating_sub(value_tokens);
                let written = format!("{written}{}", parameters::brackets(declarator));
                code.is_constant =
                    is_final && may_be_constant(&written) && !tokens::has_any(value, &NOT_CONSTANT);
                let initialized = read(declarator.start_byte());
                match is_static {
                    true => self.read.statics.append(initialized),
                    false => self.read.instance.append(initialized),
                }
            }
            let constant = false;
            self.insert(Member::Field { name, constant }, code);
        }
        Some(())
    }

    /// The members that javac adds to a record. They have no tokens.
    fn record(&mut self, header: Node<'_>) {
        self.header = parameters::erased(self.tokens, header, &self.variables);
        let parameters = self.header.clone();
        self.insert(Member::Constructor { parameters }, Code::default());
        let mut cursor = header.walk();
        let components = header.named_children(&mut cursor);
        let accessors = components
            .filter_map(|component| Some((self.name(component)?, Vec::new())))
            .collect::<Vec<_>>();
        let others = [
            ("equals".to_owned(), vec!["Object".to_owned()]),
            ("hashCode".to_owned(), Vec::new()),
            ("toString".to_owned(), Vec::new()),
        ];
        for (name, parameters) in accessors.into_iter().chain(others) {
            self.insert(Member::Method { name, parameters }, Code::default());
        }
    }

    fn constructor_by_default(&mut self) {
        let is_constructor = |member: &Member| matches!(member, Member::Constructor { .. });
        let has_constructor = self.read.members.keys().any(is_constructor);
        if !has_constructor && self.shape != Shape::Interface {
            let parameters = Vec::new();
            self.insert(Member::Constructor { parameters }, Code::default());
        }
    }
}

/// Whether a field of this type may be a constant.
fn may_be_constant(written: &str) -> bool {
    matches!(
        written,
        "boolean" | "byte" | "char" | "double" | "float" | "int" | "long" | "short" | "String"
    )
}
