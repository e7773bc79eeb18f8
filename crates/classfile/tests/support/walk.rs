use tamis_classfile::{ClassFile, Result};

/// Reads everything in `class` and returns the number of instructions.
pub(crate) fn walk(class: &ClassFile<'_>) -> Result<usize> {
    class.name()?;
    class.super_name()?;
    class
        .interface_names()
        .try_for_each(|name| name.map(drop))?;
    class
        .pool
        .iter()
        .try_for_each(|(_, constant)| constant.map(drop))?;
    for attribute in class.attributes() {
        class.pool.utf8(attribute?.name)?;
    }
    let mut instructions = 0;
    for member in class.fields().chain(class.methods()) {
        let member = member?;
        class.pool.utf8(member.name)?;
        class.pool.utf8(member.descriptor)?;
        for attribute in member.attributes {
            class.pool.utf8(attribute?.name)?;
        }
        if let Some(code) = class.code(&member)? {
            code.handlers().try_for_each(|handler| handler.map(drop))?;
            for attribute in code.attributes {
                class.pool.utf8(attribute?.name)?;
            }
            for instruction in code.instructions() {
                instruction?
                    .constant()
                    .map(|index| class.pool.get(index))
                    .transpose()?;
                instructions += 1;
            }
        }
    }
    Ok(instructions)
}
