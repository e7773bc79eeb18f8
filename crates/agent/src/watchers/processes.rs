//! Processes that tests start.
//!
//! A JVM that is started directly gets this agent too, and records all it uses: that counts for the
//! test. Of other programs the program itself counts and the files that its arguments name; what it
//! reads otherwise cannot be known.

use crate::agent::Agent;
use crate::hooks::{Bind, Native, Releases};
use crate::watchers::environment;
use crate::watchers::files::cannot_see;
use std::collections::HashMap;
use std::ffi::{OsStr, c_int, c_uchar};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tamis_inputs::policy::{OPTION_VARIABLES, VARIABLES_OF_A_JVM, is_searched};
use tamis_inputs::{Aspect, Input};
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Jni, library_at};

/// How many processes above one are looked at.
const ABOVE: usize = 32;

/// `forkAndExec`: the process, how to start it, a helper, the program, its arguments and how many, its
/// environment and how much, its directory, its channels, and whether two of them are one.
type Fork = unsafe extern "C" fn(
    JniEnvPtr,
    JObject,
    c_int,
    JObject,
    JObject,
    JObject,
    c_int,
    JObject,
    c_int,
    JObject,
    JObject,
    c_uchar,
) -> c_int;

// SAFETY: the JDK declares both so.
static FORKS: [Native<Fork>; 2] = unsafe {
    [
        Native::new(
            c"Java_java_lang_ProcessImpl_forkAndExec",
            Releases::ALL,
            fork::<0>,
        ),
        // Before JDK 9.
        Native::new(
            c"Java_java_lang_UNIXProcess_forkAndExec",
            Releases::ONLY_8,
            fork::<1>,
        ),
    ]
};

/// The native methods of which this module wants to know.
pub(crate) fn natives() -> impl Iterator<Item = &'static dyn Bind> {
    FORKS.iter().map(|native| native as &dyn Bind)
}

