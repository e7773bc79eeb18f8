//! Reads the stacks of other threads.

use crate::env::{Jvmti, JvmtiError, checked};
use crate::raw::{self, JMethodId, JObject, JvmtiEnvPtr, jvmti_slot};
use crate::{Jni, Object};
use std::collections::HashSet;
use std::ffi::c_int;
use std::ops::ControlFlow;
use std::ptr::null_mut;

/// `jvmtiFrameInfo`.
#[repr(C)]
struct FrameInfo {
    method: JMethodId,
    location: i64,
}

impl FrameInfo {
    const NONE: FrameInfo = FrameInfo {
        method: null_mut(),
        location: 0,
    };
}

/// `jvmtiStackInfo`.
#[repr(C)]
struct StackInfo {
    thread: JObject,
    state: c_int,
    frames: *const FrameInfo,
    count: c_int,
}

/// A method on the stack of the current thread.
pub struct Frame<'f> {
    /// The class that declares it.
    pub declaring: Object<'f>,
    /// The signature of that class, `La/b/C;`.
    pub class: Vec<u8>,
    /// Its name.
    pub method: Vec<u8>,
}

impl Frame<'_> {
    /// The internal name of the class, `a/b/C`.
    pub fn class_name(&self) -> &[u8] {
        let name = self.class.strip_prefix(b"L");
        let name = name.and_then(|name| name.strip_suffix(b";"));
        name.unwrap_or(&self.class)
    }
}

/// The callback for a method on the stack.
pub type Details<'a> = &'a mut dyn for<'g> FnMut(&mut Jni<'g>, &Frame<'g>);

