use crate::Object;
use crate::jni::set_vm;
use crate::raw::{self, Capabilities, EventCallbacks, JvmtiEnvPtr, jvmti_slot, vm_slot};
use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::fmt;

/// A JVMTI function answered with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JvmtiError {
    /// The name of the function.
    pub function: &'static str,
    /// Its `jvmtiError`.
    pub code: c_int,
}

impl fmt::Display for JvmtiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answered with error {}", self.function, self.code)
    }
}

/// The callbacks an agent wants.
pub struct Callbacks {
    /// The VM is ready; Java code can be called.
    pub vm_init: raw::VmInit,
    /// The VM ends.
    pub vm_death: raw::VmDeath,
    /// A class is about to be defined.
    pub class_file_load_hook: raw::ClassFileLoadHook,
    /// A class has its fields and methods and is not initialized yet.
    pub class_prepare: raw::ClassPrepare,
    /// A native method gets its code.
    pub native_method_bind: raw::NativeMethodBind,
}

/// A JVMTI environment.
#[derive(Clone, Copy)]
pub struct Jvmti {
    pub(crate) env: JvmtiEnvPtr,
}

// SAFETY: a JVMTI environment may be used from any thread (JVMTI specification, "Environments").
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

pub(crate) fn checked(function: &'static str, code: c_int) -> Result<(), JvmtiError> {
    if code == 0 {
        Ok(())
    } else {
        Err(JvmtiError { function, code })
    }
}

impl Jvmti {
    /// Asks `vm` for a JVMTI environment.
    ///
    /// # Safety
    /// `vm` must be the `JavaVM*` handed to `Agent_OnLoad`.
    pub unsafe fn from_vm(vm: raw::JavaVmPtr) -> Result<Self, JvmtiError> {
        type GetEnv = unsafe extern "C" fn(raw::JavaVmPtr, *mut *mut c_void, c_int) -> c_int;
        let mut env = std::ptr::null_mut();
        // SAFETY: the caller vouches for `vm`; GetEnv writes one pointer.
        let code = unsafe {
            set_vm(vm);
            let get_env: GetEnv = raw::function(vm, vm_slot::GET_ENV);
            get_env(vm, &mut env, raw::JVMTI_VERSION_1_1)
        };
        checked("GetEnv", code)?;
        Ok(Jvmti { env: env.cast() })
    }

    /// The environment that a callback was handed.
    ///
    /// # Safety
    /// `env` must be a live `jvmtiEnv*`.
    pub unsafe fn from_raw(env: JvmtiEnvPtr) -> Self {
        Jvmti { env }
    }

    /// Asks for the class file load hook and sets the callbacks; no event is on yet.
    pub fn install(&self, callbacks: &Callbacks) -> Result<(), JvmtiError> {
        type AddCapabilities = unsafe extern "C" fn(JvmtiEnvPtr, *const Capabilities) -> c_int;
        type SetCallbacks =
            unsafe extern "C" fn(JvmtiEnvPtr, *const EventCallbacks, c_int) -> c_int;
        let mut capabilities: Capabilities = [0; 4];
        // The last is asked for also because it moves this agent behind those that do not have it: JaCoCo
        // knows classes by a checksum of their bytes and must see them as they are on disk.
        for bit in [
            raw::CAN_TAG_OBJECTS,
            raw::CAN_GENERATE_ALL_CLASS_HOOK_EVENTS,
            raw::CAN_GENERATE_NATIVE_METHOD_BIND_EVENTS,
            raw::CAN_RETRANSFORM_CLASSES,
        ] {
            if let Some(word) = capabilities.get_mut(bit / 32) {
                *word |= 1 << (bit % 32);
            }
        }
        let table = EventCallbacks {
            vm_init: Some(callbacks.vm_init),
            vm_death: Some(callbacks.vm_death),
            class_file_load_hook: Some(callbacks.class_file_load_hook),
            class_prepare: Some(callbacks.class_prepare),
            native_method_bind: Some(callbacks.native_method_bind),
            ..EventCallbacks::default()
        };
        // SAFETY: `env` is live; both structures outlive the calls, which copy them; the size
        // tells the VM that our table is a prefix of its own.
        unsafe {
            let add: AddCapabilities = raw::function(self.env, jvmti_slot::ADD_CAPABILITIES);
            checked("AddCapabilities", add(self.env, &capabilities))?;
            let set: SetCallbacks = raw::function(self.env, jvmti_slot::SET_EVENT_CALLBACKS);
            checked(
                "SetEventCallbacks",
                set(self.env, &table, size_of::<EventCallbacks>() as c_int),
            )
        }
    }

    /// Turns an event on or off for all threads.
    pub fn event(&self, event: c_int, on: bool) -> Result<(), JvmtiError> {
        // Variadic in the header, but nothing follows the thread.
        type SetMode = unsafe extern "C" fn(JvmtiEnvPtr, c_int, c_int, *mut c_void, ...) -> c_int;
        let mode = if on {
            raw::JVMTI_ENABLE
        } else {
            raw::JVMTI_DISABLE
        };
        // SAFETY: `env` is live; a null thread means all threads.
        let code = unsafe {
            let set: SetMode = raw::function(self.env, jvmti_slot::SET_EVENT_NOTIFICATION_MODE);
            set(self.env, mode, event, std::ptr::null_mut())
        };
        checked("SetEventNotificationMode", code)
    }

