//! Which calls into the JDK can see the members that a class declares.
//!
//! The JDK has no probes, so a look at a class from inside it leaves no trace there but the call that
//! led to it. What only tells of a class as a whole (its name, its supertypes, its annotations) is
//! not meant here: that concerns all who use the class, whether they look or not.

/// What code can see of the members of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The names of methods that run, as a stack shows them.
    Traces,
    /// The members of classes that the JVM is asked for, by lists or by names.
    Members,
    /// Anything, in a way that nobody sees.
    Unseen,
}

/// What calling `name` of the class `owner` (internal name) can see; `None` if it cannot depend on
/// which members any class declares. Outside the `java` packages unknown is everything.
pub fn look(owner: &[u8], name: &[u8]) -> Option<Look> {
    match name {
        // The call may name any class that inherits these.
        b"printStackTrace" | b"getStackTrace" | b"getAllStackTraces" | b"dumpStack" => {
            return Some(Look::Traces);
        }
        // Classes that no file has, of which nobody else knows what they inherit.
        b"defineClass" => return Some(Look::Unseen),
        _ => {}
    }
    if let Some(rest) = owner.strip_prefix(b"java/") {
        return in_java(rest, name);
    }
    if has_prefix(owner, RUNNING_TESTS) {
        return Some(Look::Members);
    }
    // It serializes what it is given.
    if owner == b"javax/crypto/SealedObject" {
        return Some(Look::Members);
    }
    // Memory has no members; where fields lie in it, and new classes, are another matter. Its fields
    // are those that reflection found.
    if owner == b"sun/misc/Unsafe" {
        return match name {
            _ if has_prefix(name, &[b"define"]) => Some(Look::Unseen),
            _ if has_prefix(name, &[b"objectField", b"staticField"]) => Some(Look::Members),
            _ => None,
        };
    }
    if has_prefix(owner, &[b"javax/management/"]) {
        return Some(Look::Members);
    }
    let is_jdk = has_prefix(owner, &[b"javax/", b"jdk/", b"sun/", b"com/sun/"]);
    (is_jdk && !has_prefix(owner, BLIND)).then_some(Look::Unseen)
}

fn in_java(owner: &[u8], name: &[u8]) -> Option<Look> {
    let members = |looks: bool| looks.then_some(Look::Members);
    match owner {
        b"lang/Class" if has_prefix(name, UNSEEN_OF_CLASS) => Some(Look::Unseen),
        b"lang/Class" => members(has_prefix(name, LOOKS_OF_CLASS)),
        // Operations on arrays, and the names of flags.
        b"lang/reflect/Array" | b"lang/reflect/Modifier" => None,
        // One that is made of given names shows nothing.
        b"lang/StackTraceElement" => (name != b"<init>").then_some(Look::Traces),
        b"lang/StackWalker" | b"lang/StackWalker$StackFrame" => Some(Look::Traces),
        // A record finds out who logs.
        b"util/logging/LogRecord" => Some(Look::Traces),
        b"util/ServiceLoader" | b"util/ResourceBundle" => Some(Look::Members),
        // It is given the name of a field.
        _ if name == b"newUpdater" => Some(Look::Members),
        _ if has_prefix(owner, &[b"rmi/"]) => Some(Look::Unseen),
        _ => members(has_prefix(owner, LOOKING)),
    }
}

fn has_prefix(text: &[u8], prefixes: &[&[u8]]) -> bool {
    prefixes.iter().any(|prefix| text.starts_with(prefix))
}

const LOOKS_OF_CLASS: &[&[u8]] = &[
    b"getConstructor",
    b"getDeclaredConstructor",
    b"getDeclaredField",
    b"getDeclaredMethod",
    b"getEnclosingConstructor",
    b"getEnclosingMethod",
    b"getField",
    b"getMethod",
    b"newInstance",
];

/// Looks at classes as members, of which no list is kept.
const UNSEEN_OF_CLASS: &[&[u8]] = &[
    b"getClasses",
    b"getDeclaredClasses",
    b"getNest",
    b"isNestmateOf",
];

/// Classes of the `java` packages that look at members: by name, in bulk, or to call them. A
/// `MethodHandle` or a `Method` that another test has found is a look too.
const LOOKING: &[&[u8]] = &[
    b"beans/",
    b"io/ObjectInput",
    b"io/ObjectOutput",
    b"io/ObjectStream",
    b"lang/invoke/MethodHandle",
    b"lang/management/",
    b"lang/reflect/",
    // It serializes what it is given.
    b"security/SignedObject",
];

