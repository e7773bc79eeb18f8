//! Values of thread locals.

use super::{Checked, Jni, Object, Thrown, Value};
use crate::raw::jni_slot;
use std::ffi::CStr;

impl<'f> Jni<'f> {
    /// What a thread local holds for the current thread; the outer `None` if it holds nothing, not even
    /// null. Asking it would make a first value.
    ///
    /// # Safety
    /// `local` must be a `ThreadLocal`.
    pub(crate) unsafe fn on_this_thread(
        &self,
        local: Object<'_>,
    ) -> Checked<Option<Option<Object<'f>>>> {
        const MAP: &CStr = c"Ljava/lang/ThreadLocal$ThreadLocalMap;";
        const ENTRIES: &CStr = c"[Ljava/lang/ThreadLocal$ThreadLocalMap$Entry;";
        let class = self.find_class(c"java/lang/Thread")?;
        let signature = c"()Ljava/lang/Thread;";
        // SAFETY: the method takes nothing and returns an object.
        let thread = unsafe { self.call_static_object(class, c"currentThread", signature, &[]) };
        // SAFETY: nobody else has it.
        unsafe { self.drop_local(class) };
        let thread = thread?.ok_or(Thrown)?;
        let mut found = None;
        for field in [c"threadLocals", c"inheritableThreadLocals"] {
            // SAFETY: the fields have these types in every JDK since 8; nobody else has the map.
            let table = unsafe {
                let Some(map) = self.field(thread, field, MAP)? else {
                    continue;
                };
                let table = self.field(map, c"table", ENTRIES);
                self.drop_local(map);
                table?.ok_or(Thrown)?
            };
            // SAFETY: it is the table of such a map, and nobody else has it.
            unsafe {
                found = found.or(self.entry(table, local)?);
                self.drop_local(table);
            }
        }
        // SAFETY: nobody else has it.
        unsafe { self.drop_local(thread) };
        Ok(found)
    }

    /// The value of the entry that has this key.
    ///
    /// # Safety
    /// `table` must be an array of entries of thread locals.
    unsafe fn entry(
        &self,
        table: Object<'_>,
        local: Object<'_>,
    ) -> Checked<Option<Option<Object<'f>>>> {
        const OBJECT: &CStr = c"Ljava/lang/Object;";
        let mut ids = None;
        // SAFETY: it is an array.
        for index in 0..unsafe { self.length(table) } {
            // SAFETY: it is an array of objects.
            let Some(entry) = (unsafe { self.element(table, index)? }) else {
                continue;
            };
            let (key, value) = match ids {
                Some(ids) => ids,
                None => {
                    let class = self.class_of(entry)?;
                    let id = |name| self.id(jni_slot::GET_FIELD_ID, class, name, OBJECT);
                    let found = (id(c"referent")?.as_ptr(), id(c"value")?.as_ptr());
                    // SAFETY: nobody else has it.
                    unsafe { self.drop_local(class) };
                    *ids.insert(found)
                }
            };
            // SAFETY: all entries are of the class whose fields these are; nobody else has this one.
            let (key, value) = unsafe {
                let key = self.field_by_id(entry, key, b'L');
                let value = self.field_by_id(entry, value, b'L');
                self.drop_local(entry);
                (key, value)
            };
            let (Value::Object(key), Value::Object(value)) = (key, value) else {
                return Err(Thrown);
            };
            let is_it = self.same(key, Some(local));
            if let Some(key) = key {
                // SAFETY: nobody else has it.
                unsafe { self.drop_local(key) };
            }
            if is_it {
                return Ok(Some(value));
            }
            if let Some(value) = value {
                // SAFETY: nobody else has it.
                unsafe { self.drop_local(value) };
            }
        }
        Ok(None)
    }
}
