//! The classes of a JDK, read from the image `lib/modules` one by one.
//!
//! The format (`jdk.internal.jimage` of the JDK): a header of seven numbers, little-endian; a hash table of paths as
//! redirects and offsets of locations; the locations; strings; then the content. A path is `/module/package/Name.class`.
//! What lies below `/packages` says which modules have a package.

use crate::Lookup;
use crate::entry::Name;
use crate::jar::CLASS_LIMIT;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

const MAGIC: u32 = 0xCAFE_DADA;
const MAJOR_VERSION: u32 = 1;

/// Both the first seed of a hash and its factor.
const HASH: u32 = 0x0100_0193;

/// The kinds of a location's attributes; an unknown one is left out.
mod attribute {
    pub(super) const END: u8 = 0;
    pub(super) const MODULE: usize = 1;
    pub(super) const PARENT: usize = 2;
    pub(super) const BASE: usize = 3;
    pub(super) const EXTENSION: usize = 4;
    pub(super) const OFFSET: usize = 5;
    pub(super) const COMPRESSED: usize = 6;
    pub(super) const SIZE: usize = 7;
}

/// The image of an installed JDK, from release 9 on.
#[derive(Debug)]
pub struct Jdk {
    file: Mutex<File>,
    /// How large the file is.
    length: u64,
    /// Where the content starts.
    content: u64,
    redirects: Vec<u8>,
    offsets: Vec<u8>,
    locations: Vec<u8>,
    strings: Vec<u8>,
}

/// Where something is in the image.
#[derive(Debug, Default, Clone, Copy)]
struct Location([u64; 8]);

impl Jdk {
    /// Opens the image of the JDK at `java_home`; `None` if there is none that can be read, as in JDK 8.
    pub fn open(java_home: &Path) -> Option<Jdk> {
        let mut file = File::open(java_home.join("lib/modules")).ok()?;
        let length = file.metadata().ok()?.len();
        let header = take(&mut file, 28)?;
        let number = |index| number(&header, index);
        let is_known = number(0)? == MAGIC && number(1)? >> 16 == MAJOR_VERSION;
        let [table, locations, strings] = [4, 5, 6].map(number);
        let table = u64::from(table?) * 4;
        let [locations, strings] = [locations?, strings?].map(u64::from);
        let content = 28 + 2 * table + locations + strings;
        if !is_known || table == 0 || content > length {
            return None;
        }
        Some(Jdk {
            redirects: take(&mut file, table)?,
            offsets: take(&mut file, table)?,
            locations: take(&mut file, locations)?,
            strings: take(&mut file, strings)?,
            file: Mutex::new(file),
            length,
            content,
        })
    }

    /// The class file of the class with this internal name. What an image keeps compressed is unreadable.
    pub fn class_file(&self, name: &str) -> Lookup<Vec<u8>> {
        let Some((package, _)) = name.rsplit_once('/').filter(|_| Name::new(name).is_some()) else {
            return Lookup::Absent;
        };
        let modules = match self.find(&format!("/packages/{}", package.replace('/', "."))) {
            Lookup::Found(location) => self.read(&location),
            Lookup::Absent => return Lookup::Absent,
            Lookup::Unreadable => None,
        };
        let Some(modules) = modules else {
            return Lookup::Unreadable;
        };
        // Pairs of flags and a module; most modules have nothing but packages further down.
        let (pairs, _) = modules.as_chunks::<8>();
        for pair in pairs {
            let module = number(pair, 1).and_then(|offset| self.string(offset.into()));
            let Some(module) = module else {
                return Lookup::Unreadable;
            };
            match self.find(&format!("/{module}/{name}.class")) {
                Lookup::Found(location) => {
                    return self
                        .read(&location)
                        .map_or(Lookup::Unreadable, Lookup::Found);
                }
                Lookup::Absent => {}
                Lookup::Unreadable => return Lookup::Unreadable,
            }
        }
        Lookup::Absent
    }

    /// The internal names of all classes in packages; `None` if nobody can say.
    pub fn classes(&self) -> Option<Vec<String>> {
        let mut classes = Vec::new();
        let (offsets, _) = self.offsets.as_chunks::<4>();
        for offset in offsets {
            let location = self.location(u32::from_le_bytes(*offset))?;
            let [module, parent, base, extension] = self.names(&location)?;
            let is_class = extension == "class" && !parent.is_empty();
            if is_class && !matches!(module, "modules" | "packages") {
                classes.push(format!("{parent}/{base}"));
            }
        }
        Some(classes)
    }

