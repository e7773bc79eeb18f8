//! Fields of objects and classes.

use super::{Checked, Jni, Object, Value};
use crate::raw::{JFieldId, JObject, JniEnvPtr, jni_slot};
use std::ffi::{CStr, c_void};

/// A static field of a class, as long as that is loaded.
#[derive(Debug, Clone, Copy)]
pub struct StaticField {
    id: usize,
    /// The first letter of its type.
    of: u8,
}

impl<'f> Jni<'f> {
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

    /// The static field `name` of a class, which has the type `signature`. If the class is not initialized,
    /// this initializes it.
    ///
    /// # Safety
    /// `class` must be a class.
    pub unsafe fn static_field_id(
        &self,
        class: Object<'_>,
        name: &CStr,
        signature: &CStr,
    ) -> Checked<StaticField> {
        let id = self.id(jni_slot::GET_STATIC_FIELD_ID, class, name, signature)?;
        let of = signature.to_bytes().first().copied();
        Ok(StaticField {
            id: id.as_ptr().addr(),
            of: of.unwrap_or(b'L'),
        })
    }

    /// The value of a static field.
    ///
    /// # Safety
    /// `field` must be of this class.
    pub unsafe fn static_field(&self, class: Object<'_>, field: StaticField) -> Checked<Value<'f>> {
        type Get<T> = unsafe extern "C" fn(JniEnvPtr, JObject, *mut c_void) -> T;
        let id = std::ptr::without_provenance_mut(field.id);
        let (env, class) = (self.env, class.as_raw());
        // SAFETY: the id comes from the class itself (it is nothing but a number for the VM), and each function
        // is the one for the type that the signature names.
        let number = unsafe {
            match field.of {
                b'Z' => {
                    self.function::<Get<u8>>(jni_slot::GET_STATIC_BOOLEAN_FIELD)(env, class, id)
                        .into()
                }
                b'B' => {
                    self.function::<Get<i8>>(jni_slot::GET_STATIC_BYTE_FIELD)(env, class, id).into()
                }
                b'C' => self.function::<Get<u16>>(jni_slot::GET_STATIC_CHAR_FIELD)(env, class, id)
                    .into(),
                b'S' => self.function::<Get<i16>>(jni_slot::GET_STATIC_SHORT_FIELD)(env, class, id)
                    .into(),
                b'I' => {
                    self.function::<Get<i32>>(jni_slot::GET_STATIC_INT_FIELD)(env, class, id).into()
                }
                b'J' => self.function::<Get<i64>>(jni_slot::GET_STATIC_LONG_FIELD)(env, class, id),
                b'F' => self.function::<Get<f32>>(jni_slot::GET_STATIC_FLOAT_FIELD)(env, class, id)
                    .to_bits()
                    .into(),
                b'D' => {
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
}
