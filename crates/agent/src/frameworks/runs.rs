//! The frameworks that run tests in this JVM.

use tamis_jvmti::{Jni, Object, Weak};

/// The runs of tests for the build, as opposed to those that tests start themselves: they are known by the objects
/// that are told of the run.
#[derive(Default)]
pub(super) struct Runs(Vec<Weak>);

impl Runs {
    /// Whether this run is one inside a test: one is running, and the run is unknown.
    pub(super) fn is_foreign(&mut self, jni: &Jni<'_>, run: Object<'_>, inside_test: bool) -> bool {
        if self.0.iter().any(|known| jni.is(known, Some(run))) {
            return false;
        }
        if !inside_test {
            self.0.clear();
            self.0.extend(jni.weak(run).ok());
        }
        inside_test
    }
}
