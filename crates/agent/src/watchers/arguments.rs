//! The arguments of this JVM.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tamis_inputs::policy::{OPTION_VARIABLES, option_counts, variable_counts_for_all};

/// The arguments with which this JVM was started and that can matter to any test: neither the class
/// path nor properties, which are compared where they are used, nor what starts the tests.
pub(crate) fn shown(project: &Path) -> io::Result<String> {
    let project = project.to_string_lossy();
    let OfTheJvm {
        mut shown, unread, ..
    } = of_the_jvm(&all()?);
    if let Some(argument) = unread {
        return Err(io::Error::other(format!("no file for {argument}")));
    }
    shown.retain(|argument| option_counts(argument));
    let mut variables: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, text(value.as_bytes()));
            variable_counts_for_all(&name).then(|| format!("{name}={value}"))
        })
        .collect();
    variables.sort_unstable();
    shown.extend(variables);
    let shown = shown.iter().map(|argument| match project.len() {
        0..2 => argument.clone(),
        _ => argument.replace(&*project, "<project>"),
    });
    Ok(shown.collect::<Vec<_>>().join(" "))
}

/// The text in some bytes; two that differ never have the same one.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}

/// The directories of which all archives are on the class path of this JVM (`directory/*`), as its launcher
/// was told.
pub(crate) fn directories_of_archives() -> Vec<String> {
    // A JVM whose arguments cannot be read is distrusted from its start.
    let arguments = all().unwrap_or_default();
    let mut paths = of_the_jvm(&arguments).class_paths;
    paths.extend(std::env::var_os("CLASSPATH").map(|path| text(path.as_bytes())));
    let entries = paths.iter().flat_map(|path| path.split(':'));
    entries.filter_map(before_star).collect()
}

fn before_star(entry: &str) -> Option<String> {
    let directory = entry.strip_suffix('*')?;
    match directory {
        "" => Some(".".to_owned()),
        _ => directory.ends_with('/').then(|| directory.to_owned()),
    }
}

/// The program of this process and its arguments. An error says that nobody knows them, which is something else
/// than that there are none.
pub(crate) fn command_line() -> io::Result<Vec<Vec<u8>>> {
    command_line_in(Path::new("/proc/self/cmdline"))
}

fn command_line_in(file: &Path) -> io::Result<Vec<Vec<u8>>> {
    let command = std::fs::read(file)?;
    if command.is_empty() {
        // A process has a name at least.
        return Err(io::Error::other("the system does not tell them"));
    }
    let arguments = command.split(|byte| *byte == 0);
    Ok(arguments.map(<[u8]>::to_vec).collect())
}

/// All arguments of this JVM, those in variables and files included.
fn all() -> io::Result<Vec<String>> {
    let command = command_line()?;
    let arguments = command.iter().skip(1).map(|argument| text(argument));
    let variables = OPTION_VARIABLES.map(|name| std::env::var_os(name).unwrap_or_default());
    let options = variables
        .iter()
        .flat_map(|options| split(options.as_bytes()));
    Ok(expanded(options.chain(arguments).collect()))
}

/// The options in a variable, without quotes.
fn split(options: &[u8]) -> Vec<String> {
    let options = tamis_inputs::options(options);
    options
        .map(|option| text(option).replace(['"', '\''], ""))
        .collect()
}

/// The options that name a file with more of them.
const WITH_FILE: [&str; 2] = ["-XX:VMOptionsFile=", "-XX:Flags="];

/// The file with more arguments that an argument names.
fn named_file(argument: &str) -> Option<&str> {
    let file = argument.strip_prefix('@');
    let file = file.filter(|file| !file.starts_with('@'));
    let mut options = WITH_FILE.iter();
    file.or_else(|| options.find_map(|option| argument.strip_prefix(option)))
}

/// The arguments with those that are in files instead of the names of these; what cannot be read stays.
fn expanded(arguments: Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for argument in arguments {
        match named_file(&argument).map(std::fs::read) {
            Some(Ok(text)) => {
                let lines = text
                    .split(|byte| *byte == b'\n')
                    .filter(|line| !line.trim_ascii_start().starts_with(b"#"));
                all.extend(lines.flat_map(split));
            }
            _ => all.push(argument),
        }
    }
    all
}

