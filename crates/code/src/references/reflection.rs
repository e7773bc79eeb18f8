//! Reflection uses: which calls into the JDK can see the members that a class declares.
//!
//! The JDK has no probes, so reflection inside it is known only by the call that leads to it. Calls that tell of a
//! class as a whole (its name, its supertypes, its annotations) are no reflection uses: such changes concern all users
//! of the class anyway. So do added and deleted constructors, and methods that replace those of the JDK; a call that
//! sees no more than these is harmless.
//!
//! Classes of the JDK that nobody examined count as seeing everything; `examined.txt` names the others.

use super::class_calls::of_class;
use super::examined::is_examined;

/// A kind of reflection use: what a call can see of declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReflectionKind {
    /// The names of methods that run, as a stack shows them.
    StackTraces,
    /// The members of classes that the JVM is asked for, by lists or by names.
    Members,
    /// Anything, without a trace.
    Unlogged,
    /// No members, but whether classes of certain names exist.
    ClassNames,
    /// No members, but what the archive of a class declares about its package.
    Packages,
    /// No members, but the class path, as a property that is called by its name.
    ClassPath,
    /// Members, at any later time: an object that is made here may use reflection whenever others call it.
    MembersLater,
}

impl ReflectionKind {
    /// How many kinds there are.
    pub const COUNT: usize = 7;
}

pub(super) const NOTHING: &[ReflectionKind] = &[];
const STACK_TRACES: &[ReflectionKind] = &[ReflectionKind::StackTraces];
pub(super) const MEMBERS: &[ReflectionKind] = &[ReflectionKind::Members];
const CACHED: &[ReflectionKind] = &[ReflectionKind::Members, ReflectionKind::MembersLater];
const BOTH: &[ReflectionKind] = &[
    ReflectionKind::StackTraces,
    ReflectionKind::Members,
    ReflectionKind::MembersLater,
];
pub(super) const UNLOGGED: &[ReflectionKind] = &[ReflectionKind::Unlogged];
pub(super) const CLASS_NAMES: &[ReflectionKind] = &[ReflectionKind::ClassNames];
const PACKAGES: &[ReflectionKind] = &[ReflectionKind::Packages, ReflectionKind::ClassNames];

/// The reflection uses of a call to `name` of the class `owner` (internal name); none if it cannot depend on
/// which members any class declares. Unknown classes of the JDK count as seeing everything.
pub fn reflection_kinds(owner: &[u8], name: &[u8]) -> &'static [ReflectionKind] {
    match name {
        // The call may name any class that inherits these.
        b"printStackTrace" | b"getStackTrace" | b"getAllStackTraces" | b"dumpStack" => {
            return STACK_TRACES;
        }
        // Classes that no file has, of which nobody else knows what they inherit.
        _ if has_prefix(name, &[b"defineClass", b"defineHiddenClass"]) => return UNLOGGED,
        b"loadClass" | b"findClass" | b"findSystemClass" | b"findLoadedClass" => {
            return CLASS_NAMES;
        }
        _ => {}
    }
    if let Some(rest) = owner.strip_prefix(b"java/") {
        return in_java(rest, name);
    }
    if has_prefix(owner, RUNNING_TESTS) {
        return BOTH;
    }
    if has_prefix(owner, READING_CLASSES) {
        return UNLOGGED;
    }
    // It serializes what it is given.
    if owner == b"javax/crypto/SealedObject" {
        return CACHED;
    }
    // Memory has no members; where fields lie in it, and new classes, are another matter. Its fields
    // are those that reflection found.
    if owner == b"sun/misc/Unsafe" {
        return match name {
            _ if has_prefix(name, &[b"define"]) => UNLOGGED,
            _ if has_prefix(name, &[b"objectField", b"staticField"]) => MEMBERS,
            _ => NOTHING,
        };
    }
    // These show the stacks of threads too.
    if has_prefix(owner, &[b"javax/management/"]) {
        return BOTH;
    }
    let is_jdk = has_prefix(owner, &[b"javax/", b"jdk/", b"sun/", b"com/sun/"]);
    match is_jdk {
        true if has_prefix(owner, NOT_REFLECTING) && !has_prefix(owner, REFLECTING_IN_JDK) => {
            CLASS_NAMES
        }
        true => UNLOGGED,
        false if INHERITED.contains(&name) => CACHED,
        false => NOTHING,
    }
}

