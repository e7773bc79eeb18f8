//! What the tests of probes in blocks share with those of class files and of blocks, and the edit that they apply.

#[path = "../../../classfile/tests/support/archive.rs"]
#[allow(dead_code)]
pub(crate) mod archive;
#[path = "../../../code/tests/support/mod.rs"]
mod code;

use code::targets;
pub(crate) use code::{compile, dump, jdk, leaders, run, scratch, some_classes, write};

use tamis_classfile::Code;

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
