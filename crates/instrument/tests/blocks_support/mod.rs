//! What the tests of blocks share with those of class files, and the edit that they apply.

#[path = "../../../classfile/tests/support/archive.rs"]
#[allow(dead_code)]
pub(crate) mod archive;
#[path = "../../../classfile/tests/support/jdk.rs"]
pub(crate) mod jdk;
#[path = "../../../classfile/tests/support/process.rs"]
pub(crate) mod process;

pub(crate) use process::{run, scratch};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use tamis_classfile::{ClassFile, Code, Constant, Result, opcode};
use tamis_instrument::blocks::Blocks;

/// The edit that `archive` applies: probes in all blocks.
pub(crate) mod patch {
    use super::{leaders, place, targets};
    use tamis_classfile::edit::single_trailing_return;
    use tamis_classfile::{ClassFile, Result};
    use tamis_instrument::blocks::insert;
    use tamis_instrument::probes::Probes;

    pub(crate) struct Patched {
        pub(crate) bytes: Vec<u8>,
        pub(crate) inserted: Vec<Inserted>,
    }

    #[derive(Default)]
    pub(crate) struct Inserted {
        pub(crate) prefix: u16,
        pub(crate) epilogue: u16,
        pub(crate) inside: Vec<(u16, u16)>,
    }

    pub(crate) fn patch(class: &ClassFile<'_>) -> Result<Patched> {
        let site = Probes {
            segment: 0,
            first: 0,
        };
        let patched = insert(class, false, |_| Some(site))?.expect("probes for a class");
        let mut inserted = Vec::new();
        for (method, count) in class.methods().zip(patched.probes) {
            let method = method?;
            let mut expected = Inserted::default();
            if let Some(code) = class.code(&method)?
                && count > 0
            {
                let leaders = leaders(&code);
                if class.pool.utf8(method.name)? == b"<clinit>" {
                    expected.prefix = 12;
                    expected.epilogue = if single_trailing_return(&code)? {
                        10
                    } else {
                        0
                    };
                } else {
                    expected.prefix = 8;
                    if usize::from(count) == leaders.len() {
                        // The prefix has the probe of the entry, and jumps there pass it by.
                        let skipped = usize::from(!targets(&code).contains(&0));
                        let inside = leaders.iter().skip(skipped);
                        expected.inside = inside.map(|&pc| (place(&code, pc), 8)).collect();
                    }
                }
            }
            inserted.push(expected);
        }
        Ok(Patched {
            bytes: patched.bytes,
            inserted,
        })
    }
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

/// Where the probe of the block at `leader` stands: behind what the block covers itself.
fn place(code: &Code<'_>, leader: u16) -> u16 {
    let handlers: Vec<_> = code.handlers().map(|h| h.expect("handler")).collect();
    // The first handler around the leader is itself, for everything.
    let around = |pc: u16| {
        handlers
            .iter()
            .find(|h| (h.start_pc..h.end_pc).contains(&pc))
    };
    match around(leader) {
        Some(own) if own.start_pc == leader && own.handler_pc == leader && own.catch_type == 0 => {
            let is_whole = (leader..own.end_pc).all(|pc| around(pc) == Some(own));
            let is_inside = leaders(code).range(leader..=own.end_pc).count() == 1;
            let mut covered = code.instructions().map(|i| i.expect("instruction"));
            let releases = covered.all(|i| {
                let is_around = (leader..own.end_pc).contains(&(i.pc as u16));
                !is_around || matches!(i.opcode, 0x15..=0x2d | 0x36..=0x4e | 0xc3)
            });
            let ends = usize::from(own.end_pc) >= code.code.len();
            if leader > 0 && is_whole && is_inside && releases && !ends {
                own.end_pc
            } else {
                leader
            }
        }
        _ => leader,
    }
}

/// Where something jumps to.
fn targets(code: &Code<'_>) -> BTreeSet<u16> {
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
