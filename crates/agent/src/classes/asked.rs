//! Classes that were asked for their members.

use super::Classes;
use std::collections::HashSet;

impl Classes {
    /// Classes of these names (internal) were asked for their members.
    pub(crate) fn ask(&mut self, names: &HashSet<Vec<u8>>) {
        let ids = names.iter().filter_map(|name| self.names.get(&**name));
        let ids = ids.filter_map(|id| self.by_name.get(*id as usize));
        for id in ids.flatten().copied().collect::<Vec<_>>() {
            self.asked_for(id);
        }
    }

    /// Marks all classes as asked, because it is unknown which were.
    pub(crate) fn ask_all(&mut self) {
        (0..self.classes.len() as u32).for_each(|id| self.asked_for(id));
    }

    fn asked_for(&mut self, id: u32) {
        if let Some(class) = self.classes.get_mut(id as usize)
            && !class.absent
            && class.asked.is_none()
        {
            class.asked = Some(self.asked.len() as u32);
            self.asked.push(id);
        }
    }

    /// The classes that were asked for their members since the last call.
    pub(crate) fn newly_asked(&mut self) -> Vec<u32> {
        let new = self.asked.get(self.asked_told..).unwrap_or_default();
        self.asked_told = self.asked.len();
        new.to_vec()
    }
}
