//! The little that must be known of a POM before Maven runs.

use quick_xml::Error;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, Event};
use quick_xml::reader::Reader;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The elements of a POM, up to the first place where it is not well formed: Maven itself will say what is
/// wrong there.
#[derive(Debug, Default)]
pub(crate) struct Pom {
    elements: Vec<Element>,
    is_whole: bool,
}

#[derive(Debug)]
struct Element {
    name: String,
    /// What stands in it, but for what stands in elements within.
    text: String,
    in_profile: bool,
}

impl Pom {
    /// The POM of a directory; empty if there is none to be read.
    pub(crate) fn of(dir: &Path) -> Pom {
        let bytes = fs::read(dir.join("pom.xml")).unwrap_or_default();
        // In another encoding names of modules are hardly ever other bytes.
        Pom::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Reads a POM.
    pub(crate) fn parse(text: &str) -> Pom {
        let mut pom = Pom::default();
        pom.is_whole = pom.add(text).is_ok_and(|is_closed| is_closed);
        pom
    }

    /// Adds elements as they end; says whether all did.
    fn add(&mut self, text: &str) -> Result<bool, Error> {
        let mut reader = Reader::from_str(text);
        let mut open: Vec<Element> = Vec::new();
        loop {
            let text = match reader.read_event()? {
                Event::Start(tag) => {
                    let name = tag.local_name().as_ref().to_owned();
                    let in_profile = open.iter().any(|outer| outer.name == "profiles");
                    open.push(Element {
                        name,
                        text: String::new(),
                        in_profile,
                    });
                    continue;
                }
                Event::End(_) => {
                    self.elements.extend(open.pop());
                    continue;
                }
                Event::Text(text) => (*text).to_owned(),
                Event::CData(text) => (*text).to_owned(),
                Event::GeneralRef(reference) => resolved(&reference)?,
                Event::Eof => return Ok(open.is_empty()),
                _ => continue,
            };
            if let Some(innermost) = open.last_mut() {
                innermost.text += &text;
            }
        }
    }

    /// Whether the POM could be read to its end.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The POM without what counts in some profile alone.
    pub(crate) fn without_profiles(mut self) -> Pom {
        self.elements.retain(|element| !element.in_profile);
        self
    }

    /// The texts of all elements of that name.
    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self
            .elements
            .iter()
            .filter(move |element| element.name == name);
        named.map(|element| element.text.trim())
    }

    /// Directories of the modules that a POM in `dir` names, in every profile.
    pub(crate) fn modules(&self, dir: &Path) -> Vec<PathBuf> {
        let named = self.texts("module").chain(self.texts("subproject"));
        named.map(|module| module_dir(dir, module)).collect()
    }
}

/// The text of an entity reference. Maven knows names of HTML, too, and there are no others: those stay as they are.
fn resolved(reference: &BytesRef<'_>) -> Result<String, Error> {
    if let Some(character) = reference.resolve_char_ref()? {
        return Ok(character.into());
    }
    let name: &str = reference;
    Ok(match resolve_xml_entity(name) {
        Some(text) => text.to_owned(),
        None => format!("&{name};"),
    })
}

/// A module is named by its directory or by its POM file.
fn module_dir(dir: &Path, module: &str) -> PathBuf {
    let path = lexical(&dir.join(module));
    match path.extension() {
        Some(extension) if extension == "xml" => path.parent().unwrap_or(dir).to_owned(),
        _ => path,
    }
}

/// The path without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    path.components()
        .fold(PathBuf::new(), |mut clean, component| {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    clean.pop();
                }
                other => clean.push(other),
            }
            clean
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pom: &str, expected: &[&str]) {
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(Pom::parse(pom).modules(Path::new("/p")), expected, "{pom}");
    }

    #[test]
    fn modules_are_found_wherever_they_stand() {
        check("<project/>", &[]);
        check(
            "<modules><module>core</module> <module> libs/web </module></modules>",
            &["/p/core", "/p/libs/web"],
        );
        check(
            "<module>./a/</module><module>../b</module>",
            &["/p/a", "/b"],
        );
        check("<module>a/pom-other.xml</module>", &["/p/a"]);
        check("<subproject>a</subproject>", &["/p/a"]);
    }

    #[test]
    fn modules_in_comments_do_not_count() {
        check(
            "<module>a</module><!-- <module>b</module> --><module>c</module>",
            &["/p/a", "/p/c"],
        );
        check("<module>a</module><!-- <module>b</module>", &["/p/a"]);
        check("<![CDATA[<module>a</module>]]>", &[]);
    }

    #[test]
    fn modules_are_found_in_whatever_form_they_are_written() {
        check("\u{feff}<?xml version='1.0'?><module>a</module>", &["/p/a"]);
        check("<module combine.self='x' >a</module >", &["/p/a"]);
        check("<m:module xmlns:m='x'>a</m:module>", &["/p/a"]);
        check("<module>a<!-- b -->c</module>", &["/p/ac"]);
        check("<module><![CDATA[a&b]]></module>", &["/p/a&b"]);
        check("<module>a&amp;b&#x2f;c</module>", &["/p/a&b/c"]);
        check("<name>&oslash;</name><module>a</module>", &["/p/a"]);
    }

    #[test]
    fn definitions_of_a_document_are_not_followed() {
        let definitions = "<!DOCTYPE p [<!ENTITY a 'b'><!ENTITY f SYSTEM '/etc/passwd'>]>";
        let pom = format!("{definitions}<module>&a;</module><module>&f;</module>");
        check(&pom, &["/p/&a;", "/p/&f;"]);
    }

    #[test]
    fn what_is_not_well_formed_is_read_up_to_there() {
        let check_whole = |pom: &str, expected: bool| {
            check(pom, &["/p/a"]);
            assert_eq!(Pom::parse(pom).is_whole(), expected, "{pom}");
        };
        check_whole("<module>a</module>", true);
        check_whole("<module>a</module><module>b", false);
        check_whole("<module>a</module></x><module>b</module>", false);
        check_whole("<module>a</module><x>a & b</x><module>b</module>", false);
    }

    #[test]
    fn what_stands_in_profiles_can_be_left_out() {
        let pom = "<profiles><profile><module>a</module></profile></profiles><module>b</module>";
        check(pom, &["/p/a", "/p/b"]);
        let pom = Pom::parse(pom).without_profiles();
        assert_eq!(pom.texts("module").collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn a_pom_in_another_encoding_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let pom = b"<name>\xe9</name><module>a</module>";
        fs::write(dir.path().join("pom.xml"), pom).unwrap();
        assert_eq!(
            Pom::of(dir.path()).modules(dir.path()),
            [dir.path().join("a")]
        );
    }
}
