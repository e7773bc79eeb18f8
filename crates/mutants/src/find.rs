use crate::body::{Body, Proposal};
use crate::change::Change;
use crate::mutant::signature;
use crate::operators::{self, members};
use crate::{Mutant, Operator, Result, generated, text};
use tamis_classfile::{ClassFile, Member};

/// All mutants of the class file `bytes`, in a fixed order.
pub fn mutants(bytes: &[u8]) -> Result<Vec<Mutant>> {
    let class = ClassFile::parse(bytes)?;
    let mut found = Vec::new();
    if generated::is_generated_class(&class)? {
        return Ok(found);
    }
    let name = text::class(class.name()?);
    for (index, interface) in members::droppable_interfaces(&class)? {
        found.push(Mutant {
            class: name.clone(),
            method: None,
            offset: None,
            line: None,
            operator: Operator::DroppedInterface,
            description: format!("no longer implements {}", text::class(interface)),
            change: Change::Interface(index),
        });
    }
    for (index, method) in class.methods().enumerate() {
        let method = method?;
        if !generated::is_generated_method(&class, &method)? {
            let of = Method {
                class: &class,
                class_name: &name,
                index,
                member: method,
                signature: signature(&class, &method)?,
            };
            of.mutants(&mut found)?;
        }
    }
    Ok(found)
}

/// A method while its mutants are looked for.
struct Method<'a> {
    class: &'a ClassFile<'a>,
    class_name: &'a str,
    index: usize,
    member: Member<'a>,
    signature: String,
}

impl Method<'_> {
    fn mutants(&self, found: &mut Vec<Mutant>) -> Result<()> {
        let body = Body::of(self.class, &self.member)?;
        if members::may_override(self.class, &self.member)? {
            let line = body.as_ref().and_then(|body| body.line(0));
            let change = Change::Method(self.index);
            let description = format!("removed {}", self.signature);
            let operator = Operator::RemovedOverride;
            found.push(self.mutant(None, line, operator, description, change));
        }
        match body {
            Some(body) => self.code_mutants(&body, found),
            None => Ok(()),
        }
    }

    fn code_mutants(&self, body: &Body<'_>, found: &mut Vec<Mutant>) -> Result<()> {
        let mut proposals = Vec::new();
        for site in body.sites()? {
            operators::propose(&site, &mut proposals)?;
            let at = site.at()?;
            let Ok(pc) = u16::try_from(at.pc) else {
                break; // no method is that long
            };
            let mut old = vec![at.opcode];
            old.extend_from_slice(at.operands);
            for proposal in proposals.drain(..) {
                let Proposal {
                    operator,
                    description,
                    new,
                } = proposal;
                if new.fits(self.class, &body.code, pc, old.len())? {
                    let change = Change::Code {
                        method: self.index,
                        pc,
                        old: old.clone(),
                        new,
                    };
                    let line = body.line(pc);
                    found.push(self.mutant(Some(pc), line, operator, description, change));
                }
            }
        }
        Ok(())
    }

    fn mutant(
        &self,
        offset: Option<u16>,
        line: Option<u16>,
        operator: Operator,
        description: String,
        change: Change,
    ) -> Mutant {
        Mutant {
            class: self.class_name.to_owned(),
            method: Some(self.signature.clone()),
            offset,
            line,
            operator,
            description,
            change,
        }
    }
}
