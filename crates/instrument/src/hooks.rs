//! Where tamis enters the test frameworks' own classes.
//!
//! A hook is a prefix of one of their methods. Hooks are found by the shape of the method, so that
//! custom JUnit 4 runners and notifiers are covered like JUnit's own.

use crate::runtime::{self, Entrance, HOOK};
use std::borrow::Cow;
use tamis_classfile::edit::{self, MethodEdit, PoolBuilder};
use tamis_classfile::{ClassFile, Error, Member, Result, access, opcode};

/// What a hook does at the start of its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Calls the entrance with these local variables and goes on.
    Notify { locals: &'static [u8] },
    /// Calls the entrance with `this` and the first argument, and returns if it answers yes.
    Around,
    /// The same for a method that returns a runner, which a second entrance hands out.
    AroundRunner,
    /// Calls the entrance with the object that the method returns and its first argument, at its end.
    Result,
}

const THIS: u8 = opcode::ALOAD_0;
const FIRST: u8 = opcode::ALOAD_1;
const SECOND: u8 = opcode::ALOAD_2;

struct Hook {
    /// The class that declares the method; any class if absent.
    class: Option<&'static [u8]>,
    method: &'static [u8],
    /// Its descriptor; one that ends within the parameters stands for all that go on from there
    /// and, where the hook may end the method, return nothing.
    descriptor: &'static [u8],
    entrance: Entrance,
    shape: Shape,
}

impl Hook {
    fn is_static(&self) -> bool {
        [SYSTEM, VARIABLES]
            .map(|class| Some(class.as_bytes()))
            .contains(&self.class)
    }

    /// Whether it enters `method` of `class`.
    fn is_of(&self, class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
        let has_code = method.access & (access::ABSTRACT | access::NATIVE) == 0;
        let is_static = method.access & access::STATIC != 0;
        Ok(has_code
            && class.pool.utf8(method.name)? == self.method
            && self.fits(class.pool.utf8(method.descriptor)?)
            && self.class.is_none_or(|name| class.name() == Ok(name))
            && is_static == self.is_static())
    }

    /// The method that it enters, as messages call it: `java.lang.System.getenv()`.
    fn title(&self) -> String {
        let [class, method, descriptor] =
            [self.class.unwrap_or_default(), self.method, self.descriptor]
                .map(String::from_utf8_lossy);
        format!("{class}.{method}{descriptor}").replace('/', ".")
    }

    fn fits(&self, descriptor: &[u8]) -> bool {
        let returns = match self.shape {
            Shape::Notify { .. } => true,
            Shape::Result => descriptor.ends_with(b";"),
            Shape::Around | Shape::AroundRunner => descriptor.ends_with(b")V"),
        };
        match self.descriptor.contains(&b')') {
            // Whatever it returns.
            true if self.descriptor == b"()" => descriptor.starts_with(b"()"),
            true => descriptor == self.descriptor,
            false => descriptor.starts_with(self.descriptor) && returns,
        }
    }
}

const ADAPTER: &[u8] = b"org/junit/platform/launcher/core/ExecutionListenerAdapter";
const REQUEST: &[u8] = b"org/junit/platform/launcher/core/DefaultDiscoveryRequest";
const NODE: &[u8] = b"org/junit/platform/engine/support/hierarchical/NodeTestTask";
const BUILDER: &[u8] = b"org/junit/runners/model/RunnerBuilder";

const SUREFIRE_JUNIT4: &[u8] = b"org/apache/maven/surefire/junit4/JUnit4Provider";

/// Where extensions of Jupiter put something into a store, and get what they or others put there.
const STORE: &[u8] = b"org/junit/jupiter/engine/execution/NamespaceAwareStore";

/// The application contexts of Spring: whoever uses one asks for its factory of beans.
const CONTEXTS: [&[u8]; 2] = [
    b"org/springframework/context/support/GenericApplicationContext",
    b"org/springframework/context/support/AbstractRefreshableApplicationContext",
];

const fn context(class: &'static [u8]) -> Hook {
    Hook {
        class: Some(class),
        method: b"getBeanFactory",
        descriptor: b"()",
        entrance: runtime::CONTEXT_USED,
        shape: Shape::Notify { locals: &[THIS] },
    }
}

