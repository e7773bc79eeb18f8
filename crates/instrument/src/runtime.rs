//! The Java side of tamis: classes that the agent defines in the boot loader, written from here.
//!
//! They stand in `java.lang`, because every class loader hands that package to the boot loader and
//! every module reads it: OSGi bundles and named modules can run instrumented code.

use crate::assemble::Assembler;
use tamis_classfile::{access, opcode};
pub use tamis_frameworks::Entrance;
use tamis_frameworks::{declare_entrances, junit_platform, junit4};

/// The class whose native methods are the entrances to the agent.
pub const HOOK: &str = "java/lang/TamisHook";
/// Name of the probe array in each segment class.
pub const PROBES: &str = "probes";
/// Probes per segment: what a non-negative `sipush` can index.
pub const SEGMENT: u32 = 1 << 15;
/// Where a segment's class finds the classes of receivers that the agent knows: per probe nothing, a
/// class, or a table of classes, which has empty places and a power of two of them.
const RECEIVERS: &str = "receivers";
const OBJECTS: &str = "[Ljava/lang/Object;";
/// The discovery filter for the JUnit Platform, defined in the loader of the platform itself.
pub const FILTER: &str = "tamis/junit/SelectedTests";

/// The filter for JUnit 4, defined in the loader of JUnit itself.
pub const JUNIT4_FILTER: &str = "tamis/junit/SelectedMethods";
const JUNIT4_FILTERS: &str = "org/junit/runner/manipulation/Filter";

/// Whether a class is one of ours that is defined in a loader of the program.
pub fn is_ours(name: &[u8]) -> bool {
    [FILTER, JUNIT4_FILTER]
        .iter()
        .any(|ours| ours.as_bytes() == name)
}

/// The entrance of segments with receivers: a method runs on this object; the index of its probe.
pub const RECEIVER: Entrance = Entrance {
    name: "receiver",
    descriptor: "(Ljava/lang/Object;I)V",
};

declare_entrances! {
    /// A probe array exists: the array and its segment.
    SEGMENT_READY = "segmentReady" "([BI)V";
    /// An array for classes of receivers exists: the array and its segment.
    RECEIVERS_READY = "receiversReady" "([Ljava/lang/Object;I)V";
    /// A method runs on an object of a class that was not found: the class, its name and hash, and
    /// segment and index of the method's probe.
    RECEIVER_CLASS = "receiverClass" "(Ljava/lang/Class;Ljava/lang/String;III)V";
    /// A member of a class is looked up by name, there and in its supertypes.
    MEMBERS_RESOLVED = "membersResolved" "(Ljava/lang/Object;)V";
    /// A field, given as an object, will be read or written by reflection.
    FIELD_ACCESSED = "fieldAccessed" "(Ljava/lang/Object;)V";
    /// A class path is asked for what is no class: the path and the name.
    RESOURCE_LOOKED_UP = "resourceLookedUp" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// The same for all that has this name.
    RESOURCES_LOOKED_UP = "resourcesLookedUp" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// An entry of an archive is asked for, by its URL.
    ENTRY_LOOKED_UP = "entryLookedUp" "(Ljava/lang/Object;)V";
    /// A whole archive is asked for, by the connection to an entry.
    ARCHIVE_READ = "archiveRead" "(Ljava/lang/Object;)V";
    /// A system property is set or removed, by its name.
    PROPERTY_WRITTEN = "propertyWritten" "(Ljava/lang/Object;)V";
    /// A system property is asked for, by its name.
    PROPERTY_READ = "propertyRead" "(Ljava/lang/Object;)V";
    /// All system properties are asked for.
    PROPERTIES_READ = "propertiesRead" "()V";
    /// An environment variable is asked for, by its name.
    VARIABLE_READ = "variableRead" "(Ljava/lang/Object;)V";
    /// All environment variables are asked for.
    VARIABLES_READ = "variablesRead" "()V";
    /// A class initializer starts: segment and index of its probe.
    INITIALIZER_STARTED = "initializerStarted" "(II)V";
    /// A class initializer ended normally.
    INITIALIZER_ENDED = "initializerEnded" "(II)V";
}

/// All native methods of [`HOOK`].
pub fn entrances() -> impl Iterator<Item = &'static Entrance> {
    ENTRANCES.iter().chain(tamis_frameworks::entrances())
}

/// The internal name of the class that holds the probes of a segment.
pub fn segment_class(segment: u32) -> String {
    format!("java/lang/TamisProbes{segment}")
}

/// The bytes of [`HOOK`].
pub fn hook_class() -> Vec<u8> {
    let mut a = Assembler::default();
    for entrance in entrances() {
        a.native(
            access::PUBLIC | access::STATIC,
            entrance.name,
            entrance.descriptor,
        );
    }
    a.finish(access::PUBLIC | access::FINAL | access::SUPER, HOOK, &[])
}

