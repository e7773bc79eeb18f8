//! The classes of installed JDKs, compared with what these say, and of small images that are damaged.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tamis_classfile::ClassFile;
use tamis_classpath::{Jdk, Lookup};
use tempfile::TempDir;

/// The JDKs in `JAVA_HOME`, beside it and in the usual place that have an image, each once.
fn homes() -> BTreeSet<PathBuf> {
    let of_variable = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let beside = of_variable.as_deref().and_then(Path::parent);
    let beside = beside.into_iter().chain([Path::new("/usr/lib/jvm")]);
    let beside = beside.filter_map(|dir| fs::read_dir(dir).ok()).flatten();
    let homes = beside.flatten().map(|entry| entry.path());
    let homes = homes.chain(of_variable.clone());
    let homes = homes.filter(|home| home.join("lib/modules").exists());
    let homes: BTreeSet<_> = homes.filter_map(|home| home.canonicalize().ok()).collect();
    assert!(!homes.is_empty(), "this test needs a JDK: set JAVA_HOME");
    homes
}

/// Prints all class files of the JDK that runs it, with the module and the size of each.
const LIST: &str = r#"
    import java.net.URI;
    import java.nio.file.*;
    class List {
        public static void main(String[] args) throws Exception {
            Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules");
            try (var files = Files.walk(root)) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    if (file.toString().endsWith(".class")) {
                        System.out.println(root.relativize(file) + " " + Files.size(file));
                    }
                }
            }
        }
    }
"#;

/// Internal names and sizes of the classes of a JDK as it tells them itself.
fn listed(home: &Path) -> Vec<(String, usize)> {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("List.java");
    fs::write(&program, LIST).unwrap();
    let java = home.join("bin/java");
    let output = Command::new(java).arg(program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let class = |line: &str| {
        let (file, size) = line.rsplit_once(' ')?;
        let (_, class) = file.strip_suffix(".class")?.split_once('/')?;
        // Each module has its `module-info`.
        let is_in_package = class.contains('/');
        is_in_package.then(|| (class.to_owned(), size.parse().unwrap()))
    };
    text.lines().filter_map(class).collect()
}

#[test]
fn every_class_of_the_installed_jdks_is_found() {
    for home in homes() {
        let jdk = Jdk::open(&home).unwrap();
        let listed = listed(&home);
        assert!(listed.len() > 5_000, "{}: {}", home.display(), listed.len());
        let classes: BTreeSet<_> = jdk.classes().unwrap().into_iter().collect();
        let expected: BTreeSet<_> = listed.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(classes, expected, "{}", home.display());
        for (name, size) in &listed {
            let Lookup::Found(bytes) = jdk.class_file(name) else {
                panic!("{name} not found in {}", home.display());
            };
            let class = ClassFile::parse(&bytes).unwrap();
            assert_eq!(class.name().unwrap(), name.as_bytes());
            assert_eq!(bytes.len(), *size, "{name}");
        }
    }
}

#[test]
fn what_a_jdk_does_not_have_is_absent() {
    for home in homes() {
        let jdk = Jdk::open(&home).unwrap();
        for name in [
            "java/lang/Strin",
            "java/lang/String.class",
            "java/lang/string",
            "java/lang",
            "java/Lang",
            "org/acme/Main",
            "Main",
            "module-info",
            "",
            "/java/lang/String",
            "java/lang/../lang/String",
            "java.lang.String",
        ] {
            assert_eq!(jdk.class_file(name), Lookup::Absent, "{name}");
        }
    }
}

#[test]
fn without_an_image_there_is_no_jdk() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Jdk::open(dir.path()).is_none());
    fs::create_dir_all(dir.path().join("lib/modules")).unwrap();
    assert!(Jdk::open(dir.path()).is_none());
}

/// A JDK with this image.
fn installed(image: &[u8]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("lib")).unwrap();
    fs::write(dir.path().join("lib/modules"), image).unwrap();
    dir
}

