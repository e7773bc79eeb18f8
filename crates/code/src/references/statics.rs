//! Static fields: which a class declares, which its code uses, and which objects never change.

use tamis_classfile::{ClassFile, Code, Constant, Error, Result, access, opcode};

/// A use of a static field by code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StaticUse<'a> {
    /// Internal name of the class that the code names; the field may be inherited.
    pub class: &'a [u8],
    /// Name of the field.
    pub field: &'a [u8],
    /// Whether it is written, not read.
    pub writes: bool,
}

/// A static field whose state may change after the class was initialized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticField<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its descriptor.
    pub descriptor: &'a [u8],
    /// Whether a test framework may read it: it has annotations, or its class lets Jupiter take arguments of
    /// tests from fields.
    pub is_offered: bool,
    /// Whether code of other classes may set it: it is neither final nor private.
    pub is_open: bool,
}

/// Visits the static fields that `code` reads or writes. Those of the JDK are left out.
pub fn static_uses<'a>(
    class: &ClassFile<'a>,
    code: &Code<'a>,
    visit: &mut dyn FnMut(StaticUse<'a>),
) -> Result<()> {
    for instruction in code.instructions() {
        let instruction = instruction?;
        let writes = match instruction.opcode {
            opcode::GETSTATIC => false,
            opcode::PUTSTATIC => true,
            _ => continue,
        };
        let Some(index) = instruction.constant() else {
            continue;
        };
        let Constant::Field {
            class: owner,
            name_and_type,
        } = class.pool.get(index)?
        else {
            return Err(Error::BadConstant { index });
        };
        let owner = class.pool.class_name(owner)?;
        if !owner.starts_with(b"java/") {
            let (field, _) = class.pool.name_and_type(name_and_type)?;
            visit(StaticUse {
                class: owner,
                field,
                writes,
            });
        }
    }
    Ok(())
}

/// Whether a call of this method can read or write static fields whose names are not in the code:
/// reflection, handles, memory, and what libraries offer for that.
pub fn uses_any_static(owner: &[u8], name: &[u8]) -> bool {
    let starts = |prefixes: &[&[u8]]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match owner {
        b"java/lang/reflect/Field" => starts(&[b"get", b"set"]),
        b"java/lang/invoke/MethodHandles$Lookup" => starts(&[b"findStatic", b"unreflect"]),
        b"java/lang/invoke/MethodHandle" => starts(&[b"invoke"]),
        b"java/lang/invoke/VarHandle" => true,
        b"sun/misc/Unsafe" => starts(&[b"staticField", b"get", b"put", b"compareAndSwap"]),
        b"org/springframework/test/util/ReflectionTestUtils"
        | b"org/springframework/util/ReflectionUtils" => starts(&[b"getField", b"setField"]),
        b"org/apache/commons/lang3/reflect/FieldUtils" => starts(&[b"read", b"write"]),
        _ => owner.ends_with(b"/Whitebox"),
    }
}

/// The static fields of `class` whose state may change after it was initialized: those that are not final,
/// and those that refer to objects which may change. Those of generated code, which nobody else reads, are left out.
pub fn changeable_statics<'a>(class: &ClassFile<'a>) -> Result<Vec<StaticField<'a>>> {
    const ANNOTATIONS: &[u8] = b"RuntimeVisibleAnnotations";
    const FIELD_SOURCE: Constant<'static> =
        Constant::Utf8(b"Lorg/junit/jupiter/params/provider/FieldSource;");
    let has_sources = class
        .pool
        .iter()
        .any(|(_, constant)| constant == Ok(FIELD_SOURCE));
    let mut fields = Vec::new();
    for field in class.fields() {
        let field = field?;
        let descriptor = class.pool.utf8(field.descriptor)?;
        let is_constant = field.access & access::FINAL != 0 && is_unchangeable(descriptor);
        let name = class.pool.utf8(field.name)?;
        let is_own = is_static_of_generator(class, name, field.access)?;
        if field.access & access::STATIC != 0 && !is_constant && !is_own {
            let annotations = class.find(field.attributes, ANNOTATIONS)?;
            fields.push(StaticField {
                name,
                descriptor,
                is_offered: annotations.is_some() || has_sources,
                is_open: field.access & (access::FINAL | access::PRIVATE) == 0,
            });
        }
    }
    Ok(fields)
}

