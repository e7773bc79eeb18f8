//! References: local, global and weak ones.

use super::{Checked, Global, Jni, Object, Thrown, Weak};
use crate::raw::{JObject, JniEnvPtr, jni_slot};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};

impl<'f> Jni<'f> {
    /// Whether two references name the same object; `None` stands for null, which a weak
    /// reference is once its object is gone.
    pub fn same(&self, a: Option<Object<'_>>, b: Option<Object<'_>>) -> bool {
        let raw = |o: Option<Object<'_>>| o.map_or(null_mut(), |o| o.as_raw());
        self.same_raw(raw(a), raw(b))
    }

    /// Whether `weak` still names this object.
    pub fn is(&self, weak: &Weak, object: Option<Object<'_>>) -> bool {
        self.same_raw(weak.0.as_ptr(), object.map_or(null_mut(), |o| o.as_raw()))
    }

    /// A global reference to `object`.
    pub fn global(&self, object: Object<'_>) -> Checked<Global> {
        self.new_reference(jni_slot::NEW_GLOBAL_REF, object)
            .map(Global)
    }

    /// A weak global reference to `object`.
    pub fn weak(&self, object: Object<'_>) -> Checked<Weak> {
        self.new_reference(jni_slot::NEW_WEAK_GLOBAL_REF, object)
            .map(Weak)
    }

    /// A global reference to what a weak one names, if it is still there.
    pub fn hold(&self, weak: &Weak) -> Option<Global> {
        let object = Object {
            reference: weak.0,
            frame: PhantomData,
        };
        self.global(object).ok()
    }

    /// A local reference to what a weak one names; `None` if that is gone.
    pub fn local_of(&self, weak: &Weak) -> Option<Object<'f>> {
        let object = Object {
            reference: weak.0,
            frame: PhantomData,
        };
        self.copy(object).ok()
    }

    /// A local reference to what a global one names.
    pub fn local(&self, global: &Global) -> Checked<Object<'f>> {
        let reference = self.new_reference(jni_slot::NEW_LOCAL_REF, global.object())?;
        Ok(Object {
            reference,
            frame: PhantomData,
        })
    }

    /// Another local reference to the same object.
    pub(crate) fn copy(&self, object: Object<'_>) -> Checked<Object<'f>> {
        let reference = self.new_reference(jni_slot::NEW_LOCAL_REF, object)?;
        Ok(Object {
            reference,
            frame: PhantomData,
        })
    }

    fn new_reference(&self, slot: usize, object: Object<'_>) -> Checked<NonNull<c_void>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject) -> JObject;
        // SAFETY: `slot` is one of the three that make references; the reference is valid.
        let reference = unsafe { self.function::<F>(slot)(self.env, object.as_raw()) };
        self.check()?;
        NonNull::new(reference).ok_or(Thrown)
    }

    /// Lets go of a global reference.
    pub fn drop_global(&self, global: Global) {
        self.delete(jni_slot::DELETE_GLOBAL_REF, global.0);
    }

    /// Lets go of a weak reference.
    pub fn drop_weak(&self, weak: Weak) {
        self.delete(jni_slot::DELETE_WEAK_GLOBAL_REF, weak.0);
    }

    pub(crate) fn drop_local(&self, object: Object<'_>) {
        self.delete(jni_slot::DELETE_LOCAL_REF, object.reference);
    }

    fn delete(&self, slot: usize, reference: NonNull<c_void>) {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject);
        // SAFETY: `slot` deletes references of this kind, and the owner gave it up.
        unsafe { self.function::<F>(slot)(self.env, reference.as_ptr()) };
    }

    fn same_raw(&self, a: JObject, b: JObject) -> bool {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, JObject) -> u8;
        // SAFETY: both are null or valid references of any kind.
        unsafe { self.function::<F>(jni_slot::IS_SAME_OBJECT)(self.env, a, b) != 0 }
    }
}
