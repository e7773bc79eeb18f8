//! The policy for inputs: the one place that decides what counts, with the reasons. Watchers and the store ask here.
//! The manual shows these lists, and a test compares the two.
//!
//! Nothing here does I/O. What no list names counts.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Names that are treated alike, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The names; one that ends with `*` stands for all that start so.
    pub names: &'static [&'static str],
    /// The reason, as the manual tells it.
    pub why: &'static str,
}

impl Group {
    const fn new(names: &'static [&'static str], why: &'static str) -> Group {
        Group { names, why }
    }

    fn has(&self, name: &str) -> bool {
        let mut names = self.names.iter();
        names.any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *known == name,
        })
    }
}

fn any_has(groups: &[Group], name: &str) -> bool {
    groups.iter().any(|group| group.has(name))
}

/// System properties that do not count.
pub const PROPERTIES_OF_A_RUN: &[Group] = &[
    Group::new(
        &["failsafe.*", "forkCount", "reuseForks", "surefire.*"],
        "how Surefire and Failsafe start JVMs; their settings are compared for all tests",
    ),
    Group::new(
        &["java.io.tmpdir", "user.dir"],
        "directories of this run; files are compared where they are read",
    ),
    Group::new(
        &["jdk.module.*", "localRepository"],
        "where classes are; the classes themselves are compared",
    ),
    Group::new(
        &["sun.java.command", "sun.java.launcher"],
        "how this JVM was started, with names of temporary files",
    ),
    Group::new(
        &["maven.build.cache.enabled", "maven.test.failure.ignore"],
        "set by tamis itself",
    ),
];

/// Environment variables that do not count.
pub const VARIABLES_OF_A_RUN: &[Group] = &[
    Group::new(
        &[
            "COLUMNS",
            "DBUS_*",
            "DISPLAY",
            "LINES",
            "SSH_*",
            "TERM",
            "WINDOWID",
            "XDG_RUNTIME_DIR",
            "XDG_SEAT",
            "XDG_SEAT_*",
            "XDG_SESSION_*",
            "XDG_VTNR",
        ],
        "the terminal and the session in which the build was started",
    ),
    Group::new(
        &["OLDPWD", "PWD", "SHLVL", "_", "__"],
        "what a shell says about itself",
    ),
    Group::new(
        &["MAVEN_CMD_LINE_ARGS", "MAVEN_PROJECTBASEDIR"],
        "how Maven was called; what of it reaches tests are properties",
    ),
    Group::new(&["TMPDIR"], "a directory of this run"),
    Group::new(&["TAMIS_*"], "set by tamis itself"),
];

/// Environment variables that the JVM reads itself: they count for all tests.
pub const VARIABLES_FOR_ALL: &[Group] = &[Group::new(
    &["LANG", "LC_*", "TZ"],
    "the JVM takes its locale and its time zone from them",
)];

/// The variables with options of all JVMs.
pub const OPTION_VARIABLES: [&str; 3] = ["_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"];

/// Environment variables that a JVM started by a test reads unseen.
pub const VARIABLES_OF_A_JVM: [&str; 5] = [
    "CLASSPATH",
    "LD_LIBRARY_PATH",
    OPTION_VARIABLES[0],
    OPTION_VARIABLES[1],
    OPTION_VARIABLES[2],
];

/// System properties that the JDK itself may read, on behalf of anybody.
const READ_BY_THE_JDK: Group = Group::new(
    &[
        "awt.*",
        "com.sun.*",
        "file.*",
        "ftp.*",
        "http.*",
        "https.*",
        "java.*",
        "javax.*",
        "jdk.*",
        "line.*",
        "native.*",
        "networkaddress.*",
        "org.xml.*",
        "os.*",
        "path.*",
        "socks*",
        "sun.*",
        "user.*",
    ],
    "the JDK reads them for itself",
);