const fn store(method: &'static [u8]) -> Hook {
    Hook {
        class: Some(STORE),
        method,
        descriptor: b"(Ljava/lang/Object;",
        entrance: runtime::STORE_VALUE,
        shape: Shape::Result,
    }
}

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

/// A framework whose tests the agent cannot hold back is about to run them.
const fn starts(
    class: Option<&'static [u8]>,
    method: &'static [u8],
    descriptor: &'static [u8],
    entrance: Entrance,
) -> Hook {
    Hook {
        class,
        method,
        descriptor,
        entrance,
        shape: Shape::Notify { locals: &[THIS] },
    }
}

const HOOKS: &[Hook] = &[
    starts(
        Some(b"junit/framework/TestResult"),
        b"run",
        b"(Ljunit/framework/TestCase;)V",
        runtime::JUNIT3_STARTS,
    ),
    // It also runs classes without any framework.
    starts(
        Some(b"org/apache/maven/surefire/junit/JUnit3Provider"),
        b"invoke",
        b"(Ljava/lang/Object;",
        runtime::JUNIT3_STARTS,
    ),
    starts(
        Some(b"org/testng/TestNG"),
        b"run",
        b"()V",
        runtime::TESTNG_STARTS,
    ),
    starts(
        None,
        b"run",
        b"(Lscala/Option;Lorg/scalatest/Args;)Lorg/scalatest/Status;",
        runtime::SCALATEST_STARTS,
    ),
    starts(
        None,
        b"execute",
        b"(Lsbt/testing/EventHandler;[Lsbt/testing/Logger;)[Lsbt/testing/Task;",
        runtime::SBT_TASK_STARTS,
    ),
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
    context(CONTEXTS[0]),
    context(CONTEXTS[1]),
    store(b"get"),
    store(b"getOrComputeIfAbsent"),
    store(b"computeIfAbsent"),
    store(b"remove"),
    Hook {
        class: Some(STORE),
        method: b"put",
        descriptor: b"(Ljava/lang/Object;Ljava/lang/Object;)V",
        entrance: runtime::STORE_VALUE,
        shape: Shape::Notify {
            locals: &[SECOND, FIRST],
        },
    },
    Hook {
        class: Some(SUREFIRE_JUNIT4),
        method: b"executeTestSet",
        descriptor: b"(Ljava/lang/Class;",
        entrance: runtime::SUREFIRE_CLASS,
        shape: Shape::Around,
    },
    Hook {
        class: None,
        method: b"run",
        descriptor: b"(Lorg/junit/runner/notification/RunNotifier;)V",
        entrance: runtime::RUNNER_RUN,
        shape: Shape::Around,
    },
    Hook {
        class: Some(BUILDER),
        method: b"safeRunnerForClass",
        descriptor: b"(Ljava/lang/Class;)Lorg/junit/runner/Runner;",
        entrance: runtime::RUNNER_BUILD,
        shape: Shape::AroundRunner,
    },
    Hook {
        class: None,
        method: b"filter",
        descriptor: b"(Lorg/junit/runner/manipulation/Filter;)V",
        entrance: runtime::RUNNER_FILTERED,
        shape: Shape::Notify { locals: &[THIS] },
    },
    Hook {
        class: None,
        method: b"fireTestStarted",
        descriptor: b"(Lorg/junit/runner/Description;)V",
        entrance: runtime::TEST_STARTED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestFinished",
        descriptor: b"(Lorg/junit/runner/Description;)V",
        entrance: runtime::TEST_FINISHED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestIgnored",
        descriptor: b"(Lorg/junit/runner/Description;)V",
        entrance: runtime::TEST_IGNORED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestFailure",
        descriptor: b"(Lorg/junit/runner/notification/Failure;)V",
        entrance: runtime::TEST_FAILED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestAssumptionFailed",
        descriptor: b"(Lorg/junit/runner/notification/Failure;)V",
        entrance: runtime::ASSUMPTION_FAILED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: Some(b"org/junit/platform/engine/RegularCancellationToken"),
        method: b"cancel",
        descriptor: b"()V",
        entrance: runtime::RUN_CANCELLED,
        shape: Shape::Notify { locals: &[THIS] },
    },
    Hook {
        class: Some(NODE),
        method: b"execute",
        descriptor: b"()V",
        entrance: runtime::NODE_STARTED,
        shape: Shape::Notify { locals: &[THIS] },
    },
    Hook {
        class: Some(ADAPTER),
        method: b"executionStarted",
        descriptor: b"(Lorg/junit/platform/engine/TestDescriptor;)V",
        entrance: runtime::DESCRIPTOR_STARTED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: Some(ADAPTER),
        method: b"executionSkipped",
        descriptor: b"(Lorg/junit/platform/engine/TestDescriptor;Ljava/lang/String;)V",
        entrance: runtime::DESCRIPTOR_DISABLED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: Some(ADAPTER),
        method: b"executionFinished",
        descriptor: b"(Lorg/junit/platform/engine/TestDescriptor;\
                     Lorg/junit/platform/engine/TestExecutionResult;)V",
        entrance: runtime::DESCRIPTOR_FINISHED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST, SECOND],
        },
    },
    Hook {
        class: Some(REQUEST),
        method: b"getPostDiscoveryFilters",
        descriptor: b"()Ljava/util/List;",
        entrance: runtime::DISCOVERY_FILTERS,
        shape: Shape::Notify { locals: &[THIS] },
    },
];

