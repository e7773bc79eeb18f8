//! Other classes that reflection shows of a class.

use tamis_classfile::{Attributes, ClassFile, Reader, Result};

use super::each_type;

/// Visits the classes that reflection shows of one that is asked for its members or for what it
/// declares of itself: the types of fields, methods and record components, exceptions, generic types
/// and their bounds, nested and permitted classes.
pub fn shown(class: &ClassFile<'_>, visit: &mut dyn FnMut(&[u8])) -> Result<()> {
    attributes(class, class.attributes(), visit)?;
    for member in class.fields().chain(class.methods()) {
        let member = member?;
        each_type(class.pool.utf8(member.descriptor)?, visit)?;
        attributes(class, member.attributes, visit)?;
    }
    Ok(())
}

/// Visits the classes around a nested one: those that declare it, or have it in their code.
pub fn around<'a>(class: &ClassFile<'a>, visit: &mut dyn FnMut(&'a [u8])) -> Result<()> {
    for attribute in class.attributes() {
        let attribute = attribute?;
        let mut r = attribute.reader();
        match class.pool.utf8(attribute.name)? {
            b"NestHost" | b"EnclosingMethod" => visit(class.pool.class_name(r.u16()?)?),
            b"InnerClasses" => each_nested(class, r, &mut |inner, outer| {
                if inner == class.name()? {
                    visit(outer);
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    Ok(())
}

fn attributes<'a>(
    class: &ClassFile<'a>,
    attributes: Attributes<'a>,
    visit: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    attributes.into_iter().try_for_each(|attribute| {
        let attribute = attribute?;
        let name = class.pool.utf8(attribute.name)?;
        self::attribute(class, name, attribute.reader(), visit)
    })
}

fn attribute<'a>(
    class: &ClassFile<'a>,
    name: &[u8],
    mut r: Reader<'a>,
    visit: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    match name {
        b"PermittedSubclasses" | b"NestMembers" | b"Exceptions" => {
            for _ in 0..r.u16()? {
                visit(class.pool.class_name(r.u16()?)?);
            }
        }
        b"InnerClasses" => each_nested(class, r, &mut |inner, outer| {
            if outer == class.name()? {
                visit(inner);
            }
            Ok(())
        })?,
        b"Signature" => in_signature(class.pool.utf8(r.u16()?)?, visit),
        b"Record" => {
            for _ in 0..r.u16()? {
                r.u16()?;
                each_type(class.pool.utf8(r.u16()?)?, visit)?;
                for _ in 0..r.u16()? {
                    let name = class.pool.utf8(r.u16()?)?;
                    let length = r.u32()? as usize;
                    let content = r.sub(length)?;
                    if name == b"Signature" {
                        attribute(class, name, content, visit)?;
                    }
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// Visits the member classes in an `InnerClasses` attribute, each with the one that declares it.
fn each_nested<'a>(
    class: &ClassFile<'a>,
    mut r: Reader<'a>,
    visit: &mut dyn FnMut(&'a [u8], &'a [u8]) -> Result<()>,
) -> Result<()> {
    for _ in 0..r.u16()? {
        let (inner, outer) = (r.u16()?, r.u16()?);
        r.u32()?;
        if outer != 0 {
            visit(class.pool.class_name(inner)?, class.pool.class_name(outer)?)?;
        }
    }
    Ok(())
}

/// Visits the class names in a signature (section 4.7.9.1). The JVM takes any text for one, and so
/// does this; a name may come that is none.
fn in_signature(signature: &[u8], visit: &mut dyn FnMut(&[u8])) {
    let mut rest = signature;
    // The class type that is read, and those whose arguments it is among.
    let (mut name, mut outer) = (Vec::new(), Vec::new());
    while let Some((kind, tail)) = rest.split_first() {
        rest = tail;
        match kind {
            b'L' | b'T' | b'.' => {
                let is_end = |byte: &u8| b"<;.:".contains(byte);
                let end = rest.iter().position(is_end).unwrap_or(rest.len());
                let (text, tail) = rest.split_at(end);
                rest = tail;
                match kind {
                    b'.' => name.push(b'$'),
                    _ => name.clear(),
                }
                name.extend_from_slice(text);
                // A colon comes behind the name of a type variable only.
                if *kind != b'T' && matches!(tail.first(), Some(b'<' | b';')) {
                    visit(&name);
                }
            }
            b'<' => outer.push(std::mem::take(&mut name)),
            b'>' => name = outer.pop().unwrap_or_default(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(signature: &str, expected: &[&str]) {
        let mut names = Vec::new();
        in_signature(signature.as_bytes(), &mut |name| {
            names.push(String::from_utf8(name.to_vec()).unwrap());
        });
        assert_eq!(names, expected, "{signature}");
    }

    #[test]
    fn a_signature_has_classes_and_not_variables() {
        check("La/B;", &["a/B"]);
        check("<T:La/B;>La/C<TT;>;", &["a/B", "a/C"]);
        check(
            "<LIST::La/B;TL:La/D;>La/C;La/I<[TLIST;>;",
            &["a/B", "a/D", "a/C", "a/I"],
        );
        check("<VAL:La/B;>(IITVAL;[JLa/C;)V^La/E;", &["a/B", "a/C", "a/E"]);
        check("La/C<*+La/B;-La/D;>;", &["a/C", "a/B", "a/D"]);
        check("La/odd-name+(1);", &["a/odd-name+(1)"]);
    }

    #[test]
    fn a_class_in_a_generic_one_has_both_names() {
        check(
            "La/O<La/B;>.I<La/C<La/D;>;>.J;",
            &["a/O", "a/B", "a/O$I", "a/C", "a/D", "a/O$I$J"],
        );
        check("La/O.I;", &["a/O$I"]);
    }

    #[test]
    fn any_text_may_be_a_signature() {
        for text in [
            "", "L", "La", "<", ">>", "T", ".", ".;", "L<L<", "<:", "La.:;",
        ] {
            in_signature(text.as_bytes(), &mut |_| {});
        }
    }
}