/// Options of the JVM that do not count.
pub const OPTIONS_OF_A_RUN: &[Group] = &[
    Group::new(
        &["-agentlib:jdwp*", "-agentpath:*"],
        "a debugger, and tamis itself",
    ),
    Group::new(
        &["--class-path=*", "--module-path=*"],
        "where classes are; the classes themselves are compared",
    ),
];

/// Settings that Surefire hands to its JVM and that do not count.
pub const SUREFIRE_SETTINGS_OF_A_RUN: &[Group] = &[
    Group::new(
        &[
            "classPathUrl.*",
            "classpathUrl.*",
            "surefireClassPathUrl.*",
            "testClassesDirectory*",
        ],
        "where classes are; the classes themselves are compared",
    ),
    Group::new(
        &[
            "dirscan*",
            "excludes*",
            "forkTestSet*",
            "includes*",
            "preferTestsFromInStream*",
            "requestedTest*",
            "runOrder*",
            "runStatisticsFile*",
            "specificTests*",
            "tc.*",
            "testSuiteDefinition*",
        ],
        "which tests run, and in which order",
    ),
    Group::new(
        &[
            "failFastCount*",
            "failIfNoTests*",
            "forkNode*",
            "forkNumber*",
            "isTrimStackTrace*",
            "mainCliOptions*",
            "pluginPid*",
            "reportsDirectory*",
            "rerunFailingTestsCount*",
            "shutdown*",
            "systemExitTimeout*",
        ],
        "reports, and communication with Maven",
    ),
];

/// Files and directories that do not count, by their paths.
pub const PATHS_OF_THE_SYSTEM: &[Group] = &[
    Group::new(
        &["/dev", "/proc", "/sys"],
        "the system generates their content",
    ),
    Group::new(
        &["/etc/resolv.conf"],
        "the DNS configuration of this machine",
    ),
];

/// Files that do not count, by their names.
const FILES_OF_JVMS: Group = Group::new(
    &[".attach_pid*", ".java_pid*"],
    "JVMs find each other by them",
);

/// The directory of tamis in a project.
const OURS: &str = ".tamis";

/// Directories of a project in which nobody looks for files that may matter.
const NEVER_SEARCHED: Group = Group::new(
    &[".git", OURS],
    "version control and tamis keep their own data there",
);

/// Directories into which builds write.
pub const BUILD_OUTPUTS: Group = Group::new(
    &["bin", "build", "out", "target"],
    "the build makes what is there; classes, and the content of files that were there, count all the same",
);

/// Entries of class paths that do not count, by how they start.
const TEMPORARY_ENTRIES: [&str; 2] = ["/tmp/", "/var/tmp/"];

/// How the names of those start that Surefire makes for each run.
const OF_SUREFIRE: &str = "surefirebooter";

/// Whether a system property can change what a test does; [`ALL`](crate::ALL) can.
pub fn property_counts(name: &str) -> bool {
    !any_has(PROPERTIES_OF_A_RUN, name)
}

/// The same for an environment variable.
pub fn variable_counts(name: &str) -> bool {
    !any_has(VARIABLES_OF_A_RUN, name)
}

/// Whether an environment variable counts for all tests.
pub fn variable_counts_for_all(name: &str) -> bool {
    any_has(VARIABLES_FOR_ALL, name)
}

/// Whether the JDK itself may read a property.
pub fn is_read_by_the_jdk(name: &str) -> bool {
    READ_BY_THE_JDK.has(name)
}

/// Whether an option of the JVM counts for all tests. Properties are compared where they are used, but for
/// those that the JDK may read when it starts.
pub fn option_counts(option: &str) -> bool {
    match option.strip_prefix("-D") {
        Some(property) => {
            let name = property.split('=').next().unwrap_or(property);
            is_read_by_the_jdk(name) && property_counts(name) && name != crate::CLASS_PATH
        }
        None => !any_has(OPTIONS_OF_A_RUN, option),
    }
}

