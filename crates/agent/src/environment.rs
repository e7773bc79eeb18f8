//! System properties and environment variables that are asked for, and the arguments of the JVM.

use crate::agent::Agent;
use crate::callers::{self, Direct};
use crate::natives::{Bind, Native};
use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use tamis_classfile::decode_mutf8;
use tamis_inputs::{ALL, Input, OF_THE_JDK, is_read_by_the_jdk, property_counts, variable_counts};
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Jni, Object, Thrown};

thread_local! {
    /// Whether it is the agent itself that asks.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`, which asks for values that no test asked for.
pub(crate) fn quietly<T>(body: impl FnOnce() -> T) -> T {
    let before = QUIET.replace(true);
    let answer = body();
    QUIET.set(before);
    answer
}

/// A property is asked for.
pub(crate) fn property(agent: &Agent, jni: Jni<'_>, name: Object<'_>) {
    let is_early = !agent.awake.load(Ordering::Acquire);
    let counts = |name: &String| {
        // Before there are tests, the JDK itself asks for these.
        property_counts(name) && !(is_early && is_read_by_the_jdk(name))
    };
    if let Some(name) = asked(agent, jni, name).filter(counts)
        && !agent.inputs.is_set(&name)
    {
        agent
            .inputs
            .look_at(agent, jni, (Input::Property(name), None));
    }
}

/// A property is set or removed, and who does it gets what it was before.
pub(crate) fn write(agent: &Agent, jni: Jni<'_>, name: Object<'_>) {
    let Some(text) = asked(agent, jni, name) else {
        return;
    };
    let direct = agent.facts.get().map(|facts| callers::direct(facts, jni));
    if direct == Some(Direct::Other) && agent.is_inside_a_test() {
        property(agent, jni, name);
    }
    agent.inputs.set(text);
}

/// An environment variable is asked for.
pub(crate) fn variable(agent: &Agent, jni: Jni<'_>, name: Object<'_>) {
    let counts = |name: &String| variable_counts(name) && !is_given(agent, name);
    if let Some(name) = asked(agent, jni, name).filter(counts) {
        agent
            .inputs
            .look_at(agent, jni, (Input::Variable(name), None));
    }
}

/// Whether a test gave this JVM, which it started, a variable that it does not have itself: that is its work.
fn is_given(agent: &Agent, name: &str) -> bool {
    agent.of_the_test.get().is_some_and(|of_the_test| {
        let of_the_test = of_the_test.get(name).map(Vec::as_slice);
        std::env::var_os(name).as_deref().map(OsStr::as_bytes) != of_the_test
    })
}

/// All properties are asked for.
pub(crate) fn properties(agent: &Agent, jni: Jni<'_>) {
    if !is_asked(agent) {
        return;
    }
    let Some(facts) = agent.facts.get() else {
        return;
    };
    let name = match callers::direct(facts, jni) {
        // It does so in any JVM before there are tests.
        Direct::Jdk if !agent.awake.load(Ordering::Acquire) => return,
        Direct::Jdk => OF_THE_JDK,
        // It hands on all that it was given.
        Direct::Surefire if !agent.is_inside_a_test() => return,
        Direct::Surefire => ALL,
        Direct::Other => ALL,
    };
    agent
        .inputs
        .look_at(agent, jni, (Input::Property(name.into()), None));
}

/// All environment variables are asked for.
pub(crate) fn variables(agent: &Agent) {
    if !is_asked(agent) {
        return;
    }
    let see = |name: &str| {
        agent
            .inputs
            .see((Input::Variable(name.into()), None), false)
    };
    match agent.of_the_test.get() {
        None => see(ALL),
        Some(of_the_test) => {
            let names = of_the_test.keys().filter(|name| variable_counts(name));
            names
                .filter(|name| !is_given(agent, name))
                .for_each(|name| see(name));
        }
    }
}

fn is_asked(agent: &Agent) -> bool {
    agent.config.records && !QUIET.get()
}

/// The name that is asked for; [`ALL`] if it cannot be known.
fn asked(agent: &Agent, jni: Jni<'_>, name: Object<'_>) -> Option<String> {
    if !is_asked(agent) {
        return None;
    }
    // SAFETY: the hook hands over the argument of a method that takes a string.
    let text = unsafe { jni.text(name) };
    let name = text.ok().and_then(|text| decode_mutf8(&text));
    Some(name.unwrap_or_else(|| ALL.into()))
}

/// `ProcessHandleImpl.Info.info0`, which takes the number of a process.
type Info = unsafe extern "C" fn(JniEnvPtr, JObject, i64);

// SAFETY: the JDK declares it so.
static INFO: Native<Info> = unsafe {
    let symbol = c"Java_java_lang_ProcessHandleImpl_00024Info_info0";
    Native::new(symbol, info)
};

/// The native methods of which this module wants to know.
pub(crate) fn natives() -> impl Iterator<Item = &'static dyn Bind> {
    [&INFO as &dyn Bind].into_iter()
}

