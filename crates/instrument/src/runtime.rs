//! The Java side of tamis: classes that the agent defines in the boot loader, written from here.
//!
//! They stand in `java.lang`, because every class loader hands that package to the boot loader and
//! every module reads it: OSGi bundles and named modules can run instrumented code.

use crate::assemble::Assembler;
use tamis_classfile::{access, opcode};

/// The class whose native methods are the entrances to the agent.
pub const HOOK: &str = "java/lang/TamisHook";
/// Name of the probe array in each segment class.
pub const PROBES: &str = "probes";
/// Probes per segment: what a non-negative `sipush` can index.
pub const SEGMENT: u32 = 1 << 15;
/// The discovery filter for the JUnit Platform, defined in the loader of the platform itself.
pub const FILTER: &str = "tamis/junit/SelectedTests";

/// The filter for JUnit 4, defined in the loader of JUnit itself.
pub const JUNIT4_FILTER: &str = "tamis/junit/SelectedMethods";
const JUNIT4_FILTERS: &str = "org/junit/runner/manipulation/Filter";

/// A native method of [`HOOK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entrance {
    /// Java name.
    pub name: &'static str,
    /// Java descriptor.
    pub descriptor: &'static str,
}

macro_rules! entrances {
    ($($(#[$doc:meta])* $constant:ident = $name:literal $descriptor:literal;)*) => {
        $($(#[$doc])* pub const $constant: Entrance =
            Entrance { name: $name, descriptor: $descriptor };)*
        /// All native methods of [`HOOK`].
        pub const ENTRANCES: &[Entrance] = &[$($constant),*];
    };
}

entrances! {
    /// A probe array exists: the array and its segment.
    SEGMENT_READY = "segmentReady" "([BI)V";
    /// A class initializer starts: segment and index of its probe.
    INITIALIZER_STARTED = "initializerStarted" "(II)V";
    /// A class initializer ended normally.
    INITIALIZER_ENDED = "initializerEnded" "(II)V";
    /// Surefire is about to run a JUnit 4 class and to say so: whether it need not.
    SUREFIRE_CLASS = "surefireClass" "(Ljava/lang/Object;Ljava/lang/Object;)Z";
    /// JUnit 4 `Runner.run(RunNotifier)`: whether the call has been dealt with.
    RUNNER_RUN = "runnerRun" "(Ljava/lang/Object;Ljava/lang/Object;)Z";
    /// JUnit 4 `RunnerBuilder.safeRunnerForClass(Class)`: whether the call has been dealt with.
    RUNNER_BUILD = "runnerBuild" "(Ljava/lang/Object;Ljava/lang/Object;)Z";
    /// The runner that `runnerBuild` made.
    RUNNER_BUILT = "runnerBuilt" "()Ljava/lang/Object;";
    /// JUnit 4 `ParentRunner.filter(Filter)`: some tests of its class may be left out.
    RUNNER_FILTERED = "runnerFiltered" "(Ljava/lang/Object;)V";
    /// JUnit 4 `RunNotifier.fireTestStarted(Description)`.
    TEST_STARTED = "testStarted" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// JUnit 4 `RunNotifier.fireTestFinished(Description)`.
    TEST_FINISHED = "testFinished" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// JUnit 4 `RunNotifier.fireTestIgnored(Description)`.
    TEST_IGNORED = "testIgnored" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// JUnit 4: whether a description is of tests of which one must run.
    DESCRIPTION_SELECTED = "descriptionSelected" "(Ljava/lang/Object;)Z";
    /// JUnit 4 `RunNotifier.fireTestFailure(Failure)`.
    TEST_FAILED = "testFailed" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// JUnit 4 `RunNotifier.fireTestAssumptionFailed(Failure)`.
    ASSUMPTION_FAILED = "assumptionFailed" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// JUnit Platform: a node will start, be skipped, or fail before; what decides about it runs now.
    NODE_STARTED = "nodeStarted" "(Ljava/lang/Object;)V";
    /// JUnit Platform: a descriptor started.
    DESCRIPTOR_STARTED = "descriptorStarted" "(Ljava/lang/Object;)V";
    /// JUnit Platform: a descriptor ended, with its result.
    DESCRIPTOR_FINISHED = "descriptorFinished" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// JUnit Platform: a descriptor is disabled.
    DESCRIPTOR_DISABLED = "descriptorDisabled" "(Ljava/lang/Object;)V";
    /// JUnit Platform: a discovery request is asked for its filters.
    DISCOVERY_FILTERS = "discoveryFilters" "(Ljava/lang/Object;)V";
    /// JUnit Platform: whether a descriptor need not run.
    DESCRIPTOR_EXCLUDED = "descriptorExcluded" "(Ljava/lang/Object;)Z";
}

/// The internal name of the class that holds the probes of a segment.
pub fn segment_class(segment: u32) -> String {
    format!("java/lang/TamisProbes{segment}")
}

/// The bytes of [`HOOK`].
pub fn hook_class() -> Vec<u8> {
    let mut a = Assembler::default();
    for entrance in ENTRANCES {
        a.native(
            access::PUBLIC | access::STATIC,
            entrance.name,
            entrance.descriptor,
        );
    }
    a.finish(access::PUBLIC | access::FINAL | access::SUPER, HOOK, &[])
}

/// The bytes of a segment's class: a static final array that is handed to the agent when the first
/// probe of the segment runs.
pub fn segment_bytes(segment: u32) -> Vec<u8> {
    const NEWARRAY_BYTE: u8 = 8;
    const DUP: u8 = 0x59;
    let name = segment_class(segment);
    let mut a = Assembler::default();
    a.field(
        access::PUBLIC | access::STATIC | access::FINAL,
        PROBES,
        "[B",
    );
    let [l1, l2] = a.integer(SEGMENT as i32).to_be_bytes();
    let [f1, f2] = a.field_ref(&name, PROBES, "[B").to_be_bytes();
    let [s1, s2] = a.integer(segment as i32).to_be_bytes();
    let [m1, m2] = a
        .method_ref(HOOK, SEGMENT_READY.name, SEGMENT_READY.descriptor)
        .to_be_bytes();
    let code = [
        opcode::LDC_W,
        l1,
        l2,
        opcode::NEWARRAY,
        NEWARRAY_BYTE,
        DUP,
        opcode::PUTSTATIC,
        f1,
        f2,
        opcode::LDC_W,
        s1,
        s2,
        opcode::INVOKESTATIC,
        m1,
        m2,
        opcode::RETURN,
    ];
    a.method(access::STATIC, "<clinit>", "()V", (2, 0), &code);
    a.finish(access::PUBLIC | access::FINAL | access::SUPER, &name, &[])
}

/// The bytes of [`JUNIT4_FILTER`]: a JUnit 4 `Filter` that asks the agent.
pub fn junit4_filter_class() -> Vec<u8> {
    let mut a = Assembler::default();
    let [o1, o2] = a.method_ref(JUNIT4_FILTERS, "<init>", "()V").to_be_bytes();
    #[rustfmt::skip]
    a.method(access::PUBLIC, "<init>", "()V", (1, 1), &[
        opcode::ALOAD_0, opcode::INVOKESPECIAL, o1, o2, opcode::RETURN,
    ]);
    let ask = DESCRIPTION_SELECTED;
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
    let [q1, q2] = a
        .method_ref(
            HOOK,
            DESCRIPTOR_EXCLUDED.name,
            DESCRIPTOR_EXCLUDED.descriptor,
        )
        .to_be_bytes();
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
            segment_bytes(0),
            segment_bytes(70_000),
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