fn in_java(owner: &[u8], name: &[u8]) -> &'static [ReflectionKind] {
    let if_so = |holds: bool, what: &'static [ReflectionKind]| if holds { what } else { NOTHING };
    match owner {
        b"lang/Class" => of_class(name),
        // Annotations are those of a class that is looked up.
        b"lang/Package" => PACKAGES,
        b"sql/DriverManager" | b"security/Policy" => CLASS_NAMES,
        // Operations on arrays, and the names of flags.
        b"lang/reflect/Array" | b"lang/reflect/Modifier" => NOTHING,
        // One that is made of given names shows nothing.
        b"lang/StackTraceElement" => if_so(name != b"<init>", STACK_TRACES),
        b"lang/StackWalker" | b"lang/StackWalker$StackFrame" | b"lang/SecurityManager" => {
            STACK_TRACES
        }
        // Uncaught exceptions print their traces there.
        b"lang/System" => if_so(name == b"setErr", STACK_TRACES),
        // A record finds out who logs, and all but these show records.
        b"util/logging/Logger" | b"util/logging/Level" => NOTHING,
        _ if has_prefix(owner, &[b"util/logging/"]) => STACK_TRACES,
        b"util/ServiceLoader" | b"util/ResourceBundle" => CACHED,
        // It is given the name of a field.
        _ if name == b"newUpdater" => MEMBERS,
        _ if has_prefix(owner, UNLOGGED_IN_HANDLES) => UNLOGGED,
        b"lang/invoke/MethodHandles$Lookup"
        | b"lang/invoke/MethodHandles"
        | b"lang/invoke/MethodHandle"
            if UNLOGGED_BY_HANDLES.contains(&name) =>
        {
            UNLOGGED
        }
        _ if has_prefix(owner, &[b"lang/classfile/"]) => UNLOGGED,
        // Descriptions of classes and members become these.
        _ if name == b"resolveConstantDesc" || name == b"resolveCallSiteDesc" => UNLOGGED,
        b"lang/instrument/Instrumentation" => {
            if_so(!HARMLESS_INSTRUMENTATION.contains(&name), UNLOGGED)
        }
        // Stacks of threads are shown here too.
        _ if has_prefix(owner, &[b"lang/management/"]) => BOTH,
        // The handles that these are given may use reflection.
        b"lang/invoke/MethodHandleProxies" | b"lang/reflect/Proxy" => CACHED,
        b"lang/invoke/MethodType" => if_so(name == b"fromMethodDescriptorString", CLASS_NAMES),
        _ if has_prefix(owner, &[b"lang/invoke/", b"lang/reflect/"]) => {
            if_so(has_prefix(owner, REFLECTING), MEMBERS)
        }
        _ if has_prefix(owner, REFLECTING) => CACHED,
        _ => if_so(!is_examined(owner), UNLOGGED),
    }
}

/// The reflection use of whoever gets a handle of the method `name` of the class `owner`.
pub fn reflection_through_handle(owner: &[u8], name: &[u8]) -> Option<ReflectionKind> {
    let sees_members = reflection_kinds(owner, name).contains(&ReflectionKind::Members);
    sees_members.then_some(ReflectionKind::MembersLater)
}

pub(super) fn has_prefix(text: &[u8], prefixes: &[&[u8]]) -> bool {
    prefixes.iter().any(|prefix| text.starts_with(prefix))
}

/// Methods that show no classes: neither the space that fields take, nor which classes are loaded, nor the bytes of
/// classes that transformers get.
const HARMLESS_INSTRUMENTATION: &[&[u8]] = &[
    b"appendToBootstrapClassLoaderSearch",
    b"appendToSystemClassLoaderSearch",
    b"isModifiableClass",
    b"isModifiableModule",
    b"isNativeMethodPrefixSupported",
    b"isRedefineClassesSupported",
    b"isRetransformClassesSupported",
    b"redefineModule",
    b"removeTransformer",
    b"setNativeMethodPrefix",
];

/// Methods that use reflection, where the call may name a class that inherits them from one of the JDK.
const INHERITED: &[&[u8]] = &[
    b"getBundle",
    b"getProxyClass",
    b"newProxyInstance",
    b"readObject",
    b"readUnshared",
    b"writeObject",
    b"writeUnshared",
];

