use super::layout::{Insertion, Layout, is_near};
use super::{MethodEdit, annotations, frames, output::Output, shift::Shift};
use crate::{ClassFile, Code, Error, Result, opcode};

/// What to do about stack maps in this class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackMap {
    /// The class file is too old: the JVM infers types.
    Ignored,
    /// Adjust those that exist.
    Read,
    /// Adjust them, and where one is missing add it with this constant as its name.
    Named(u16),
}

/// Whether the only `return` of a method stands at its end, so that an epilogue put there runs
/// whenever the method completes normally.
pub fn single_trailing_return(code: &Code<'_>) -> Result<bool> {
    for instruction in code.instructions() {
        let instruction = instruction?;
        if (opcode::IRETURN..=opcode::RETURN).contains(&instruction.opcode) {
            return Ok(instruction.pc + 1 == code.code.len());
        }
    }
    Ok(false)
}

/// Whether the format has room for an edit with these insertions: their number and lengths count,
/// and where they go.
pub fn has_room(code: &Code<'_>, edit: &MethodEdit<'_>, inside: &[Insertion<'_>]) -> Result<bool> {
    let fits = max_stack(code, edit, inside).and_then(|_| {
        if is_near(code, edit.growth(inside)) {
            return Ok(());
        }
        shift(code, edit, inside).map(drop)
    });
    match fits {
        Ok(()) => Ok(true),
        Err(Error::TooLarge { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Copies the source through the end of `code`, edited.
pub(super) fn patch(
    out: &mut Output<'_>,
    class: &ClassFile<'_>,
    code: &Code<'_>,
    edit: &MethodEdit<'_>,
    inside: &[Insertion<'_>],
    stack_map: StackMap,
) -> Result<()> {
    let content = code.attribute.offset;
    out.copy_to(content - 4)?;
    let begin = out.begin_attribute();
    let shift = shift(code, edit, inside)?;
    out.u16(max_stack(code, edit, inside)?);
    out.skip_to(content + 2);
    out.copy_to(content + 4)?;
    out.extend(&u32::from(shift.new).to_be_bytes());
    out.skip_to(code.code_offset);
    instructions(out, code, edit, inside, &shift)?;

    let tables = code.code_offset + code.code.len();
    out.copy_to(tables + 2)?;
    for handler in out.copy_to(code.attributes.offset)?.chunks_exact_mut(8) {
        let bad = Error::Malformed {
            at: tables,
            what: "exception table beyond the code",
        };
        shift.handler(handler).ok_or(bad)?;
    }
    attributes(out, class, code, edit, stack_map, &shift)?;
    out.end_attribute(begin)
}

fn shift(code: &Code<'_>, edit: &MethodEdit<'_>, inside: &[Insertion<'_>]) -> Result<Shift> {
    const TOO_LARGE: Error = Error::TooLarge {
        what: "code of a method",
    };
    let malformed = |what| Error::Malformed {
        at: code.code_offset,
        what,
    };
    if code.code.is_empty() {
        return Err(malformed("method with empty code"));
    }
    if !edit.prefix.len().is_multiple_of(4) {
        return Err(malformed("prefix not a multiple of four bytes"));
    }
    let layout = match inside {
        [] => None,
        _ => Some(Layout::new(code, edit.prefix.len(), inside)?),
    };
    let mut new = match &layout {
        None => code.code.len() + edit.prefix.len(),
        Some(layout) => layout.end(),
    };
    if let Some(epilogue) = &edit.epilogue {
        if epilogue.last() != code.code.last() || !single_trailing_return(code)? {
            return Err(malformed("epilogue without a single trailing return"));
        }
        new += epilogue.len() - 1;
    }
    let new = u16::try_from(new).map_err(|_| TOO_LARGE)?;
    let old = u16::try_from(code.code.len()).map_err(|_| TOO_LARGE)?;
    let prefix = u16::try_from(edit.prefix.len()).map_err(|_| TOO_LARGE)?;
    Ok(Shift {
        prefix,
        old,
        new,
        layout,
    })
}

fn max_stack(code: &Code<'_>, edit: &MethodEdit<'_>, inside: &[Insertion<'_>]) -> Result<u16> {
    if edit.epilogue.is_some() || !inside.is_empty() {
        // The stack need not be empty at `return` or in between: what is new comes on top.
        let stack = code.max_stack.checked_add(edit.stack);
        return stack.ok_or(Error::TooLarge {
            what: "operand stack",
        });
    }
    Ok(code.max_stack.max(edit.stack))
}

fn instructions(
    out: &mut Output<'_>,
    code: &Code<'_>,
    edit: &MethodEdit<'_>,
    inside: &[Insertion<'_>],
    shift: &Shift,
) -> Result<()> {
    out.extend(&edit.prefix);
    if let Some(layout) = &shift.layout {
        layout.write(out, code, inside)?;
    }
    let end = code.code_offset + code.code.len();
    if let Some(epilogue) = &edit.epilogue {
        out.copy_to(end - 1)?;
        out.extend(epilogue);
        out.skip_to(end);
    } else {
        out.copy_to(end)?;
    }
    Ok(())
}

fn attributes(
    out: &mut Output<'_>,
    class: &ClassFile<'_>,
    code: &Code<'_>,
    edit: &MethodEdit<'_>,
    stack_map: StackMap,
    shift: &Shift,
) -> Result<()> {
    let missing = match stack_map {
        StackMap::Named(name)
            if edit.frame_after_prefix
                && class.find(code.attributes, b"StackMapTable")?.is_none() =>
        {
            Some(name)
        }
        _ => None,
    };
    let count = u16::try_from(code.attributes.len() + usize::from(missing.is_some()));
    let what = "attributes of code";
    out.u16(count.map_err(|_| Error::TooLarge { what })?);
    out.skip_to(code.attributes.offset + 2);
    if let Some(name) = missing {
        frames::add(out, name, shift)?;
    }
    for attribute in code.attributes {
        let attribute = attribute?;
        let end = attribute.offset + attribute.data.len();
        match class.pool.utf8(attribute.name)? {
            b"LineNumberTable" => {
                out.copy_to(attribute.offset + 2)?;
                out.copy_to(end)?
                    .chunks_exact_mut(4)
                    .for_each(|line| shift.line(line));
            }
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                out.copy_to(attribute.offset + 2)?;
                out.copy_to(end)?
                    .chunks_exact_mut(10)
                    .for_each(|entry| shift.variable(entry));
            }
            b"StackMapTable" if stack_map != StackMap::Ignored => {
                frames::patch(out, attribute, shift, edit.frame_after_prefix)?;
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                out.copy_to(attribute.offset)?;
                annotations::patch(attribute, out.copy_to(end)?, shift)?;
            }
            _ => {
                out.copy_to(end)?;
            }
        }
    }
    Ok(())
}