/// Among what is told of this process are its arguments, and among these properties.
unsafe extern "C" fn info(env: JniEnvPtr, info: JObject, pid: i64) {
    Agent::contain((), |agent| {
        if is_asked(agent) && pid == i64::from(std::process::id()) {
            agent.inputs.see((Input::Property(ALL.into()), None), false);
        }
    });
    if let Some(theirs) = INFO.theirs() {
        // SAFETY: these are the arguments of the current native call.
        unsafe { theirs(env, info, pid) }
    }
}

/// The system properties as they are now.
pub(crate) fn snapshot(jni: Jni<'_>) -> Result<Vec<(String, Vec<u8>)>, Thrown> {
    const STRING: &std::ffi::CStr = c"(Ljava/lang/String;)Ljava/lang/String;";
    let text = |jni: Jni<'_>, string: Object<'_>| {
        // SAFETY: only strings are handed over here.
        let text = unsafe { jni.text(string)? };
        decode_mutf8(&text).ok_or(Thrown)
    };
    quietly(|| {
        jni.frame(|jni| {
            let system = jni.find_class(c"java/lang/System")?;
            let signature = c"()Ljava/util/Properties;";
            // SAFETY: these are methods of the JDK with such arguments and results.
            unsafe {
                let all = jni.call_static_object(system, c"getProperties", signature, &[])?;
                let all = all.ok_or(Thrown)?;
                let names =
                    jni.call_object(all, c"stringPropertyNames", c"()Ljava/util/Set;", &[])?;
                let names = names.ok_or(Thrown)?;
                let names = jni.call_object(names, c"toArray", c"()[Ljava/lang/Object;", &[])?;
                let names = names.ok_or(Thrown)?;
                let mut properties = Vec::new();
                for index in 0..jni.length(names) {
                    let property = jni.frame(|jni| {
                        let name = jni.element(names, index)?.ok_or(Thrown)?;
                        let value = jni.call_object(all, c"getProperty", STRING, &[name])?;
                        let value = value.map(|value| text(jni, value)).transpose()?;
                        Ok((text(jni, name)?, value))
                    })?;
                    let (name, value) = property;
                    properties.extend(value.map(|value| (name, value.into_bytes())));
                }
                Ok(properties)
            }
        })
    })
}

