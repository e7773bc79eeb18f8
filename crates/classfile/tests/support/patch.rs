use tamis_classfile::edit::{
    Insertion, InsideEdit, MethodEdit, PoolBuilder, apply_inside, has_room, single_trailing_return,
};
use tamis_classfile::opcode::*;
use tamis_classfile::{ClassFile, Code, Member, Result, access};

/// A patched class, and what was inserted into each method.
pub(crate) struct Patched {
    pub(crate) bytes: Vec<u8>,
    pub(crate) inserted: Vec<Inserted>,
}

/// Lengths of what was inserted into a method: at its start, instead of its last instruction, and
/// before the instructions at these positions.
#[derive(Debug, Default)]
pub(crate) struct Inserted {
    pub(crate) prefix: u16,
    pub(crate) epilogue: u16,
    pub(crate) inside: Vec<(u16, u16)>,
}

impl Inserted {
    fn of((_, edit, inside): &InsideEdit<'_>) -> Self {
        let epilogue = edit.epilogue.as_ref().map_or(0, |e| e.len());
        let inside = inside.iter().map(|(pc, piece)| (*pc, piece.len() as u16));
        Inserted {
            prefix: edit.prefix.len() as u16,
            epilogue: epilogue as u16,
            inside: inside.collect(),
        }
    }
}

/// Puts a probe into nearly every method, a guard into every void method that is no constructor,
/// an epilogue into every class initializer that can have one, and probes between the instructions
/// of every other method. Prefixes differ in length, so that first frames keep their form or
/// outgrow it, and so do the others, so that paddings change.
pub(crate) fn patch(class: &ClassFile<'_>) -> Result<Patched> {
    let mut pool = PoolBuilder::new(class);
    let helper = pool.class(b"Probes")?;
    let constants = Constants {
        hits: pool.field_ref(helper, b"hits", b"[B")?,
        skip: pool.method_ref(helper, b"skip", b"()Z")?,
        skip_this: pool.method_ref(helper, b"skip", b"(Ljava/lang/Object;)Z")?,
    };
    let probe = [&[NOP; 7][..], &constants.probe(ICONST_1)].concat();
    let mut edits = Vec::new();
    let mut inserted = Vec::new();
    for (index, method) in class.methods().enumerate() {
        let edit = constants.edit(class, index, &method?, &probe)?;
        inserted.push(edit.as_ref().map_or(Inserted::default(), Inserted::of));
        edits.extend(edit);
    }
    Ok(Patched {
        bytes: apply_inside(class, pool, &edits)?,
        inserted,
    })
}

/// Pieces of code before three instructions in five.
fn inside<'p>(code: &Code<'_>, probe: &'p [u8]) -> Result<Vec<Insertion<'p>>> {
    let mut inside = Vec::new();
    for (number, instruction) in code.instructions().enumerate() {
        let pc = instruction?.pc as u16;
        if number % 5 < 3 {
            inside.push((pc, &probe[number % 8..]));
        }
    }
    Ok(inside)
}

struct Constants {
    hits: u16,
    skip: u16,
    skip_this: u16,
}

impl Constants {
    /// The edit for one method; `None` for some, so that edited ones stand between others.
    fn edit<'p>(
        &self,
        class: &ClassFile<'_>,
        index: usize,
        method: &Member<'_>,
        probe: &'p [u8],
    ) -> Result<Option<InsideEdit<'p>>> {
        let Some(code) = class.code(method)? else {
            return Ok(None);
        };
        let name = class.pool.utf8(method.name)?;
        let void = class.pool.utf8(method.descriptor)?.ends_with(b")V");
        let nops = [4, 8, 64][index % 3];
        let mut edit = MethodEdit {
            prefix: vec![NOP; nops].into(),
            stack: 3,
            ..Default::default()
        };
        let prefix = edit.prefix.to_mut();
        prefix.extend(self.probe(ICONST_1));
        if void && name != b"<init>" {
            prefix.extend(self.guard(method.access & access::STATIC != 0));
            edit.frame_after_prefix = true;
        }
        if name == b"<clinit>" && single_trailing_return(&code)? {
            edit.epilogue = Some([&self.probe(ICONST_1)[..], &[RETURN]].concat().into());
        }
        if index % 8 == 7 {
            return Ok(None);
        }
        let inside = if index.is_multiple_of(2) {
            inside(&code, probe)?
        } else {
            Vec::new()
        };
        for inside in [inside, Vec::new()] {
            if has_room(&code, &edit, &inside)? {
                return Ok(Some((index, edit, inside)));
            }
        }
        Ok(None)
    }

    fn probe(&self, value: u8) -> [u8; 8] {
        let [h, l] = self.hits.to_be_bytes();
        [GETSTATIC, h, l, SIPUSH, 0, 7, value, BASTORE]
    }

    fn guard(&self, is_static: bool) -> [u8; 8] {
        let (load, skip) = if is_static {
            (NOP, self.skip)
        } else {
            (ALOAD_0, self.skip_this)
        };
        let [h, l] = skip.to_be_bytes();
        [load, INVOKESTATIC, h, l, IFEQ, 0, 4, RETURN]
    }
}
