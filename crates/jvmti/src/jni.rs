mod arrays;
mod fields;
mod locals;
mod references;

pub use fields::StaticField;
pub(crate) use references::set_vm;
pub use references::{Global, Weak};

use crate::raw::{self, JObject, JValue, JniEnvPtr, jni_slot};
use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::marker::PhantomData;
use std::ptr::{NonNull, null, null_mut};

/// A Java exception was thrown and has been cleared, or an answer was null where none is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thrown;

type Checked<T> = Result<T, Thrown>;

/// How many references a frame has room for, unless more is asked for; the JVM makes more room if it can.
const REFERENCES: u16 = 32;

/// A local reference, valid as long as the native frame that `'f` stands for.
#[derive(Clone, Copy)]
pub struct Object<'f> {
    reference: NonNull<c_void>,
    frame: PhantomData<&'f ()>,
}

/// The value of a field.
#[derive(Clone, Copy)]
pub enum Value<'f> {
    /// An object, or null.
    Object(Option<Object<'f>>),
    /// The bits of a primitive value.
    Number(i64),
}

impl Object<'_> {
    /// The reference as the JVM's functions take it.
    pub fn as_raw(&self) -> JObject {
        self.reference.as_ptr()
    }
}

/// A thread's JNI environment inside one native frame `'f`.
///
/// The JVM gives all local references to the innermost frame. So an environment makes objects only while its
/// frame is the innermost: [`Jni::frame`] borrows it until the inner frame is gone, and it cannot be copied.
/// An object cannot leave its frame, because its type names that:
///
/// ```compile_fail
/// # use tamis_jvmti::{Jni, Object};
/// fn leak<'f>(jni: &mut Jni<'f>) -> Option<Object<'f>> {
///     jni.frame(|inner| inner.find_class(c"java/lang/Object").ok())
/// }
/// ```
///
/// Nor can the environment around a frame make one in there, which would live as long as that:
///
/// ```compile_fail
/// # use tamis_jvmti::{Jni, Object};
/// fn leak<'f>(jni: &mut Jni<'f>) -> Option<Object<'f>> {
///     let mut leaked = None;
///     jni.frame(|_| leaked = jni.find_class(c"java/lang/Object").ok());
///     leaked
/// }
/// ```
///
/// What is to outlive the frame is handed on ([`Jni::frame_with_result`]) or held ([`Jni::global`]):
///
/// ```
/// # use tamis_jvmti::{Global, Jni, Object};
/// fn hand_on<'f>(jni: &mut Jni<'f>) -> Option<Object<'f>> {
///     jni.frame_with_result(|inner| inner.find_class(c"java/lang/Object").map(Some)).ok()?
/// }
///
/// fn hold(jni: &mut Jni<'_>) -> Option<Global> {
///     jni.frame(|inner| inner.global(inner.find_class(c"java/lang/Object").ok()?).ok())
/// }
/// ```
pub struct Jni<'f> {
    env: JniEnvPtr,
    /// Invariant: no frame stands for another one.
    frame: PhantomData<fn(&'f ()) -> &'f ()>,
}

impl<'f> Jni<'f> {
    /// The environment of the current thread.
    ///
    /// # Safety
    /// `env` must be the `JNIEnv*` that the JVM handed to the current native call or callback, `'f` must not
    /// outlive that call, and no other environment of that call may have a frame open.
    pub unsafe fn from_raw(env: JniEnvPtr) -> Self {
        Jni {
            env,
            frame: PhantomData,
        }
    }