/// Whether a setting that Surefire hands to its JVM counts for all tests.
pub fn surefire_setting_counts(name: &str) -> bool {
    !any_has(SUREFIRE_SETTINGS_OF_A_RUN, name)
}

/// Whether an entry of a class path is there in more than one run.
pub(crate) fn is_lasting_entry(entry: &[u8]) -> bool {
    let name = entry.rsplit(|byte| *byte == b'/').next();
    let is_of_surefire = name.is_some_and(|name| name.starts_with(OF_SUREFIRE.as_bytes()));
    let mut temporary = TEMPORARY_ENTRIES.iter();
    !is_of_surefire && !temporary.any(|start| entry.starts_with(start.as_bytes()))
}

/// Whether files that may matter are looked for in a directory of this name.
pub fn is_searched(directory: &OsStr) -> bool {
    !directory
        .to_str()
        .is_some_and(|name| NEVER_SEARCHED.has(name))
}

/// Whether this is a file with Surefire's instructions for a JVM; Surefire deletes it in the end.
pub fn is_handed_over_by_surefire(file: &Path) -> bool {
    let name = file.file_name().map(OsStr::as_bytes).unwrap_or_default();
    let is_in = |name: &str| file.parent().is_some_and(|parent| parent.ends_with(name));
    is_in("surefire") && name.starts_with(b"surefire") && name.ends_with(b"tmp")
}

/// Whether builds write into directories of this name.
pub fn is_build_output(directory: &OsStr) -> bool {
    let name = directory.to_str();
    name.is_some_and(|name| BUILD_OUTPUTS.has(name))
}

/// Whether the system generates what is at a path.
pub fn is_of_the_system(path: &Path) -> bool {
    let mut roots = PATHS_OF_THE_SYSTEM.iter().flat_map(|group| group.names);
    roots.any(|root| path.starts_with(root))
}

/// Directories that decide whether a file counts.
#[derive(Debug, Clone)]
pub struct Directories {
    /// The root of the project, by its names.
    pub project: Vec<PathBuf>,
    /// The JDK, whose version is compared as a whole.
    pub java_home: PathBuf,
    /// The directory of temporary files, by its names: what is there was made in this run.
    pub temporary: Vec<PathBuf>,
}

impl Directories {
    /// Whether what is at an absolute path, with all links followed, can change a test.
    pub fn count(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(OsStr::to_str);
        let mut roots = self.project.iter();
        let inside = roots.find_map(|root| path.strip_prefix(root).ok());
        !(is_of_the_system(path)
            || name.is_some_and(|name| FILES_OF_JVMS.has(name))
            || path.starts_with(&self.java_home)
            || inside.is_some_and(|inside| inside.starts_with(OURS))
            || self.is_temporary(path))
    }

