//! Programs as Java.

mod code;
mod declarations;
mod reflection;
mod tests;

pub(crate) use reflection::REFLECTION_QUERIES;

use crate::idioms;
use crate::model::*;
use declarations::type_text;
use std::collections::BTreeMap;
use tests::test_class;

/// The sources by the names of their files.
pub(crate) type Sources = BTreeMap<String, String>;

/// Put out where a class was found by its name and its code did not run: a known limit of tamis.
pub(crate) const LOST: &str = "!lost";

const LOST_TEXT: &str = "\"!lost\"";

/// Starts a line that says that a test changed a part of the state: its name, and what it was and is.
pub(crate) const WROTE: &str = "@w ";

/// What a test class gets from an extension of Jupiter.
const EXTENSION_CLIENT: &str = "package safe;
public interface Kept { void keep(String text); }
";

/// Computes without an exception, where an initializer is no block; copies by serialization; calls idioms.
const SAFE: &str = "package safe;
import java.io.*;
public class Safe {
    public interface Go {
        Object go(int v) throws Throwable;
    }
    public static String text(Go go, int v) {
        try { return String.valueOf(go.go(v)); } catch (Throwable e) { return e.getClass().getSimpleName(); }
    }
    public static int at(Go go, int v) {
        return text(go, v).hashCode() % 1000;
    }
    public static Object copy(Object object) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(object);
        return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    }
    public static void wrote(String part, Object from, Object to) {
        System.out.println(\"@w \" + part + '|' + from + '|' + to);
    }
    public static int of(java.util.function.IntSupplier value) {
        try { return value.getAsInt(); } catch (RuntimeException e) { return -7; }
    }
}
";

pub(crate) fn sources(program: &Program) -> Sources {
    let safe = [
        ("safe/Safe.java", SAFE),
        ("safe/Kept.java", EXTENSION_CLIENT),
    ];
    let mut files = Sources::from(safe.map(|(name, text)| (name.to_owned(), text.to_owned())));
    for idiom in &program.idioms {
        files.append(&mut idioms::sources(idiom));
    }
    for ty in program.types.iter().filter(|ty| ty.outer().is_none()) {
        let (folder, head) = match program.package(&ty.name) {
            Some(package) => (format!("{package}/"), format!("package {package};\n")),
            None => Default::default(),
        };
        let text = head + &imports(program) + &type_text(program, ty);
        files.insert(format!("{folder}{}.java", ty.name), text);
    }
    for class in &program.tests {
        files.insert(format!("{}.java", class.name), test_class(program, class));
    }
    files
}

/// Names are never used twice, so everything can be imported.
fn imports(program: &Program) -> String {
    let packages = program.packages.iter();
    packages.map(|name| format!("import {name}.*;\n")).collect()
}

fn word(is: bool, text: &str) -> &str {
    if is { text } else { "" }
}