/// A program that is about to be started.
struct Program {
    /// Whether it is a JVM that this agent goes into.
    is_jvm: bool,
    /// Its arguments with one more in front, if they were changed.
    arguments: Option<JObject>,
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn fork<const N: usize>(
    env: JniEnvPtr,
    process: JObject,
    mode: c_int,
    helper: JObject,
    program: JObject,
    arguments: JObject,
    count: c_int,
    variables: JObject,
    variable_count: c_int,
    directory: JObject,
    channels: JObject,
    merged: c_uchar,
) -> c_int {
    let about = Agent::contain(None, |agent| {
        // SAFETY: these are arguments of the current native call: arrays of bytes, or null.
        unsafe {
            let mut jni = Jni::from_raw(env);
            let bytes = |array| {
                let bytes = jni.object(array).map(|array| jni.bytes(array));
                bytes.and_then(|bytes| {
                    if bytes.is_err() {
                        agent.distrust("a process is started in a way that cannot be read".into());
                    }
                    bytes.ok()
                })
            };
            let call = [program, arguments, variables, directory].map(bytes);
            prepare(agent, &mut jni, call)
        }
    });
    let changed = about.as_ref().and_then(|about| about.arguments);
    let (arguments, count) = match changed {
        Some(arguments) => (arguments, count.saturating_add(1)),
        None => (arguments, count),
    };
    let Some(theirs) = FORKS.get(N).and_then(Native::theirs) else {
        return -1;
    };
    // SAFETY: the arguments of the current native call, or an array of the same kind in the place of one.
    let pid = unsafe {
        theirs(
            env,
            process,
            mode,
            helper,
            program,
            arguments,
            count,
            variables,
            variable_count,
            directory,
            channels,
            merged,
        )
    };
    if let (Some(about), Ok(pid)) = (about, u32::try_from(pid)) {
        let is_jvm = about.is_jvm;
        Agent::contain((), |agent| {
            agent
                .inputs
                .see((Input::Process { pid, is_jvm }, None), false);
        });
    }
    pid
}

/// Notes what can be known of a program, and has a JVM load this agent.
fn prepare(agent: &Agent, jni: &mut Jni<'_>, call: [Option<Vec<u8>>; 4]) -> Option<Program> {
    if !agent.config.records || agent.facts.get().is_none() {
        return None;
    }
    let [program, arguments, variables, directory] = call;
    let text = |bytes: &[u8]| bytes.split(|byte| *byte == 0).next().map(<[u8]>::to_vec);
    let program = program.as_deref().and_then(text)?;
    let directory = directory.as_deref().and_then(text).unwrap_or_default();
    let here = std::env::current_dir().unwrap_or_default();
    let directory = here.join(OsStr::from_bytes(&directory));
    let arguments = arguments.unwrap_or_default();
    for file in found(agent, &program, &directory) {
        observe(agent, jni, &file, Aspect::Content);
    }
    let is_jvm = Path::new(OsStr::from_bytes(&program)).file_name() == Some(OsStr::new("java"));
    let inherited = OPTION_VARIABLES.map(|name| std::env::var_os(name).unwrap_or_default());
    let given = variables.iter().flat_map(|variables| given(variables));
    let texts = given.chain([arguments.as_slice()]);
    let files = match is_jvm {
        true => {
            let inherited = inherited.iter().map(|options| options.as_bytes());
            Files::of_a_jvm(texts.chain(inherited), &directory)
        }
        false => Files::of_a_program(texts, &directory),
    };
    if files.are_too_many() {
        cannot_see(&agent.inputs, directory.as_os_str().as_bytes());
    }
    for (file, aspect) in files.found {
        observe(agent, jni, &file, aspect);
    }
    if !is_jvm {
        // It has the environment of this JVM, and may read all of it.
        environment::variables(agent);
        return Some(Program {
            is_jvm,
            arguments: None,
        });
    }
    for name in VARIABLES_OF_A_JVM {
        environment::hand_on(agent, name);
    }
    let Some(option) = agent_option(agent) else {
        // It records nothing, and that is noticed.
        return Some(Program {
            is_jvm,
            arguments: None,
        });
    };
    let inherited = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
    let environment = match &variables {
        Some(variables) => variables.as_slice(),
        None => inherited.as_bytes(),
    };
    let has_it = environment
        .windows(option.len())
        .any(|window| window == option);
    let changed = (!has_it).then(|| jni.byte_array(&[&option, &b"\0"[..], &arguments].concat()));
    Some(Program {
        is_jvm,
        arguments: changed.and_then(Result::ok).map(|array| array.as_raw()),
    })
}

/// The variables in the block of a process that differ from those of this process.
fn given(variables: &[u8]) -> impl Iterator<Item = &[u8]> {
    let all = variables.split(|byte| *byte == 0);
    all.filter(|variable| {
        let equals = variable.iter().position(|byte| *byte == b'=');
        let parts = equals.and_then(|equals| variable.split_at_checked(equals));
        parts.is_some_and(|(name, value)| {
            let own = std::env::var_os(OsStr::from_bytes(name));
            own.as_deref().map(OsStr::as_bytes) != value.get(1..)
        })
    })
}

fn observe(agent: &Agent, jni: &mut Jni<'_>, file: &Path, aspect: Aspect) {
    let path = agent
        .files
        .unseen(&agent.inputs, file.as_os_str().as_bytes(), aspect);
    if let Some(path) = path {
        agent.files.observe(agent, jni, path, aspect);
    }
}

/// How many files a program may have in its arguments, those in directories included.
const MOST_FILES: usize = 10_000;

/// How deep in directories.
const DEPTH: usize = 32;

/// Files that the arguments of a program name, and the names in directories among them.
#[derive(Debug, Default)]
struct Files {
    found: Vec<(PathBuf, Aspect)>,
}

impl Files {
    /// The files of a JVM that it reads itself. It records what else it uses.
    fn of_a_jvm<'t>(texts: impl Iterator<Item = &'t [u8]>, directory: &Path) -> Files {
        // `@file`, `-XX:VMOptionsFile=file`
        let separates = |byte: &u8| byte.is_ascii_whitespace() || b"\0=".contains(byte);
        let words = texts.flat_map(|text| text.split(separates));
        let names = words.map(|word| word.strip_prefix(b"@").unwrap_or(word));
        let files = names.map(|name| directory.join(OsStr::from_bytes(name)));
        let files = files.filter(|file| file.is_file());
        Files {
            found: files.map(|file| (file, Aspect::Content)).collect(),
        }
    }

    /// The files that words in these texts may name.
    fn of_a_program<'t>(texts: impl Iterator<Item = &'t [u8]>, directory: &Path) -> Files {
        let mut files = Files::default();
        // Shells take whole commands as one argument.
        let separates =
            |byte: &u8| byte.is_ascii_whitespace() || b"\0\"'();&|<>`=:,{}".contains(byte);
        for text in texts {
            let whole = text.split(|byte| *byte == 0);
            let words = text.split(separates);
            for word in whole.chain(words).filter(|word| !word.is_empty()) {
                // `-fFILE`
                let attached = word.strip_prefix(b"-").and_then(|option| option.get(1..));
                let named = [Some(word), attached].into_iter().flatten();
                for name in named.filter(|name| !name.is_empty()) {
                    files.add(&directory.join(OsStr::from_bytes(name)), DEPTH);
                }
                if let Some(name) = before_star(word) {
                    files.add(&directory.join(OsStr::from_bytes(name)), 1);
                }
            }
        }
        files
    }

    /// A file, or a directory and what is in it, so deep.
    fn add(&mut self, path: &Path, depth: usize) {
        if self.are_too_many() {
            return;
        }
        let is_directory = path.is_dir();
        let aspect = match is_directory || path.is_file() {
            true => Aspect::Content,
            // It may come.
            false => Aspect::Kind,
        };
        self.found.push((path.to_owned(), aspect));
        // Not all of the disk because of a `/`.
        if is_directory && depth > 0 && path.components().count() > 2 {
            for entry in path.read_dir().into_iter().flatten().flatten() {
                // Links might lead in a circle.
                if is_searched(&entry.file_name()) && !entry.path().is_symlink() {
                    self.add(&entry.path(), depth - 1);
                }
            }
        }
    }

    fn are_too_many(&self) -> bool {
        self.found.len() > MOST_FILES
    }
}