/// What tells which class declares the method of a handle. That handle may be a constant, and the JVM
/// finds these by itself.
const UNLOGGED_IN_HANDLES: &[&[u8]] = &[
    b"lang/invoke/MethodHandleInfo",
    b"lang/invoke/SerializedLambda",
];

/// The same, and handles of methods that a class inherits from anywhere between it and the class that
/// is asked.
const UNLOGGED_BY_HANDLES: &[&[u8]] = &[
    b"describeConstable",
    b"findSpecial",
    b"reflectAs",
    b"revealDirect",
    b"unreflectSpecial",
];

/// Classes of libraries that show members as class files have them.
const READING_CLASSES: &[&[u8]] = &[
    b"javassist/ClassPool",
    b"javassist/CtClass",
    b"org/apache/bcel/classfile/",
    b"org/objectweb/asm/ClassReader",
    b"org/springframework/asm/ClassReader",
];

/// Classes of the `java` packages that see members: by name, in bulk, or to call them. The use of a
/// `MethodHandle` or a `Method` that another test has found counts too.
const REFLECTING: &[&[u8]] = &[
    b"beans/",
    b"io/ObjectInput",
    b"io/ObjectOutput",
    b"io/ObjectStream",
    b"lang/invoke/MethodHandle",
    b"lang/invoke/VarHandle",
    b"lang/reflect/",
    // It serializes what it is given.
    b"security/SignedObject",
    b"util/spi/",
];

/// Classes of test frameworks that run or inspect the classes they are given. The frameworks' own
/// calls do not count; other callers hand over classes of their choice.
const RUNNING_TESTS: &[&[u8]] = &[
    b"junit/framework/JUnit4TestAdapter",
    b"junit/framework/TestResult",
    b"junit/framework/TestSuite",
    b"junit/textui/",
    b"org/junit/internal/",
    b"org/junit/jupiter/engine/",
    b"org/junit/platform/",
    b"org/junit/runner/",
    b"org/junit/runners/",
    b"org/testng/",
];

/// Packages of the JDK beside `java` that see no members. They find classes by names that
/// settings give.
const NOT_REFLECTING: &[&[u8]] = &[
    b"com/sun/net/httpserver/",
    b"javax/annotation/",
    b"javax/crypto/",
    b"javax/imageio/",
    b"javax/lang/model/",
    b"javax/net/",
    b"javax/security/",
    b"javax/sound/",
    b"javax/xml/XMLConstants",
    b"javax/xml/datatype/",
    b"javax/xml/namespace/",
    b"javax/xml/parsers/",
    b"javax/xml/stream/",
    b"javax/xml/validation/",
    b"javax/xml/xpath/",
    // It sees the fields of events, and those concern all users.
    b"jdk/jfr/",
];

