//! Blocks of compiled Java sources, and of the classes of the JDK.

mod support;

use support::{blocks_of, compile, jdk::Jdk, leaders, scratch, some_classes, write};
use tamis_classfile::ClassFile;
use tamis_code::blocks::{Blocks, compare, decode_all, encode_all};

/// Compiles methods `int m(int n, int[] a)` with these bodies and returns their blocks.
fn bodies(jdk: &Jdk, name: &str, bodies: &[&str]) -> Vec<Blocks> {
    let dir = scratch(name);
    let class = |(i, body): (usize, &&str)| {
        format!("class C{i} {{ int m(int n, int[] a) {{ {body} }} }}\n")
    };
    let text: String = bodies.iter().enumerate().map(class).collect();
    let source = write(&dir, "Bodies.java", &text);
    compile(jdk, &[], &[source], &dir);
    let blocks = |i| {
        let bytes = std::fs::read(dir.join(format!("C{i}.class"))).unwrap();
        let class = ClassFile::parse(&bytes).unwrap();
        let method = class.methods().nth(1).unwrap().unwrap();
        blocks_of(&class, &class.code(&method).unwrap().unwrap()).unwrap()
    };
    (0..bodies.len()).map(blocks).collect()
}

#[test]
fn only_blocks_that_changed_source_compiles_to_are_dangerous() {
    const TRY: &str =
        "try { n = a[n]; } catch (RuntimeException e) { n = 1; } finally { a[0] = 2; } return n;";
    let cases: &[(&str, &str, &[u16])] = &[
        ("return n + 1;", "return /* the same */ n + 1;", &[]),
        ("return n + 1;", "return n + 2;", &[0]),
        (
            "if (n > 0) { n++; } return n;",
            "if (n > 0) { n--; } return n;",
            &[1],
        ),
        (
            "if (n > 0) { n++; } return n;",
            "if (n >= 0) { n++; } return n;",
            &[0, 1, 2],
        ),
        (
            "for (int i = 0; i < n; i++) { a[i]++; } return n;",
            "for (int i = 0; i < n; i++) { a[i]--; } return n;",
            &[2],
        ),
        (
            "for (int i = 0; i < n; i++) { a[i]++; } return n;",
            "for (int i = 0; i < n; i++) { a[i]++; } return 0;",
            &[3],
        ),
        (
            "switch (n) { case 1: n = 5; break; case 2: n = 7; } return n;",
            "switch (n) { case 1: n = 5; break; case 2: n = 8; } return n;",
            &[2],
        ),
        (
            "switch (n) { case 1: n = 5; break; case 2: n = 7; } return n;",
            "switch (n) { case 1: n = 5; break; case 900: n = 1; break; case 2: n = 7; } return n;",
            &[3],
        ),
        (TRY, &TRY.replace("n = 1", "n = 3"), &[1]),
        (
            TRY,
            &TRY.replace("RuntimeException", "ArithmeticException"),
            &[0, 1, 2, 3],
        ),
        (
            "n = a[n]; return n;",
            "try { n = a[n]; } catch (RuntimeException e) { } return n;",
            &[0],
        ),
        (
            "while (true) { if (n++ > 5) { return 1; } }",
            "while (true) { if (n++ > 5) { return 2; } }",
            &[1],
        ),
    ];
    let jdk = Jdk::find(17);
    let before: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let now: Vec<&str> = cases.iter().map(|case| case.1).collect();
    let before = bodies(&jdk, "blocks-before", &before);
    let now = bodies(&jdk, "blocks-now", &now);
    for ((before, now), case) in before.iter().zip(&now).zip(cases) {
        let dangerous = compare(before, now);
        assert_eq!(
            dangerous.as_deref(),
            Some(case.2),
            "{case:?}\n{before:#?}\n{now:#?}"
        );
    }
}

fn check_jdk(feature: u32) {
    for class in some_classes(&Jdk::find(feature)) {
        let parsed = ClassFile::parse(&class.bytes).unwrap();
        for method in parsed.methods() {
            let Some(code) = parsed.code(&method.unwrap()).unwrap() else {
                continue;
            };
            let blocks = blocks_of(&parsed, &code).unwrap();
            assert_eq!(blocks.count(), leaders(&code).len(), "{}", class.file);
            assert_eq!(compare(&blocks, &blocks), Some(vec![]), "{}", class.file);
            let all = [blocks];
            assert_eq!(
                decode_all(&encode_all(&all)).as_deref(),
                Some(&all[..]),
                "{}",
                class.file
            );
        }
    }
}

#[test]
fn all_blocks_of_jdk_17_are_found_and_survive_their_bytes() {
    check_jdk(17);
}

#[test]
fn all_blocks_of_jdk_25_are_found_and_survive_their_bytes() {
    check_jdk(25);
}

#[test]
fn damaged_classes_do_not_panic() {
    let jdk = Jdk::find(25);
    let dir = jdk.compile(&["Exercise.java"], &["-g"], "flow-damaged");
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
    for method in class.methods() {
        if let Some(code) = class.code(&method?)? {
            let blocks = blocks_of(&class, &code)?;
            let _ = compare(&blocks, &blocks);
        }
    }
    Ok(())
}
