//! Facts about the JVM that are known from its start.

use crate::agent::Agent;
use crate::frameworks;
use crate::watchers::arguments;
use crate::watchers::environment;
use crate::watchers::files::Bounds;
use crate::watchers::processes;
use std::ffi::CStr;
use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use tamis_classfile::decode_mutf8;
use tamis_inputs::policy::Directories;
use tamis_instrument::runtime;
use tamis_jvmti::{Global, Jni, Jvmti, Thrown};

/// The facts about the JVM that are known from its start.
pub(crate) struct Facts {
    pub(crate) runtime: String,
    /// The feature release of the JDK, as its JVM tells it.
    pub(crate) release: Option<u16>,
    pub(crate) java_home: String,
    pub(crate) class_path: Vec<String>,
    /// Whether there is a module path, so that declarations of modules count.
    pub(crate) has_modules: bool,
    pub(crate) platform_loader: Option<Global>,
    pub(crate) jvmti: Jvmti,
    pub(crate) directory: String,
    pub(crate) started_ms: u64,
    /// How this JVM writes names of files, where that is not UTF-8: the command sees other names.
    pub(crate) other_names: Option<String>,
}

pub(crate) fn now() -> std::time::Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// At the start of the JVM: defines the runtime classes and asks for what will be needed.
pub(crate) fn prepare(agent: &Agent, jvmti: Jvmti, jni: &mut Jni<'_>) -> Result<(), Thrown> {
    jni.define_class(c"java/lang/TamisHook", None, &runtime::hook_class())?;
    let platform_loader = platform_loader(jni);
    let mut property = |name: &CStr| property(jni, name).unwrap_or_default();
    let version = [
        c"java.vm.name",
        c"java.vm.version",
        c"java.version",
        c"java.vendor",
    ]
    .map(&mut property)
    .join(" ");
    let project = &agent.config.project;
    let settings = frameworks::settings(project);
    let (runtime, problems) = runtime(version, arguments::shown(project), settings);
    problems.into_iter().for_each(|why| agent.distrust(why));
    let mut class_path = Vec::new();
    for name in [c"java.class.path", c"jdk.module.path"] {
        class_path.extend(split(&property(name)));
    }
    for number in 0.. {
        // `--patch-module name=path`, once per property.
        let name = std::ffi::CString::new(format!("jdk.module.patch.{number}")).unwrap_or_default();
        let Some((_, path)) = property(&name)
            .split_once('=')
            .map(|(m, p)| (m.len(), p.to_owned()))
        else {
            break;
        };
        class_path.extend(split(&path));
    }
    let directory = property(c"user.dir");
    let java_home = property(c"java.home");
    let facts = Facts {
        runtime,
        release: jvmti.feature_release().ok(),
        java_home: java_home.clone(),
        class_path: class_path
            .into_iter()
            .map(|entry| absolute(&directory, entry))
            .collect(),
        has_modules: !property(c"jdk.module.path").is_empty(),
        platform_loader,
        jvmti,
        directory,
        started_ms: now().as_millis() as u64,
        other_names: Some(property(c"sun.jnu.encoding"))
            .filter(|name| !["", "UTF-8", "UTF8"].contains(&name.as_str())),
    };
    agent.files.bound(Bounds {
        // The system starts relative paths there, whatever `user.dir` says.
        directory: std::env::current_dir().unwrap_or_else(|_| facts.directory.clone().into()),
        directories: Directories {
            project: names(agent.config.project.clone()),
            java_home: java_home.into(),
            temporary: names(property(c"java.io.tmpdir").into()),
        },
    });
    let _ = agent.facts.set(facts);
    if agent.config.records
        && let Some(above) = processes::above(agent)
    {
        if let Some(of_the_test) = above
            .last()
            .and_then(|test| processes::environment_of(*test))
        {
            let _ = agent.of_the_test.set(of_the_test);
        }
        let _ = agent.above.set(above);
    }
    Ok(())
}

/// The runtime and the arguments of the JVM, and why they are not fully known, if so.
fn runtime(
    version: String,
    arguments: io::Result<String>,
    settings: impl IntoIterator<Item = (&'static str, io::Result<Option<String>>)>,
) -> (String, Vec<String>) {
    let (mut runtime, mut problems) = (version, Vec::new());
    match arguments {
        Ok(arguments) if arguments.is_empty() => {}
        Ok(arguments) => runtime = format!("{runtime} with {arguments}"),
        Err(error) => problems.push(format!("the arguments of the JVM cannot be read: {error}")),
    }
    for (name, settings) in settings {
        match settings {
            Ok(Some(settings)) => runtime = format!("{runtime}, {name} with {settings}"),
            Ok(None) => {}
            Err(error) => problems.push(format!("the settings of {name} cannot be read: {error}")),
        }
    }
    (runtime, problems)
}

/// A directory by the name that is known, and by its real one if that is another.
fn names(directory: PathBuf) -> Vec<PathBuf> {
    let real = directory.canonicalize().ok();
    let real = real.filter(|real| *real != directory);
    [directory].into_iter().chain(real).collect()
}

fn split(path: &str) -> Vec<String> {
    path.split(':')
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

fn absolute(directory: &str, entry: String) -> String {
    std::path::Path::new(directory)
        .join(entry)
        .to_string_lossy()
        .into_owned()
}

pub(crate) fn property(jni: &mut Jni<'_>, name: &CStr) -> Option<String> {
    let asked = |jni: &mut Jni<'_>| {
        let system = jni.find_class(c"java/lang/System").ok()?;
        let name = jni.string(name).ok()?;
        // SAFETY: takes a string and returns a string or null.
        unsafe {
            let signature = c"(Ljava/lang/String;)Ljava/lang/String;";
            let value = jni
                .call_static_object(system, c"getProperty", signature, &[name])
                .ok()??;
            decode_mutf8(&jni.text(value).ok()?)
        }
    };
    environment::quietly(|| jni.frame(asked))
}

/// The loader of the JDK's classes outside the boot loader. Before JDK 9 it is the parent of the
/// system loader; later on another one may stand between them (`java.system.class.loader`).
fn platform_loader(jni: &mut Jni<'_>) -> Option<Global> {
    jni.frame(|jni| {
        let class = jni.find_class(c"java/lang/ClassLoader").ok()?;
        // SAFETY: both take nothing and return a class loader.
        unsafe {
            let signature = c"()Ljava/lang/ClassLoader;";
            let platform = jni.call_static_object(class, c"getPlatformClassLoader", signature, &[]);
            if let Ok(Some(platform)) = platform {
                return jni.global(platform).ok();
            }
            let system = jni
                .call_static_object(class, c"getSystemClassLoader", signature, &[])
                .ok()??;
            let parent = jni
                .call_object(system, c"getParent", signature, &[])
                .ok()??;
            jni.global(parent).ok()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_jvm_was_told_and_cannot_be_read_is_a_problem() {
        let unknown = || io::Error::other("no");
        let check = |arguments, settings, expected: &str, problems: usize| {
            let (runtime, found) = runtime("JVM".into(), arguments, [("Runner", settings)]);
            assert_eq!((runtime.as_str(), found.len()), (expected, problems));
        };
        check(Ok(String::new()), Ok(None), "JVM", 0);
        check(Ok("-ea".into()), Ok(None), "JVM with -ea", 0);
        let settings = Some("a=b".into());
        check(
            Ok("-ea".into()),
            Ok(settings),
            "JVM with -ea, Runner with a=b",
            0,
        );
        check(Err(unknown()), Ok(None), "JVM", 1);
        check(Err(unknown()), Err(unknown()), "JVM", 2);
    }
}
