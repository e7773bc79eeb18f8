use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{javac, run, scratch};

/// An installed JDK.
pub(crate) struct Jdk {
    home: PathBuf,
    pub(crate) version: String,
}

impl Jdk {
    /// The JDK of this feature release; a machine without it cannot run these tests.
    pub(crate) fn find(feature: u32) -> Jdk {
        let found: Vec<Jdk> = homes().iter().filter_map(|home| Jdk::at(home)).collect();
        let seen: Vec<String> = found.iter().map(|jdk| jdk.version.clone()).collect();
        let prefix = feature.to_string();
        let wanted = |jdk: &Jdk| jdk.version.split(['.', '+', '-']).next() == Some(&prefix);
        found.into_iter().find(wanted).unwrap_or_else(|| {
            panic!("JDK {feature} is needed (JAVA_HOME, PATH, usual places); found: {seen:?}")
        })
    }

    fn at(home: &Path) -> Option<Jdk> {
        let home = home.canonicalize().ok()?;
        let release = std::fs::read_to_string(home.join("release")).ok()?;
        let line = release
            .lines()
            .find_map(|l| l.strip_prefix("JAVA_VERSION="))?;
        let version = line.trim_matches('"').to_owned();
        home.join("bin/javac")
            .exists()
            .then_some(Jdk { home, version })
    }

    pub(crate) fn command(&self, tool: &str) -> Command {
        let mut command = Command::new(self.home.join("bin").join(tool));
        command
            .env("JAVA_HOME", &self.home)
            .env_remove("JAVA_TOOL_OPTIONS");
        command
    }

    /// Compiles sources of `tests/java` to a directory, which is returned.
    pub(crate) fn compile(&self, sources: &[&str], options: &[&str], name: &str) -> PathBuf {
        let dir = scratch(&format!("{name}-{}", self.version));
        // Tests of other crates use this too.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../classfile/tests/java");
        let paths = sources.iter().map(|source| root.join(source));
        let paths: Vec<PathBuf> = paths.collect();
        self.compile_to(&dir, options, &paths);
        dir
    }

    /// Compiles sources to a directory that exists.
    pub(crate) fn compile_to(&self, out: &Path, options: &[&str], sources: &[PathBuf]) {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let sources = sources.iter().map(|source| source.display().to_string());
        let sources: Vec<String> = sources.collect();
        javac::compile(&self.home, out, &options, &sources);
    }

    /// Runs a main class of `classes` and returns what it prints.
    pub(crate) fn java<A: AsRef<OsStr>>(&self, classes: &Path, args: &[A]) -> String {
        run(self.command("java").arg("-cp").arg(classes).args(args))
    }
}

/// Where JDKs may be: variables, the `java` on the path, and the places installers use.
fn homes() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .into_iter()
        .map(Into::into)
        .collect();
    let variables = std::env::vars_os();
    homes.extend(
        variables
            .filter(|(key, _)| key.to_string_lossy().starts_with("JAVA_HOME_"))
            .map(|(_, home)| home.into()),
    );
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|dir| dir.join("java"));
    homes.extend(
        on_path
            .filter_map(|java| java.canonicalize().ok())
            .filter_map(|java| Some(java.parent()?.parent()?.to_path_buf())),
    );
    let mut roots: Vec<PathBuf> = homes
        .iter()
        .filter_map(|h| Some(h.parent()?.into()))
        .collect();
    roots.extend(["/usr/lib/jvm", "/opt", "/Library/Java/JavaVirtualMachines"].map(PathBuf::from));
    if let Some(home) = std::env::home_dir() {
        roots.extend([home.join(".sdkman/candidates/java"), home.join(".jdks")]);
    }
    for entry in roots
        .iter()
        .filter_map(|root| std::fs::read_dir(root).ok())
        .flatten()
        .flatten()
    {
        homes.extend([entry.path(), entry.path().join("Contents/Home")]);
    }
    homes
}
