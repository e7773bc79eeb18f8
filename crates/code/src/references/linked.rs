//! Classes that the JVM may need to link a class, whatever of it runs.

use super::each_type;
use tamis_classfile::{ClassFile, Constant, Result};

/// Visits the classes that the constants of a class and the descriptors of its methods name: some of them the verifier loads, before the first
/// method runs, to see what can be assigned, thrown and caught. The same class can come several times.
pub fn linked<'a>(class: &ClassFile<'a>, visit: &mut dyn FnMut(&'a [u8])) -> Result<()> {
    for (_, constant) in class.pool.iter() {
        match constant? {
            Constant::Class { name } => match class.pool.utf8(name)? {
                array if array.starts_with(b"[") => each_type(array, visit)?,
                name => visit(name),
            },
            Constant::NameAndType { descriptor, .. } | Constant::MethodType { descriptor } => {
                each_type(class.pool.utf8(descriptor)?, visit)?;
            }
            _ => {}
        }
    }
    for method in class.methods() {
        each_type(class.pool.utf8(method?.descriptor)?, visit)?;
    }
    Ok(())
}