/// The arguments with which this JVM was started and that can matter to any test: neither the class
/// path nor properties, which are compared where they are used, nor what starts the tests.
pub(crate) fn arguments(project: &Path) -> String {
    let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let arguments = command.split(|byte| *byte == 0).skip(1);
    let arguments: Vec<String> = arguments
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect();
    let project = project.to_string_lossy();
    let mut options: Vec<String> = Vec::new();
    for name in ["_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"] {
        options.extend(split(&std::env::var(name).unwrap_or_default()));
    }
    options.extend(arguments);
    let mut shown = of_the_jvm(&expanded(options));
    shown.retain(|argument| matters(argument));
    // The JVM reads these itself.
    let mut variables: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            let is_read = ["LANG", "TZ"].contains(&name.as_str()) || name.starts_with("LC_");
            is_read.then(|| format!("{name}={value}"))
        })
        .collect();
    variables.sort_unstable();
    shown.extend(variables);
    let shown = shown.iter().map(|argument| match project.len() {
        0..2 => argument.clone(),
        _ => argument.replace(&*project, "<project>"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// The options in a variable: white space separates them, except within quotes.
fn split(options: &str) -> Vec<String> {
    let mut quote = None;
    let separates = |character: char| match quote {
        Some(open) => {
            quote = quote.filter(|_| character != open);
            false
        }
        None => {
            quote = Some(character).filter(|character| matches!(character, '"' | '\''));
            character.is_whitespace()
        }
    };
    let options = options.split(separates).filter(|option| !option.is_empty());
    options
        .map(|option| option.replace(['"', '\''], ""))
        .collect()
}

/// The arguments with those that are in files instead of the names of these.
fn expanded(arguments: Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for argument in arguments {
        let file = argument
            .strip_prefix('@')
            .filter(|file| !file.starts_with('@'));
        let options = ["-XX:VMOptionsFile=", "-XX:Flags="];
        let of_options = options
            .iter()
            .find_map(|option| argument.strip_prefix(option));
        let text = file.or(of_options).map(std::fs::read_to_string);
        match text {
            Some(Ok(text)) => {
                let lines = text
                    .lines()
                    .filter(|line| !line.trim_start().starts_with('#'));
                all.extend(lines.flat_map(split));
            }
            _ => all.push(argument),
        }
    }
    all
}

/// The arguments before the main class.
fn of_the_jvm(arguments: &[String]) -> Vec<String> {
    const WITH_VALUE: [&str; 6] = [
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "-jar",
    ];
    const WITH_SHOWN_VALUE: [&str; 7] = [
        "--add-exports",
        "--add-modules",
        "--add-opens",
        "--add-reads",
        "--limit-modules",
        "--patch-module",
        "--upgrade-module-path",
    ];
    let mut shown = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-jar" => break,
            with_value if WITH_VALUE.contains(&with_value) => {
                rest.next();
            }
            with_value if WITH_SHOWN_VALUE.contains(&with_value) => {
                shown.push(argument.clone());
                shown.extend(rest.next().cloned());
            }
            option if option.starts_with('-') => shown.push(argument.clone()),
            // A file with more of them that cannot be read.
            file if file.starts_with('@') => shown.push(argument.clone()),
            _ => break,
        }
    }
    shown
}

fn matters(argument: &str) -> bool {
    let property = argument.strip_prefix("-D");
    match property {
        Some(property) => {
            is_read_by_the_jdk(property)
                && property_counts(property.split('=').next().unwrap_or(property))
        }
        None => {
            let passing = [
                "-agentpath:",
                "-agentlib:jdwp",
                "--class-path=",
                "--module-path=",
            ];
            !passing.iter().any(|passing| argument.starts_with(passing))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_options_together() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split(text), expected, "{text}");
        check("-a  -b", &["-a", "-b"]);
        check(
            "\"-agentpath:/a b=/c\" -d'e \"f'",
            &["-agentpath:/a b=/c", "-de f"],
        );
        check("", &[]);
    }

    #[test]
    fn arguments_in_files_count() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("options");
        std::fs::write(&file, "# all\n-ea -Dx='a b'\n-cp y\n").unwrap();
        let check = |argument: String, expected: &[&str]| {
            assert_eq!(expanded(vec!["-Xmx1g".into(), argument]), expected);
        };
        let inside = ["-Xmx1g", "-ea", "-Dx=a b", "-cp", "y"];
        check(format!("@{}", file.display()), &inside);
        check(format!("-XX:VMOptionsFile={}", file.display()), &inside);
        check("@@x".into(), &["-Xmx1g", "@@x"]);
        check("@/nowhere".into(), &["-Xmx1g", "@/nowhere"]);
    }

    #[test]
    fn arguments_that_can_matter_are_shown() {
        let check = |text: &str, expected: &str| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let mut shown = of_the_jvm(&arguments);
            shown.retain(|argument| matters(argument));
            assert_eq!(shown.join(" "), expected, "{text}");
        };
        check("-ea -cp a:b Main -x", "-ea");
        check("-Xmx1g -jar x.jar -y", "-Xmx1g");
        check(
            "--add-opens java.base/java.lang=ALL-UNNAMED M",
            "--add-opens java.base/java.lang=ALL-UNNAMED",
        );
        check(
            "-Dfile.encoding=x -Da=b -Djava.io.tmpdir=/t M",
            "-Dfile.encoding=x",
        );
        check(
            "-agentpath:/x/libtamis.so=/run -javaagent:j.jar M",
            "-javaagent:j.jar",
        );
        check("-classpath a M", "");
    }
}
