//! How tests are run and recorded.

use crate::random::Random;

/// The order in which test classes run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Order {
    /// The order in which they were made.
    #[default]
    Made,
    Reversed,
    /// An order that follows from this number and the names of the classes.
    Shuffled(u64),
}

impl Order {
    /// That order: the same for the classes that are left when others come or go.
    pub(crate) fn apply(self, classes: &mut [&str]) {
        match self {
            Order::Made => {}
            Order::Reversed => classes.reverse(),
            Order::Shuffled(seed) => classes.sort_by_key(|class| hash(class, seed)),
        }
    }
}

/// A number that follows from a text and a seed.
pub(crate) fn hash(text: &str, seed: u64) -> u64 {
    let mix = |hash: u64, byte| Random::new(hash ^ u64::from(byte)).next();
    text.bytes().fold(seed, mix)
}

/// How tests are recorded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Recording {
    /// Whether single tests are told apart.
    pub(crate) by_method: bool,
    /// Whether the objects are recorded on which methods run.
    pub(crate) receivers: bool,
    /// Whether basic blocks are.
    pub(crate) blocks: bool,
    /// Whether only those run that were selected, so that others are compared with older revisions.
    pub(crate) selects: bool,
    pub(crate) order: Order,
    /// Whether half of the test classes run in a second JVM.
    pub(crate) two_jvms: bool,
}

#[test]
fn other_classes_do_not_change_an_order() {
    let check = |order: Order| {
        let mut all = ["A", "B", "C", "D", "E"];
        order.apply(&mut all);
        let mut some = ["A", "C", "E"];
        order.apply(&mut some);
        assert_eq!(
            all.into_iter()
                .filter(|c| some.contains(c))
                .collect::<Vec<_>>(),
            some
        );
    };
    check(Order::Made);
    check(Order::Reversed);
    check(Order::Shuffled(7));
}
