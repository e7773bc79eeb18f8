use crate::change::{Change, method_at};
use crate::{Error, Operator, Result, text};
use tamis_classfile::{ClassFile, Member};

/// A fault that can be made in a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutant {
    /// The class, such as `com.acme.Foo`.
    pub class: String,
    /// The method with its descriptor, such as `size()I`; none if the class itself is changed.
    pub method: Option<String>,
    /// The offset in the method's code; none if the code is not changed.
    pub offset: Option<u16>,
    /// The line in the source, if the class file knows it.
    pub line: Option<u16>,
    /// The kind of fault.
    pub operator: Operator,
    /// The change in words, such as `10 becomes 11`.
    pub description: String,
    pub(crate) change: Change,
}

impl Mutant {
    /// The class file with the fault in it. `bytes` are those from which the mutant was made; for
    /// others, if they can be told apart, there is an error.
    pub fn apply(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let class = ClassFile::parse(bytes)?;
        self.check(&class)?;
        self.change.apply(&class)
    }

    fn check(&self, class: &ClassFile<'_>) -> Result<()> {
        let mut same = text::class(class.name()?) == self.class;
        if let Change::Code { method, .. } | Change::Method(method) = &self.change {
            let member = method_at(class, *method)?;
            same &= Some(signature(class, &member)?) == self.method;
        }
        match same {
            true => Ok(()),
            false => Err(Error::Malformed {
                at: 0,
                what: "mutant of another class",
            }),
        }
    }
}

/// Name and descriptor of a method.
pub(crate) fn signature(class: &ClassFile<'_>, method: &Member<'_>) -> Result<String> {
    let name = class.pool.utf8(method.name)?;
    let descriptor = class.pool.utf8(method.descriptor)?;
    Ok(text::text(name) + &text::text(descriptor))
}