/// Classes of test frameworks that run, or look at, the classes they are given. The frameworks' own
/// calls do not count; whoever else calls them hands over classes of his choice.
const RUNNING_TESTS: &[&[u8]] = &[
    b"junit/framework/JUnit4TestAdapter",
    b"junit/framework/TestSuite",
    b"junit/textui/",
    b"org/junit/internal/",
    b"org/junit/jupiter/engine/",
    b"org/junit/platform/",
    b"org/junit/runner/",
    b"org/junit/runners/",
    b"org/testng/",
];

/// Packages of the JDK beside `java` that do not look at members.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(owner: &str, name: &str, expected: Option<Look>) {
        assert_eq!(
            look(owner.as_bytes(), name.as_bytes()),
            expected,
            "{owner}.{name}"
        );
    }

    #[test]
    fn a_call_that_lists_finds_or_uses_members_sees_them() {
        check("java/lang/Class", "getDeclaredFields", Some(Look::Members));
        check("java/lang/Class", "getMethod", Some(Look::Members));
        check("java/lang/Class", "newInstance", Some(Look::Members));
        let updater = "java/util/concurrent/atomic/AtomicIntegerFieldUpdater";
        check(updater, "newUpdater", Some(Look::Members));
        check("java/lang/Class", "getFields", Some(Look::Members));
        check("java/lang/Class", "getClasses", Some(Look::Unseen));
        check("java/lang/Class", "getDeclaredClasses", Some(Look::Unseen));
        check("java/lang/Class", "getNestMembers", Some(Look::Unseen));
        check("java/lang/reflect/Method", "invoke", Some(Look::Members));
        check(
            "java/lang/reflect/Proxy",
            "newProxyInstance",
            Some(Look::Members),
        );
        check(
            "java/lang/invoke/MethodHandles$Lookup",
            "findVirtual",
            Some(Look::Members),
        );
        check(
            "java/lang/invoke/MethodHandle",
            "invokeExact",
            Some(Look::Members),
        );
        check(
            "java/beans/Introspector",
            "getBeanInfo",
            Some(Look::Members),
        );
        check(
            "java/io/ObjectOutputStream",
            "writeObject",
            Some(Look::Members),
        );
        check("java/security/SignedObject", "<init>", Some(Look::Members));
        check(
            "javax/crypto/SealedObject",
            "getObject",
            Some(Look::Members),
        );
        // A stylesheet may call methods that it names.
        check(
            "javax/xml/transform/Transformer",
            "transform",
            Some(Look::Unseen),
        );
        check(
            "java/lang/StackTraceElement",
            "getMethodName",
            Some(Look::Traces),
        );
        check("acme/Trouble", "printStackTrace", Some(Look::Traces));
        check("acme/Loader", "defineClass", Some(Look::Unseen));
        check(
            "org/junit/runner/JUnitCore",
            "runClasses",
            Some(Look::Members),
        );
        check("junit/framework/TestSuite", "<init>", Some(Look::Members));
        check("sun/misc/Unsafe", "objectFieldOffset", Some(Look::Members));
        check(
            "sun/misc/Unsafe",
            "defineAnonymousClass",
            Some(Look::Unseen),
        );
        check(
            "javax/management/MBeanServer",
            "registerMBean",
            Some(Look::Members),
        );
        check("javax/tools/JavaCompiler", "getTask", Some(Look::Unseen));
    }

    #[test]
    fn a_call_that_tells_of_a_class_as_a_whole_does_not() {
        check("java/lang/Class", "getName", None);
        check("java/lang/Class", "isInstance", None);
        check("java/lang/Class", "getSuperclass", None);
        check("java/lang/Class", "getClassLoader", None);
        check("java/lang/String", "length", None);
        check("java/lang/reflect/Array", "newInstance", None);
        check("java/lang/invoke/LambdaMetafactory", "metafactory", None);
        check("java/util/ArrayList", "add", None);
        check("javax/xml/parsers/SAXParser", "parse", None);
        check("acme/Class", "getMethods", None);
        check("org/junit/Assert", "assertEquals", None);
        check("junit/framework/TestCase", "<init>", None);
    }
}