    /// A reference that the JVM handed to the current native call; `None` for null.
    ///
    /// # Safety
    /// `reference` must be null or a reference that is valid during the current native call.
    pub unsafe fn object(&self, reference: JObject) -> Option<Object<'f>> {
        NonNull::new(reference).map(|reference| Object {
            reference,
            frame: PhantomData,
        })
    }

    /// # Safety
    /// As for [`raw::function`]; the environment itself is live by construction.
    unsafe fn function<F: Copy>(&self, slot: usize) -> F {
        // SAFETY: `env` is live by the contract of `from_raw`; the caller vouches for the rest.
        unsafe { raw::function(self.env, slot) }
    }

    fn wrap(&self, reference: JObject) -> Checked<Option<Object<'f>>> {
        self.check()?;
        Ok(NonNull::new(reference).map(|reference| Object {
            reference,
            frame: PhantomData,
        }))
    }

    fn wrap_present(&self, reference: JObject) -> Checked<Object<'f>> {
        self.wrap(reference)?.ok_or(Thrown)
    }

    /// Whether a Java exception is pending.
    pub fn pending(&self) -> bool {
        type F = unsafe extern "C" fn(JniEnvPtr) -> u8;
        // SAFETY: takes nothing but the environment.
        unsafe { self.function::<F>(jni_slot::EXCEPTION_CHECK)(self.env) != 0 }
    }

    /// Clears a pending exception and says so.
    fn check(&self) -> Checked<()> {
        match self.take_pending() {
            None => Ok(()),
            Some(_) => Err(Thrown),
        }
    }

    /// Clears and returns the pending exception.
    pub fn take_pending(&self) -> Option<Object<'f>> {
        type Occurred = unsafe extern "C" fn(JniEnvPtr) -> JObject;
        type Clear = unsafe extern "C" fn(JniEnvPtr);
        if !self.pending() {
            return None;
        }
        // SAFETY: both take nothing but the environment and may be called with one pending.
        let thrown = unsafe {
            let thrown = self.function::<Occurred>(jni_slot::EXCEPTION_OCCURRED)(self.env);
            self.function::<Clear>(jni_slot::EXCEPTION_CLEAR)(self.env);
            thrown
        };
        NonNull::new(thrown).map(|reference| Object {
            reference,
            frame: PhantomData,
        })
    }

    /// Makes `throwable` pending.
    ///
    /// # Safety
    /// `throwable` must be a `java.lang.Throwable`.
    pub unsafe fn throw(&self, throwable: Object<'_>) {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject) -> c_int;
        // SAFETY: the reference is valid; the caller vouches for its class.
        unsafe { self.function::<F>(jni_slot::THROW)(self.env, throwable.as_raw()) };
    }

    /// Runs `body` in a local frame of its own, so that its references do not pile up.
    pub fn frame<T>(&mut self, body: impl for<'g> FnOnce(&mut Jni<'g>) -> T) -> T {
        self.frame_for(REFERENCES, body)
    }

    /// The same with room for so many references at once.
    pub(crate) fn frame_for<T>(
        &mut self,
        references: u16,
        body: impl for<'g> FnOnce(&mut Jni<'g>) -> T,
    ) -> T {
        let is_pushed = self.push_frame(references);
        let result = body(&mut self.inner());
        if is_pushed {
            // SAFETY: nothing of the inner frame is left: `body` is generic over its lifetime, and this
            // environment was borrowed meanwhile.
            unsafe { self.pop_frame(null_mut()) };
        }
        result
    }

    /// Runs `body` in a local frame of its own and hands the object that it answers on to this frame.
    pub fn frame_with_result(
        &mut self,
        body: impl for<'g> FnOnce(&mut Jni<'g>) -> Checked<Option<Object<'g>>>,
    ) -> Checked<Option<Object<'f>>> {
        let is_pushed = self.push_frame(REFERENCES);
        let result = body(&mut self.inner()).map(|object| object.map(|object| object.reference));
        let reference = match &result {
            Ok(Some(reference)) => reference.as_ptr(),
            _ => null_mut(),
        };
        let handed_on = match is_pushed {
            // SAFETY: as for other frames, but for the one reference, which the JVM makes anew.
            true => unsafe { self.pop_frame(reference) },
            // Without a frame of its own it is one of this frame.
            false => reference,
        };
        result?;
        Ok(NonNull::new(handed_on).map(|reference| Object {
            reference,
            frame: PhantomData,
        }))
    }

    /// An environment for a frame inside this one, which borrows this one as long.
    fn inner<'g>(&'g mut self) -> Jni<'g> {
        Jni {
            env: self.env,
            frame: PhantomData,
        }
    }

    /// Starts a local frame; if the JVM has no room for it, references pile up in this one.
    fn push_frame(&mut self, references: u16) -> bool {
        type Push = unsafe extern "C" fn(JniEnvPtr, c_int) -> c_int;
        // SAFETY: takes a number.
        let code = unsafe {
            let push = self.function::<Push>(jni_slot::PUSH_LOCAL_FRAME);
            push(self.env, c_int::from(references))
        };
        if code != 0 {
            self.take_pending();
        }
        code == 0
    }

    /// Ends the innermost local frame, and gives another reference to the object of this one.
    ///
    /// # Safety
    /// [`Jni::push_frame`] must have started it, and no reference of it may be used again.
    unsafe fn pop_frame(&mut self, result: JObject) -> JObject {
        type Pop = unsafe extern "C" fn(JniEnvPtr, JObject) -> JObject;
        // SAFETY: the caller vouches for the frame; the reference is null or one of it.
        unsafe { self.function::<Pop>(jni_slot::POP_LOCAL_FRAME)(self.env, result) }
    }

    /// The class called `name` (internal form), as seen by the caller's loader.
    pub fn find_class(&self, name: &CStr) -> Checked<Object<'f>> {
        type F = unsafe extern "C" fn(JniEnvPtr, *const c_char) -> JObject;
        // SAFETY: `name` ends in NUL and outlives the call.
        let class = unsafe { self.function::<F>(jni_slot::FIND_CLASS)(self.env, name.as_ptr()) };
        self.wrap_present(class)
    }

    /// Defines a class in `loader`, or in the boot loader.
    pub fn define_class(
        &self,
        name: &CStr,
        loader: Option<Object<'_>>,
        bytes: &[u8],
    ) -> Checked<Object<'f>> {
        type F = unsafe extern "C" fn(
            JniEnvPtr,
            *const c_char,
            JObject,
            *const c_uchar,
            c_int,
        ) -> JObject;
        let loader = loader.map_or(null_mut(), |l| l.as_raw());
        let length = c_int::try_from(bytes.len()).map_err(|_| Thrown)?;
        // SAFETY: name and bytes outlive the call, which copies them; the loader is null or valid.
        let class = unsafe {
            let define = self.function::<F>(jni_slot::DEFINE_CLASS);
            define(self.env, name.as_ptr(), loader, bytes.as_ptr(), length)
        };
        self.wrap_present(class)
    }

    /// The superclass of `class`; interfaces and `Object` have none.
    ///
    /// # Safety
    /// `class` must be a `java.lang.Class`.
    pub unsafe fn superclass(&self, class: Object<'_>) -> Checked<Option<Object<'f>>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject) -> JObject;
        // SAFETY: the reference is valid; the caller vouches for its class.
        let class =
            unsafe { self.function::<F>(jni_slot::GET_SUPERCLASS)(self.env, class.as_raw()) };
        self.wrap(class)
    }

    /// The class of `object`.
    pub fn class_of(&self, object: Object<'_>) -> Checked<Object<'f>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject) -> JObject;
        // SAFETY: the reference is valid.
        let class =
            unsafe { self.function::<F>(jni_slot::GET_OBJECT_CLASS)(self.env, object.as_raw()) };
        self.wrap_present(class)
    }

    fn id(
        &self,
        slot: usize,
        class: Object<'_>,
        name: &CStr,
        signature: &CStr,
    ) -> Checked<NonNull<c_void>> {
        type F =
            unsafe extern "C" fn(JniEnvPtr, JObject, *const c_char, *const c_char) -> *mut c_void;
        // SAFETY: `slot` is one of the four look-ups that have this signature; texts end in NUL.
        let id = unsafe {
            let get = self.function::<F>(slot);
            get(self.env, class.as_raw(), name.as_ptr(), signature.as_ptr())
        };
        self.check()?;
        NonNull::new(id).ok_or(Thrown)
    }

    fn method(
        &self,
        object: Object<'_>,
        name: &CStr,
        signature: &CStr,
    ) -> Checked<NonNull<c_void>> {
        let class = self.class_of(object)?;
        let id = self.id(jni_slot::GET_METHOD_ID, class, name, signature);
        // SAFETY: nobody else has it.
        unsafe { self.drop_local(class) };
        id
    }

    /// Calls the method `name` of `object`, whose answer is an object.
    ///
    /// # Safety
    /// `arguments` must be as many objects, of the classes, that `signature` asks for, and
    /// `signature` must return an object.
    pub unsafe fn call_object(
        &self,
        object: Object<'_>,
        name: &CStr,
        signature: &CStr,
        arguments: &[Object<'_>],
    ) -> Checked<Option<Object<'f>>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, *const JValue) -> JObject;
        let id = self.method(object, name, signature)?;
        let values = values(arguments);
        // SAFETY: the id comes from the object's own class; the caller vouches for the arguments.
        let answer = unsafe {
            let call = self.function::<F>(jni_slot::CALL_OBJECT_METHOD_A);
            call(self.env, object.as_raw(), id.as_ptr(), values.as_ptr())
        };
        self.wrap(answer)
    }

    /// Calls the method `name` of `object`, whose answer is a boolean.
    ///
    /// # Safety
    /// As for [`Jni::call_object`], with a boolean as the answer.
    pub unsafe fn call_boolean(
        &self,
        object: Object<'_>,
        name: &CStr,
        signature: &CStr,
        arguments: &[Object<'_>],
    ) -> Checked<bool> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, *const JValue) -> u8;
        let id = self.method(object, name, signature)?;
        let values = values(arguments);
        // SAFETY: as in `call_object`.
        let answer = unsafe {
            let call = self.function::<F>(jni_slot::CALL_BOOLEAN_METHOD_A);
            call(self.env, object.as_raw(), id.as_ptr(), values.as_ptr())
        };
        self.check()?;
        Ok(answer != 0)
    }

    /// Calls the method `name` of `object`, whose answer is an integer.
    ///
    /// # Safety
    /// As for [`Jni::call_object`], with an integer as the answer.
    pub unsafe fn call_int(
        &self,
        object: Object<'_>,
        name: &CStr,
        signature: &CStr,
        arguments: &[Object<'_>],
    ) -> Checked<i32> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, *const JValue) -> i32;
        let id = self.method(object, name, signature)?;
        let values = values(arguments);
        // SAFETY: as in `call_object`.
        let answer = unsafe {
            let call = self.function::<F>(jni_slot::CALL_INT_METHOD_A);
            call(self.env, object.as_raw(), id.as_ptr(), values.as_ptr())
        };
        self.check()?;
        Ok(answer)
    }

    /// Calls a method without an answer and leaves what it throws pending.
    ///
    /// # Safety
    /// As for [`Jni::call_object`], with no answer.
    pub unsafe fn call_void_leaving_exception(
        &self,
        object: Object<'_>,
        name: &CStr,
        signature: &CStr,
        arguments: &[Object<'_>],
    ) -> Checked<()> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, *const JValue);
        let id = self.method(object, name, signature)?;
        let values = values(arguments);
        // SAFETY: as in `call_object`.
        unsafe {
            let call = self.function::<F>(jni_slot::CALL_VOID_METHOD_A);
            call(self.env, object.as_raw(), id.as_ptr(), values.as_ptr());
        }
        Ok(())
    }

    /// Calls a static method of `class`, whose answer is an object.
    ///
    /// # Safety
    /// As for [`Jni::call_object`].
    pub unsafe fn call_static_object(
        &self,
        class: Object<'_>,
        name: &CStr,
        signature: &CStr,
        arguments: &[Object<'_>],
    ) -> Checked<Option<Object<'f>>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, *const JValue) -> JObject;
        let id = self.id(jni_slot::GET_STATIC_METHOD_ID, class, name, signature)?;
        let values = values(arguments);
        // SAFETY: the id comes from the class itself; the caller vouches for the arguments.
        let answer = unsafe {
            let call = self.function::<F>(jni_slot::CALL_STATIC_OBJECT_METHOD_A);
            call(self.env, class.as_raw(), id.as_ptr(), values.as_ptr())
        };
        self.wrap(answer)
    }

    /// A new object by the constructor with this signature.
    ///
    /// # Safety
    /// As for [`Jni::call_object`], for the constructor.
    pub unsafe fn new_object(
        &self,
        class: Object<'_>,
        signature: &CStr,
        arguments: &[Object<'_>],
    ) -> Checked<Object<'f>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, *const JValue) -> JObject;
        let id = self.id(jni_slot::GET_METHOD_ID, class, c"<init>", signature)?;
        let values = values(arguments);
        // SAFETY: the id comes from the class itself; the caller vouches for the arguments.
        let object = unsafe {
            let new = self.function::<F>(jni_slot::NEW_OBJECT_A);
            new(self.env, class.as_raw(), id.as_ptr(), values.as_ptr())
        };
        self.wrap_present(object)
    }

    /// A Java string.
    pub fn string(&self, text: &CStr) -> Checked<Object<'f>> {
        type F = unsafe extern "C" fn(JniEnvPtr, *const c_char) -> JObject;
        // SAFETY: `text` ends in NUL and outlives the call.
        let string =
            unsafe { self.function::<F>(jni_slot::NEW_STRING_UTF)(self.env, text.as_ptr()) };
        self.wrap_present(string)
    }

    /// The modified UTF-8 bytes of a Java string.
    ///
    /// # Safety
    /// `string` must be a `java.lang.String`.
    pub unsafe fn text(&self, string: Object<'_>) -> Checked<Vec<u8>> {
        type Length = unsafe extern "C" fn(JniEnvPtr, JObject) -> c_int;
        type Chars = unsafe extern "C" fn(JniEnvPtr, JObject, *mut u8) -> *const c_uchar;
        type Release = unsafe extern "C" fn(JniEnvPtr, JObject, *const c_uchar);
        // SAFETY: the caller vouches for the class; the JVM gives as many bytes as it said, and
        // they are copied before they are released.
        unsafe {
            let length = self.function::<Length>(jni_slot::GET_STRING_UTF_LENGTH);
            let length = length(self.env, string.as_raw());
            let get = self.function::<Chars>(jni_slot::GET_STRING_UTF_CHARS);
            let chars = get(self.env, string.as_raw(), null_mut());
            if chars.is_null() {
                self.take_pending();
                return Err(Thrown);
            }
            let text = std::slice::from_raw_parts(chars, length.max(0) as usize).to_vec();
            self.function::<Release>(jni_slot::RELEASE_STRING_UTF_CHARS)(
                self.env,
                string.as_raw(),
                chars,
            );
            Ok(text)
        }
    }
}

fn values(arguments: &[Object<'_>]) -> Vec<JValue> {
    // One more than needed, so that the pointer is never dangling.
    let mut values: Vec<_> = arguments
        .iter()
        .map(|a| JValue { object: a.as_raw() })
        .collect();
    values.push(JValue {
        object: null::<c_void>().cast_mut(),
    });
    values
}
