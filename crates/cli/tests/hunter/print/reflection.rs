//! What tests ask by reflection, as Java.

use crate::model::*;

/// The number of questions that reflection answers about a type.
pub(crate) const REFLECTION_QUERIES: usize = 24;

/// The names of things, sorted.
fn sorted(array: &str, of: &str, name: &str) -> String {
    format!("Arrays.stream({array}).map({of}::{name}).sorted().toList()")
}

/// What reflection shows of a type. The first two find it by its name.
pub(super) fn reflection_text(program: &Program, query: usize, ty: &str) -> String {
    let binary = program.binary(ty);
    let note = program.types.iter().find(|ty| ty.kind == Kind::Annotation);
    let note = note.map_or("Deprecated", |note| &note.name);
    let other = program.types.last().map_or("Object", |ty| &ty.name);
    let lookup = "MethodType.methodType(int.class, int.class)";
    match query {
        0 => format!(
            "Class.forName(\"{binary}\").getDeclaredConstructor(int.class)\
             .newInstance(3).toString().length()"
        ),
        1 => format!("Class.forName(\"{binary}\").getMethod(\"s1\", int.class).invoke(null, 3)"),
        2 => sorted(
            &format!("{ty}.class.getDeclaredMethods()"),
            "Method",
            "getName",
        ),
        3 => sorted(&format!("{ty}.class.getMethods()"), "Method", "toString"),
        4 => sorted(
            &format!("{ty}.class.getDeclaredFields()"),
            "Field",
            "toString",
        ),
        5 => sorted(
            &format!("{ty}.class.getDeclaredConstructors()"),
            "Constructor",
            "toString",
        ),
        6 => sorted(
            &format!("{ty}.class.getDeclaredClasses()"),
            "Class",
            "getName",
        ),
        7 => format!("{ty}.class.getAnnotation({note}.class).value()"),
        8 => format!("{ty}.class.getMethod(\"m1\", int.class).getAnnotation({note}.class)"),
        9 => format!("Modifier.toString({ty}.class.getModifiers())"),
        10 => format!("{ty}.class.getSuperclass() + Arrays.toString({ty}.class.getInterfaces())"),
        11 => format!("{ty}.class.getDeclaredField(\"K0\").getInt(null)"),
        12 => format!("{ty}.class.getMethod(\"m1\", int.class).getDeclaringClass().getName()"),
        13 => format!(
            "MethodHandles.lookup().findVirtual({ty}.class, \"m2\", {lookup}).invoke(new {ty}(1), 2)"
        ),
        14 => format!(
            "(int) MethodHandles.lookup().findStatic({ty}.class, \"s0\", {lookup}).invokeExact(2)"
        ),
        15 => format!(
            "{ty}.class.getDeclaredConstructor(int.class).newInstance(4).toString().length()"
        ),
        16 => format!(
            "(({ty}) Proxy.newProxyInstance({ty}.class.getClassLoader(), \
             new Class<?>[] {{ {ty}.class }}, (p, m, a) -> m.isDefault() \
             ? InvocationHandler.invokeDefault(p, m, a) : m.getName().length())).m1(3)"
        ),
        17 => format!("Arrays.toString({ty}.class.getRecordComponents())"),
        18 => format!("Arrays.toString({ty}.class.getEnumConstants())"),
        19 => format!("ObjectStreamClass.lookupAny({ty}.class).getSerialVersionUID()"),
        21 => format!("safe.Safe.copy(new {ty}(5)).toString()"),
        22 => format!("{ty}.class.isAssignableFrom({other}.class)"),
        20 => format!("{ty}.class.getMethod(\"m2\", int.class).invoke(new {ty}(1), 2)"),
        _ => format!(
            "Modifier.toString({ty}.class.getDeclaredMethod(\"m0\", int.class).getModifiers())"
        ),
    }
}