/// The bytes of a segment's class: a static final array that is handed to the agent when the first
/// probe of the segment runs; with `receivers` a second one and [`RECEIVER`], which reads it.
pub fn segment_bytes(segment: u32, receivers: bool) -> Vec<u8> {
    const NEWARRAY_BYTE: u8 = 8;
    let name = segment_class(segment);
    let mut a = Assembler::default();
    let [l1, l2] = a.integer(SEGMENT as i32).to_be_bytes();
    let mut code = vec![opcode::LDC_W, l1, l2, opcode::NEWARRAY, NEWARRAY_BYTE];
    code.extend(keep_array(&mut a, segment, PROBES, "[B", SEGMENT_READY));
    if receivers {
        let [l1, l2] = a.integer(SEGMENT as i32).to_be_bytes();
        let [o1, o2] = a.class("java/lang/Object").to_be_bytes();
        code.extend([opcode::LDC_W, l1, l2, opcode::ANEWARRAY, o1, o2]);
        code.extend(keep_array(
            &mut a,
            segment,
            RECEIVERS,
            OBJECTS,
            RECEIVERS_READY,
        ));
        receiver_methods(&mut a, segment);
    }
    code.push(opcode::RETURN);
    a.method(access::STATIC, "<clinit>", "()V", (2, 0), &code);
    a.finish(access::PUBLIC | access::FINAL | access::SUPER, &name, &[])
}

/// Declares a static final array of a segment's class; gives the code that sets it to the one on the
/// stack and hands it to the agent.
fn keep_array(
    a: &mut Assembler,
    segment: u32,
    field: &str,
    descriptor: &str,
    ready: Entrance,
) -> [u8; 10] {
    let access = access::PUBLIC | access::STATIC | access::FINAL;
    a.field(access, field, descriptor);
    let field = a.field_ref(&segment_class(segment), field, descriptor);
    let [f1, f2] = field.to_be_bytes();
    let [s1, s2] = a.integer(segment as i32).to_be_bytes();
    let ready = a.method_ref(HOOK, ready.name, ready.descriptor);
    let [m1, m2] = ready.to_be_bytes();
    #[rustfmt::skip]
    let code = [
        opcode::DUP, opcode::PUTSTATIC, f1, f2,
        opcode::LDC_W, s1, s2, opcode::INVOKESTATIC, m1, m2,
    ];
    code
}

/// [`RECEIVER`], which is small so that it is inlined, and what it calls for a class that is not in the
/// method's place itself: this looks into the table, if there is one, and asks the agent. Only the
/// agent writes there.
fn receiver_methods(a: &mut Assembler, segment: u32) {
    use opcode::*;
    const OTHERS: Entrance = Entrance {
        name: "others",
        descriptor: "(Ljava/lang/Class;I)V",
    };
    let name = segment_class(segment);
    let [f1, f2] = a.field_ref(&name, RECEIVERS, OBJECTS).to_be_bytes();
    let [s1, s2] = a.integer(segment as i32).to_be_bytes();
    let [a1, a2] = a.class(OBJECTS).to_be_bytes();
    let mut call = |class: &str, name: &str, descriptor: &str| {
        a.method_ref(class, name, descriptor).to_be_bytes()
    };
    let [c1, c2] = call("java/lang/Object", "getClass", "()Ljava/lang/Class;");
    let [h1, h2] = call("java/lang/Object", "hashCode", "()I");
    let [n1, n2] = call("java/lang/Class", "getName", "()Ljava/lang/String;");
    let [t1, t2] = call(HOOK, RECEIVER_CLASS.name, RECEIVER_CLASS.descriptor);
    let [o1, o2] = call(&name, OTHERS.name, OTHERS.descriptor);
    #[rustfmt::skip]
    let receiver = [
        ALOAD_0, INVOKEVIRTUAL, c1, c2, ASTORE_2,
        GETSTATIC, f1, f2, ILOAD_1, AALOAD, ALOAD_2, IF_ACMPEQ, 0, 8,
        ALOAD_2, ILOAD_1, INVOKESTATIC, o1, o2,
        RETURN,
    ];
    // Local variables: the class, the index, the table, where to look.
    #[rustfmt::skip]
    let others = [
        GETSTATIC, f1, f2, ILOAD_1, AALOAD, DUP, ASTORE_2, INSTANCEOF, a1, a2, IFEQ, 0, 39,
        ALOAD_2, CHECKCAST, a1, a2, ASTORE_2,
        ALOAD_0, INVOKEVIRTUAL, h1, h2, ISTORE_3,
        // From here on again for the next place.
        ILOAD_3, ALOAD_2, ARRAYLENGTH, ICONST_1, ISUB, IAND, ISTORE_3,
        ALOAD_2, ILOAD_3, AALOAD, DUP, ALOAD_0, IF_ACMPNE, 0, 5, POP, RETURN,
        IFNULL, 0, 9, IINC, 3, 1, GOTO, 0xff, 0xe9,
        ALOAD_0, ALOAD_0, INVOKEVIRTUAL, n1, n2, ALOAD_0, INVOKEVIRTUAL, h1, h2,
        LDC_W, s1, s2, ILOAD_1, INVOKESTATIC, t1, t2, RETURN,
    ];
    let access = access::PUBLIC | access::STATIC;
    a.method(
        access,
        RECEIVER.name,
        RECEIVER.descriptor,
        (2, 3),
        &receiver,
    );
    let access = access::PRIVATE | access::STATIC;
    a.method(access, OTHERS.name, OTHERS.descriptor, (5, 4), &others);
}

