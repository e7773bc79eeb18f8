//! Which calls into the JDK can see the members that a class declares.
//!
//! The JDK has no probes, so a look at a class from inside it leaves no trace there but the call that
//! led to it. What only tells of a class as a whole (its name, its supertypes, its annotations) is
//! not meant here: that concerns all who use the class, whether they look or not. So do constructors that
//! come or go, and methods that replace those of the JDK; what looks for no more than these is harmless.
//!
//! Classes of the JDK that nobody examined see everything; `examined.txt` names the others.

use super::class_calls::of_class;
use super::examined::is_examined;

/// What code can see of the members of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The names of methods that run, as a stack shows them.
    Traces,
    /// The members of classes that the JVM is asked for, by lists or by names.
    Members,
    /// Anything, in a way that nobody sees.
    Unseen,
    /// No members, but whether there are classes of certain names.
    Names,
    /// No members, but what the archive of a class says of its package.
    Packages,
    /// No members, but the class path, as a property that is called by its name.
    ClassPath,
    /// Members as above, at any later time: what was made here may look when others call it, who do
    /// not know that it does.
    Later,
}

/// How many ways to look there are.
pub const LOOKS: usize = 7;

pub(super) const NOTHING: &[Look] = &[];
const TRACES: &[Look] = &[Look::Traces];
pub(super) const MEMBERS: &[Look] = &[Look::Members];
const KEPT: &[Look] = &[Look::Members, Look::Later];
const BOTH: &[Look] = &[Look::Traces, Look::Members, Look::Later];
pub(super) const UNSEEN: &[Look] = &[Look::Unseen];
pub(super) const NAMES: &[Look] = &[Look::Names];
const PACKAGES: &[Look] = &[Look::Packages, Look::Names];

/// What calling `name` of the class `owner` (internal name) can see; nothing if it cannot depend on
/// which members any class declares. What is not known of the JDK sees everything.
pub fn look(owner: &[u8], name: &[u8]) -> &'static [Look] {
    match name {
        // The call may name any class that inherits these.
        b"printStackTrace" | b"getStackTrace" | b"getAllStackTraces" | b"dumpStack" => {
            return TRACES;
        }
        // Classes that no file has, of which nobody else knows what they inherit.
        _ if has_prefix(name, &[b"defineClass", b"defineHiddenClass"]) => return UNSEEN,
        b"loadClass" | b"findClass" | b"findSystemClass" | b"findLoadedClass" => return NAMES,
        _ => {}
    }
    if let Some(rest) = owner.strip_prefix(b"java/") {
        return in_java(rest, name);
    }
    if has_prefix(owner, RUNNING_TESTS) {
        return BOTH;
    }
    if has_prefix(owner, READING_CLASSES) {
        return UNSEEN;
    }
    // It serializes what it is given.
    if owner == b"javax/crypto/SealedObject" {
        return KEPT;
    }
    // Memory has no members; where fields lie in it, and new classes, are another matter. Its fields
    // are those that reflection found.
    if owner == b"sun/misc/Unsafe" {
        return match name {
            _ if has_prefix(name, &[b"define"]) => UNSEEN,
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
        true if has_prefix(owner, BLIND) && !has_prefix(owner, NOT_BLIND) => NAMES,
        true => UNSEEN,
        false if INHERITED.contains(&name) => KEPT,
        false => NOTHING,
    }
}

fn in_java(owner: &[u8], name: &[u8]) -> &'static [Look] {
    let if_so = |looks: bool, what: &'static [Look]| if looks { what } else { NOTHING };
    match owner {
        b"lang/Class" => of_class(name),
        // Annotations are those of a class that is looked up.
        b"lang/Package" => PACKAGES,
        b"sql/DriverManager" | b"security/Policy" => NAMES,
        // Operations on arrays, and the names of flags.
        b"lang/reflect/Array" | b"lang/reflect/Modifier" => NOTHING,
        // One that is made of given names shows nothing.
        b"lang/StackTraceElement" => if_so(name != b"<init>", TRACES),
        b"lang/StackWalker" | b"lang/StackWalker$StackFrame" | b"lang/SecurityManager" => TRACES,
        // There traces go that nobody catches.
        b"lang/System" => if_so(name == b"setErr", TRACES),
        // A record finds out who logs, and all but these show records.
        b"util/logging/Logger" | b"util/logging/Level" => NOTHING,
        _ if has_prefix(owner, &[b"util/logging/"]) => TRACES,
        b"util/ServiceLoader" | b"util/ResourceBundle" => KEPT,
        // It is given the name of a field.
        _ if name == b"newUpdater" => MEMBERS,
        _ if has_prefix(owner, UNSEEN_IN_HANDLES) => UNSEEN,
        b"lang/invoke/MethodHandles$Lookup"
        | b"lang/invoke/MethodHandles"
        | b"lang/invoke/MethodHandle"
            if UNSEEN_BY_HANDLES.contains(&name) =>
        {
            UNSEEN
        }
        _ if has_prefix(owner, &[b"lang/classfile/"]) => UNSEEN,
        // Descriptions of classes and members become these.
        _ if name == b"resolveConstantDesc" || name == b"resolveCallSiteDesc" => UNSEEN,
        b"lang/instrument/Instrumentation" => {
            if_so(!HARMLESS_INSTRUMENTATION.contains(&name), UNSEEN)
        }
        // Stacks of threads are shown here too.
        _ if has_prefix(owner, &[b"lang/management/"]) => BOTH,
        // What handles these are given may look.
        b"lang/invoke/MethodHandleProxies" | b"lang/reflect/Proxy" => KEPT,
        b"lang/invoke/MethodType" => if_so(name == b"fromMethodDescriptorString", NAMES),
        _ if has_prefix(owner, &[b"lang/invoke/", b"lang/reflect/"]) => {
            if_so(has_prefix(owner, LOOKING), MEMBERS)
        }
        _ if has_prefix(owner, LOOKING) => KEPT,
        _ => if_so(!is_examined(owner), UNSEEN),
    }
}

