//! Where tamis enters classes of the JDK.

use super::{FIRST, Hook, SECOND, Shape, THIS};
use crate::runtime::{self, Entrance};

/// Where method handles are looked up by name; those of the constants of classes are not.
pub const HANDLES: &str = "java/lang/invoke/MethodHandles$Lookup";

/// Where class loaders look for what is in directories and archives, in newer JDKs and before JDK 9.
const CLASS_PATHS: [&str; 2] = ["jdk/internal/loader/URLClassPath", "sun/misc/URLClassPath"];

/// The classes of the JDK that have hooks; of each list a JDK has one.
pub const OF_THE_JDK: [&[&str]; 6] = [
    &[HANDLES],
    &[ACCESSORS],
    &CLASS_PATHS,
    &[ENTRIES],
    &[SYSTEM],
    &[VARIABLES],
];

/// Classes of the JDK that have hooks, too, once they are loaded.
pub const LATER: [&str; 3] = [ARGUMENTS, ARCHIVES, UNSAFE];

/// Where what reads and writes a field by reflection is made.
const ACCESSORS: &str = "jdk/internal/reflect/ReflectionFactory";

/// Where the place of a static field is asked for.
const UNSAFE: &str = "sun/misc/Unsafe";

/// Where the arguments of the JVM are asked for.
const ARGUMENTS: &str = "sun/management/RuntimeImpl";

/// Where archives are asked for by the URL of an entry.
const ARCHIVES: &str = "sun/net/www/protocol/jar/JarURLConnection";

/// Where entries of archives are asked for by URL.
const ENTRIES: &str = "java/net/JarURLConnection";

/// Where properties and environment variables are asked for.
const SYSTEM: &str = "java/lang/System";

/// Where a process that is to be started gets those of this one.
const VARIABLES: &str = "java/lang/ProcessEnvironment";

/// Classes whose hooks are in static methods.
pub(super) const WITH_STATIC_METHODS: [&str; 2] = [SYSTEM, VARIABLES];

/// A value is asked for, or all are: a static method, whose first argument is the name.
const fn values(method: &'static [u8], descriptor: &'static [u8], entrance: Entrance) -> Hook {
    values_of(SYSTEM, method, descriptor, entrance)
}

const fn values_of(
    class: &'static str,
    method: &'static [u8],
    descriptor: &'static [u8],
    entrance: Entrance,
) -> Hook {
    Hook {
        class: Some(class.as_bytes()),
        method,
        descriptor,
        entrance,
        shape: match entrance.descriptor.len() {
            // `()V`
            3 => Shape::Notify { locals: &[] },
            _ => Shape::Notify { locals: &[THIS] },
        },
    }
}

/// Something is looked for by its name that is no class.
const fn resources(class: &'static str, method: &'static [u8], entrance: Entrance) -> Hook {
    Hook {
        class: Some(class.as_bytes()),
        method,
        descriptor: b"(Ljava/lang/String;",
        entrance,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    }
}

const fn handles(method: &'static [u8], descriptor: &'static [u8]) -> Hook {
    Hook {
        class: Some(HANDLES.as_bytes()),
        method,
        descriptor,
        entrance: runtime::MEMBERS_RESOLVED,
        shape: Shape::Notify { locals: &[SECOND] },
    }
}

/// A field is made accessible: the first argument.
const fn fields(class: &'static str, method: &'static [u8], descriptor: &'static [u8]) -> Hook {
    Hook {
        class: Some(class.as_bytes()),
        method,
        descriptor,
        entrance: runtime::FIELD_ACCESSED,
        shape: Shape::Notify { locals: &[FIRST] },
    }
}

pub(super) const HOOKS: &[Hook] = &[
    handles(
        b"resolveOrFail",
        b"(BLjava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/MemberName;",
    ),
    handles(
        b"resolveOrFail",
        b"(BLjava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)\
          Ljava/lang/invoke/MemberName;",
    ),
    fields(
        HANDLES,
        b"unreflectField",
        b"(Ljava/lang/reflect/Field;Z)Ljava/lang/invoke/MethodHandle;",
    ),
    fields(
        HANDLES,
        b"unreflectVarHandle",
        b"(Ljava/lang/reflect/Field;)Ljava/lang/invoke/VarHandle;",
    ),
    fields(
        ACCESSORS,
        b"newFieldAccessor",
        b"(Ljava/lang/reflect/Field;Z)Ljdk/internal/reflect/FieldAccessor;",
    ),
    fields(
        UNSAFE,
        b"staticFieldBase",
        b"(Ljava/lang/reflect/Field;)Ljava/lang/Object;",
    ),
    fields(
        UNSAFE,
        b"staticFieldOffset",
        b"(Ljava/lang/reflect/Field;)J",
    ),
    fields(
        UNSAFE,
        b"objectFieldOffset",
        b"(Ljava/lang/reflect/Field;)J",
    ),
    values(
        b"getProperty",
        b"(Ljava/lang/String;",
        runtime::PROPERTY_READ,
    ),
    values(b"getProperties", b"()", runtime::PROPERTIES_READ),
    values(b"getenv", b"(Ljava/lang/String;", runtime::VARIABLE_READ),
    values(b"getenv", b"()", runtime::VARIABLES_READ),
    values_of(VARIABLES, b"environment", b"()", runtime::VARIABLES_READ),
    values_of(
        ARGUMENTS,
        b"getInputArguments",
        b"()",
        runtime::PROPERTIES_READ,
    ),
    Hook {
        class: Some(ARCHIVES.as_bytes()),
        method: b"getJarFile",
        descriptor: b"()Ljava/util/jar/JarFile;",
        entrance: runtime::ARCHIVE_READ,
        shape: Shape::Notify { locals: &[THIS] },
    },
    values(
        b"setProperty",
        b"(Ljava/lang/String;",
        runtime::PROPERTY_WRITTEN,
    ),
    values(
        b"clearProperty",
        b"(Ljava/lang/String;",
        runtime::PROPERTY_WRITTEN,
    ),
    resources(CLASS_PATHS[0], b"findResource", runtime::RESOURCE_LOOKED_UP),
    resources(
        CLASS_PATHS[0],
        b"findResources",
        runtime::RESOURCES_LOOKED_UP,
    ),
    resources(CLASS_PATHS[1], b"findResource", runtime::RESOURCE_LOOKED_UP),
    resources(
        CLASS_PATHS[1],
        b"findResources",
        runtime::RESOURCES_LOOKED_UP,
    ),
    Hook {
        class: Some(ENTRIES.as_bytes()),
        method: b"<init>",
        descriptor: b"(Ljava/net/URL;)V",
        entrance: runtime::ENTRY_LOOKED_UP,
        shape: Shape::Notify { locals: &[FIRST] },
    },
];