/// Classes in these packages that see members all the same: methods of classes that are named, and constructors.
const REFLECTING_IN_JDK: &[&[u8]] = &[
    b"javax/imageio/metadata/",
    b"javax/imageio/spi/",
    b"javax/security/auth/login/",
    b"javax/security/cert/",
    b"jdk/jfr/AnnotationElement",
    b"jdk/jfr/EventFactory",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(owner: &str, name: &str, expected: &[ReflectionKind]) {
        assert_eq!(
            reflection_kinds(owner.as_bytes(), name.as_bytes()),
            expected,
            "{owner}.{name}"
        );
    }

    #[test]
    fn a_call_that_lists_finds_or_uses_members_sees_them() {
        check("java/lang/Class", "getDeclaredFields", MEMBERS);
        check("java/lang/Class", "getMethod", MEMBERS);
        check("java/lang/Class", "newInstance", MEMBERS);
        let updater = "java/util/concurrent/atomic/AtomicIntegerFieldUpdater";
        check(updater, "newUpdater", MEMBERS);
        check("java/lang/Class", "getFields", MEMBERS);
        check("java/lang/Class", "getClasses", MEMBERS);
        check("java/lang/Class", "getDeclaredClasses", MEMBERS);
        check("java/lang/Class", "getPermittedSubclasses", MEMBERS);
        check("java/lang/Class", "getGenericSuperclass", MEMBERS);
        check("java/lang/Class", "getEnclosingClass", MEMBERS);
        check("java/lang/Class", "getNestMembers", UNLOGGED);
        check("java/lang/reflect/Method", "invoke", MEMBERS);
        check("java/lang/reflect/Proxy", "newProxyInstance", CACHED);
        check(
            "java/lang/invoke/MethodHandles$Lookup",
            "findVirtual",
            MEMBERS,
        );
        check("java/lang/invoke/MethodHandle", "invokeExact", MEMBERS);
        check("java/beans/Introspector", "getBeanInfo", CACHED);
        check("java/io/ObjectOutputStream", "writeObject", CACHED);
        check("java/security/SignedObject", "<init>", CACHED);
        check("javax/crypto/SealedObject", "getObject", CACHED);
        // A stylesheet may call methods that it names.
        check("javax/xml/transform/Transformer", "transform", UNLOGGED);
        check("java/lang/StackTraceElement", "getMethodName", STACK_TRACES);
        check("acme/Trouble", "printStackTrace", STACK_TRACES);
        check("acme/Loader", "defineClass", UNLOGGED);
        check("org/junit/runner/JUnitCore", "runClasses", BOTH);
        check("junit/framework/TestSuite", "<init>", BOTH);
        check("sun/misc/Unsafe", "objectFieldOffset", MEMBERS);
        check("sun/misc/Unsafe", "defineAnonymousClass", UNLOGGED);
        check("javax/management/MBeanServer", "registerMBean", BOTH);
        check("javax/tools/JavaCompiler", "getTask", UNLOGGED);
        check("acme/Out", "writeObject", CACHED);
        check("acme/Tool", "newProxyInstance", CACHED);
        let lookup = "java/lang/invoke/MethodHandles$Lookup";
        check(lookup, "revealDirect", UNLOGGED);
        check(lookup, "findSpecial", UNLOGGED);
        check("java/lang/classfile/ClassFile", "parse", UNLOGGED);
        check("org/objectweb/asm/ClassReader", "<init>", UNLOGGED);
        check("java/lang/management/ThreadMXBean", "dumpAllThreads", BOTH);
        check("java/util/logging/StreamHandler", "<init>", STACK_TRACES);
        check("java/lang/System", "setErr", STACK_TRACES);
    }

    #[test]
    fn unexamined_classes_see_everything() {
        check("java/lang/Future", "get", UNLOGGED);
        check("java/util/Map$Entry", "getKey", NOTHING);
        check("java/future/Thing", "<init>", UNLOGGED);
        check("java/lang/Class", "getFuture", UNLOGGED);
        check("java/awt/Component", "<init>", UNLOGGED);
        check("java/awt/Color", "<init>", NOTHING);
        check("java/util/concurrent/ForkJoinPool", "submit", NOTHING);
        check("java/util/spi/ToolProvider", "findFirst", CACHED);
        check("java/rmi/Naming", "lookup", UNLOGGED);
        let instrumentation = "java/lang/instrument/Instrumentation";
        check(instrumentation, "addTransformer", UNLOGGED);
        check(instrumentation, "isModifiableClass", NOTHING);
        let description = "java/lang/constant/ConstantDesc";
        check(description, "resolveConstantDesc", UNLOGGED);
    }

    #[test]
    fn a_call_that_tells_of_a_class_as_a_whole_does_not() {
        check("java/lang/Class", "getName", NOTHING);
        check("java/lang/Class", "isInstance", NOTHING);
        check("java/lang/Class", "getSuperclass", NOTHING);
        check("java/lang/Class", "getClassLoader", NOTHING);
        check("java/lang/String", "length", NOTHING);
        check("java/lang/System", "currentTimeMillis", NOTHING);
        check("java/util/logging/Logger", "info", NOTHING);
        check("java/lang/reflect/Array", "newInstance", NOTHING);
        check("java/lang/invoke/LambdaMetafactory", "metafactory", NOTHING);
        check("java/util/ArrayList", "add", NOTHING);
        check("javax/xml/parsers/SAXParser", "parse", CLASS_NAMES);
        check("java/lang/Class", "forName", CLASS_NAMES);
        check("acme/Loader", "loadClass", CLASS_NAMES);
        check("acme/Class", "getMethods", NOTHING);
        check("org/junit/Assert", "assertEquals", NOTHING);
        check("junit/framework/TestCase", "<init>", NOTHING);
    }
}
