//! Reads the declarations of a loaded class. Nothing here loads, links or initializes a class, or calls
//! Java; the VM itself refuses what is no class.

use crate::env::{Jvmti, JvmtiError, checked};
use crate::raw::{self, JMethodId, JObject, JvmtiEnvPtr, jvmti_slot};
use crate::{Jni, Object};
use std::ffi::{CStr, c_char, c_int, c_uchar};
use std::ptr::null_mut;

/// A method that a class declares; both texts are modified UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredMethod {
    /// Its name.
    pub name: Vec<u8>,
    /// Its descriptor.
    pub descriptor: Vec<u8>,
}

/// A method of a class of the boot loader; both texts are modified UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootMethod {
    /// The signature of the class that declares it, `La/b/C;`.
    pub class: Vec<u8>,
    /// Its name.
    pub name: Vec<u8>,
}

impl Jvmti {
    /// The signature of `class`, `La/b/C;`, in modified UTF-8.
    pub fn signature(&self, class: Object<'_>) -> Result<Vec<u8>, JvmtiError> {
        type F =
            unsafe extern "C" fn(JvmtiEnvPtr, JObject, *mut *mut c_char, *mut *mut c_char) -> c_int;
        let mut signature = null_mut();
        // SAFETY: `env` is live and the reference valid; the VM writes one text, and no generic
        // signature, as null says.
        unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_CLASS_SIGNATURE);
            let code = get(self.env, class.as_raw(), &mut signature, null_mut());
            checked("GetClassSignature", code)?;
            Ok(self.take_text(signature))
        }
    }

    /// The loader that defined `class`; `None` is the boot loader.
    pub fn loader<'f>(
        &self,
        jni: &Jni<'f>,
        class: Object<'_>,
    ) -> Result<Option<Object<'f>>, JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, JObject, *mut JObject) -> c_int;
        let mut loader = null_mut();
        // SAFETY: `env` is live and the reference valid; the VM writes null or a local reference of
        // the current frame.
        unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_CLASS_LOADER);
            let code = get(self.env, class.as_raw(), &mut loader);
            checked("GetClassLoader", code)?;
            Ok(jni.object(loader))
        }
    }

    /// The direct superinterfaces of `class`, which must be linked.
    pub fn interfaces<'f>(
        &self,
        jni: &Jni<'f>,
        class: Object<'_>,
    ) -> Result<Vec<Object<'f>>, JvmtiError> {
        let (function, slot) = (
            "GetImplementedInterfaces",
            jvmti_slot::GET_IMPLEMENTED_INTERFACES,
        );
        // SAFETY: this function writes an array of local references of the current frame.
        unsafe {
            let interfaces = self.array(function, slot, class)?;
            let interfaces = interfaces.into_iter();
            Ok(interfaces.filter_map(|raw| jni.object(raw)).collect())
        }
    }

    /// Every method that `class` itself declares; it must be linked.
    pub fn methods(&self, class: Object<'_>) -> Result<Vec<DeclaredMethod>, JvmtiError> {
        // SAFETY: this function writes an array of method ids, which are valid as long as the class
        // is there, and `class` keeps it.
        unsafe {
            let methods = self.array("GetClassMethods", jvmti_slot::GET_CLASS_METHODS, class)?;
            methods.into_iter().map(|id| self.method(id)).collect()
        }
    }

    /// The class and the name of this method; `None` if its class is not of the boot loader.
    ///
    /// # Safety
    /// `method` must be the id of a method whose class is loaded.
    pub unsafe fn method_of_boot_loader(
        &self,
        jni: &mut Jni<'_>,
        method: JMethodId,
    ) -> Result<Option<BootMethod>, JvmtiError> {
        jni.frame(|jni| {
            let class = self.declaring_class(method)?;
            // SAFETY: a local reference of this frame, or null.
            let Some(class) = (unsafe { jni.object(class) }) else {
                return Ok(None);
            };
            if self.loader(jni, class)?.is_some() {
                return Ok(None);
            }
            // SAFETY: the caller vouches for the id.
            let name = unsafe { self.method(method)?.name };
            Ok(Some(BootMethod {
                class: self.signature(class)?,
                name,
            }))
        })
    }

    /// Visits all classes that are loaded.
    pub fn each_loaded_class(
        &self,
        jni: &mut Jni<'_>,
        mut visit: impl FnMut(&mut Jni<'_>, Object<'_>),
    ) -> Result<(), JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, *mut c_int, *mut *mut JObject) -> c_int;
        jni.frame_for(u16::MAX, |jni| {
            let (mut count, mut array) = (0, null_mut());
            // SAFETY: `env` is live; the VM writes `count` local references of the current frame, which are
            // copied before their memory is given back.
            let classes = unsafe {
                let get: F = raw::function(self.env, jvmti_slot::GET_LOADED_CLASSES);
                checked("GetLoadedClasses", get(self.env, &mut count, &mut array))?;
                if array.is_null() {
                    return Ok(());
                }
                let classes = std::slice::from_raw_parts(array, count.max(0) as usize).to_vec();
                self.deallocate(array.cast());
                classes
            };
            for class in classes {
                // SAFETY: as above.
                if let Some(class) = unsafe { jni.object(class) } {
                    visit(jni, class);
                }
            }
            Ok(())
        })
    }

    /// # Safety
    /// `method` must be the id of a method whose class is loaded.
    pub(crate) unsafe fn method(&self, method: JMethodId) -> Result<DeclaredMethod, JvmtiError> {
        type F = unsafe extern "C" fn(
            JvmtiEnvPtr,
            JMethodId,
            *mut *mut c_char,
            *mut *mut c_char,
            *mut *mut c_char,
        ) -> c_int;
        let (mut name, mut descriptor) = (null_mut(), null_mut());
        // SAFETY: `env` is live, the caller vouches for the id; the VM writes two texts, and no
        // generic signature, as null says.
        unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_METHOD_NAME);
            let code = get(self.env, method, &mut name, &mut descriptor, null_mut());
            checked("GetMethodName", code)?;
            Ok(DeclaredMethod {
                name: self.take_text(name),
                descriptor: self.take_text(descriptor),
            })
        }
    }

    /// What a function answers that takes a class and gives a count and an array of pointers.
    ///
    /// # Safety
    /// The function at `slot` must be such a one.
    pub(crate) unsafe fn array(
        &self,
        function: &'static str,
        slot: usize,
        class: Object<'_>,
    ) -> Result<Vec<JObject>, JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, JObject, *mut c_int, *mut *mut JObject) -> c_int;
        let (mut count, mut array) = (0, null_mut());
        // SAFETY: `env` is live and the reference valid, the caller vouches for the function; the
        // VM writes `count` pointers, which are copied before their memory is given back.
        unsafe {
            let get: F = raw::function(self.env, slot);
            checked(
                function,
                get(self.env, class.as_raw(), &mut count, &mut array),
            )?;
            if array.is_null() {
                return Ok(Vec::new());
            }
            let items = std::slice::from_raw_parts(array, count.max(0) as usize).to_vec();
            self.deallocate(array.cast());
            Ok(items)
        }
    }

    /// # Safety
    /// `text` must be null or a text that the VM allocated for the caller.
    pub(crate) unsafe fn take_text(&self, text: *mut c_char) -> Vec<u8> {
        if text.is_null() {
            return Vec::new();
        }
        // SAFETY: the VM's texts end in NUL; it is copied before its memory is given back.
        unsafe {
            let copy = CStr::from_ptr(text).to_bytes().to_vec();
            self.deallocate(text.cast());
            copy
        }
    }

    /// # Safety
    /// `memory` must be what the VM allocated for the caller.
    pub(crate) unsafe fn deallocate(&self, memory: *mut c_uchar) {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, *mut c_uchar) -> c_int;
        // SAFETY: `env` is live; the caller vouches for the memory. It can only be refused if it is
        // not the VM's.
        unsafe { raw::function::<F>(self.env, jvmti_slot::DEALLOCATE)(self.env, memory) };
    }
}