    fn find(&self, path: &str) -> Lookup<Location> {
        match self.location_of(path) {
            None => Lookup::Unreadable,
            Some(None) => Lookup::Absent,
            Some(Some(location)) => match self.names(&location) {
                None => Lookup::Unreadable,
                // The table has a place for any path.
                Some(names) if path_of(names) != path => Lookup::Absent,
                Some(_) => Lookup::Found(location),
            },
        }
    }

    /// The location that `path` has if it is there; `None` if the table is damaged.
    fn location_of(&self, path: &str) -> Option<Option<Location>> {
        let length = u32::try_from(self.redirects.len() / 4).ok()?;
        let first = hash(HASH, path).checked_rem(length)?;
        let redirect = number(&self.redirects, usize::try_from(first).ok()?)?.cast_signed();
        let index = match redirect {
            0 => return Some(None),
            // It is the index itself.
            ..0 => u32::try_from(-1 - i64::from(redirect)).ok()?,
            // It is the seed of another hash.
            1.. => hash(redirect.cast_unsigned(), path).checked_rem(length)?,
        };
        let offset = number(&self.offsets, usize::try_from(index).ok()?)?;
        self.location(offset).map(Some)
    }

    fn location(&self, offset: u32) -> Option<Location> {
        let mut rest = self.locations.get(usize::try_from(offset).ok()?..)?;
        let mut location = Location::default();
        loop {
            let (&head, behind) = rest.split_first()?;
            let (kind, size) = (head >> 3, usize::from(head & 7) + 1);
            if kind == attribute::END {
                return Some(location);
            }
            let (value, behind) = behind.split_at_checked(size)?;
            if let Some(place) = location.0.get_mut(usize::from(kind)) {
                *place = value
                    .iter()
                    .fold(0, |all, byte| all << 8 | u64::from(*byte));
            }
            rest = behind;
        }
    }

    /// Module, package, name and extension of what is at a location.
    fn names(&self, Location(values): &Location) -> Option<[&str; 4]> {
        let string = |kind: usize| self.string(*values.get(kind)?);
        Some([
            string(attribute::MODULE)?,
            string(attribute::PARENT)?,
            string(attribute::BASE)?,
            string(attribute::EXTENSION)?,
        ])
    }

    fn string(&self, offset: u64) -> Option<&str> {
        let from = self.strings.get(usize::try_from(offset).ok()?..)?;
        let end = from.iter().position(|byte| *byte == 0)?;
        std::str::from_utf8(from.get(..end)?).ok()
    }

    fn read(&self, Location(values): &Location) -> Option<Vec<u8>> {
        let value = |kind: usize| values.get(kind).copied();
        let (offset, size) = (value(attribute::OFFSET)?, value(attribute::SIZE)?);
        let start = self.content.checked_add(offset)?;
        let is_inside = start.checked_add(size)? <= self.length;
        if value(attribute::COMPRESSED)? != 0 || !is_inside || size > CLASS_LIMIT {
            return None;
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start)).ok()?;
        take(&mut file, size)
    }
}

/// The next `size` bytes of a file.
fn take(file: &mut File, size: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).ok()?);
    let read = file.take(size).read_to_end(&mut bytes).ok()?;
    (read as u64 == size).then_some(bytes)
}

/// The number at this index among numbers of four bytes.
fn number(bytes: &[u8], index: usize) -> Option<u32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.get(index).map(|bytes| u32::from_le_bytes(*bytes))
}

fn hash(seed: u32, path: &str) -> u32 {
    let step = |hash: u32, byte: u8| hash.wrapping_mul(HASH) ^ u32::from(byte);
    path.bytes().fold(seed, step) & 0x7FFF_FFFF
}

fn path_of([module, parent, base, extension]: [&str; 4]) -> String {
    let mut path = format!("/{module}/");
    if !parent.is_empty() {
        path.push_str(parent);
        path.push('/');
    }
    path.push_str(base);
    if !extension.is_empty() {
        path.push('.');
        path.push_str(extension);
    }
    path
}