/// Tells what a method on the stack is.
pub type Ask<'a> = &'a mut dyn FnMut(Details<'_>) -> Result<(), JvmtiError>;

/// How many frames [`Jvmti::callers`] shows at most.
pub const CALLERS: usize = 512;

/// Whether more of a stack is to be shown.
pub type Shown = Result<ControlFlow<()>, JvmtiError>;

impl Jvmti {
    /// The uppermost methods on the stack of the current thread, from the innermost on, [`CALLERS`] at
    /// most: the id of each, and what it is, for who asks. The `first` of them are likely to be enough: the
    /// others are asked for if `each` wants to see them.
    pub fn callers(
        &self,
        jni: &mut Jni<'_>,
        first: usize,
        mut each: impl FnMut(JMethodId, Ask<'_>) -> Shown,
    ) -> Result<(), JvmtiError> {
        let first = first.min(CALLERS);
        for (start, most) in [(0, first), (first, CALLERS - first)] {
            let mut frames = [const { FrameInfo::NONE }; CALLERS];
            let Some(room) = frames.get_mut(..most).filter(|room| !room.is_empty()) else {
                continue;
            };
            let shown = self.frames(start, room)?;
            for frame in shown {
                if self.show(jni, frame, &mut each)?.is_break() {
                    return Ok(());
                }
            }
            if shown.len() < most {
                break;
            }
        }
        Ok(())
    }

    /// The frames on the stack of the current thread, without the uppermost `start`: as many as there is room
    /// for.
    fn frames<'r>(
        &self,
        start: usize,
        room: &'r mut [FrameInfo],
    ) -> Result<&'r [FrameInfo], JvmtiError> {
        type F = unsafe extern "C" fn(
            JvmtiEnvPtr,
            JObject,
            c_int,
            c_int,
            *mut FrameInfo,
            *mut c_int,
        ) -> c_int;
        let mut count = 0;
        // SAFETY: `env` is live, and null is the current thread; the VM writes at most so many frames as
        // there is room for.
        let code = unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_STACK_TRACE);
            let (start, most) = (start as c_int, room.len() as c_int);
            get(
                self.env,
                null_mut(),
                start,
                most,
                room.as_mut_ptr(),
                &mut count,
            )
        };
        if start > 0 && code == raw::ILLEGAL_ARGUMENT {
            // There are no more.
            return Ok(&[]);
        }
        checked("GetStackTrace", code)?;
        Ok(room.get(..count.max(0) as usize).unwrap_or_default())
    }

    fn show(
        &self,
        jni: &mut Jni<'_>,
        frame: &FrameInfo,
        each: &mut impl FnMut(JMethodId, Ask<'_>) -> Shown,
    ) -> Shown {
        each(frame.method, &mut |details: Details<'_>| {
            jni.frame(|jni| {
                let class = self.declaring_class(frame.method)?;
                // SAFETY: a local reference of this frame, or null; a method that runs belongs to a
                // class that is loaded.
                let (declaring, method) =
                    unsafe { (jni.object(class), self.method(frame.method)?.name) };
                if let Some(declaring) = declaring {
                    let class = self.signature(declaring)?;
                    details(
                        jni,
                        &Frame {
                            declaring,
                            class,
                            method,
                        },
                    );
                }
                Ok(())
            })
        })
    }

    /// The signatures of the classes whose methods are on the stacks of threads other than the
    /// current one. Virtual threads are not among them.
    pub fn classes_on_other_stacks(
        &self,
        jni: &mut Jni<'_>,
    ) -> Result<HashSet<Vec<u8>>, JvmtiError> {
        jni.frame(|jni| {
            let current = self.current_thread()?;
            let mut classes = HashSet::new();
            for method in self.methods_on_stacks(jni, current)? {
                // A class that has been unloaded since runs no more.
                if let Ok(class) = self.declaring_class(method) {
                    // SAFETY: a local reference of this frame, or null.
                    let class = unsafe { jni.object(class) };
                    classes.extend(class.map(|class| self.signature(class)).transpose()?);
                }
            }
            Ok(classes)
        })
    }

    fn current_thread(&self) -> Result<JObject, JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, *mut JObject) -> c_int;
        let mut thread = null_mut();
        // SAFETY: `env` is live; the VM writes a local reference of the current frame.
        let code = unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_CURRENT_THREAD);
            get(self.env, &mut thread)
        };
        checked("GetCurrentThread", code).map(|()| thread)
    }

    pub(crate) fn declaring_class(&self, method: JMethodId) -> Result<JObject, JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, JMethodId, *mut JObject) -> c_int;
        let mut class = null_mut();
        // SAFETY: `env` is live; the VM checks the id, which it gave out itself, and writes a local
        // reference of the current frame.
        let code = unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_METHOD_DECLARING_CLASS);
            get(self.env, method, &mut class)
        };
        checked("GetMethodDeclaringClass", code).map(|()| class)
    }

    /// The methods on the stacks of all threads but `current`.
    fn methods_on_stacks(
        &self,
        jni: &Jni<'_>,
        current: JObject,
    ) -> Result<HashSet<JMethodId>, JvmtiError> {
        // The VM takes room for so many frames of each thread, however few there are.
        const MOST: c_int = 1 << 10;
        const ALL: c_int = 1 << 16;
        match self.methods_within(jni, current, MOST)? {
            (_, deepest) if deepest >= MOST => Ok(self.methods_within(jni, current, ALL)?.0),
            (methods, _) => Ok(methods),
        }
    }

    /// The same for the uppermost `limit` frames of each stack, and the depth of the deepest.
    fn methods_within(
        &self,
        jni: &Jni<'_>,
        current: JObject,
        limit: c_int,
    ) -> Result<(HashSet<JMethodId>, c_int), JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, c_int, *mut *mut StackInfo, *mut c_int) -> c_int;
        let (mut stacks, mut count) = (null_mut::<StackInfo>(), 0);
        let (mut methods, mut deepest) = (HashSet::new(), 0);
        // SAFETY: `env` is live; the VM writes `count` stacks, each with as many frames as it says,
        // all in one piece of memory, which is given back when they have been read.
        unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_ALL_STACK_TRACES);
            let code = get(self.env, limit, &mut stacks, &mut count);
            checked("GetAllStackTraces", code)?;
            if stacks.is_null() {
                return Ok((methods, deepest));
            }
            let current = jni.object(current);
            for stack in std::slice::from_raw_parts(stacks, count.max(0) as usize) {
                if stack.frames.is_null() || jni.same(jni.object(stack.thread), current) {
                    continue;
                }
                let frames = std::slice::from_raw_parts(stack.frames, stack.count.max(0) as usize);
                methods.extend(frames.iter().map(|frame| frame.method));
                deepest = deepest.max(stack.count);
            }
            self.deallocate(stacks.cast());
        }
        Ok((methods, deepest))
    }
}
