use super::path;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// What it was; `None` if it is new.
    pub(crate) before: Option<Side>,
    /// What it is; `None` if it is gone.
    pub(crate) now: Option<Side>,
}

/// A file at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) path: PathBuf,
    /// The object with its content; `None` if that is in the work tree.
    pub(crate) id: Option<String>,
    /// Whether it is a file, and no link, submodule or conflict.
    pub(crate) is_file: bool,
}

impl Entry {
    pub(crate) fn sides(&self) -> impl Iterator<Item = &Side> {
        self.before.iter().chain(&self.now)
    }

    fn path(&self) -> PathBuf {
        let side = self.now.as_ref().or(self.before.as_ref());
        side.map(|side| side.path.clone()).unwrap_or_default()
    }
}

/// Reads the output of `git diff --raw -z`, and adds files that are not tracked.
///
/// What git no longer tracks is not gone if it is still there, ignored or not.
pub(super) fn read(
    tracked: &[u8],
    others: impl Iterator<Item = PathBuf>,
    exists: impl Fn(&Path) -> bool,
) -> Vec<Entry> {
    let mut entries: BTreeMap<PathBuf, Entry> = BTreeMap::new();
    let mut fields = tracked.split(|byte| *byte == 0);
    while let Some((head, first)) = fields.next().zip(fields.next()) {
        let is_pair = matches!(
            head.rsplit(|byte| *byte == b' ').next(),
            Some([b'R' | b'C', ..])
        );
        let second = if is_pair { fields.next() } else { None };
        let mut entry = parse(head, path(first), path(second.unwrap_or(first)));
        if let (Some(before), None) = (&entry.before, &entry.now)
            && exists(&before.path)
        {
            entry.now = Some(in_work_tree(before.path.clone()));
        }
        // A conflict has two entries, of which one says so.
        let known = entries.get(&entry.path());
        let is_conflict = known.is_some_and(|known| known.sides().any(|side| !side.is_file));
        if !is_conflict {
            entries.insert(entry.path(), entry);
        }
    }
    for other in others {
        let now = Some(in_work_tree(other.clone()));
        let new = Entry { before: None, now };
        entries.entry(other).or_insert(new);
    }
    entries.into_values().collect()
}

fn in_work_tree(path: PathBuf) -> Side {
    Side {
        // Git lists a repository in a repository as a directory.
        is_file: !path.as_os_str().as_encoded_bytes().ends_with(b"/"),
        path,
        id: None,
    }
}

/// One entry, from `:100644 100644 <id> <id> M`.
fn parse(head: &[u8], before: PathBuf, now: PathBuf) -> Entry {
    let head = String::from_utf8_lossy(head);
    let mut words = head.trim_start_matches(':').split(' ');
    let mut next = || words.next().unwrap_or_default();
    let (mode_before, mode_now, id, _, status) = (next(), next(), next(), next(), next());
    let is_file = |mode: &str| mode.starts_with("100") && !status.starts_with('U');
    let side_before = Side {
        path: before,
        id: Some(id.to_owned()),
        is_file: is_file(mode_before),
    };
    let side_now = Side {
        path: now,
        id: None,
        is_file: is_file(mode_now),
    };
    match status.chars().next() {
        Some('A' | 'C') => Entry {
            before: None,
            now: Some(side_now),
        },
        Some('D') => Entry {
            before: Some(side_before),
            now: None,
        },
        _ => Entry {
            before: Some(side_before),
            now: Some(side_now),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heads without ids, and `|` for the zero byte; files that exist end with `!`.
    fn check(tracked: &str, others: &[&str], expected: &[&str]) {
        let tracked = tracked.replace(" M", " 1 0 M").replace('|', "\0");
        let others = others.iter().map(PathBuf::from);
        let found = read(tracked.as_bytes(), others, |path| {
            path.to_string_lossy().ends_with('!')
        });
        let show = |side: &Option<Side>| match side {
            Some(side) if side.is_file => side.path.display().to_string(),
            Some(side) => format!("({})", side.path.display()),
            None => "none".into(),
        };
        let found = found.iter();
        let found: Vec<String> = found
            .map(|entry| format!("{} -> {}", show(&entry.before), show(&entry.now)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn differences_are_read() {
        check(":100644 100755 M|b|", &[], &["b -> b"]);
        check(
            ":000000 100644 0 0 A|a|",
            &["b"],
            &["none -> a", "none -> b"],
        );
        check(":100644 000000 1 0 D|a|", &[], &["a -> none"]);
        check(":100644 100644 1 0 R095|a|b|", &[], &["a -> b"]);
        check(":100644 100644 1 0 C095|a|b|", &[], &["none -> b"]);
        check(":100644 120000 1 0 T|a|", &[], &["a -> (a)"]);
        check(":160000 160000 M|sub|", &[], &["(sub) -> (sub)"]);
        check("", &["nested/"], &["none -> (nested/)"]);
        check("", &[], &[]);
    }

    #[test]
    fn what_is_no_longer_tracked_is_still_there() {
        check(":100644 000000 1 0 D|a!|", &["a!"], &["a! -> a!"]);
        check(":100644 000000 1 0 D|a!|", &[], &["a! -> a!"]);
    }

    #[test]
    fn a_conflict_is_no_file() {
        let conflict = ":000000 000000 0 0 U|a|";
        let merged = ":100644 100644 M|a|";
        check(&format!("{conflict}{merged}"), &[], &["(a) -> (a)"]);
        check(&format!("{merged}{conflict}"), &[], &["(a) -> (a)"]);
    }
}
