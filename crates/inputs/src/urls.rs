//! URLs of files and archives.

use std::path::{Component, Path, PathBuf};

/// The file that `url` means in the manifest of `jar`; `None` if it means no file.
pub fn resolve_url(jar: &Path, url: &str) -> Option<PathBuf> {
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

/// The file that a URL means, or the archive if it is that of one, or of an entry.
pub fn file_of_url(url: &str) -> Option<PathBuf> {
    let url = without_scheme(url, "jar").unwrap_or(url);
    let url = url.split_once("!/").map_or(url, |(archive, _)| archive);
    without_scheme(url, "file").and_then(|_| resolve_url(Path::new("/x"), url))
}

/// A URL that is valid outside of `directory`: schemes in small letters, no fragment, and the
/// whole path of a file.
pub fn absolute_url(url: &str, directory: &Path) -> String {
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    if let Some(inner) = without_scheme(url, "jar") {
        return format!("jar:{}", absolute_url(inner, directory));
    }
    match without_scheme(url, "file") {
        Some(path) if path.starts_with('/') => format!("file:{path}"),
        Some(path) => {
            let directory = directory.to_string_lossy().replace('%', "%25");
            format!("file:{directory}/{path}")
        }
        None => url.to_owned(),
    }
}

fn without_scheme<'u>(url: &'u str, scheme: &str) -> Option<&'u str> {
    let (found, rest) = url.split_once(':')?;
    found.eq_ignore_ascii_case(scheme).then_some(rest)
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
    fn a_url_is_made_whole() {
        let check = |url: &str, expected: &str| {
            assert_eq!(absolute_url(url, Path::new("/a 100%")), expected);
        };
        check("file:/x/y.jar", "file:/x/y.jar");
        check("FILE:x.jar", "file:/a 100%25/x.jar");
        check("jar:file:x.jar!/y#z", "jar:file:/a 100%25/x.jar!/y");
        check("JAR:File:/x.jar!/", "jar:file:/x.jar!/");
        check("http://h/x", "http://h/x");
    }

    #[test]
    fn a_url_means_a_file_or_the_archive() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(file_of_url(url), expected.map(PathBuf::from), "{url}");
        };
        check("file:/a%20b/../c.jar", Some("/c.jar"));
        check("file://localhost/c.jar", Some("/c.jar"));
        check("jar:file:/c.jar!/", Some("/c.jar"));
        check("jar:file:/c.jar!/x/y", Some("/c.jar"));
        check("jar:file:/c.jar!/in.jar!/y", Some("/c.jar"));
        check("http://h/c.jar", None);
        check("jrt:/java.base", None);
    }

    #[test]
    fn urls_are_resolved_against_the_jar() {
        let check = |url: &str, path: Option<&str>| {
            assert_eq!(
                resolve_url(Path::new("/p/t/boot.jar"), url),
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
