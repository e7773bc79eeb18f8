//! Native methods of the JDK that the agent stands before. The JVM says when it binds one; which one
//! it is tells the name that a library has for its code, at a time when nobody may ask for the names
//! of methods yet.

use super::Releases;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use tamis_jvmti::raw;

/// One of them; `F` is the type of its code.
pub(crate) struct Native<F: 'static> {
    /// The name of its code.
    symbol: &'static CStr,
    /// The releases of the JDK that must have it.
    releases: Releases,
    /// What it is bound to instead.
    ours: F,
    theirs: AtomicPtr<c_void>,
}

impl<F: Copy> Native<F> {
    /// # Safety
    /// `F` must be the type of the function pointer that every JDK has for this symbol.
    pub(crate) const unsafe fn new(symbol: &'static CStr, releases: Releases, ours: F) -> Self {
        Native {
            symbol,
            releases,
            ours,
            theirs: AtomicPtr::new(null_mut()),
        }
    }

    /// The code that the JVM meant; `None` before it was bound.
    pub(crate) fn theirs(&self) -> Option<F> {
        let theirs = self.theirs.load(Ordering::Acquire);
        // SAFETY: whoever made this vouches for the type, and it was bound under its symbol.
        (!theirs.is_null()).then(|| unsafe { raw::as_function(theirs) })
    }
}

/// A native method that can be bound to something else.
pub(crate) trait Bind: Sync {
    /// The name of its code.
    fn symbol(&self) -> &'static CStr;

    /// The releases of the JDK that must have it.
    fn releases(&self) -> Releases;

    /// It is being bound to `theirs`: what it is bound to instead.
    fn bind(&self, theirs: *mut c_void) -> *mut c_void;

    /// Whether it was bound.
    fn is_bound(&self) -> bool;
}

impl<F: Copy + Sync> Bind for Native<F> {
    fn symbol(&self) -> &'static CStr {
        self.symbol
    }

    fn releases(&self) -> Releases {
        self.releases
    }

    fn bind(&self, theirs: *mut c_void) -> *mut c_void {
        self.theirs.store(theirs, Ordering::Release);
        raw::as_address(self.ours)
    }

    fn is_bound(&self) -> bool {
        self.theirs().is_some()
    }
}
