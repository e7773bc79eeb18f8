//! Probes in the blocks of compiled Java sources: they run, and the JDK's verifier takes them.

#[path = "blocks_support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use support::archive::{check_pairs, write_pairs};
use support::{compile, jdk::Jdk, run, scratch, some_classes, write};
use tamis_classfile::ClassFile;
use tamis_instrument::blocks::insert;
use tamis_instrument::probes::Probes;

/// The classes that instrumented code refers to; here they need no agent.
const RUNTIME: &[(&str, &str)] = &[
    (
        "java/lang/TamisProbes0.java",
        "package java.lang; public final class TamisProbes0 { public static final byte[] probes = new byte[32768]; }",
    ),
    (
        "java/lang/TamisHook.java",
        "package java.lang; public final class TamisHook {
            public static final StringBuilder calls = new StringBuilder();
            public static void initializerStarted(int segment, int probe) { calls.append(\"started \" + segment + \" \" + probe + \"\\n\"); }
            public static void initializerEnded(int segment, int probe) { calls.append(\"ended \" + segment + \" \" + probe + \"\\n\"); }
        }",
    ),
];

const PATHS: &str = r#"
    public class Paths {
        static int side;
        static final int[] TABLE = {1, side > 0 ? 2 : 3};
        public static int loop(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += i; } return sum; }
        public static int spin(int n) { while (n > 0) { n--; } return n; }
        public static int caught(int n) { try { return 10 / n; } catch (ArithmeticException e) { return -1; } }
        public static int last(int n) { int r = 0; try { r = 10 / n; } finally { side = r; } return r; }
        public static int pick(int n) { switch (n) { case 1: return 5; case 1000: n = 7; break; default: n = 9; } return n; }
        public static int stacked(int n) { return n + (n > 0 ? 2 : 3); }
        public static Object made(int n) { return new StringBuilder(n > 0 ? "a" : "b"); }
        public static int locked(int n) { synchronized (Paths.class) { if (n > 0) { return 1; } } return 2; }
        public static int guarded(int n) { synchronized (Paths.class) { return 10 / n; } }
        public static Object built(int n) { return new Built(n); }
        static class Built {
            Built(int n) { this(n > 0 ? "positive" : "other"); }
            Built(String s) {}
        }
    }
"#;

/// Not instrumented itself: calls methods and prints which probes they set.
const DRIVE: &str = r#"
    public class Drive {
        public static void main(String[] args) throws Exception {
            var probes = (byte[]) Class.forName("java.lang.TamisProbes0").getField("probes").get(null);
            Class.forName("Paths");
            System.out.print(Class.forName("java.lang.TamisHook").getField("calls").get(null));
            for (var arg : args) {
                java.util.Arrays.fill(probes, (byte) 0);
                var call = arg.split(":");
                try {
                    Class.forName("Paths").getMethod(call[0], int.class).invoke(null, Integer.valueOf(call[1]));
                } catch (java.lang.reflect.InvocationTargetException expected) {
                }
                System.out.print(arg);
                for (int i = 0; i < probes.length; i++) {
                    if (probes[i] != 0) {
                        System.out.print(" " + i);
                    }
                }
                System.out.println();
            }
        }
    }
"#;

/// The probe of the first method of the first class; others follow.
const FIRST: u16 = 300;

/// The program with probes in it, and the name of the method and number of the block of each probe.
fn instrumented(jdk: &Jdk) -> (PathBuf, BTreeMap<u16, (String, u16)>) {
    let dir = scratch("blocks-paths");
    let source = write(&dir.join("source"), "Paths.java", PATHS);
    compile(
        jdk,
        &["--release".into(), "8".into()],
        &[source],
        &dir.join("original"),
    );
    let (mut names, mut first) = (BTreeMap::new(), FIRST);
    std::fs::create_dir_all(dir.join("patched")).unwrap();
    for file in ["Paths.class", "Paths$Built.class"] {
        let bytes = std::fs::read(dir.join("original").join(file)).unwrap();
        let class = ClassFile::parse(&bytes).unwrap();
        let reserve = |_| Some(Probes { segment: 0, first });
        let patched = insert(&class, false, reserve).unwrap().unwrap();
        assert!(!patched.unprobed);
        for (method, count) in class.methods().zip(patched.probes) {
            let name = class.pool.utf8(method.unwrap().name).unwrap();
            let name = String::from_utf8(name.to_vec()).unwrap();
            for block in 0..count {
                names.insert(first, (name.clone(), block));
                first += 1;
            }
        }
        std::fs::write(dir.join("patched").join(file), patched.bytes).unwrap();
    }
    (dir, names)
}

#[test]
fn probes_tell_exactly_which_blocks_ran() {
    let jdk = Jdk::find(17);
    let (dir, names) = instrumented(&jdk);
    let runtime = dir.join("runtime");
    let sources: Vec<PathBuf> = RUNTIME
        .iter()
        .map(|(file, text)| write(&runtime, file, text))
        .collect();
    let patch = |of: &Path| format!("--patch-module=java.base={}", of.display());
    compile(&jdk, &[patch(&runtime)], &sources, &runtime);
    let drive = write(&dir.join("source"), "Drive.java", DRIVE);
    compile(&jdk, &[], &[drive], &dir.join("patched"));

    let expected: &[(&str, &[u16])] = &[
        ("loop:0", &[0, 1, 3]),
        ("loop:2", &[0, 1, 2, 3]),
        ("spin:0", &[0, 2]),
        ("spin:3", &[0, 1, 2]),
        ("caught:1", &[0]),
        ("caught:0", &[0, 1]),
        ("last:1", &[0, 2]),
        ("last:0", &[0, 1]),
        ("pick:1", &[0, 1]),
        ("pick:1000", &[0, 2, 4]),
        ("pick:3", &[0, 3, 4]),
        ("stacked:1", &[0, 1, 3]),
        ("stacked:0", &[0, 2, 3]),
        ("made:1", &[0, 1, 3]),
        ("made:0", &[0, 2, 3]),
        ("locked:1", &[0, 1]),
        ("locked:0", &[0, 2, 4]),
        ("guarded:1", &[0]),
        ("guarded:0", &[0, 1]),
        ("built:1", &[0]),
    ];
    let mut java = jdk.command("java");
    java.arg("-Xverify:all")
        .arg(patch(&runtime))
        .arg("-cp")
        .arg(dir.join("patched"));
    java.arg("Drive")
        .args(expected.iter().map(|(call, _)| call));
    let output = run(&mut java);
    let mut lines = output.lines();

    let initializer = names
        .iter()
        .find(|(_, (name, _))| name == "<clinit>")
        .unwrap()
        .0;
    assert_eq!(
        lines.next(),
        Some(format!("started 0 {initializer}").as_str())
    );
    assert_eq!(
        lines.next(),
        Some(format!("ended 0 {initializer}").as_str())
    );
    for (line, (call, blocks)) in lines.zip(expected) {
        let mut words = line.split(' ');
        assert_eq!(words.next(), Some(*call), "{output}");
        let hits = words.map(|probe| &names[&probe.parse::<u16>().unwrap()]);
        let (own, others): (Vec<_>, Vec<_>) =
            hits.partition(|(name, _)| call.starts_with(name.as_str()));
        let own: Vec<u16> = own.iter().map(|(_, block)| *block).collect();
        assert_eq!(own, *blocks, "{call}");
        let constructors = others.iter().filter(|(name, _)| name == "<init>").count();
        assert_eq!(constructors, others.len(), "{line}");
        // Both constructors; three of the four blocks of the first.
        assert_eq!(
            constructors,
            if call.starts_with("built") { 4 } else { 0 },
            "{line}"
        );
    }
    assert_eq!(output.lines().count(), expected.len() + 2);
}

fn check_jdk(feature: u32) {
    let classes = some_classes(&Jdk::find(feature));
    let (pairs, edited) = write_pairs(&classes, &format!("blocks-{feature}"));
    assert!(
        edited > classes.len() * 5,
        "only {edited} methods were edited"
    );
    check_pairs(&[pairs]);
}

#[test]
fn jdk_17_verifies_with_probes_in_all_blocks() {
    check_jdk(17);
}

#[test]
fn jdk_25_verifies_with_probes_in_all_blocks() {
    check_jdk(25);
}

#[test]
fn damaged_classes_do_not_panic() {
    let jdk = Jdk::find(25);
    let dir = jdk.compile(&["Exercise.java"], &["-g"], "blocks-damaged");
    for file in ["Exercise.class", "Exercise$Shape.class"] {
        let bytes = std::fs::read(dir.join(file)).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= [1, 0x10, 0xff][at % 3];
            // Either is fine: many bytes may be anything.
            let _ = read(&damaged);
        }
    }
}

fn read(bytes: &[u8]) -> tamis_classfile::Result<()> {
    let class = ClassFile::parse(bytes)?;
    let site = Probes {
        segment: 0,
        first: 0,
    };
    insert(&class, true, |_| Some(site))?;
    Ok(())
}
