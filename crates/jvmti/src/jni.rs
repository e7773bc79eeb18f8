use crate::raw::{self, JFieldId, JObject, JValue, JniEnvPtr, jni_slot};
use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::marker::PhantomData;
use std::ptr::{NonNull, null, null_mut};

/// A Java exception was thrown and has been cleared, or an answer was null where none is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thrown;

type Checked<T> = Result<T, Thrown>;

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

/// A global reference; it keeps its object alive until [`Jni::drop_global`].
pub struct Global(NonNull<c_void>);

/// A weak global reference: identity without keeping alive.
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

/// A thread's JNI environment inside one native frame `'f`.
#[derive(Clone, Copy)]
pub struct Jni<'f> {
    env: JniEnvPtr,
    frame: PhantomData<&'f ()>,
}

impl<'f> Jni<'f> {
    /// The environment of the current thread.
    ///
    /// # Safety
    /// `env` must be the `JNIEnv*` that the JVM handed to the current native call or callback, and
    /// `'f` must not outlive that call.
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
    pub fn frame<T>(&self, body: impl for<'g> FnOnce(Jni<'g>) -> T) -> T {
        self.frame_for(32, body)
    }

    /// The same with room for so many references at once.
    pub(crate) fn frame_for<T>(
        &self,
        references: u16,
        body: impl for<'g> FnOnce(Jni<'g>) -> T,
    ) -> T {
        type Push = unsafe extern "C" fn(JniEnvPtr, c_int) -> c_int;
        type Pop = unsafe extern "C" fn(JniEnvPtr, JObject) -> JObject;
        // SAFETY: a frame that could not be pushed is not popped; no reference of the inner frame
        // can leave `body`, because it is generic over the frame's lifetime.
        unsafe {
            let push = self.function::<Push>(jni_slot::PUSH_LOCAL_FRAME);
            let pushed = push(self.env, c_int::from(references)) == 0;
            if !pushed {
                self.take_pending();
            }
            let result = body(Jni {
                env: self.env,
                frame: PhantomData,
            });
            if pushed {
                self.function::<Pop>(jni_slot::POP_LOCAL_FRAME)(self.env, null_mut());
            }
            result
        }
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
        self.drop_local(class);
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

    /// The object in the field `name`, whose type is the class descriptor `signature`.
    ///
    /// # Safety
    /// `signature` must be an object type.
    pub unsafe fn field(
        &self,
        object: Object<'_>,
        name: &CStr,
        signature: &CStr,
    ) -> Checked<Option<Object<'f>>> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void) -> JObject;
        let class = self.class_of(object)?;
        let id = self.id(jni_slot::GET_FIELD_ID, class, name, signature)?;
        // SAFETY: the id comes from the object's own class and names an object field.
        let value = unsafe {
            self.function::<F>(jni_slot::GET_OBJECT_FIELD)(self.env, object.as_raw(), id.as_ptr())
        };
        self.wrap(value)
    }

    /// The value of the static field `name`, which has the type `signature`. If the class is not
    /// initialized, this initializes it.
    ///
    /// # Safety
    /// `class` must be a class.
    pub unsafe fn static_field(
        &self,
        class: Object<'_>,
        name: &CStr,
        signature: &CStr,
    ) -> Checked<Value<'f>> {
        type Get<T> = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void) -> T;
        let id = self.id(jni_slot::GET_STATIC_FIELD_ID, class, name, signature)?;
        let (env, class, id) = (self.env, class.as_raw(), id.as_ptr());
        // SAFETY: the id comes from the class itself, and each function is the one for the type that the
        // signature names.
        let number = unsafe {
            match signature.to_bytes().first() {
                Some(b'Z') => {
                    self.function::<Get<u8>>(jni_slot::GET_STATIC_BOOLEAN_FIELD)(env, class, id)
                        .into()
                }
                Some(b'B') => {
                    self.function::<Get<i8>>(jni_slot::GET_STATIC_BYTE_FIELD)(env, class, id).into()
                }
                Some(b'C') => {
                    self.function::<Get<u16>>(jni_slot::GET_STATIC_CHAR_FIELD)(env, class, id)
                        .into()
                }
                Some(b'S') => {
                    self.function::<Get<i16>>(jni_slot::GET_STATIC_SHORT_FIELD)(env, class, id)
                        .into()
                }
                Some(b'I') => {
                    self.function::<Get<i32>>(jni_slot::GET_STATIC_INT_FIELD)(env, class, id).into()
                }
                Some(b'J') => {
                    self.function::<Get<i64>>(jni_slot::GET_STATIC_LONG_FIELD)(env, class, id)
                }
                Some(b'F') => {
                    self.function::<Get<f32>>(jni_slot::GET_STATIC_FLOAT_FIELD)(env, class, id)
                        .to_bits()
                        .into()
                }
                Some(b'D') => {
                    self.function::<Get<f64>>(jni_slot::GET_STATIC_DOUBLE_FIELD)(env, class, id)
                        .to_bits() as i64
                }
                _ => {
                    let get = self.function::<Get<JObject>>(jni_slot::GET_STATIC_OBJECT_FIELD);
                    return self.wrap(get(env, class, id)).map(Value::Object);
                }
            }
        };
        self.check()?;
        Ok(Value::Number(number))
    }

    /// The value of a field of `object`, which has a type that starts so.
    ///
    /// # Safety
    /// `field` must be the id of a field of the object's class, of that type and not static.
    pub(crate) unsafe fn field_by_id(
        &self,
        object: Object<'_>,
        field: JFieldId,
        of: u8,
    ) -> Value<'f> {
        type Get<T> = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void) -> T;
        let (env, object) = (self.env, object.as_raw());
        // SAFETY: the caller vouches for the id, and each function is the one for the type.
        let number = unsafe {
            match of {
                b'Z' => i64::from(self.function::<Get<u8>>(jni_slot::GET_BOOLEAN_FIELD)(
                    env, object, field,
                )),
                b'B' => i64::from(self.function::<Get<i8>>(jni_slot::GET_BYTE_FIELD)(
                    env, object, field,
                )),
                b'C' => i64::from(self.function::<Get<u16>>(jni_slot::GET_CHAR_FIELD)(
                    env, object, field,
                )),
                b'S' => i64::from(self.function::<Get<i16>>(jni_slot::GET_SHORT_FIELD)(
                    env, object, field,
                )),
                b'I' => i64::from(self.function::<Get<i32>>(jni_slot::GET_INT_FIELD)(
                    env, object, field,
                )),
                b'J' => self.function::<Get<i64>>(jni_slot::GET_LONG_FIELD)(env, object, field),
                b'F' => i64::from(
                    self.function::<Get<f32>>(jni_slot::GET_FLOAT_FIELD)(env, object, field)
                        .to_bits(),
                ),
                b'D' => self.function::<Get<f64>>(jni_slot::GET_DOUBLE_FIELD)(env, object, field)
                    .to_bits() as i64,
                _ => {
                    let get = self.function::<Get<JObject>>(jni_slot::GET_OBJECT_FIELD);
                    // It throws nothing.
                    return Value::Object(self.object(get(env, object, field)));
                }
            }
        };
        Value::Number(number)
    }

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

    /// Sets the field `name`, final or not.
    ///
    /// # Safety
    /// `value` must be of the class that `signature` names.
    pub unsafe fn set_field(
        &self,
        object: Object<'_>,
        name: &CStr,
        signature: &CStr,
        value: Object<'_>,
    ) -> Checked<()> {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void, JObject);
        let class = self.class_of(object)?;
        let id = self.id(jni_slot::GET_FIELD_ID, class, name, signature)?;
        // SAFETY: the id comes from the object's own class; the caller vouches for the value.
        unsafe {
            let set = self.function::<F>(jni_slot::SET_OBJECT_FIELD);
            set(self.env, object.as_raw(), id.as_ptr(), value.as_raw());
        }
        self.check()
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

    fn same_raw(&self, a: JObject, b: JObject) -> bool {
        type F = unsafe extern "C" fn(JniEnvPtr, JObject, JObject) -> u8;
        // SAFETY: both are null or valid references of any kind.
        unsafe { self.function::<F>(jni_slot::IS_SAME_OBJECT)(self.env, a, b) != 0 }
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
        self.drop_local(class);
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

    /// What is at `index` of an array.
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