/// Whether this static field holds what a generator of code keeps for itself: JaCoCo which code ran, Spring how it
/// made a subclass.
///
/// With CGLIB itself a program may leave interceptors of its own there, which have state. Those that Spring leaves for
/// classes with beans have none.
fn is_static_of_generator(class: &ClassFile<'_>, field: &[u8], access: u16) -> Result<bool> {
    const WITH_BEANS: &[u8] =
        b"org/springframework/context/annotation/ConfigurationClassEnhancer$EnhancedConfiguration";
    if field == b"$jacocoData" {
        return Ok(access & access::SYNTHETIC != 0);
    }
    let name = class.name()?;
    let is_in_name = |mark: &[u8]| name.windows(mark.len()).any(|part| part == mark);
    let is_by_spring = is_in_name(b"$$SpringCGLIB$$") || is_in_name(b"$$EnhancerBySpringCGLIB$$");
    if !field.starts_with(b"CGLIB$") || !is_by_spring {
        return Ok(false);
    }
    let mut interfaces = class.interface_names();
    let has_beans = interfaces.any(|interface| interface == Ok(WITH_BEANS));
    Ok(has_beans || field != b"CGLIB$STATIC_CALLBACKS")
}

/// Whether the objects of `class`, as far as its own fields tell, never change: its supertypes must tell
/// the same.
pub fn is_frozen(class: &ClassFile<'_>) -> Result<bool> {
    for field in class.fields() {
        let field = field?;
        let is_fixed = field.access & access::FINAL != 0
            && is_unchangeable(class.pool.utf8(field.descriptor)?);
        if field.access & access::STATIC == 0 && !is_fixed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Types of which no object ever changes, and loggers, whose state is not followed.
const UNCHANGEABLE: [&[u8]; 17] = [
    b"Ljava/lang/Boolean;",
    b"Ljava/lang/Byte;",
    b"Ljava/lang/Character;",
    b"Ljava/lang/Class;",
    b"Ljava/lang/Double;",
    b"Ljava/lang/Float;",
    b"Ljava/lang/Integer;",
    b"Ljava/lang/Long;",
    b"Ljava/lang/Short;",
    b"Ljava/lang/String;",
    b"Ljava/nio/charset/Charset;",
    b"Ljava/util/Locale;",
    b"Ljava/util/UUID;",
    b"Ljava/util/logging/Logger;",
    b"Ljava/util/regex/Pattern;",
    b"Lorg/apache/commons/logging/Log;",
    b"Lorg/slf4j/Logger;",
];

/// Whether a final field of this type always holds the same.
fn is_unchangeable(descriptor: &[u8]) -> bool {
    descriptor.len() == 1 || UNCHANGEABLE.binary_search(&descriptor).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::Assembler;

    #[test]
    fn the_list_of_types_is_sorted() {
        assert!(UNCHANGEABLE.is_sorted());
    }

    #[test]
    fn a_type_is_unchangeable_if_no_object_of_it_changes() {
        let check = |descriptor: &str, expected: bool| {
            assert_eq!(
                is_unchangeable(descriptor.as_bytes()),
                expected,
                "{descriptor}"
            );
        };
        check("I", true);
        check("Ljava/lang/String;", true);
        check("Lorg/slf4j/Logger;", true);
        check("[I", false);
        check("Ljava/util/List;", false);
        check("La/Mine;", false);
    }

    #[test]
    fn static_fields_of_generators_are_left_out() {
        let check = |class: &str, interfaces: &[&str], field: &str, is_state: bool| {
            let mut a = Assembler::default();
            a.field(access::STATIC | access::SYNTHETIC, field, "[Z");
            let bytes = a.finish(access::SUPER, class, interfaces);
            let class = ClassFile::parse(&bytes).unwrap();
            let found = changeable_statics(&class).unwrap();
            assert_eq!(!found.is_empty(), is_state, "{field}");
        };
        let beans = "org/springframework/context/annotation/ConfigurationClassEnhancer$EnhancedConfiguration";
        let (by_spring, by_old) = ("a/A$$SpringCGLIB$$0", "a/A$$EnhancerBySpringCGLIB$$8b");
        check("a/App", &[], "$jacocoData", false);
        check(by_spring, &[], "CGLIB$CALLBACK_FILTER", false);
        check(by_old, &[], "CGLIB$FACTORY_DATA", false);
        check(by_old, &[beans], "CGLIB$STATIC_CALLBACKS", false);
        // A program may have put its own objects there.
        check(by_spring, &[], "CGLIB$STATIC_CALLBACKS", true);
        check(
            "a/A$$EnhancerByCGLIB$$8b",
            &[],
            "CGLIB$THREAD_CALLBACKS",
            true,
        );
        check(by_spring, &[beans], "state", true);
    }
}
