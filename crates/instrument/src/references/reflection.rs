//! Which calls into the JDK can see the members that a class declares.
//!
//! The JDK has no probes, so a look at a class from inside it leaves no trace but the call that led
//! to it. Code that makes such a call is taken to look at every class that its test uses. What only
//! tells of a class as a whole (its name, its supertypes, its annotations) is not meant here: that
//! concerns all who use the class, whether they look or not.

/// Whether calling `name` of the class `owner` (internal name) can depend on which members some
/// class declares. Outside the `java` packages unknown is yes.
pub fn sees_members(owner: &[u8], name: &[u8]) -> bool {
    // The call may name any class that inherits these. The names of methods, as a stack shows them;
    // and classes that no file has, of which nobody else knows what they inherit.
    if matches!(name, b"printStackTrace" | b"getStackTrace" | b"defineClass") {
        return true;
    }
    if let Some(rest) = owner.strip_prefix(b"java/") {
        return in_java(rest, name);
    }
    if has_prefix(owner, RUNNING_TESTS) {
        return true;
    }
    // It serializes what it is given.
    if owner == b"javax/crypto/SealedObject" {
        return true;
    }
    // Memory has no members; where fields lie in it, and new classes, are another matter.
    if owner == b"sun/misc/Unsafe" {
        return has_prefix(name, &[b"define", b"objectField", b"staticField"]);
    }
    has_prefix(owner, &[b"javax/", b"jdk/", b"sun/", b"com/sun/"]) && !has_prefix(owner, BLIND)
}

fn in_java(owner: &[u8], name: &[u8]) -> bool {
    match owner {
        b"lang/Class" => has_prefix(name, LOOKS_OF_CLASS),
        // Operations on arrays, and the names of flags.
        b"lang/reflect/Array" | b"lang/reflect/Modifier" => false,
        // One that is made of given names shows nothing.
        b"lang/StackTraceElement" => name != b"<init>",
        b"lang/StackWalker" | b"lang/StackWalker$StackFrame" => true,
        // A record finds out who logs.
        b"util/logging/LogRecord" => true,
        b"util/ServiceLoader" => true,
        _ => has_prefix(owner, LOOKING),
    }
}

fn has_prefix(text: &[u8], prefixes: &[&[u8]]) -> bool {
    prefixes.iter().any(|prefix| text.starts_with(prefix))
}

const LOOKS_OF_CLASS: &[&[u8]] = &[
    b"getClasses",
    b"getConstructor",
    b"getDeclaredClasses",
    b"getDeclaredConstructor",
    b"getDeclaredField",
    b"getDeclaredMethod",
    b"getEnclosingConstructor",
    b"getEnclosingMethod",
    b"getField",
    b"getMethod",
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
    b"rmi/",
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
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(owner: &str, name: &str, expected: bool) {
        assert_eq!(
            sees_members(owner.as_bytes(), name.as_bytes()),
            expected,
            "{owner}.{name}"
        );
    }

    #[test]
    fn a_call_that_lists_finds_or_uses_members_sees_them() {
        check("java/lang/Class", "getDeclaredFields", true);
        check("java/lang/Class", "getMethod", true);
        check("java/lang/Class", "getFields", true);
        check("java/lang/Class", "getClasses", true);
        check("java/lang/Class", "getDeclaredClasses", true);
        check("java/lang/Class", "getNestMembers", true);
        check("java/lang/reflect/Method", "invoke", true);
        check("java/lang/reflect/Proxy", "newProxyInstance", true);
        check("java/lang/invoke/MethodHandles$Lookup", "findVirtual", true);
        check("java/lang/invoke/MethodHandle", "invokeExact", true);
        check("java/beans/Introspector", "getBeanInfo", true);
        check("java/io/ObjectOutputStream", "writeObject", true);
        check("java/security/SignedObject", "<init>", true);
        check("javax/crypto/SealedObject", "getObject", true);
        // A stylesheet may call methods that it names.
        check("javax/xml/transform/Transformer", "transform", true);
        check("java/lang/StackTraceElement", "getMethodName", true);
        check("acme/Trouble", "printStackTrace", true);
        check("acme/Loader", "defineClass", true);
        check("org/junit/runner/JUnitCore", "runClasses", true);
        check("junit/framework/TestSuite", "<init>", true);
        check("sun/misc/Unsafe", "objectFieldOffset", true);
        check("javax/management/MBeanServer", "registerMBean", true);
    }

    #[test]
    fn a_call_that_tells_of_a_class_as_a_whole_does_not() {
        check("java/lang/Class", "getName", false);
        check("java/lang/Class", "isInstance", false);
        check("java/lang/Class", "getSuperclass", false);
        check("java/lang/Class", "getClassLoader", false);
        check("java/lang/String", "length", false);
        check("java/lang/reflect/Array", "newInstance", false);
        check("java/lang/invoke/LambdaMetafactory", "metafactory", false);
        check("java/util/ArrayList", "add", false);
        check("javax/xml/parsers/SAXParser", "parse", false);
        check("acme/Class", "getMethods", false);
        check("org/junit/Assert", "assertEquals", false);
        check("junit/framework/TestCase", "<init>", false);
    }
}
