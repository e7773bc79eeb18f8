use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

pub(crate) use super::dump::Class;
use super::jdk::Jdk;
use super::patch::{Patched, patch};
use super::scratch;
use tamis_classfile::ClassFile;

/// Patches `classes` and writes them beside their originals, for the Java programs that check
/// them. Returns the file and the number of edited methods.
pub(crate) fn write_pairs(classes: &[Class], name: &str) -> (PathBuf, usize) {
    let path = scratch("pairs").join(name);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).expect("pairs file"));
    let mut edited = 0;
    for class in classes {
        let parsed = ClassFile::parse(&class.bytes);
        let patched = parsed.and_then(|parsed| patch(&parsed));
        let Patched { bytes, inserted } = patched.unwrap_or_else(|e| panic!("{}: {e}", class.file));
        let length = u16::try_from(class.file.len()).expect("short name");
        let mut put = |bytes: &[u8]| out.write_all(bytes).expect("pairs written");
        put(&length.to_be_bytes());
        put(class.file.as_bytes());
        for bytes in [&class.bytes, &bytes] {
            put(&u32::try_from(bytes.len())
                .expect("small class")
                .to_be_bytes());
            put(bytes);
        }
        put(&u16::try_from(inserted.len())
            .expect("few methods")
            .to_be_bytes());
        for method in inserted {
            let count = u16::try_from(method.inside.len()).expect("few pieces");
            let inside = method.inside.iter().flat_map(|&(pc, length)| [pc, length]);
            let numbers = [method.prefix, method.epilogue, count];
            numbers
                .into_iter()
                .chain(inside)
                .for_each(|number| put(&number.to_be_bytes()));
            edited += usize::from(method.prefix > 0);
        }
    }
    out.flush().expect("pairs written");
    (path, edited)
}

/// Lets the class file API of JDK 25 judge the pairs in `files`; panics if it objects.
pub(crate) fn check_pairs(files: &[PathBuf]) {
    // It is over before it pays to compile it well.
    let options = ["-Xmx3g", "-XX:TieredStopAtLevel=1", "-XX:+UseParallelGC"];
    judge(25, "CheckPairs", &options, files);
}

/// Lets the verifier of JDK 17 judge the pairs in `files` by linking them; panics if it objects.
pub(crate) fn load_pairs(files: &[PathBuf]) {
    judge(17, "LoadPairs", &["-Xmx3g", "-Xverify:all"], files);
}

fn judge(feature: u32, program: &str, options: &[&str], files: &[PathBuf]) {
    let jdk = Jdk::find(feature);
    let first = files[0].file_name().expect("file name").to_string_lossy();
    let source = format!("{program}.java");
    let name = format!("{program}-{first}");
    let tools = jdk.compile(&["Pair.java", &source], &[], &name);
    let mut args: Vec<&OsStr> = options.iter().map(AsRef::as_ref).collect();
    args.push(program.as_ref());
    args.extend(files.iter().map(|file| file.as_os_str()));
    let verdict = jdk.java(&tools, &args);
    // One line per file, and none of them would be here without this.
    let clean = verdict
        .lines()
        .filter(|line| line.ends_with(", 0 failures"));
    assert_eq!(clean.count(), files.len(), "{verdict}");
}
