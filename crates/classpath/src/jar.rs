use crate::manifest::Manifest;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tamis_fingerprint::{Digest, raw};
use zip::ZipArchive;

/// No class file is larger; the JVM's own limits lie far below.
pub(crate) const CLASS_LIMIT: u64 = 256 << 20;

/// An end-of-central-directory record is at most this far from the end of an archive.
const END_RECORD_SPAN: u64 = 22 + 0xffff;

/// What a jar holds: per class name the digests of all its versions, the rest, and more class path.
#[derive(Debug, Default)]
pub(crate) struct JarContent {
    pub(crate) classes: BTreeMap<String, Vec<Digest>>,
    /// The same for everything else, by its path.
    pub(crate) resources: BTreeMap<String, Vec<Digest>>,
    pub(crate) class_path: Vec<String>,
}

/// Reads all of an archive. A file that is no archive holds nothing: the JVM skips it too.
pub(crate) fn read(file: &File) -> io::Result<JarContent> {
    let Some((mut archive, manifest)) = open(file)? else {
        return Ok(JarContent::default());
    };
    let mut versions: BTreeMap<(String, u32), Digest> = BTreeMap::new();
    let mut resources: BTreeMap<(String, u32), Digest> = BTreeMap::new();
    let mut bytes = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(io::Error::other)?;
        // The JVM takes names of entries as UTF-8, whatever the archive says.
        let Ok(path) = std::str::from_utf8(entry.name_raw()) else {
            continue;
        };
        let path = path.to_owned();
        bytes.clear();
        // Of a huge one the checksum that the archive has must do.
        match path.ends_with(".class") || entry.size() < CLASS_LIMIT {
            true => read_limited(&mut entry, &mut bytes)?,
            false => bytes.extend(entry.crc32().to_le_bytes()),
        }
        let digest = raw(&bytes);
        // It may be asked for by its own name too.
        let version = version_of(&path).filter(|_| manifest.multi_release);
        for (path, version) in version.into_iter().chain([(path.as_str(), 0)]) {
            match path.strip_suffix(".class") {
                Some(name) => versions.insert((name.to_owned(), version), digest),
                None => resources.insert((path.trim_end_matches('/').to_owned(), version), digest),
            };
        }
    }
    let mut content = JarContent {
        class_path: manifest.class_path,
        ..JarContent::default()
    };
    for ((name, _), digest) in versions {
        content.classes.entry(name).or_default().push(digest);
    }
    for ((path, _), digest) in resources {
        content.resources.entry(path).or_default().push(digest);
    }
    Ok(content)
}

/// Reads the class files of an archive: their names, the Java versions they are for, and their bytes.
pub(crate) fn classes(file: &File) -> io::Result<Vec<(String, u32, Vec<u8>)>> {
    let Some((mut archive, manifest)) = open(file)? else {
        return Ok(Vec::new());
    };
    let mut classes = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(io::Error::other)?;
        let path = std::str::from_utf8(entry.name_raw()).ok();
        let Some(name) = path.and_then(|path| path.strip_suffix(".class")) else {
            continue;
        };
        let version = version_of(name).filter(|_| manifest.multi_release);
        let (name, release) = version.unwrap_or((name, 0));
        let name = name.to_owned();
        let mut bytes = Vec::new();
        read_limited(&mut entry, &mut bytes)?;
        classes.push((name, release, bytes));
    }
    Ok(classes)
}

type Opened<'f> = (ZipArchive<BufReader<&'f File>>, Manifest);

/// Opens an archive and reads its manifest; `None` if the file is no archive.
fn open(file: &File) -> io::Result<Option<Opened<'_>>> {
    if !has_end_record(file)? {
        return Ok(None);
    }
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(io::Error::other)?;
    let manifest = read_manifest(&mut archive)?;
    Ok(Some((archive, manifest)))
}

/// An archive that is opened when a class is first read from it.
#[derive(Debug, Default)]
pub(crate) struct Archive(Mutex<Option<ZipArchive<BufReader<File>>>>);

impl Archive {
    /// The bytes of the class `name`, of which the jar at `path` has one version.
    pub(crate) fn read_class(&self, path: &Path, name: &str) -> io::Result<Vec<u8>> {
        let mut opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let archive = match opened.take() {
            Some(archive) => archive,
            None => ZipArchive::new(BufReader::new(File::open(path)?)).map_err(io::Error::other)?,
        };
        let mut bytes = Vec::new();
        let archive = opened.insert(archive);
        let entry = archive.by_name(&format!("{name}.class"));
        read_limited(&mut entry.map_err(io::Error::other)?, &mut bytes)?;
        Ok(bytes)
    }
}

fn read_limited(entry: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = entry.take(CLASS_LIMIT).read_to_end(bytes)?;
    match read as u64 {
        CLASS_LIMIT => Err(io::Error::other("class file too large")),
        _ => Ok(()),
    }
}

fn read_manifest<R: Read + Seek>(archive: &mut ZipArchive<R>) -> io::Result<Manifest> {
    let is_manifest = |name: &&str| name.eq_ignore_ascii_case("META-INF/MANIFEST.MF");
    let Some(name) = archive.file_names().find(is_manifest).map(str::to_owned) else {
        return Ok(Manifest::default());
    };
    let mut bytes = Vec::new();
    read_limited(
        &mut archive.by_name(&name).map_err(io::Error::other)?,
        &mut bytes,
    )?;
    Ok(Manifest::parse(&String::from_utf8_lossy(&bytes)))
}

/// What the entry `path` is a version of, and the Java version it is for; `None` if it is for all.
fn version_of(path: &str) -> Option<(&str, u32)> {
    let (version, path) = path.strip_prefix("META-INF/versions/")?.split_once('/')?;
    Some((path, version.parse().ok()?)).filter(|(path, _)| !path.is_empty())
}

fn has_end_record(mut file: &File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_RECORD_SPAN)))?;
    let mut tail = Vec::new();
    file.take(END_RECORD_SPAN).read_to_end(&mut tail)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(tail.windows(4).any(|window| window == b"PK\x05\x06"))
}
