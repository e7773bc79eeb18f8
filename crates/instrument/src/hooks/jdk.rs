//! Hooks in classes of the JDK.

use super::Releases;
use crate::runtime;
use tamis_frameworks::{Entrance, FIRST, Hook, SECOND, Shape, THIS};

/// The class that looks up method handles by name; handles in constants of classes bypass it.
pub const HANDLES: &str = "java/lang/invoke/MethodHandles$Lookup";

/// Where class loaders look for what is in directories and archives, in newer JDKs and before JDK 9.
const CLASS_PATHS: [&str; 2] = ["jdk/internal/loader/URLClassPath", "sun/misc/URLClassPath"];

/// A class of the JDK that has hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JdkClass {
    /// Its internal name.
    pub name: &'static str,
    /// The releases of the JDK that must have it, with all its hooks.
    pub releases: Releases,
    /// Whether it is loaded when the JVM starts; others are entered once they are loaded.
    pub is_loaded_at_start: bool,
}

/// All values.
pub const CLASSES: [JdkClass; 10] = [
    at_start(HANDLES, Releases::ALL),
    at_start(ACCESSORS, Releases::ALL),
    at_start(CLASS_PATHS[0], Releases::ALL),
    at_start(CLASS_PATHS[1], Releases::ONLY_8),
    at_start(ENTRIES, Releases::ALL),
    at_start(SYSTEM, Releases::ALL),
    at_start(VARIABLES, Releases::ALL),
    later(ARGUMENTS),
    later(ARCHIVES),
    later(UNSAFE),
];

const fn at_start(name: &'static str, releases: Releases) -> JdkClass {
    JdkClass {
        name,
        releases,
        is_loaded_at_start: true,
    }
}

const fn later(name: &'static str) -> JdkClass {
    JdkClass {
        name,
        releases: Releases::ALL,
        is_loaded_at_start: false,
    }
}

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
const fn values(
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
    entrance: Entrance,
) -> Hook {
    let shape = match entrance.descriptor.len() {
        // `()V`
        3 => Shape::Notify { locals: &[] },
        _ => Shape::Notify { locals: &[THIS] },
    };
    Hook::new(class, method, descriptor, entrance, shape)
}

/// Something is looked for by its name that is no class.
const fn resources(class: &'static str, method: &'static str, entrance: Entrance) -> Hook {
    let shape = Shape::Notify {
        locals: &[THIS, FIRST],
    };
    Hook::new(class, method, "(Ljava/lang/String;", entrance, shape)
}

const fn handles(method: &'static str, descriptor: &'static str) -> Hook {
    let shape = Shape::Notify { locals: &[SECOND] };
    Hook::new(
        HANDLES,
        method,
        descriptor,
        runtime::MEMBERS_RESOLVED,
        shape,
    )
}

/// A field is made accessible: the first argument.
const fn fields(class: &'static str, method: &'static str, descriptor: &'static str) -> Hook {
    let shape = Shape::Notify { locals: &[FIRST] };
    Hook::new(class, method, descriptor, runtime::FIELD_ACCESSED, shape)
}

pub(super) const HOOKS: &[Hook] = &[
    handles(
        "resolveOrFail",
        "(BLjava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/MemberName;",
    ),
    handles(
        "resolveOrFail",
        "(BLjava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)\
         Ljava/lang/invoke/MemberName;",
    ),
    fields(
        HANDLES,
        "unreflectField",
        "(Ljava/lang/reflect/Field;Z)Ljava/lang/invoke/MethodHandle;",
    ),
    fields(
        HANDLES,
        "unreflectVarHandle",
        "(Ljava/lang/reflect/Field;)Ljava/lang/invoke/VarHandle;",
    ),
    fields(
        ACCESSORS,
        "newFieldAccessor",
        "(Ljava/lang/reflect/Field;Z)Ljdk/internal/reflect/FieldAccessor;",
    ),
    fields(
        UNSAFE,
        "staticFieldBase",
        "(Ljava/lang/reflect/Field;)Ljava/lang/Object;",
    ),
    fields(UNSAFE, "staticFieldOffset", "(Ljava/lang/reflect/Field;)J"),
    fields(UNSAFE, "objectFieldOffset", "(Ljava/lang/reflect/Field;)J"),
    values(
        SYSTEM,
        "getProperty",
        "(Ljava/lang/String;",
        runtime::PROPERTY_READ,
    ),
    values(SYSTEM, "getProperties", "()", runtime::PROPERTIES_READ),
    values(
        SYSTEM,
        "getenv",
        "(Ljava/lang/String;",
        runtime::VARIABLE_READ,
    ),
    values(SYSTEM, "getenv", "()", runtime::VARIABLES_READ),
    values(VARIABLES, "environment", "()", runtime::VARIABLES_READ),
    values(
        ARGUMENTS,
        "getInputArguments",
        "()",
        runtime::PROPERTIES_READ,
    ),
    Hook::new(
        ARCHIVES,
        "getJarFile",
        "()Ljava/util/jar/JarFile;",
        runtime::ARCHIVE_READ,
        Shape::Notify { locals: &[THIS] },
    ),
    values(
        SYSTEM,
        "setProperty",
        "(Ljava/lang/String;",
        runtime::PROPERTY_WRITTEN,
    ),
    values(
        SYSTEM,
        "clearProperty",
        "(Ljava/lang/String;",
        runtime::PROPERTY_WRITTEN,
    ),
    resources(CLASS_PATHS[0], "findResource", runtime::RESOURCE_LOOKED_UP),
    resources(
        CLASS_PATHS[0],
        "findResources",
        runtime::RESOURCES_LOOKED_UP,
    ),
    resources(CLASS_PATHS[1], "findResource", runtime::RESOURCE_LOOKED_UP),
    resources(
        CLASS_PATHS[1],
        "findResources",
        runtime::RESOURCES_LOOKED_UP,
    ),
    Hook::new(
        ENTRIES,
        "<init>",
        "(Ljava/net/URL;)V",
        runtime::ENTRY_LOOKED_UP,
        Shape::Notify { locals: &[FIRST] },
    ),
];
