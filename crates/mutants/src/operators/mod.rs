//! The operators that change code: each looks at one instruction and proposes others for it.

mod arithmetic;
mod calls;
mod conditionals;
mod constants;
mod fields;
pub(crate) mod members;
mod returns;

use crate::Result;
use crate::body::{Proposal, Site};

/// What all operators propose for the instruction at `site`.
pub(crate) fn propose(site: &Site<'_>, proposals: &mut Vec<Proposal>) -> Result<()> {
    let at = site.at()?;
    conditionals::propose(&at, proposals);
    arithmetic::propose(&at, proposals);
    constants::propose(site, proposals)?;
    returns::propose(site, proposals)?;
    calls::propose(site, proposals)?;
    fields::propose(site, proposals)
}