/// Whether loading this class (internal name) is a sign that the JVM runs tests.
pub fn is_sign_of_tests(name: &[u8]) -> bool {
    [
        b"org/junit/".as_slice(),
        b"junit/framework/",
        b"junit/textui/",
        b"org/testng/",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
        || is_surefire(name)
}

/// Whether loading this class is a sign that the JVM runs tests which the agent does not record, but
/// must not let run where it only asks.
pub fn is_sign_of_other_tests(name: &[u8]) -> bool {
    [b"org/scalatest/".as_slice(), b"sbt/testing/"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// Whether a class is named as those of test frameworks and of what starts them are. Classes of a
/// program may be, too.
pub fn is_named_as_framework(name: &[u8]) -> bool {
    const PACKAGES: [&[u8]; 7] = [
        b"org/junit/",
        b"junit/",
        b"org/apiguardian/",
        b"org/opentest4j/",
        b"org/testng/",
        b"org/apache/maven/surefire/",
        b"org/apache/maven/plugin/surefire/",
    ];
    PACKAGES.iter().any(|package| name.starts_with(package))
}

/// Whether a class of a test framework looks at test classes and at nothing else.
pub fn looks_at_tests_alone(name: &[u8]) -> bool {
    // These look at classes that tests name: for methods that are conditions, for methods and
    // constructors that convert an argument, and for those that provide arguments.
    const OTHERS: [&[u8]; 6] = [
        b"org/junit/jupiter/api/condition/MethodBasedCondition",
        b"org/junit/jupiter/params/converter/Fallback",
        b"org/junit/jupiter/params/provider/FieldArgumentsProvider",
        b"org/junit/jupiter/params/provider/MethodArgumentsProvider",
        b"org/junit/platform/commons/support/conversion/Fallback",
        b"org/junit/experimental/theories/",
    ];
    !OTHERS.iter().any(|prefix| name.starts_with(prefix))
}

/// The names of the methods that tamis enters in a class of this name.
pub fn of_class(class: &ClassFile<'_>) -> impl Iterator<Item = String> {
    hooks_of(class).map(Hook::title)
}

/// The names of all methods that tamis enters in classes of the JDK, from JDK 9 on.
pub fn of_the_jdk() -> impl Iterator<Item = String> {
    let classes = OF_THE_JDK.iter().filter_map(|names| names.first());
    let classes: Vec<&[u8]> = classes.chain(&LATER).map(|name| name.as_bytes()).collect();
    let is_of_them = move |hook: &&Hook| hook.class.is_some_and(|class| classes.contains(&class));
    HOOKS.iter().filter(is_of_them).map(Hook::title)
}

/// Those methods that tamis must enter in `class` and that it does not have. Without those that leave
/// tests out nothing is left out, which is safe.
pub fn missing(class: &ClassFile<'_>) -> Vec<String> {
    let is_there = |hook: &&Hook| {
        let mut methods = class.methods().flatten();
        methods.any(|method| hook.is_of(class, &method).unwrap_or(false))
    };
    let skips = [Some(SUREFIRE_JUNIT4), Some(REQUEST)];
    // Only JUnit 6 has it.
    let is_new = |hook: &Hook| hook.class == Some(STORE) && hook.method == b"computeIfAbsent";
    let must = hooks_of(class).filter(|hook| !skips.contains(&hook.class) && !is_new(hook));
    let missing = must.filter(|hook| !is_there(hook));
    missing.map(Hook::title).collect()
}

fn hooks_of(class: &ClassFile<'_>) -> impl Iterator<Item = &'static Hook> {
    let name = class.name().ok();
    let is_of = move |hook: &&Hook| hook.class.is_some() && hook.class == name;
    HOOKS.iter().filter(is_of)
}

/// Whether this class starts a JVM that Surefire or Failsafe forked.
pub fn is_surefire(name: &[u8]) -> bool {
    name == b"org/apache/maven/surefire/booter/ForkedBooter"
}

/// Whether this class belongs to the JUnit Platform's launcher, which then does the skipping.
pub fn is_platform_launcher(name: &[u8]) -> bool {
    name == ADAPTER
}

/// The edit that hooks `method` of `class`, if it is one that tamis enters.
pub(crate) fn edit(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    pool: &mut PoolBuilder,
) -> Result<Option<MethodEdit<'static>>> {
    let mut found = None;
    for hook in HOOKS {
        if found.is_none() && hook.is_of(class, method)? {
            found = Some(hook);
        }
    }
    let Some(hook) = found else {
        return Ok(None);
    };
    let hook_class = pool.class(HOOK.as_bytes())?;
    let mut entrance = |e: Entrance| {
        let index = pool.method_ref(hook_class, e.name.as_bytes(), e.descriptor.as_bytes())?;
        let [high, low] = index.to_be_bytes();
        Ok([opcode::INVOKESTATIC, high, low])
    };
    let (mut prefix, mut epilogue) = (Vec::with_capacity(16), None);
    match hook.shape {
        Shape::Result => {
            let has_one_end = match class.code(method)? {
                Some(code) => edit::single_trailing_return(&code)?,
                None => false,
            };
            if !has_one_end {
                return Err(Error::Malformed {
                    at: method.offset,
                    what: "a hook at the end of a method that has several",
                });
            }
            let mut end = vec![opcode::DUP, FIRST];
            end.extend(entrance(hook.entrance)?);
            end.push(opcode::ARETURN);
            epilogue = Some(Cow::Owned(end));
        }
        Shape::Notify { locals } => {
            prefix.extend_from_slice(locals);
            prefix.extend(entrance(hook.entrance)?);
            pad(&mut prefix);
        }
        Shape::Around => {
            prefix.extend([THIS, FIRST]);
            prefix.extend(entrance(hook.entrance)?);
            // Padding stands before the branch, so that the branch ends at the prefix's end.
            prefix.extend([opcode::NOP; 3]);
            prefix.extend([opcode::IFEQ, 0, 4, opcode::RETURN]);
        }
        Shape::AroundRunner => {
            prefix.extend([THIS, FIRST]);
            prefix.extend(entrance(hook.entrance)?);
            prefix.push(opcode::NOP);
            prefix.extend([opcode::IFEQ, 0, 10]);
            prefix.extend(entrance(runtime::RUNNER_BUILT)?);
            let [high, low] = pool.class(b"org/junit/runner/Runner")?.to_be_bytes();
            prefix.extend([opcode::CHECKCAST, high, low, opcode::ARETURN]);
        }
    }
    Ok(Some(MethodEdit {
        prefix: Cow::Owned(prefix),
        frame_after_prefix: matches!(hook.shape, Shape::Around | Shape::AroundRunner),
        stack: 2,
        epilogue,
    }))
}

pub(crate) fn pad(prefix: &mut Vec<u8>) {
    prefix.resize(prefix.len().next_multiple_of(4), opcode::NOP);
}
