use std::io::{BufWriter, Write};
use std::process::Stdio;

use super::jdk::Jdk;
use super::{Classes, source};

/// What is to be found out about a class.
pub(crate) struct Case {
    /// Its name with dots.
    pub(crate) class: String,
    /// Whether it links (`link`), is initialized (`initialize`), or what `run` of the class of this name
    /// returns.
    pub(crate) wish: String,
    pub(crate) bytes: Vec<u8>,
}

impl Case {
    pub(crate) fn new(class: &str, wish: &str, bytes: Vec<u8>) -> Case {
        Case {
            class: class.to_owned(),
            wish: wish.to_owned(),
            bytes,
        }
    }
}

/// Lets a JVM load each case on its own beside `company`, with its verifier looking at everything, and
/// returns what became of it.
pub(crate) fn judge(
    jdk: &Jdk,
    name: &str,
    company: &Classes,
    cases: impl ExactSizeIterator<Item = Case>,
) -> Vec<String> {
    let driver = source("Judge.java");
    let driver = driver.to_str().expect("plain path");
    let tools = jdk.compile(
        &[driver],
        &[],
        &format!("judge-{}-{name}", env!("CARGO_CRATE_NAME")),
    );
    let mut java = jdk.command("java");
    java.args(["-Xverify:all", "-XX:TieredStopAtLevel=1", "-Xmx1g", "-cp"])
        .arg(tools)
        .arg("Judge")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null()); // that the option is deprecated
    let mut java = java.spawn().expect("java");
    let mut out = BufWriter::with_capacity(1 << 20, java.stdin.take().expect("input"));
    let count = cases.len();
    // It answers when it has read everything.
    write(&mut out, company, cases).expect("archive written");
    drop(out);
    let output = java.wait_with_output().expect("answers");
    assert!(output.status.success(), "{name}");
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), count, "{name}");
    answers
}

/// Whether the JVM rejects the class as such.
pub(crate) fn is_invalid(answer: &str) -> bool {
    let errors = [
        "java.lang.VerifyError",
        "java.lang.ClassFormatError",
        "java.lang.IncompatibleClassChangeError",
        "java.lang.UnsupportedClassVersionError",
    ];
    errors.iter().any(|error| answer.starts_with(error))
}

fn write(
    out: &mut impl Write,
    company: &Classes,
    cases: impl ExactSizeIterator<Item = Case>,
) -> std::io::Result<()> {
    number(out, company.len())?;
    for (name, bytes) in company {
        text(out, name)?;
        number(out, bytes.len())?;
        out.write_all(bytes)?;
    }
    number(out, cases.len())?;
    for case in cases {
        text(out, &case.class)?;
        text(out, &case.wish)?;
        number(out, case.bytes.len())?;
        out.write_all(&case.bytes)?;
    }
    Ok(())
}

fn number(out: &mut impl Write, value: usize) -> std::io::Result<()> {
    let value = u32::try_from(value).expect("small archive");
    out.write_all(&value.to_be_bytes())
}

fn text(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    let length = u16::try_from(text.len()).expect("short text");
    out.write_all(&length.to_be_bytes())?;
    out.write_all(text.as_bytes())
}
