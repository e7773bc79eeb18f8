use std::path::{Component, Path, PathBuf};

/// What the main section of a jar's manifest says about class loading.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Whether `META-INF/versions` counts.
    pub(crate) multi_release: bool,
    /// URLs of `Class-Path`, as they stand there.
    pub(crate) class_path: Vec<String>,
}

impl Manifest {
    /// Reads the main section; what is not understood says nothing.
    pub(crate) fn parse(text: &str) -> Self {
        // A line that starts with a space continues the line before it.
        let text = text
            .replace("\r\n", "\n")
            .replace('\r', "\n")
            .replace("\n ", "");
        let mut manifest = Manifest::default();
        for line in text.lines().take_while(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "multi-release" => {
                    manifest.multi_release = value.trim().eq_ignore_ascii_case("true")
                }
                "class-path" => {
                    manifest.class_path = value.split_whitespace().map(str::to_owned).collect();
                }
                _ => {}
            }
        }
        manifest
    }
}

/// The file that `url` means in the manifest of `jar`; `None` if it means no file.
pub(crate) fn resolve(jar: &Path, url: &str) -> Option<PathBuf> {
    let path = match url.split_once(':') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => rest,
        Some(_) => return None,
        None => url,
    };
    let path = match path.strip_prefix("//") {
        Some(rest) => rest.get(rest.find('/')?..)?,
        None => path,
    };
    let path = percent_decoded(path)?;
    Some(without_dots(&jar.parent()?.join(path)))
}

/// The file that a code source's `url` means.
pub fn file_of_url(url: &str) -> Option<PathBuf> {
    let url = url.strip_prefix("jar:").unwrap_or(url);
    let url = url.strip_suffix("!/").unwrap_or(url);
    url.starts_with("file:")
        .then(|| resolve(Path::new("/x"), url))?
}

/// The text with `%` and two digits as the byte that they mean.
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, tail) = rest.split_first_chunk::<2>()?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

/// URLs lose their dots before any link is followed.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_up_to_its_first_empty_line() {
        let check = |text: &str, multi_release, class_path: &[&str]| {
            let class_path = class_path.iter().map(|url| (*url).to_owned()).collect();
            assert_eq!(
                Manifest::parse(text),
                Manifest {
                    multi_release,
                    class_path
                }
            );
        };
        check("", false, &[]);
        check(
            "Manifest-Version: 1.0\r\nMulti-Release: true\r\n",
            true,
            &[],
        );
        check(
            "Class-Path: a.jar b\n .jar  c/\nX: y\n",
            false,
            &["a.jar", "b.jar", "c/"],
        );
        check("A: b\n\nName: x\nMulti-Release: true\n", false, &[]);
    }

    #[test]
    fn urls_are_resolved_against_the_jar() {
        let check = |url: &str, path: Option<&str>| {
            assert_eq!(
                resolve(Path::new("/p/t/boot.jar"), url),
                path.map(PathBuf::from),
                "{url}"
            );
        };
        check("a.jar", Some("/p/t/a.jar"));
        check("../c%20d/classes/", Some("/p/c d/classes"));
        check("file:/x/%C3%A9.jar", Some("/x/é.jar"));
        check("file:///x/y.jar", Some("/x/y.jar"));
        check("http://h/y.jar", None);
        check("bad%2", None);
        check("bad%zz", None);
    }

    #[test]
    fn only_file_urls_mean_files() {
        let check = |url: &str, path: Option<&str>| {
            assert_eq!(file_of_url(url), path.map(PathBuf::from), "{url}");
        };
        check("file:/p/target/classes/", Some("/p/target/classes"));
        check("jar:file:/p/a%20b.jar!/", Some("/p/a b.jar"));
        check("jrt:/java.base", None);
        check("http://h/x.jar", None);
    }
}