    /// The feature release of the JVM, from JDK 11 on: `17`. Older ones do not tell.
    pub fn feature_release(&self) -> Result<u16, JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, *mut c_int) -> c_int;
        let mut version = 0;
        // SAFETY: `env` is live; the VM writes one number.
        let code = unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_VERSION_NUMBER);
            get(self.env, &mut version)
        };
        checked("GetVersionNumber", code)?;
        Ok(((version >> 16) & 0xfff) as u16)
    }

    /// Has `class` go through the class file load hook once more.
    pub fn retransform(&self, class: Object<'_>) -> Result<(), JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, c_int, *const raw::JObject) -> c_int;
        // SAFETY: `env` is live and the reference valid; the VM reads one reference and refuses what
        // is no class.
        let code = unsafe {
            let retransform: F = raw::function(self.env, jvmti_slot::RETRANSFORM_CLASSES);
            retransform(self.env, 1, &class.as_raw())
        };
        checked("RetransformClasses", code)
    }

    /// Copies `bytes` into memory that the VM owns and frees, as the class file load hook wants it.
    pub fn copy_for_vm(&self, bytes: &[u8]) -> Result<*mut c_uchar, JvmtiError> {
        type Allocate = unsafe extern "C" fn(JvmtiEnvPtr, i64, *mut *mut c_uchar) -> c_int;
        let mut memory = std::ptr::null_mut();
        // SAFETY: `env` is live; Allocate writes one pointer to `bytes.len()` fresh bytes, which
        // cannot overlap `bytes`.
        unsafe {
            let allocate: Allocate = raw::function(self.env, jvmti_slot::ALLOCATE);
            checked(
                "Allocate",
                allocate(self.env, bytes.len() as i64, &mut memory),
            )?;
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len());
        }
        Ok(memory)
    }
}

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Resolve functions when they are called, and keep them from other libraries, as `dlfcn.h` has it.
#[cfg(target_os = "macos")]
const LAZY_AND_LOCAL: c_int = 0x1 | 0x4;
#[cfg(not(target_os = "macos"))]
const LAZY_AND_LOCAL: c_int = 0x1;

/// A shared library of the JDK.
pub struct Library(*mut c_void);

impl Library {
    /// Opens a library, which is loaded now if it has not been before, and stays.
    pub fn open(file: &CStr) -> Option<Library> {
        // SAFETY: the name ends in NUL. The libraries of the JDK run no code when they are loaded so.
        let library = unsafe { dlopen(file.as_ptr(), LAZY_AND_LOCAL) };
        (!library.is_null()).then_some(Library(library))
    }

    /// Whether the library has a function that is known by this name alone.
    pub fn has(&self, name: &CStr) -> bool {
        // SAFETY: the library is open, and the name ends in NUL.
        let address = unsafe { dlsym(self.0, name.as_ptr()) };
        !address.is_null() && symbol_at(address.addr()) == Some(name)
    }
}

/// Whether a library whose names are visible to everyone, as the VM's own mostly is, has a function of
/// this name.
pub fn is_exported(name: &CStr) -> bool {
    // All such libraries, as `dlfcn.h` has it.
    #[cfg(target_os = "macos")]
    let everywhere = std::ptr::without_provenance_mut(-2isize as usize);
    #[cfg(not(target_os = "macos"))]
    let everywhere = std::ptr::null_mut();
    // SAFETY: the name ends in NUL; dlsym reads it and answers with an address or null.
    unsafe { !dlsym(everywhere, name.as_ptr()).is_null() }
}

/// `Dl_info`, as `dlfcn.h` has it.
#[repr(C)]
struct Info {
    file: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    address: *mut c_void,
}

/// The name that a library has for the function at `address`.
pub fn symbol_at(address: usize) -> Option<&'static CStr> {
    let info = info(address)?;
    let is_it = !info.symbol.is_null() && info.address.addr() == address;
    // SAFETY: a name that dladdr finds ends in NUL and stays as long as its library, which is one of the
    // JVM's if it is of interest.
    is_it.then(|| unsafe { CStr::from_ptr(info.symbol) })
}

/// The file of the library that has the function at `address`.
pub fn library_at(address: usize) -> Option<&'static CStr> {
    let info = info(address)?;
    // SAFETY: as above; who asks for the file of a library runs its code.
    (!info.file.is_null()).then(|| unsafe { CStr::from_ptr(info.file) })
}

fn info(address: usize) -> Option<Info> {
    unsafe extern "C" {
        fn dladdr(address: usize, info: *mut Info) -> c_int;
    }
    let mut info = Info {
        file: std::ptr::null(),
        base: std::ptr::null_mut(),
        symbol: std::ptr::null(),
        address: std::ptr::null_mut(),
    };
    // SAFETY: dladdr takes any address and fills in what it knows.
    let found = unsafe { dladdr(address, &mut info) != 0 };
    found.then_some(info)
}