    /// Whether a path is that of a temporary file. A project may be among these.
    pub fn is_temporary(&self, path: &Path) -> bool {
        let is_below = |roots: &[PathBuf]| roots.iter().any(|root| path.starts_with(root));
        is_below(&self.temporary) && !is_below(&self.project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every list, by what it is of.
    fn lists() -> Vec<(&'static str, &'static [Group])> {
        const OTHERS: &[Group] = &[
            READ_BY_THE_JDK,
            FILES_OF_JVMS,
            NEVER_SEARCHED,
            BUILD_OUTPUTS,
        ];
        vec![
            ("properties", PROPERTIES_OF_A_RUN),
            ("variables", VARIABLES_OF_A_RUN),
            ("variables for all", VARIABLES_FOR_ALL),
            ("options", OPTIONS_OF_A_RUN),
            ("settings of Surefire", SUREFIRE_SETTINGS_OF_A_RUN),
            ("paths", PATHS_OF_THE_SYSTEM),
            ("others", OTHERS),
        ]
    }

    #[test]
    fn every_name_stands_in_one_group_and_every_group_has_its_reason() {
        for (list, groups) in lists() {
            let names: Vec<&str> = groups
                .iter()
                .flat_map(|group| group.names)
                .copied()
                .collect();
            for name in &names {
                let same = names.iter().filter(|other| *other == name).count();
                assert_eq!(same, 1, "{list}: {name}");
                assert!(
                    name.trim_end_matches('*').len() > usize::from(name.ends_with('*')),
                    "{list}: {name}"
                );
            }
            assert!(groups.iter().all(|group| !group.why.is_empty()), "{list}");
        }
    }

    #[test]
    fn only_what_tells_of_one_run_does_not_count() {
        for name in [
            "surefire.x",
            "user.dir",
            "jdk.module.path",
            "sun.java.command",
        ] {
            assert!(!property_counts(name), "{name}");
        }
        for name in [
            "a",
            crate::ALL,
            "user.dir.x",
            "surefirex",
            "sun.java.commands",
        ] {
            assert!(property_counts(name), "{name}");
        }
        for name in [
            "PWD",
            "_",
            "__",
            "SSH_TTY",
            "TAMIS_X",
            "XDG_SEAT",
            "XDG_SEAT_PATH",
        ] {
            assert!(!variable_counts(name), "{name}");
        }
        for name in ["_X", "__X", "HOME", "PWDX", "XDG_SEATS", crate::ALL] {
            assert!(variable_counts(name), "{name}");
        }
    }

    #[test]
    fn options_count_unless_they_are_compared_elsewhere() {
        let check =
            |option: &str, expected| assert_eq!(option_counts(option), expected, "{option}");
        check("-ea", true);
        check("-javaagent:j.jar", true);
        check("-agentpath:/x/libtamis.so=/run", false);
        check("-agentlib:jdwp=transport=dt_socket", false);
        check("-agentlib:other", true);
        check("--class-path=a", false);
        check("-Dfile.encoding=x", true);
        check("-Da=b", false);
        check("-Djava.io.tmpdir=/t", false);
        check("-Djava.class.path=a", false);
    }

    #[test]
    fn files_count_unless_nobody_in_another_run_can_see_them() {
        let directories = Directories {
            project: vec!["/tmp/p".into()],
            java_home: "/jdk".into(),
            temporary: vec!["/tmp".into()],
        };
        let check = |path: &str, expected| {
            assert_eq!(directories.count(Path::new(path)), expected, "{path}");
        };
        check("/tmp/p/a.txt", true);
        check("/tmp/p/.tamis/store", false);
        check("/tmp/p/.tamisx", true);
        check("/tmp/other", false);
        check("/home/u/a", true);
        check("/jdk/lib/modules", false);
        check("/proc/self/maps", false);
        check("/etc/resolv.conf", false);
        check("/etc/hosts", true);
        check("/home/u/.attach_pid12", false);
        check("/home/u/.java_pid12", false);
    }

    #[test]
    fn the_manual_shows_every_list_with_its_reasons() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual.md");
        let manual = std::fs::read_to_string(file).unwrap();
        let section = manual.split("### What is not code").nth(1).unwrap();
        let section = section.split("\n### ").next().unwrap();
        let in_rows = [
            ("property", PROPERTIES_OF_A_RUN),
            ("variable", VARIABLES_OF_A_RUN),
            ("option of the JVM", OPTIONS_OF_A_RUN),
            ("setting of Surefire", SUREFIRE_SETTINGS_OF_A_RUN),
            ("path", PATHS_OF_THE_SYSTEM),
        ];
        for (what, groups) in in_rows {
            for Group { names, why } in groups {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let row = format!("| {what} | {} | {why} |", names.join(", "));
                assert!(section.contains(&row), "docs/manual.md lacks: {row}");
            }
        }
        let for_all = VARIABLES_FOR_ALL.iter().flat_map(|group| group.names);
        for name in for_all
            .chain(BUILD_OUTPUTS.names)
            .chain(&VARIABLES_OF_A_JVM)
        {
            assert!(
                section.contains(&format!("`{name}`")),
                "docs/manual.md lacks {name}"
            );
        }
    }
}