/// An image with these paths and contents, and as many places for each.
fn image(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut strings = vec![0];
    let mut string = |text: &str| {
        let at = strings.len() as u16;
        strings.extend(text.bytes().chain([0]));
        if text.is_empty() { 0 } else { at }
    };
    let (mut locations, mut offsets, mut content) = (vec![0], vec![], vec![]);
    for (path, bytes) in files {
        let (module, rest) = path[1..].split_once('/').unwrap();
        let (parent, file) = rest.rsplit_once('/').unwrap_or(("", rest));
        let (base, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        offsets.push(locations.len() as u32);
        let names = [module, parent, base, extension].map(&mut string);
        let values = names
            .into_iter()
            .chain([content.len() as u16, 0, bytes.len() as u16]);
        for (kind, value) in (1..).zip(values) {
            locations.push(kind << 3 | 1);
            locations.extend(value.to_be_bytes());
        }
        locations.push(0);
        content.extend_from_slice(bytes);
    }
    let (redirects, offsets) = table(files, &offsets);
    let sizes = [locations.len(), strings.len()].map(|size| size as u32);
    let count = files.len() as u32;
    let header = [0xCAFE_DADA, 1 << 16, 0, count, count, sizes[0], sizes[1]];
    let numbers = header.into_iter().chain(redirects).chain(offsets);
    let mut image: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    image.extend([locations, strings, content].concat());
    image
}

/// Redirects and offsets, in the order of the hash table.
fn table(files: &[(&str, &[u8])], offsets: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let count = files.len() as u32;
    let place = |seed: u32, file: usize| {
        let step = |hash: u32, byte: u8| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte);
        let hash = files[file].0.bytes().fold(seed, step) & 0x7FFF_FFFF;
        (hash % count) as usize
    };
    let mut redirects = vec![0; files.len()];
    let mut order = vec![None; files.len()];
    let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); files.len()];
    (0..files.len()).for_each(|file| buckets[place(0x0100_0193, file)].push(file));
    let mut by_size: Vec<usize> = (0..files.len()).collect();
    by_size.sort_by_key(|bucket| std::cmp::Reverse(buckets[*bucket].len()));
    for bucket in by_size {
        let files = &buckets[bucket];
        if let [file] = files.as_slice() {
            let free = order.iter().position(Option::is_none).unwrap();
            order[free] = Some(*file);
            redirects[bucket] = (-1 - free as i32).cast_unsigned();
        } else if !files.is_empty() {
            let fits = |seed: &u32| {
                let places = files.iter().map(|file| place(*seed, *file));
                let places: BTreeSet<usize> = places.filter(|at| order[*at].is_none()).collect();
                places.len() == files.len()
            };
            let seed = (1..).find(fits).unwrap();
            files
                .iter()
                .for_each(|file| order[place(seed, *file)] = Some(*file));
            redirects[bucket] = seed;
        }
    }
    let in_order = order.into_iter().map(|file| offsets[file.unwrap()]);
    (redirects, in_order.collect())
}

/// An image of two modules that share a package; the strings stand where they are first needed.
fn sample() -> Vec<u8> {
    // Behind the empty string and "m", "p/q", "A" and "class", and for the next "n".
    let (m, n) = (1u32, 15u32);
    let both: Vec<u8> = [0, m, 0, n]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    image(&[
        ("/m/p/q/A.class", b"content of A"),
        ("/n/p/q/B.class", b"of B"),
        ("/n/p/q/B.txt", b"no class"),
        ("/packages/p.q", &both),
        ("/packages/p", &[]),
        ("/m/module-info.class", b"m"),
    ])
}

#[test]
fn a_class_is_found_in_any_module_of_its_package() {
    let home = installed(&sample());
    let jdk = Jdk::open(home.path()).unwrap();
    let check = |name: &str, expected: Lookup<&[u8]>| {
        let expected = match expected {
            Lookup::Found(bytes) => Lookup::Found(bytes.to_vec()),
            Lookup::Absent => Lookup::Absent,
            Lookup::Unreadable => Lookup::Unreadable,
        };
        assert_eq!(jdk.class_file(name), expected, "{name}");
    };
    check("p/q/A", Lookup::Found(b"content of A"));
    check("p/q/B", Lookup::Found(b"of B"));
    check("p/q/C", Lookup::Absent);
    check("p/A", Lookup::Absent);
    let mut classes = jdk.classes().unwrap();
    classes.sort();
    assert_eq!(classes, ["p/q/A", "p/q/B"]);
}

#[test]
fn an_image_that_ends_too_early_has_no_class_that_is_cut() {
    let whole = sample();
    for length in 0..whole.len() {
        let home = installed(&whole[..length]);
        let Some(jdk) = Jdk::open(home.path()) else {
            continue;
        };
        // The list of packages lies behind both classes.
        assert_eq!(
            jdk.class_file("p/q/A"),
            match length >= whole.len() - 1 {
                true => Lookup::Found(b"content of A".to_vec()),
                false => Lookup::Unreadable,
            },
            "{length}"
        );
    }
}

#[test]
fn damaged_images_do_not_panic() {
    let whole = sample();
    for at in 0..whole.len() {
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            let home = installed(&damaged);
            if let Some(jdk) = Jdk::open(home.path()) {
                // Any answer is fine: there are no checksums.
                let _ = (
                    jdk.class_file("p/q/A"),
                    jdk.class_file("p/q/B"),
                    jdk.classes(),
                );
            }
        }
    }
}

#[test]
fn what_is_compressed_is_unreadable() {
    let mut image = sample();
    // The sixth attribute of the first location, whose two bytes of value follow.
    let attribute = image
        .windows(3)
        .position(|bytes| bytes == [6 << 3 | 1, 0, 0]);
    image[attribute.unwrap() + 2] = 1;
    let home = installed(&image);
    let jdk = Jdk::open(home.path()).unwrap();
    assert_eq!(jdk.class_file("p/q/A"), Lookup::Unreadable);
    assert_eq!(jdk.class_file("p/q/B"), Lookup::Found(b"of B".to_vec()));
}
