//! Types of parameters and results, as far as names can be in them.

/// What a descriptor says of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Boolean,
    Char,
    /// `byte`, `short` or `int`.
    Int,
    /// `long` or `double`: two words.
    Wide,
    /// `String` or `CharSequence`.
    Text,
    Class,
    Object,
    /// An array of one of these three.
    Array,
    /// Anything else that takes one word.
    Other,
    Void,
}

impl Type {
    pub(crate) fn words(self) -> usize {
        match self {
            Type::Void => 0,
            Type::Wide => 2,
            _ => 1,
        }
    }

    /// Whether values of this type are followed from callers.
    pub(super) fn is_followed(self) -> bool {
        matches!(self, Type::Text | Type::Class | Type::Object | Type::Array)
    }

    /// Whether `toString` of such a value is the value itself.
    pub(super) fn is_text(self) -> bool {
        self == Type::Text
    }

    /// The type that `descriptor` starts with, and what is behind it.
    fn split(descriptor: &[u8]) -> Option<(Type, &[u8])> {
        let (&first, rest) = descriptor.split_first()?;
        let kind = match first {
            b'Z' => Type::Boolean,
            b'C' => Type::Char,
            b'B' | b'S' | b'I' => Type::Int,
            b'J' | b'D' => Type::Wide,
            b'F' => Type::Other,
            b'V' => Type::Void,
            b'L' => {
                let end = rest.iter().position(|byte| *byte == b';')?;
                let (name, rest) = rest.split_at_checked(end)?;
                return Some((Type::of_class(name), rest.get(1..)?));
            }
            b'[' => {
                let dimensions = rest.iter().take_while(|byte| **byte == b'[').count();
                let (element, rest) = Type::split(rest.get(dimensions..)?)?;
                let is_followed = dimensions == 0 && element.is_followed();
                let kind = if is_followed {
                    Type::Array
                } else {
                    Type::Other
                };
                return Some((kind, rest));
            }
            _ => return None,
        };
        Some((kind, rest))
    }

    /// The type of objects of this class.
    pub(super) fn of_class(name: &[u8]) -> Type {
        match name {
            b"java/lang/String" | b"java/lang/CharSequence" => Type::Text,
            b"java/lang/Class" => Type::Class,
            b"java/lang/Object" => Type::Object,
            _ => Type::Other,
        }
    }

    /// The type of a field.
    pub(crate) fn of_field(descriptor: &[u8]) -> Option<Type> {
        Type::split(descriptor).map(|(kind, _)| kind)
    }
}

/// What a method takes and returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) parameters: Vec<Type>,
    pub(super) returns: Type,
}

impl Signature {
    /// Reads a descriptor; `None` if it is none.
    pub(super) fn of(descriptor: &[u8]) -> Option<Signature> {
        let mut rest = descriptor.strip_prefix(b"(")?;
        let mut parameters = Vec::new();
        while rest.first() != Some(&b')') {
            let (kind, behind) = Type::split(rest)?;
            parameters.push(kind);
            rest = behind;
        }
        let (returns, _) = Type::split(rest.get(1..)?)?;
        Some(Signature {
            parameters,
            returns,
        })
    }

    /// The first parameter of this type.
    pub(super) fn first(&self, kind: Type) -> Option<usize> {
        self.parameters.iter().position(|other| *other == kind)
    }
}

/// How many words a method takes, without its receiver, and returns.
pub(crate) fn words_of(descriptor: &[u8]) -> Option<(usize, usize)> {
    let mut rest = descriptor.strip_prefix(b"(")?;
    let mut takes = 0;
    while rest.first() != Some(&b')') {
        let (kind, behind) = Type::split(rest)?;
        takes += kind.words();
        rest = behind;
    }
    let (returns, _) = Type::split(rest.get(1..)?)?;
    Some((takes, returns.words()))
}

/// Whether a method of this descriptor has a parameter that is followed.
pub(super) fn has_followed(descriptor: &[u8]) -> bool {
    let mut rest = descriptor.get(1..).unwrap_or_default();
    while let Some((kind, behind)) = Type::split(rest) {
        if kind.is_followed() {
            return true;
        }
        // At the closing parenthesis there is no type.
        rest = behind;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(descriptor: &str, expected: Option<(&[Type], Type)>) {
        let expected = expected.map(|(parameters, returns)| Signature {
            parameters: parameters.to_vec(),
            returns,
        });
        assert_eq!(
            Signature::of(descriptor.as_bytes()),
            expected,
            "{descriptor}"
        );
    }

    #[test]
    fn a_descriptor_says_which_parameters_may_hold_names() {
        use Type::*;
        check("()V", Some((&[], Void)));
        let of_all = "(Ljava/lang/String;Ljava/lang/Class;Ljava/lang/Object;IJCZF)[[I";
        let all = [Text, Class, Object, Int, Wide, Char, Boolean, Other];
        check(of_all, Some((&all, Other)));
        let arrays = "([Ljava/lang/Class;[[Ljava/lang/String;[J[Lp/C;)Ljava/lang/CharSequence;";
        check(arrays, Some((&[Array, Other, Other, Other], Text)));
    }

    #[test]
    fn what_is_no_descriptor_has_no_signature() {
        for text in ["", "(", "()", "V", "(L)V", "(Lp/C)V", "([)V", "(X)V", "(I"] {
            check(text, None);
        }
    }
}
