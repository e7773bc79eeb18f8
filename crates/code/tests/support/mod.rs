#![allow(dead_code)] // each test program uses a part
//! What the tests of blocks share with those of class files and of probes.

#[path = "../../../classfile/tests/support/dump.rs"]
pub(crate) mod dump;
#[path = "../../../classfile/tests/support/javac.rs"]
pub(crate) mod javac;
#[path = "../../../classfile/tests/support/jdk.rs"]
pub(crate) mod jdk;
#[path = "../../../classfile/tests/support/process.rs"]
pub(crate) mod process;

use dump::{Class, jdk_classes};
use jdk::Jdk;
pub(crate) use process::{run, scratch};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use tamis_classfile::{ClassFile, Code, Constant, Result, opcode};
use tamis_code::blocks::Blocks;

/// Writes `text` to `file` in `dir`.
pub(crate) fn write(dir: &Path, file: &str, text: &str) -> PathBuf {
    let file = dir.join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    file
}

/// Compiles `files` to `out`.
pub(crate) fn compile(jdk: &Jdk, options: &[String], files: &[PathBuf], out: &Path) {
    let options = options.iter().map(String::as_str);
    let options: Vec<&str> = std::iter::once("-g").chain(options).collect();
    jdk.compile_to(out, &options, files);
}

/// Every class of a JDK if `TAMIS_ALL_CLASSES` is set, otherwise some of them.
pub(crate) fn some_classes(jdk: &Jdk) -> Vec<Class> {
    let step = if std::env::var_os("TAMIS_ALL_CLASSES").is_some() {
        1
    } else {
        20
    };
    let classes: Vec<_> = jdk_classes(jdk).into_iter().step_by(step).collect();
    assert!(classes.len() > 1_000, "only {} classes", classes.len());
    classes
}

/// The starts of blocks, found in another way than by the crate itself.
pub(crate) fn leaders(code: &Code<'_>) -> BTreeSet<u16> {
    let mut leaders = targets(code);
    leaders.insert(0);
    let mut is_behind = false;
    for instruction in code.instructions() {
        let instruction = instruction.expect("instruction");
        if is_behind {
            leaders.insert(instruction.pc as u16);
        }
        is_behind = match (instruction.opcode, instruction.operands.first()) {
            (opcode::WIDE, operand) => operand == Some(&opcode::RET),
            (code, _) => matches!(code, 0x99..=0xb1 | opcode::ATHROW | 0xc6..=0xc9),
        };
    }
    leaders
}

/// Where something jumps to.
pub(crate) fn targets(code: &Code<'_>) -> BTreeSet<u16> {
    let mut targets = BTreeSet::new();
    for instruction in code.instructions() {
        let instruction = instruction.expect("instruction");
        let to = |distance: i32| (instruction.pc as i32 + distance) as u16;
        targets.extend(instruction.branch().map(to));
        if let Some(switch) = instruction.switch() {
            targets.insert(to(switch.default));
            targets.extend(switch.cases().map(|(_, distance)| to(distance)));
        }
    }
    targets.extend(code.handlers().map(|h| h.expect("handler").handler_pc));
    targets
}

/// The blocks of `code`, with the text of constants as their content.
pub(crate) fn blocks_of(class: &ClassFile<'_>, code: &Code<'_>) -> Result<Blocks> {
    let mut known = HashMap::new();
    Blocks::of(code, hash, |index| {
        if let Some(digest) = known.get(&index) {
            return Ok(*digest);
        }
        let digest = hash(text(class, index)?.as_bytes());
        known.insert(index, digest);
        Ok(digest)
    })
}

fn hash(bytes: &[u8]) -> u128 {
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        (seed, bytes).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

fn text(class: &ClassFile<'_>, index: u16) -> Result<String> {
    let pool = &class.pool;
    let constant = pool.get(index)?;
    Ok(match constant {
        Constant::Class { .. } => format!("class {:?}", pool.class_name(index)?),
        Constant::String { utf8 } => format!("string {:?}", pool.utf8(utf8)?),
        Constant::Field {
            class,
            name_and_type,
        }
        | Constant::Method {
            class,
            name_and_type,
        }
        | Constant::InterfaceMethod {
            class,
            name_and_type,
        } => {
            let owner = pool.class_name(class)?;
            let kind = std::mem::discriminant(&constant);
            format!(
                "{kind:?} {owner:?} {:?}",
                pool.name_and_type(name_and_type)?
            )
        }
        other => format!("{other:?}"),
    })
}
