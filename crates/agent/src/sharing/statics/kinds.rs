//! Kinds of objects in digests of shared state, by the names of their classes.

use tamis_jvmti::Kind;

/// Classes whose objects never change visibly, by the start of their names. None of
/// them leads to objects of a program: proxies, servers, clients and documents of the JDK do.
const LEAVES: [&[u8]; 26] = [
    b"java/io/File",
    b"java/lang/Enum",
    b"java/lang/Number",
    b"java/lang/Object",
    b"java/lang/Record",
    b"java/lang/invoke/",
    b"java/lang/ref/ReferenceQueue",
    b"java/lang/reflect/Constructor",
    b"java/lang/reflect/Field",
    b"java/lang/reflect/Method",
    b"java/lang/reflect/Parameter",
    b"java/math/Big",
    b"java/net/InetAddress",
    b"java/net/URI",
    b"java/net/URL",
    b"java/nio/charset/",
    b"java/time/",
    b"java/util/Currency",
    b"java/util/Locale",
    b"java/util/UUID",
    b"java/util/regex/Pattern",
    b"jdk/internal/reflect/",
    b"sun/nio/cs/",
    b"sun/nio/fs/",
    b"sun/reflect/",
    b"sun/util/locale/",
];

/// Classes whose objects are not followed, nor those of subclasses, but for the fields that classes of the
/// project add. Test frameworks name theirs in `tamis_frameworks`.
const OPAQUE: [&[u8]; 11] = [
    b"ch/qos/logback/",
    b"java/lang/Class",
    b"java/lang/ClassLoader",
    b"java/lang/Module",
    b"java/lang/Thread",
    b"java/lang/ThreadGroup",
    b"java/security/Provider",
    b"java/util/logging/",
    b"org/apache/commons/logging/",
    b"org/apache/logging/",
    b"org/slf4j/",
];

/// Whether objects of a class of this name (internal) are not followed, unless it is one of the project.
pub(crate) fn is_opaque(name: &[u8]) -> bool {
    kind_of(name) == Some(Kind::Opaque)
}

/// How objects of a class count that is known by its name (internal).
pub(super) fn kind_of(name: &[u8]) -> Option<Kind> {
    let starts = |prefixes: &[&[u8]]| {
        let is_it = |prefix: &&[u8]| match prefix.ends_with(b"/") {
            true => name.starts_with(prefix),
            false => {
                let rest = name.strip_prefix(*prefix);
                rest.is_some_and(|rest| rest.is_empty() || prefix.ends_with(b"/Big"))
            }
        };
        prefixes.iter().any(is_it)
    };
    match name {
        b"java/lang/String" => Some(Kind::Text),
        b"java/lang/Boolean"
        | b"java/lang/Byte"
        | b"java/lang/Character"
        | b"java/lang/Double"
        | b"java/lang/Float"
        | b"java/lang/Integer"
        | b"java/lang/Long"
        | b"java/lang/Short" => Some(Kind::Boxed),
        b"java/lang/ClassValue" | b"java/nio/MappedByteBuffer" => Some(Kind::Elsewhere),
        b"java/lang/ThreadLocal" => Some(Kind::PerThread),
        b"java/lang/ref/Reference"
        | b"java/lang/ref/SoftReference"
        | b"java/lang/ref/WeakReference" => Some(Kind::Reference),
        // These wrap clocks of a program, and those have settings.
        _ if name.starts_with(b"java/time/Clock$") || name.ends_with(b"coder") => None,
        _ if starts(&OPAQUE) || tamis_frameworks::is_unfollowed(name) => Some(Kind::Opaque),
        _ if starts(&LEAVES) => Some(Kind::Leaf),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_known_by_its_whole_name_or_its_package() {
        let check = |name: &str, expected: Option<Kind>| {
            assert_eq!(kind_of(name.as_bytes()), expected, "{name}");
        };
        check("java/lang/String", Some(Kind::Text));
        check("java/lang/StringBuilder", None);
        check("java/lang/Object", Some(Kind::Leaf));
        check("java/lang/Number", Some(Kind::Leaf));
        check("java/util/concurrent/atomic/AtomicLong", None);
        check("java/math/BigInteger", Some(Kind::Leaf));
        check("java/math/MutableBigInteger", None);
        check("java/time/LocalDate", Some(Kind::Leaf));
        check("java/lang/ThreadLocal", Some(Kind::PerThread));
        check("java/lang/Thread", Some(Kind::Opaque));
        check("java/util/HashMap", None);
        check("java/lang/reflect/Method", Some(Kind::Leaf));
        check("java/lang/reflect/Proxy", None);
        check("jdk/proxy2/$Proxy12", None);
        check("java/time/Clock$OffsetClock", None);
        check("sun/nio/cs/UTF_8", Some(Kind::Leaf));
        check("sun/nio/cs/UTF_8$Encoder", None);
        check("org/slf4j/Logger", Some(Kind::Opaque));
        let context = "org/springframework/context/support/AbstractApplicationContext";
        check(context, Some(Kind::Opaque));
    }
}
