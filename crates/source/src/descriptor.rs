use crate::change::{Member, MemberChange};

impl MemberChange {
    /// Whether this may be a member of its class that has this name and descriptor in its class file.
    ///
    /// Types are compared by their simple names, and what javac adds to the parameters of constructors is
    /// let pass, so that there may be several; one that is the member always is.
    pub fn may_be(&self, name: &str, descriptor: &str) -> bool {
        match &self.member {
            Member::Class => true,
            Member::Initializer { is_static: true } => name == "<clinit>",
            // It is a part of constructors, which are reported.
            Member::Initializer { is_static: false } => false,
            Member::EnumConstant { name: field } | Member::Field { name: field, .. } => {
                name == field && !descriptor.starts_with('(')
            }
            Member::Method {
                name: method,
                parameters,
            } => name == method && takes(descriptor, parameters, false),
            Member::Constructor { parameters } => {
                name == "<init>" && takes(descriptor, parameters, true)
            }
        }
    }
}

/// Whether the parameters of a descriptor may be these, with others around them if some may be added.
fn takes(descriptor: &str, parameters: &[String], may_have_more: bool) -> bool {
    let Some(types) = types(descriptor) else {
        return true;
    };
    if !may_have_more {
        return types.len() == parameters.len() && all_are(&types, parameters);
    }
    parameters.is_empty()
        || types
            .windows(parameters.len())
            .any(|types| all_are(types, parameters))
}

fn all_are(types: &[&str], parameters: &[String]) -> bool {
    let mut pairs = types.iter().zip(parameters);
    pairs.all(|(descriptor, written)| is_type(descriptor, written))
}

/// The parameters of a descriptor; `None` if it makes no sense.
fn types(descriptor: &str) -> Option<Vec<&str>> {
    let (mut rest, _) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut types = Vec::new();
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let brackets = rest.len() - element.len();
        let length = match element.starts_with('L') {
            true => element.find(';')? + 1,
            false => 1,
        };
        let (first, others) = rest.split_at_checked(brackets + length)?;
        types.push(first);
        rest = others;
    }
    Some(types)
}

fn is_type(descriptor: &str, written: &str) -> bool {
    let element = descriptor.trim_start_matches('[');
    let brackets = descriptor.len() - element.len();
    let name = written.trim_end_matches("[]");
    if (written.len() - name.len()) / 2 != brackets {
        return false;
    }
    let primitive = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "D" => "double",
        "F" => "float",
        "I" => "int",
        "J" => "long",
        "S" => "short",
        _ => "",
    };
    let internal = element
        .strip_prefix('L')
        .and_then(|name| name.strip_suffix(';'));
    match internal {
        Some(internal) => internal
            .strip_suffix(name)
            .is_some_and(|outer| outer.is_empty() || outer.ends_with(['/', '$'])),
        None => primitive == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Kind;

    fn check(member: Member, found: (&str, &str), expected: bool) {
        let change = MemberChange {
            class: "a/B".into(),
            member,
            kind: Kind::Changed,
            inside: false,
            head: false,
        };
        assert_eq!(
            change.may_be(found.0, found.1),
            expected,
            "{change} {found:?}"
        );
    }

    fn parameters(parameters: &str) -> Vec<String> {
        let parameters = parameters.split(", ").filter(|part| !part.is_empty());
        parameters.map(str::to_owned).collect()
    }

    #[test]
    fn methods_are_known_by_name_and_parameters() {
        let check = |written: &str, descriptor: &str, expected| {
            let (name, parameters) = ("m".into(), parameters(written));
            check(
                Member::Method { name, parameters },
                ("m", descriptor),
                expected,
            );
        };
        check("", "()V", true);
        check("", "(I)V", false);
        check("int", "(I)V", true);
        check("int", "(J)V", false);
        check("int[], String", "([ILjava/lang/String;)V", true);
        check("int, String", "([ILjava/lang/String;)V", false);
        check("Entry[][]", "([[Ljava/util/Map$Entry;)V", true);
        check("Map", "(Ljava/util/TreeMap;)V", false);
        check("T", "(LT;)V", true);
        check(
            "boolean, byte, char, double, float, short",
            "(ZBCDFS)I",
            true,
        );
        // Nobody else writes such a thing; it might be any.
        check("int", "(L", true);
    }

    #[test]
    fn constructors_may_have_more_parameters() {
        let check = |written: &str, descriptor: &str, expected| {
            let parameters = parameters(written);
            check(
                Member::Constructor { parameters },
                ("<init>", descriptor),
                expected,
            );
        };
        check("int", "(I)V", true);
        check("int", "(La/Outer;I)V", true);
        check("int", "(Ljava/lang/String;II)V", true);
        check("", "(La/Outer;)V", true);
        check("int, int", "(I)V", false);
        check("String", "(I)V", false);
    }

    #[test]
    fn other_members_are_known_by_their_names() {
        let field = |name: &str| Member::Field {
            name: name.into(),
            constant: false,
        };
        let name = "A".to_owned();
        check(field("f"), ("f", "I"), true);
        check(field("f"), ("f", "()I"), false);
        check(field("f"), ("g", "I"), false);
        check(Member::EnumConstant { name }, ("A", "La/B;"), true);
        check(
            Member::Initializer { is_static: true },
            ("<clinit>", "()V"),
            true,
        );
        check(
            Member::Initializer { is_static: false },
            ("<init>", "()V"),
            false,
        );
        check(Member::Class, ("anything", "()V"), true);
    }
}
