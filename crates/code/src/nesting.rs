use tamis_classfile::{ClassFile, Result, decode_mutf8};

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

/// The name of the class `name` as Java sources write it (`p.Outer.Inner`), as far as `class` tells how classes are
/// nested; `None` if it has none or nobody can say.
pub(crate) fn declared_name(class: &ClassFile<'_>, name: &str) -> Option<String> {
    /// Deeper than any compiler nests.
    const MAX_DEPTH: usize = 64;
    let mut simple = Vec::new();
    let mut name = name.to_owned();
    while simple.len() < MAX_DEPTH {
        match outer(class, &name)? {
            Some((outer, inner)) => {
                simple.push(inner);
                name = outer;
            }
            // Whether a dollar is a part of the name, only this table tells.
            None if name.contains('$') => return None,
            None => {
                simple.push(name.replace('/', "."));
                simple.reverse();
                return Some(simple.join("."));
            }
        }
    }
    None
}

/// The class around `name` and the simple name in it; `Some(None)` if the class is not listed, `None` if it is
/// declared in code.
fn outer(class: &ClassFile<'_>, name: &str) -> Option<Option<(String, String)>> {
    let Some(attribute) = class.find(class.attributes(), b"InnerClasses").ok()? else {
        return Some(None);
    };
    let mut r = attribute.reader();
    for _ in 0..r.u16().ok()? {
        let (inner, outer, simple, _) =
            (r.u16().ok()?, r.u16().ok()?, r.u16().ok()?, r.u16().ok()?);
        if decode_mutf8(class.pool.class_name(inner).ok()?).as_deref() == Some(name) {
            let outer = decode_mutf8(class.pool.class_name(outer).ok()?)?;
            let simple = decode_mutf8(class.pool.utf8(simple).ok()?)?;
            return Some(Some((outer, simple)));
        }
    }
    Some(None)
}
