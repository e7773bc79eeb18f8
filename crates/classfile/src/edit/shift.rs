use super::layout::Layout;

/// Where the positions of a method's code move when it is edited.
#[derive(Debug)]
pub(super) struct Shift {
    /// Length of what is inserted at pc 0.
    pub(super) prefix: u16,
    /// Length of the code before the edit.
    pub(super) old: u16,
    /// Length of the code after the edit.
    pub(super) new: u16,
    /// Where the instructions go if code is inserted between them too.
    pub(super) layout: Option<Layout>,
}

impl Shift {
    /// The new position of an instruction; `None` if there is none at `pc`.
    pub(super) fn pc(&self, pc: u16) -> Option<u16> {
        match &self.layout {
            Some(layout) => layout.instruction(pc),
            None if pc < self.old => pc.checked_add(self.prefix),
            None => None,
        }
    }

    /// The new position where an instruction is reached: code inserted before it belongs to it, to
    /// the ranges that start with it, and to none that end with it.
    pub(super) fn entry(&self, pc: u16) -> Option<u16> {
        match &self.layout {
            Some(layout) => layout.entry(pc),
            None => self.pc(pc),
        }
    }

    /// The new position of an exclusive end, which may stand just behind the code: an epilogue
    /// belongs to every range that the `return` it replaces belonged to.
    fn end(&self, pc: u16) -> Option<u16> {
        if pc == self.old {
            Some(self.new)
        } else {
            self.entry(pc)
        }
    }

    /// Moves an entry of the exception table; `None` if it names no position of the code. The
    /// prefix is outside of every handler.
    pub(super) fn handler(&self, entry: &mut [u8]) -> Option<()> {
        if let [s0, s1, e0, e1, h0, h1, ..] = entry {
            [*s0, *s1] = self.entry(u16::from_be_bytes([*s0, *s1]))?.to_be_bytes();
            [*e0, *e1] = self.end(u16::from_be_bytes([*e0, *e1]))?.to_be_bytes();
            [*h0, *h1] = self.entry(u16::from_be_bytes([*h0, *h1]))?.to_be_bytes();
        }
        Some(())
    }

    /// Moves the `start_pc` of a line. The line at pc 0 comes to include the prefix, so that stack
    /// traces through it have a line. Nothing depends on lines: a wrong one stays as it is.
    pub(super) fn line(&self, entry: &mut [u8]) {
        if let [s0, s1, ..] = entry
            && let start @ 1.. = u16::from_be_bytes([*s0, *s1])
            && let Some(start) = self.entry(start)
        {
            [*s0, *s1] = start.to_be_bytes();
        }
    }

    /// Moves `start_pc` and `length` of a variable. One that is live at pc 0 is a parameter and
    /// live in the prefix too: debuggers ask for it there. A wrong range stays as it is, as
    /// javac writes some (`length` 65535).
    pub(super) fn variable(&self, entry: &mut [u8]) {
        if let [s0, s1, l0, l1, ..] = entry {
            let start = u16::from_be_bytes([*s0, *s1]);
            let end = start.checked_add(u16::from_be_bytes([*l0, *l1]));
            let begin = if start == 0 {
                Some(0)
            } else {
                self.entry(start)
            };
            if let Some((begin, end)) = begin.zip(end.and_then(|end| self.end(end))) {
                [*s0, *s1] = begin.to_be_bytes();
                [*l0, *l1] = end.saturating_sub(begin).to_be_bytes();
            }
        }
    }
}
