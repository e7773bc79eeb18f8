use tamis_classfile::{ClassFile, Result};

/// The place where a class is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nesting<'a> {
    /// In a package.
    TopLevel,
    /// In another class.
    Member {
        /// Internal name of that class.
        outer: &'a [u8],
        /// The access flags that the source gives it; those of the class file lack some.
        access: u16,
    },
    /// In code, with a name or without.
    Local,
}

/// Finds out where `class` is declared.
pub fn nesting<'a>(class: &ClassFile<'a>) -> Result<Nesting<'a>> {
    let Some(attribute) = class.find(class.attributes(), b"InnerClasses")? else {
        return Ok(Nesting::TopLevel);
    };
    let this = class.name()?;
    let mut r = attribute.reader();
    for _ in 0..r.u16()? {
        let (inner, outer, name, access) = (r.u16()?, r.u16()?, r.u16()?, r.u16()?);
        if class.pool.class_name(inner)? == this {
            // Old compilers name the class around an anonymous one.
            return Ok(match outer != 0 && name != 0 {
                true => Nesting::Member {
                    outer: class.pool.class_name(outer)?,
                    access,
                },
                false => Nesting::Local,
            });
        }
    }
    Ok(Nesting::TopLevel)
}
