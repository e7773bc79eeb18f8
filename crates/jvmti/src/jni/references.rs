//! References: local, global and weak ones.

use super::{Checked, Jni, Object, Thrown};
use crate::raw::{self, JObject, JavaVmPtr, JniEnvPtr, jni_slot, vm_slot};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A global reference, which keeps its object alive as long as it lives itself.
#[derive(Debug)]
pub struct Global(NonNull<c_void>);

/// A weak global reference: identity without keeping alive.
#[derive(Debug)]
pub struct Weak(NonNull<c_void>);

// SAFETY: global references may be used from any thread (JNI specification, "Global References").
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}
// SAFETY: as above.
unsafe impl Send for Weak {}
// SAFETY: as above.
unsafe impl Sync for Weak {}

impl Global {
    /// The object, for calls on this thread.
    pub fn object(&self) -> Object<'_> {
        Object {
            reference: self.0,
            frame: PhantomData,
        }
    }
}

impl Drop for Global {
    fn drop(&mut self) {
        // SAFETY: it is a global reference, and this is its last owner.
        unsafe { delete(jni_slot::DELETE_GLOBAL_REF, self.0) };
    }
}

impl Drop for Weak {
    fn drop(&mut self) {
        // SAFETY: it is a weak one, and this is its last owner.
        unsafe { delete(jni_slot::DELETE_WEAK_GLOBAL_REF, self.0) };
    }
}

/// The JVM of this process: there is never more than one.
static VM: AtomicPtr<*const *const c_void> = AtomicPtr::new(null_mut());

/// Says which JVM this is.
///
/// # Safety
/// `vm` must be the `JavaVM*` of this process.
pub(crate) unsafe fn set_vm(vm: JavaVmPtr) {
    VM.store(vm, Ordering::Release);
}

/// Deletes a global or weak reference, from any thread that the JVM knows. A thread that has left the JVM
/// leaves the reference to it: to attach it again would run code of the program. So does everybody once the JVM
/// has ended, which had nothing left to free.
///
/// # Safety
/// `slot` must be the function that deletes references of this kind, and nobody may use it again.
unsafe fn delete(slot: usize, reference: NonNull<c_void>) {
    type GetEnv = unsafe extern "C" fn(JavaVmPtr, *mut *mut c_void, c_int) -> c_int;
    type Delete = unsafe extern "C" fn(JniEnvPtr, JObject);
    let vm = VM.load(Ordering::Acquire);
    if vm.is_null() {
        return;
    }
    let mut env = null_mut();
    // SAFETY: the VM's own table lasts as long as the process; GetEnv may be called on any thread, also after
    // the VM has ended, and writes one pointer. The caller vouches for the rest; a reference may be deleted
    // while an exception is pending.
    unsafe {
        let get_env: GetEnv = raw::function(vm, vm_slot::GET_ENV);
        if get_env(vm, &mut env, raw::JNI_VERSION_1_6) == 0 && !env.is_null() {
            let env: JniEnvPtr = env.cast();
            raw::function::<Delete>(env, slot)(env, reference.as_ptr());
        }
    }
}

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

    /// Gives up a local reference before its frame ends.
    ///
    /// # Safety
    /// It must be a local reference of this thread, and no copy of it may be used again.
    pub(crate) unsafe fn drop_local(&self, object: Object<'_>) {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject);
        // SAFETY: the caller vouches for the reference.
        unsafe { self.function::<F>(jni_slot::DELETE_LOCAL_REF)(self.env, object.as_raw()) };
    }

    fn same_raw(&self, a: JObject, b: JObject) -> bool {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, JObject) -> u8;
        // SAFETY: both are null or valid references of any kind.
        unsafe { self.function::<F>(jni_slot::IS_SAME_OBJECT)(self.env, a, b) != 0 }
    }
}
