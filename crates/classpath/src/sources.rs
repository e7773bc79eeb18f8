//! All class files of an entry, file by file, so that only those are read which changed.

use crate::jar;
use crate::stamp::Stamp;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Class files by their internal names and the Java versions they are for (0 for all), with their bytes.
pub type ClassFiles = Vec<(String, u32, Vec<u8>)>;

/// A file that classes are read from: a jar, or a class file in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassSource {
    /// The internal name of the class; empty for a jar.
    pub name: String,
    /// Numbers that differ once the file has changed.
    pub stamp: [u64; 5],
    /// Whether any later change will show in the stamp; git knows files that are too young for that as racy.
    pub is_settled: bool,
}

impl ClassSource {
    /// The source `path` as it is now; `None` if that cannot be found out.
    pub(crate) fn of(name: String, path: &Path) -> Option<Self> {
        let stamp = Stamp::of(&fs::metadata(path).ok()?);
        Some(ClassSource {
            name,
            stamp: stamp.numbers(),
            is_settled: stamp.is_settled(),
        })
    }

    /// One that nobody can read.
    fn unreadable(name: String) -> Self {
        ClassSource {
            name,
            stamp: [0; 5],
            is_settled: false,
        }
    }

    pub(crate) fn read(&self, entry: &Path) -> Option<ClassFiles> {
        let path = match self.name.as_str() {
            "" => entry.to_owned(),
            name => entry.join(format!("{name}.class")),
        };
        let mut file = File::open(path).ok()?;
        let is_same = |file: &File| {
            let metadata = file.metadata();
            metadata.is_ok_and(|now| Stamp::of(&now).numbers() == self.stamp)
        };
        if !is_same(&file) {
            return None;
        }
        let files = match self.name.as_str() {
            "" => jar::classes(&file).ok()?,
            name => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).ok()?;
                vec![(name.to_owned(), 0, bytes)]
            }
        };
        is_same(&file).then_some(files)
    }
}

/// The class files below `root`; `None` if something there cannot be listed.
pub(crate) fn of_directory(root: &Path) -> Option<Vec<ClassSource>> {
    let mut sources = Vec::new();
    list(root, "", &mut Vec::new(), &mut sources).ok()?;
    Some(sources)
}

/// Lists what is below `directory`, whose path from the root is `package`, with a slash behind it.
fn list(
    directory: &Path,
    package: &str,
    above: &mut Vec<[u64; 2]>,
    sources: &mut Vec<ClassSource>,
) -> io::Result<()> {
    let Stamp { inode, device, .. } = Stamp::of(&fs::metadata(directory)?);
    if inode != 0 && above.contains(&[inode, device]) {
        return Err(io::Error::other("links that lead in a circle"));
    }
    above.push([inode, device]);
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        // The JVM asks for names that are texts only.
        let Some(name) = name.to_str() else { continue };
        if let Some(simple) = name.strip_suffix(".class") {
            let name = format!("{package}{simple}");
            let source = ClassSource::of(name.clone(), &path);
            sources.push(source.unwrap_or_else(|| ClassSource::unreadable(name)));
        }
        let kind = entry.file_type()?;
        if kind.is_dir() || kind.is_symlink() && path.is_dir() {
            list(&path, &format!("{package}{name}/"), above, sources)?;
        }
    }
    above.pop();
    Ok(())
}