/// What can be seen later through a handle of the method `name` of the class `owner`.
pub fn look_later(owner: &[u8], name: &[u8]) -> Option<Look> {
    let looks = look(owner, name).contains(&Look::Members);
    looks.then_some(Look::Later)
}

pub(super) fn has_prefix(text: &[u8], prefixes: &[&[u8]]) -> bool {
    prefixes.iter().any(|prefix| text.starts_with(prefix))
}

/// What can be asked for without classes being shown: not the space that fields take, nor which classes
/// there are, nor the bytes of classes that transformers are given.
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

/// Methods that look, where the call may name a class that inherits them from one of the JDK.
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
const UNSEEN_IN_HANDLES: &[&[u8]] = &[
    b"lang/invoke/MethodHandleInfo",
    b"lang/invoke/SerializedLambda",
];

/// The same, and handles of methods that a class inherits from anywhere between it and the class that
/// is asked.
const UNSEEN_BY_HANDLES: &[&[u8]] = &[
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

/// Classes of the `java` packages that look at members: by name, in bulk, or to call them. A
/// `MethodHandle` or a `Method` that another test has found is a look too.
const LOOKING: &[&[u8]] = &[
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

/// Classes of test frameworks that run, or look at, the classes they are given. The frameworks' own
/// calls do not count; whoever else calls them hands over classes of his choice.
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

/// Packages of the JDK beside `java` that do not look at members. They find classes by names that
/// settings give.
const BLIND: &[&[u8]] = &[
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

/// Classes there that look all the same: for methods of classes that are named, and for constructors.
const NOT_BLIND: &[&[u8]] = &[
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

    fn check(owner: &str, name: &str, expected: &[Look]) {
        assert_eq!(
            look(owner.as_bytes(), name.as_bytes()),
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
        check("java/lang/Class", "getNestMembers", UNSEEN);
        check("java/lang/reflect/Method", "invoke", MEMBERS);
        check("java/lang/reflect/Proxy", "newProxyInstance", KEPT);
        check(
            "java/lang/invoke/MethodHandles$Lookup",
            "findVirtual",
            MEMBERS,
        );
        check("java/lang/invoke/MethodHandle", "invokeExact", MEMBERS);
        check("java/beans/Introspector", "getBeanInfo", KEPT);
        check("java/io/ObjectOutputStream", "writeObject", KEPT);
        check("java/security/SignedObject", "<init>", KEPT);
        check("javax/crypto/SealedObject", "getObject", KEPT);
        // A stylesheet may call methods that it names.
        check("javax/xml/transform/Transformer", "transform", UNSEEN);
        check("java/lang/StackTraceElement", "getMethodName", TRACES);
        check("acme/Trouble", "printStackTrace", TRACES);
        check("acme/Loader", "defineClass", UNSEEN);
        check("org/junit/runner/JUnitCore", "runClasses", BOTH);
        check("junit/framework/TestSuite", "<init>", BOTH);
        check("sun/misc/Unsafe", "objectFieldOffset", MEMBERS);
        check("sun/misc/Unsafe", "defineAnonymousClass", UNSEEN);
        check("javax/management/MBeanServer", "registerMBean", BOTH);
        check("javax/tools/JavaCompiler", "getTask", UNSEEN);
        check("acme/Out", "writeObject", KEPT);
        check("acme/Tool", "newProxyInstance", KEPT);
        let lookup = "java/lang/invoke/MethodHandles$Lookup";
        check(lookup, "revealDirect", UNSEEN);
        check(lookup, "findSpecial", UNSEEN);
        check("java/lang/classfile/ClassFile", "parse", UNSEEN);
        check("org/objectweb/asm/ClassReader", "<init>", UNSEEN);
        check("java/lang/management/ThreadMXBean", "dumpAllThreads", BOTH);
        check("java/util/logging/StreamHandler", "<init>", TRACES);
        check("java/lang/System", "setErr", TRACES);
    }

    #[test]
    fn what_nobody_examined_sees_everything() {
        check("java/lang/Future", "get", UNSEEN);
        check("java/util/Map$Entry", "getKey", NOTHING);
        check("java/future/Thing", "<init>", UNSEEN);
        check("java/lang/Class", "getFuture", UNSEEN);
        check("java/awt/Component", "<init>", UNSEEN);
        check("java/awt/Color", "<init>", NOTHING);
        check("java/util/concurrent/ForkJoinPool", "submit", NOTHING);
        check("java/util/spi/ToolProvider", "findFirst", KEPT);
        check("java/rmi/Naming", "lookup", UNSEEN);
        let instrumentation = "java/lang/instrument/Instrumentation";
        check(instrumentation, "addTransformer", UNSEEN);
        check(instrumentation, "isModifiableClass", NOTHING);
        let description = "java/lang/constant/ConstantDesc";
        check(description, "resolveConstantDesc", UNSEEN);
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
        check("javax/xml/parsers/SAXParser", "parse", NAMES);
        check("java/lang/Class", "forName", NAMES);
        check("acme/Loader", "loadClass", NAMES);
        check("acme/Class", "getMethods", NOTHING);
        check("org/junit/Assert", "assertEquals", NOTHING);
        check("junit/framework/TestCase", "<init>", NOTHING);
    }
}