/// The directory in which a shell looks for `dir/*.txt`.
fn before_star(word: &[u8]) -> Option<&[u8]> {
    let star = word.iter().position(|byte| b"*?[".contains(byte))?;
    let before = word.get(..star)?;
    let end = before.iter().rposition(|byte| *byte == b'/');
    Some(end.and_then(|end| before.get(..end)).unwrap_or(b"."))
}

/// The file of a program, which is looked for where the system does, and all places where it was looked for
/// before.
fn found(agent: &Agent, program: &[u8], directory: &Path) -> Vec<PathBuf> {
    let program = Path::new(OsStr::from_bytes(program));
    if program.components().count() > 1 {
        return vec![directory.join(program)];
    }
    environment::hand_on(agent, "PATH");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_program = |file: &PathBuf| {
        let metadata = file.metadata();
        metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let places = std::env::split_paths(&path).map(|directory| directory.join(program));
    let mut found = Vec::new();
    for place in places {
        found.push(place);
        if found.last().is_some_and(is_program) {
            break;
        }
    }
    found
}

/// The option that makes a JVM load this agent.
fn agent_option(agent: &Agent) -> Option<Vec<u8>> {
    let library = library_at(natives as *const () as usize)?;
    let run = agent.config.run_dir.as_os_str().as_bytes();
    Some([b"-agentpath:", library.to_bytes(), b"=", run].concat())
}

/// The file that says that a process runs tests.
fn sign(agent: &Agent, pid: u32) -> PathBuf {
    agent.config.run_dir.join(format!("{pid}.tests"))
}

/// This JVM runs tests: those that it starts are parts of them.
pub(crate) fn runs_tests(agent: &Agent) {
    if agent.is_started_by_a_test() {
        return;
    }
    // Without it, what tests start counts as not recorded.
    let _ = std::fs::write(sign(agent, std::process::id()), "");
}

/// If a test started this JVM: its process id and those above it, up to the JVM that runs the test.
pub(crate) fn above(agent: &Agent) -> Option<Vec<u32>> {
    let mut above = vec![std::process::id()];
    for _ in 0..ABOVE {
        let pid = parent(*above.last()?)?;
        above.push(pid);
        if sign(agent, pid).exists() {
            return Some(above);
        }
    }
    None
}

/// The environment with which a process was started; `None` if it cannot be seen.
pub(crate) fn environment_of(pid: u32) -> Option<HashMap<String, Vec<u8>>> {
    let all = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let variables = all.split(|byte| *byte == 0).filter_map(|variable| {
        let equals = variable.iter().skip(1).position(|byte| *byte == b'=')? + 1;
        let (name, value) = variable.split_at_checked(equals)?;
        Some((
            String::from_utf8(name.to_vec()).ok()?,
            value.get(1..)?.to_vec(),
        ))
    });
    Some(variables.collect())
}

#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may have any characters.
    let (_, rest) = text.rsplit_once(')')?;
    let pid = rest.split_whitespace().nth(1)?.parse().ok()?;
    (pid > 1).then_some(pid)
}

#[cfg(not(target_os = "linux"))]
fn parent(pid: u32) -> Option<u32> {
    let own = pid == std::process::id();
    own.then(std::os::unix::process::parent_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_files_in_many_ways() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::create_dir(dir.join("sub")).unwrap();
        std::fs::write(dir.join("sub/x.txt"), "").unwrap();
        std::fs::write(dir.join("f"), "").unwrap();
        let check = |text: &str, expected: &[&str]| {
            let files = Files::of_a_program([text.as_bytes()].into_iter(), &dir);
            let there = files.found.iter().filter(|(file, _)| file.exists());
            let mut names: Vec<_> = there
                .map(|(file, _)| file.strip_prefix(&dir).unwrap().to_str().unwrap())
                .collect();
            names.sort();
            names.dedup();
            assert_eq!(names, expected, "{text}");
        };
        check("cat\0f", &["f"]);
        check("sh\0-c\0cat <f;x", &["f"]);
        check("tar\0-ff", &["f"]);
        check("x\0a:f", &["f"]);
        check("x\0--file=f", &["f"]);
        check("cd sub && ls", &["sub", "sub/x.txt"]);
        check("cat sub/*.txt", &["sub", "sub/x.txt"]);
        let missing = Files::of_a_program([b"gone".as_slice()].into_iter(), &dir);
        assert!(missing.found.contains(&(dir.join("gone"), Aspect::Kind)));
        let of_a_jvm = Files::of_a_jvm([b"-cp\0sub\0@f\0gone".as_slice()].into_iter(), &dir);
        assert_eq!(of_a_jvm.found, [(dir.join("f"), Aspect::Content)]);
    }
}
