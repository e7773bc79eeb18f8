//! Arrays.

use super::{Checked, Jni, Object, Thrown};
use crate::raw::{JObject, JniEnvPtr, jni_slot};
use std::ffi::{c_int, c_uchar, c_void};
use std::ptr::null_mut;

impl<'f> Jni<'f> {
    /// A hash of the elements of an array of primitive values, each of so many bytes.
    ///
    /// # Safety
    /// `array` must be such an array.
    pub(crate) unsafe fn hash_of_numbers(&self, array: Object<'_>, size: usize) -> Checked<u64> {
        type Get = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_uchar) -> *mut c_void;
        type Release = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, c_int);
        const DISCARD: c_int = 2;
        // SAFETY: the caller vouches for the array; nothing else of JNI is called before the elements are
        // given back, unchanged.
        unsafe {
            let length = self.length(array) as usize * size;
            let get = self.function::<Get>(jni_slot::GET_PRIMITIVE_ARRAY_CRITICAL);
            let elements = get(self.env, array.as_raw(), null_mut());
            if elements.is_null() {
                self.take_pending();
                return Err(Thrown);
            }
            let bytes = std::slice::from_raw_parts(elements.cast::<u8>(), length);
            let hash = xxhash_rust::xxh3::xxh3_64(bytes);
            let release = self.function::<Release>(jni_slot::RELEASE_PRIMITIVE_ARRAY_CRITICAL);
            release(self.env, array.as_raw(), elements, DISCARD);
            Ok(hash)
        }
    }

    /// An `Object[]` of this length.
    pub fn new_array(&self, length: u32) -> Checked<Object<'f>> {
        type F = unsafe extern "C" fn(JniEnvPtr, c_int, JObject, JObject) -> JObject;
        let length = c_int::try_from(length).map_err(|_| Thrown)?;
        let class = self.find_class(c"java/lang/Object")?;
        // SAFETY: the class is valid, and every element starts as null.
        let array = unsafe {
            let new = self.function::<F>(jni_slot::NEW_OBJECT_ARRAY);
            new(self.env, length, class.as_raw(), null_mut())
        };
        // SAFETY: nobody else has it.
        unsafe { self.drop_local(class) };
        self.wrap_present(array)
    }

    /// The length of an array.
    ///
    /// # Safety
    /// `array` must be an array.
    pub unsafe fn length(&self, array: Object<'_>) -> u32 {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject) -> c_int;
        // SAFETY: the reference is valid; the caller vouches for its class.
        let length =
            unsafe { self.function::<F>(jni_slot::GET_ARRAY_LENGTH)(self.env, array.as_raw()) };
        length.max(0) as u32
    }

    /// The element at `index` of an array.
    ///
    /// # Safety
    /// `array` must be an array of objects.
    pub unsafe fn element(&self, array: Object<'_>, index: u32) -> Checked<Option<Object<'f>>> {
        // SAFETY: the caller vouches for the array; the JVM checks the index.
        let element = unsafe { self.element_within(array, index) };
        self.check().map(|()| element)
    }

    /// The same for an index that the array has.
    ///
    /// # Safety
    /// `array` must be an array of objects, longer than `index`.
    pub(crate) unsafe fn element_within(
        &self,
        array: Object<'_>,
        index: u32,
    ) -> Option<Object<'f>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, c_int) -> JObject;
        // SAFETY: the caller vouches for the array; what comes back is null or a new local reference.
        unsafe {
            let get = self.function::<F>(jni_slot::GET_OBJECT_ARRAY_ELEMENT);
            self.object(get(self.env, array.as_raw(), index as c_int))
        }
    }

    /// Puts an object, or null, into an array.
    ///
    /// # Safety
    /// `array` must be an array of objects.
    pub unsafe fn set_element(
        &self,
        array: Object<'_>,
        index: u32,
        value: Option<Object<'_>>,
    ) -> Checked<()> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, c_int, JObject);
        let index = c_int::try_from(index).map_err(|_| Thrown)?;
        let value = value.map_or(null_mut(), |value| value.as_raw());
        // SAFETY: the caller vouches for the array; the JVM checks the index and the value's class.
        unsafe {
            let set = self.function::<F>(jni_slot::SET_OBJECT_ARRAY_ELEMENT);
            set(self.env, array.as_raw(), index, value);
        }
        self.check()
    }

    /// A `byte[]` with these bytes.
    pub fn byte_array(&self, bytes: &[u8]) -> Checked<Object<'f>> {
        type New = unsafe extern "C" fn(JniEnvPtr, c_int) -> JObject;
        type Set = unsafe extern "C" fn(JniEnvPtr, JObject, c_int, c_int, *const u8);
        let length = c_int::try_from(bytes.len()).map_err(|_| Thrown)?;
        // SAFETY: the length is not negative.
        let array = unsafe { self.function::<New>(jni_slot::NEW_BYTE_ARRAY)(self.env, length) };
        let array = self.wrap_present(array)?;
        // SAFETY: the array has room for `length` bytes, and so many are read.
        unsafe {
            let set = self.function::<Set>(jni_slot::SET_BYTE_ARRAY_REGION);
            set(self.env, array.as_raw(), 0, length, bytes.as_ptr());
        }
        self.check()?;
        Ok(array)
    }

    /// The bytes of a `byte[]`.
    ///
    /// # Safety
    /// `array` must be a `byte[]`.
    pub unsafe fn bytes(&self, array: Object<'_>) -> Checked<Vec<u8>> {
        let mut copy = Vec::new();
        let mut add = |bytes: &[std::sync::atomic::AtomicU8]| {
            let relaxed = std::sync::atomic::Ordering::Relaxed;
            copy.extend(bytes.iter().map(|byte| byte.load(relaxed)));
        };
        // SAFETY: the caller vouches for the class; the body only reads.
        unsafe { self.with_bytes(array, &mut add)? };
        Ok(copy)
    }

    /// Runs `body` on the elements of a byte array while the VM keeps it in place. Java threads
    /// write to it at the same time, hence atomics.
    ///
    /// # Safety
    /// `array` must be a `byte[]`; `body` must be short and must not call the JVM.
    pub unsafe fn with_bytes(
        &self,
        array: Object<'_>,
        body: impl FnOnce(&[std::sync::atomic::AtomicU8]),
    ) -> Checked<()> {
        type Get = unsafe extern "C" fn(JniEnvPtr, JObject, *mut u8) -> *mut c_void;
        type Release = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, c_int);
        // SAFETY: the caller vouches for the class; the VM gives `length` bytes that stay in place
        // until they are released; atomics have the layout of bytes.
        unsafe {
            let length = self.length(array) as usize;
            let get = self.function::<Get>(jni_slot::GET_PRIMITIVE_ARRAY_CRITICAL);
            let bytes = get(self.env, array.as_raw(), null_mut());
            if bytes.is_null() {
                self.take_pending();
                return Err(Thrown);
            }
            body(std::slice::from_raw_parts(bytes.cast(), length));
            let release = self.function::<Release>(jni_slot::RELEASE_PRIMITIVE_ARRAY_CRITICAL);
            release(self.env, array.as_raw(), bytes, 0);
        }
        Ok(())
    }
}
