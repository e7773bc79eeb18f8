use super::graph::{Blocks, Exit};

/// The blocks of the method before whose execution means that the method now may behave otherwise,
/// ascending; `None` if nothing can be said, because one of the two is unknown. Name, descriptor and
/// access flags of the method are taken to be the same.
///
/// Both control-flow graphs are walked in parallel from their entries. Two blocks that the walk
/// pairs do the same (equal digests) or the one before is dangerous; where they do the same, they
/// leave in the same way, and the blocks where they lead are paired by how they get there: by going
/// on, by a branch taken or not, by the value of a switch, by the place and type of an exception.
///
/// So a run of the method before that meets no dangerous block has its like in the method now, step
/// by step: both start in paired blocks with the same arguments, and wherever the one goes from
/// paired blocks that are not dangerous, the other goes to the paired block, with the same values.
///
/// - A block belongs to one pair at most; one that would get into a second is dangerous. Where the
///   code has two copies of a block that was one, or one of two, they differ in what belongs to an
///   instruction by itself: call sites of `invokedynamic` make lambdas of their own.
/// - A block that the walk does not reach is met by no run that meets no dangerous block. It still
///   counts as dangerous if any block is: a run can begin in one test and go on in the next.
/// - Any instruction is taken to throw, so one that is covered by other handlers makes another block.
pub fn compare(before: &Blocks, now: &Blocks) -> Option<Vec<u16>> {
    if before.blocks.is_empty() || now.blocks.is_empty() {
        return None;
    }
    let mut walk = Walk {
        before,
        now,
        partner: vec![None; before.blocks.len()],
        is_taken: vec![false; now.blocks.len()],
        is_dangerous: vec![false; before.blocks.len()],
        pending: Vec::new(),
    };
    walk.pair(0, 0);
    while let Some((old, new)) = walk.pending.pop() {
        walk.leave(old, new);
    }
    Some(walk.dangerous())
}

struct Walk<'b> {
    before: &'b Blocks,
    now: &'b Blocks,
    /// The block now that does the same, for blocks before.
    partner: Vec<Option<u16>>,
    /// Whether a block now is a partner.
    is_taken: Vec<bool>,
    is_dangerous: Vec<bool>,
    /// Partners that have not been left yet.
    pending: Vec<(u16, u16)>,
}

impl Walk<'_> {
    /// Where one method goes to `old`, the other goes to `new`.
    fn pair(&mut self, old: u16, new: u16) {
        let (o, n) = (usize::from(old), usize::from(new));
        let partner = self.partner.get(o).copied().flatten();
        if partner == Some(new) {
            return;
        }
        let blocks = self.before.blocks.get(o).zip(self.now.blocks.get(n));
        let are_alike = blocks.is_some_and(|(old, new)| old.digest == new.digest);
        let is_free = partner.is_none() && self.is_taken.get(n) == Some(&false);
        if !are_alike || !is_free {
            return self.endanger(old);
        }
        if let Some((partner, is_taken)) = self.partner.get_mut(o).zip(self.is_taken.get_mut(n)) {
            *partner = Some(new);
            *is_taken = true;
        }
        self.pending.push((old, new));
    }

    fn endanger(&mut self, old: u16) {
        if let Some(is_dangerous) = self.is_dangerous.get_mut(usize::from(old)) {
            *is_dangerous = true;
        }
    }

    /// Pairs the blocks where two partners lead.
    fn leave(&mut self, old: u16, new: u16) {
        let (before, now) = (self.before, self.now);
        let blocks = before.blocks.get(usize::from(old));
        let Some((from, to)) = blocks.zip(now.blocks.get(usize::from(new))) else {
            return;
        };
        if from.handlers.len() != to.handlers.len() {
            return self.endanger(old);
        }
        for (&from, &to) in from.handlers.iter().zip(&to.handlers) {
            self.pair(from, to);
        }
        match (&from.exit, &to.exit) {
            (Exit::End, Exit::End) => {}
            (Exit::Next(from), Exit::Next(to)) => self.pair(*from, *to),
            (
                Exit::Branch { taken, next },
                Exit::Branch {
                    taken: to,
                    next: then,
                },
            ) => {
                self.pair(*taken, *to);
                self.pair(*next, *then);
            }
            (
                Exit::Switch { default, cases },
                Exit::Switch {
                    default: to,
                    cases: others,
                },
            ) => {
                self.pair(*default, *to);
                for (from, to) in by_value((*default, cases), (*to, others)) {
                    self.pair(from, to);
                }
            }
            // Equal digests end alike; what was damaged need not.
            _ => self.endanger(old),
        }
    }

    fn dangerous(self) -> Vec<u16> {
        let blocks = self.is_dangerous.iter().zip(&self.partner);
        let numbers = (0..=u16::MAX).zip(blocks);
        if self.is_dangerous.contains(&true) {
            numbers
                .filter(|(_, (dangerous, partner))| **dangerous || partner.is_none())
                .map(|(number, _)| number)
                .collect()
        } else {
            Vec::new()
        }
    }
}

type Cases<'c> = (u16, &'c [(i32, u16)]);

/// Where two switches go for each value that one of them knows.
fn by_value<'c>(
    (default, cases): Cases<'c>,
    (other_default, others): Cases<'c>,
) -> impl Iterator<Item = (u16, u16)> + 'c {
    let (mut cases, mut others) = (cases.iter().peekable(), others.iter().peekable());
    std::iter::from_fn(move || {
        let key = match (cases.peek(), others.peek()) {
            (Some((a, _)), Some((b, _))) => *a.min(b),
            (Some((key, _)), None) | (None, Some((key, _))) => *key,
            (None, None) => return None,
        };
        let from = cases
            .next_if(|(k, _)| *k == key)
            .map_or(default, |(_, to)| *to);
        let to = others
            .next_if(|(k, _)| *k == key)
            .map_or(other_default, |(_, to)| *to);
        Some((from, to))
    })
}
