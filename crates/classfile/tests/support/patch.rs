use tamis_classfile::edit::{MethodEdit, PoolBuilder, apply, single_trailing_return};
use tamis_classfile::opcode::*;
use tamis_classfile::{ClassFile, Member, Result, access};

/// A patched class; per method the bytes inserted at its start and at its end.
pub(crate) struct Patched {
    pub(crate) bytes: Vec<u8>,
    pub(crate) inserted: Vec<(u16, u16)>,
}

/// Puts a probe into nearly every method, a guard into every void method that is no constructor,
/// and an epilogue into every class initializer that can have one. Prefixes differ in length, so
/// that first frames keep their form or outgrow it.
pub(crate) fn patch(class: &ClassFile<'_>) -> Result<Patched> {
    let mut pool = PoolBuilder::new(class);
    let helper = pool.class(b"Probes")?;
    let constants = Constants {
        hits: pool.field_ref(helper, b"hits", b"[B")?,
        skip: pool.method_ref(helper, b"skip", b"()Z")?,
        skip_this: pool.method_ref(helper, b"skip", b"(Ljava/lang/Object;)Z")?,
    };
    let mut edits = Vec::new();
    let mut inserted = Vec::new();
    for (index, method) in class.methods().enumerate() {
        let edit = constants.edit(class, index, &method?)?;
        inserted.push(edit.as_ref().map_or((0, 0), lengths));
        edits.extend(edit.map(|edit| (index, edit)));
    }
    Ok(Patched {
        bytes: apply(class, pool, &edits)?,
        inserted,
    })
}

fn lengths(edit: &MethodEdit<'_>) -> (u16, u16) {
    let epilogue = edit.epilogue.as_ref().map_or(0, |e| e.len());
    (edit.prefix.len() as u16, epilogue as u16)
}

struct Constants {
    hits: u16,
    skip: u16,
    skip_this: u16,
}

impl Constants {
    /// The edit for one method; `None` for some, so that edited ones stand between others.
    fn edit(
        &self,
        class: &ClassFile<'_>,
        index: usize,
        method: &Member<'_>,
    ) -> Result<Option<MethodEdit<'static>>> {
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
        let (prefix, epilogue) = lengths(&edit);
        let fits = code.code.len() + usize::from(prefix) + usize::from(epilogue) <= 0xFFFF;
        Ok((fits && index % 8 != 7).then_some(edit))
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