/// The bytes of [`JUNIT4_FILTER`]: a JUnit 4 `Filter` that asks the agent.
pub fn junit4_filter_class() -> Vec<u8> {
    let mut a = Assembler::default();
    let [o1, o2] = a.method_ref(JUNIT4_FILTERS, "<init>", "()V").to_be_bytes();
    #[rustfmt::skip]
    a.method(access::PUBLIC, "<init>", "()V", (1, 1), &[
        opcode::ALOAD_0, opcode::INVOKESPECIAL, o1, o2, opcode::RETURN,
    ]);
    let ask = junit4::SELECTED;
    let [q1, q2] = a.method_ref(HOOK, ask.name, ask.descriptor).to_be_bytes();
    const IRETURN: u8 = 0xac;
    a.method(
        access::PUBLIC,
        "shouldRun",
        "(Lorg/junit/runner/Description;)Z",
        (1, 2),
        &[opcode::ALOAD_1, opcode::INVOKESTATIC, q1, q2, IRETURN],
    );
    let [t1, t2] = a.string("selected by tamis").to_be_bytes();
    a.method(
        access::PUBLIC,
        "describe",
        "()Ljava/lang/String;",
        (1, 1),
        &[opcode::LDC_W, t1, t2, opcode::ARETURN],
    );
    let access = access::PUBLIC | access::FINAL | access::SUPER;
    a.finish_extending(access, JUNIT4_FILTER, JUNIT4_FILTERS, &[])
}

/// The bytes of [`FILTER`]: a `PostDiscoveryFilter` that asks the agent.
pub fn filter_class() -> Vec<u8> {
    const RESULT: &str = "org/junit/platform/engine/FilterResult";
    const MAKE: &str = "(Ljava/lang/String;)Lorg/junit/platform/engine/FilterResult;";
    let mut a = Assembler::default();
    let [o1, o2] = a
        .method_ref("java/lang/Object", "<init>", "()V")
        .to_be_bytes();
    a.method(
        access::PUBLIC,
        "<init>",
        "()V",
        (1, 1),
        &[
            opcode::ALOAD_0,
            opcode::INVOKESPECIAL,
            o1,
            o2,
            opcode::RETURN,
        ],
    );
    let ask = junit_platform::EXCLUDED;
    let [q1, q2] = a.method_ref(HOOK, ask.name, ask.descriptor).to_be_bytes();
    let [t1, t2] = a
        .string("nothing it used has changed (tamis)")
        .to_be_bytes();
    let [u1, u2] = a.string("selected by tamis").to_be_bytes();
    let [e1, e2] = a.method_ref(RESULT, "excluded", MAKE).to_be_bytes();
    let [i1, i2] = a.method_ref(RESULT, "included", MAKE).to_be_bytes();
    #[rustfmt::skip]
    let code = [
        opcode::ALOAD_1,
        opcode::INVOKESTATIC, q1, q2,
        opcode::IFEQ, 0, 10,
        opcode::LDC_W, t1, t2, opcode::INVOKESTATIC, e1, e2, opcode::ARETURN,
        opcode::LDC_W, u1, u2, opcode::INVOKESTATIC, i1, i2, opcode::ARETURN,
    ];
    a.method(
        access::PUBLIC,
        "apply",
        "(Ljava/lang/Object;)Lorg/junit/platform/engine/FilterResult;",
        (1, 2),
        &code,
    );
    a.finish(
        access::PUBLIC | access::FINAL | access::SUPER,
        FILTER,
        &["org/junit/platform/launcher/PostDiscoveryFilter"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis_classfile::ClassFile;

    #[test]
    fn the_runtime_classes_are_whole_class_files() {
        for bytes in [
            hook_class(),
            segment_bytes(0, false),
            segment_bytes(70_000, true),
            filter_class(),
            junit4_filter_class(),
        ] {
            let class = ClassFile::parse(&bytes).unwrap();
            for method in class.methods() {
                let method = method.unwrap();
                if let Some(code) = class.code(&method).unwrap() {
                    code.instructions().for_each(|i| assert!(i.is_ok()));
                }
            }
        }
    }
}
