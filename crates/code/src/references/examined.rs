//! The classes of the JDK whose calls were examined.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The names of classes without their package, sorted, by packages without `java/`.
type Classes = HashMap<&'static [u8], Vec<&'static [u8]>>;

/// The classes of the `java` packages that are harmless.
static HARMLESS: LazyLock<Classes> = LazyLock::new(|| {
    let lines = include_str!("examined.txt").lines();
    let packages = lines.filter_map(|line| line.strip_prefix("java/")?.split_once(": "));
    let harmless = |names: &'static str| {
        let names = names.split(' ').filter(|name| !name.starts_with('!'));
        let mut names: Vec<_> = names.map(str::as_bytes).collect();
        names.sort_unstable();
        names
    };
    packages
        .map(|(package, names)| (package.as_bytes(), harmless(names)))
        .collect()
});

/// Whether calls to a class of the `java` packages (internal name without `java/`) show nothing of the
/// members of classes. One inside another class goes with that.
pub(super) fn is_examined(owner: &[u8]) -> bool {
    let outermost = owner.split(|byte| *byte == b'$').next().unwrap_or(owner);
    let mut parts = outermost.rsplitn(2, |byte| *byte == b'/');
    let (name, package) = (parts.next(), parts.next());
    let classes = package.and_then(|package| HARMLESS.get(package));
    classes
        .zip(name)
        .is_some_and(|(classes, name)| classes.binary_search(&name).is_ok())
}