/// The arguments before the main class.
#[derive(Debug, Default)]
struct OfTheJvm {
    /// Those that may be shown: no paths.
    shown: Vec<String>,
    class_paths: Vec<String>,
    /// One that names a file which cannot be read.
    unread: Option<String>,
}

fn of_the_jvm(arguments: &[String]) -> OfTheJvm {
    const CLASS_PATHS: [&str; 3] = ["-cp", "-classpath", "--class-path"];
    const WITH_SHOWN_VALUE: [&str; 7] = [
        "--add-exports",
        "--add-modules",
        "--add-opens",
        "--add-reads",
        "--limit-modules",
        "--patch-module",
        "--upgrade-module-path",
    ];
    let mut found = OfTheJvm::default();
    let OfTheJvm {
        shown,
        class_paths,
        unread,
    } = &mut found;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-jar" => break,
            argument if named_file(argument).is_some() => *unread = Some(argument.to_owned()),
            option if CLASS_PATHS.contains(&option) => class_paths.extend(rest.next().cloned()),
            "-p" | "--module-path" => {
                rest.next();
            }
            with_value if WITH_SHOWN_VALUE.contains(&with_value) => {
                shown.push(argument.clone());
                shown.extend(rest.next().cloned());
            }
            option if option.starts_with('-') => {
                let path = option.strip_prefix("--class-path=");
                class_paths.extend(path.map(str::to_owned));
                shown.push(argument.clone());
            }
            escaped if escaped.starts_with('@') => shown.push(argument.clone()),
            _ => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_that_cannot_be_read_is_not_one_without_options() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cmdline");
        let check = |expected: Option<&[&str]>| {
            let read = command_line_in(&file).ok();
            let expected =
                expected.map(|all| all.iter().map(|one| one.as_bytes().to_vec()).collect());
            assert_eq!(read, expected);
        };
        check(None);
        std::fs::write(&file, "").unwrap();
        check(None);
        std::fs::write(&file, "java\0").unwrap();
        check(Some(&["java", ""]));
        std::fs::write(&file, "java\0-ea\0Main").unwrap();
        check(Some(&["java", "-ea", "Main"]));
    }

    #[test]
    fn quotes_keep_options_together() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(split(text.as_bytes()), expected, "{text}");
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
    fn a_file_that_cannot_be_read_is_told() {
        let check = |text: &str, expected: Option<&str>| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let unread = of_the_jvm(&expanded(arguments)).unread;
            assert_eq!(unread.as_deref(), expected, "{text}");
        };
        check("-ea @/nowhere Main", Some("@/nowhere"));
        check("-XX:Flags=/nowhere Main", Some("-XX:Flags=/nowhere"));
        check("-ea Main @/nowhere", None);
        check("-ea @@x Main", None);
    }

    #[test]
    fn texts_differ_if_bytes_do() {
        let check = |bytes: &[u8], expected: &str| assert_eq!(text(bytes), expected);
        check("ü".as_bytes(), "ü");
        check(b"a\xff", "a\\xff");
        check(b"a\xfe", "a\\xfe");
    }

    #[test]
    fn arguments_that_can_matter_are_shown() {
        let check = |text: &str, expected: &str| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let mut shown = of_the_jvm(&arguments).shown;
            shown.retain(|argument| option_counts(argument));
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

    #[test]
    fn directories_before_stars_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let paths = of_the_jvm(&arguments).class_paths;
            let entries = paths.iter().flat_map(|path| path.split(':'));
            let found: Vec<String> = entries.filter_map(before_star).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("-cp a:lib/*:b*:* M", &["lib/", "."]);
        check("--class-path=/x/* M", &["/x/"]);
        check("-ea --class-path x/* -jar y.jar *", &["x/"]);
        check("M -cp a/*", &[]);
    }
}
