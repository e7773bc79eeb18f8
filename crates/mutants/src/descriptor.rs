//! Reads from a descriptor (section 4.3) its effect on the operand stack.

use tamis_classfile::opcode;

/// A field, argument or result type, by the first character of its descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type(u8);

impl Type {
    pub(crate) const BOOLEAN: Type = Type(b'Z');
    pub(crate) const INT: Type = Type(b'I');
    pub(crate) const LONG: Type = Type(b'J');
    pub(crate) const FLOAT: Type = Type(b'F');
    pub(crate) const DOUBLE: Type = Type(b'D');

    /// The type of a field with this descriptor.
    pub(crate) fn of_field(descriptor: &[u8]) -> Option<Type> {
        match take(descriptor)? {
            (of, []) => Some(of),
            _ => None,
        }
    }

    /// The instruction that takes a value away.
    pub(crate) fn pop(self) -> u8 {
        match self.0 {
            b'J' | b'D' => opcode::POP2,
            _ => opcode::POP,
        }
    }

    /// The instruction that pushes the value of a fresh field.
    pub(crate) fn default(self) -> u8 {
        match self.0 {
            b'J' => opcode::LCONST_0,
            b'F' => opcode::FCONST_0,
            b'D' => opcode::DCONST_0,
            b'L' | b'[' => opcode::ACONST_NULL,
            _ => opcode::ICONST_0,
        }
    }

    /// That value, as it stands in a source.
    pub(crate) fn default_text(self) -> &'static str {
        match self.0 {
            b'Z' => "false",
            b'L' | b'[' => "null",
            _ => "0",
        }
    }
}

/// The types of a method.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) arguments: Vec<Type>,
    pub(crate) result: Option<Type>,
}

impl Signature {
    /// `None` if `descriptor` is no method's.
    pub(crate) fn of(descriptor: &[u8]) -> Option<Signature> {
        let mut rest = descriptor.strip_prefix(b"(")?;
        let mut arguments = Vec::new();
        let result = loop {
            if let Some(result) = rest.strip_prefix(b")") {
                break result;
            }
            let (argument, behind) = take(rest)?;
            arguments.push(argument);
            rest = behind;
        };
        let result = match result {
            b"V" => None,
            _ => Some(Type::of_field(result)?),
        };
        Some(Signature { arguments, result })
    }
}

/// The type that `descriptor` starts with, and what comes behind it.
fn take(descriptor: &[u8]) -> Option<(Type, &[u8])> {
    let (&first, rest) = descriptor.split_first()?;
    let rest = match first {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => rest,
        b'L' => {
            let end = rest.iter().position(|&byte| byte == b';')?;
            rest.get(end + 1..)?
        }
        b'[' => {
            let element = rest.iter().position(|&byte| byte != b'[')?;
            take(rest.get(element..)?)?.1
        }
        _ => return None,
    };
    Some((Type(first), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(descriptor: &str, arguments: &str, result: Option<char>) {
        let of = |letter: char| Type(letter as u8);
        let expected = Signature {
            arguments: arguments.chars().map(of).collect(),
            result: result.map(of),
        };
        let signature = Signature::of(descriptor.as_bytes());
        assert_eq!(signature, Some(expected), "{descriptor}");
    }

    #[test]
    fn a_descriptor_says_what_is_on_the_stack() {
        check("()V", "", None);
        check("(IJLjava/lang/String;[[D[LA;Z)D", "IJL[[Z", Some('D'));
        check("(LI;)[I", "L", Some('['));
    }

    #[test]
    fn what_is_no_descriptor_says_nothing() {
        for bad in [
            "", "I", "(", "(V)V", "(L)V", "([)V", "()", "()VV", "()II", "([",
        ] {
            assert_eq!(Signature::of(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(Type::of_field(b"II"), None);
    }
}
