//! Types and table positions of `jni.h` and `jvmti.h`; a test holds them to the JDK's own headers.
#![allow(missing_docs)]

use std::ffi::{c_char, c_int, c_uchar, c_void};

pub type JObject = *mut c_void;
pub type JMethodId = *mut c_void;
pub type JFieldId = *mut c_void;

/// `JNIEnv*` and `jvmtiEnv*` both point to a pointer to a table of functions.
pub type FunctionTable = *const *const c_void;
pub type JniEnvPtr = *mut FunctionTable;
pub type JvmtiEnvPtr = *mut FunctionTable;
pub type JavaVmPtr = *mut FunctionTable;

pub const JNI_VERSION_1_6: c_int = 0x0001_0006;
pub const JVMTI_VERSION_1_1: c_int = 0x3001_0100;
pub const JVMTI_ENABLE: c_int = 1;
pub const JVMTI_DISABLE: c_int = 0;

pub const EVENT_VM_INIT: c_int = 50;
pub const EVENT_VM_DEATH: c_int = 51;
pub const EVENT_CLASS_FILE_LOAD_HOOK: c_int = 54;
pub const EVENT_CLASS_PREPARE: c_int = 56;
pub const EVENT_NATIVE_METHOD_BIND: c_int = 67;

/// `JVMTI_ERROR_CLASS_NOT_PREPARED`: the class has not been linked yet.
pub const CLASS_NOT_PREPARED: c_int = 22;

/// `JVMTI_ERROR_ILLEGAL_ARGUMENT`.
pub const ILLEGAL_ARGUMENT: c_int = 103;

/// Bit of `can_tag_objects` in `jvmtiCapabilities`.
pub const CAN_TAG_OBJECTS: usize = 0;
/// Bit of `can_generate_all_class_hook_events` in `jvmtiCapabilities`.
pub const CAN_GENERATE_ALL_CLASS_HOOK_EVENTS: usize = 26;
/// Bit of `can_generate_native_method_bind_events`.
pub const CAN_GENERATE_NATIVE_METHOD_BIND_EVENTS: usize = 30;
/// Bit of `can_retransform_classes`.
pub const CAN_RETRANSFORM_CLASSES: usize = 37;

/// `jvmtiCapabilities`: 128 one-bit flags.
pub type Capabilities = [u32; 4];

/// A `jvalue` that holds an object.
#[repr(C)]
#[derive(Clone, Copy)]
pub union JValue {
    pub object: JObject,
    pub long: i64,
}

pub type VmInit = unsafe extern "C" fn(JvmtiEnvPtr, JniEnvPtr, JObject);
pub type VmDeath = unsafe extern "C" fn(JvmtiEnvPtr, JniEnvPtr);
pub type ClassFileLoadHook = unsafe extern "C" fn(
    jvmti: JvmtiEnvPtr,
    jni: JniEnvPtr,
    redefined: JObject,
    loader: JObject,
    name: *const c_char,
    protection_domain: JObject,
    length: c_int,
    bytes: *const c_uchar,
    new_length: *mut c_int,
    new_bytes: *mut *mut c_uchar,
);
/// The thread and the environment of JNI are null in the first phase of the VM.
pub type NativeMethodBind = unsafe extern "C" fn(
    jvmti: JvmtiEnvPtr,
    jni: JniEnvPtr,
    thread: JObject,
    method: JMethodId,
    address: *mut c_void,
    new_address: *mut *mut c_void,
);

pub type ClassPrepare =
    unsafe extern "C" fn(jvmti: JvmtiEnvPtr, jni: JniEnvPtr, thread: JObject, class: JObject);

/// `JVMTI_CLASS_STATUS_INITIALIZED`.
pub const CLASS_INITIALIZED: c_int = 4;

/// The start of `jvmtiEventCallbacks`, as far as it is used.
#[repr(C)]
#[derive(Default)]
pub struct EventCallbacks {
    pub vm_init: Option<VmInit>,
    pub vm_death: Option<VmDeath>,
    pub thread_start: Option<unsafe extern "C" fn()>,
    pub thread_end: Option<unsafe extern "C" fn()>,
    pub class_file_load_hook: Option<ClassFileLoadHook>,
    pub class_load: Option<unsafe extern "C" fn()>,
    pub class_prepare: Option<ClassPrepare>,
    /// From `VMStart` to `MethodExit`.
    pub unused: [Option<unsafe extern "C" fn()>; 10],
    pub native_method_bind: Option<NativeMethodBind>,
}

/// Zero-based positions in the JVMTI table.
pub mod jvmti_slot {
    pub const SET_EVENT_NOTIFICATION_MODE: usize = 1;
    pub const GET_CURRENT_THREAD: usize = 17;
    pub const ALLOCATE: usize = 45;
    pub const DEALLOCATE: usize = 46;
    pub const GET_CLASS_SIGNATURE: usize = 47;
    pub const GET_CLASS_STATUS: usize = 48;
    pub const GET_CLASS_METHODS: usize = 51;
    pub const GET_CLASS_FIELDS: usize = 52;
    pub const GET_IMPLEMENTED_INTERFACES: usize = 53;
    pub const GET_CLASS_LOADER: usize = 56;
    pub const GET_FIELD_NAME: usize = 59;
    pub const GET_FIELD_MODIFIERS: usize = 61;
    pub const GET_METHOD_NAME: usize = 63;
    pub const GET_METHOD_DECLARING_CLASS: usize = 64;
    pub const GET_LOADED_CLASSES: usize = 77;
    pub const GET_VERSION_NUMBER: usize = 87;
    pub const GET_ALL_STACK_TRACES: usize = 99;
    pub const GET_STACK_TRACE: usize = 103;
    pub const GET_TAG: usize = 105;
    pub const SET_TAG: usize = 106;
    pub const SET_EVENT_CALLBACKS: usize = 121;
    pub const ADD_CAPABILITIES: usize = 141;
    pub const RETRANSFORM_CLASSES: usize = 151;
    pub const TABLE: &[(&str, usize)] = &[
        ("SetEventNotificationMode", SET_EVENT_NOTIFICATION_MODE),
        ("Allocate", ALLOCATE),
        ("Deallocate", DEALLOCATE),
        ("GetClassSignature", GET_CLASS_SIGNATURE),
        ("GetClassStatus", GET_CLASS_STATUS),
        ("GetTag", GET_TAG),
        ("SetTag", SET_TAG),
        ("GetClassMethods", GET_CLASS_METHODS),
        ("GetImplementedInterfaces", GET_IMPLEMENTED_INTERFACES),
        ("GetClassLoader", GET_CLASS_LOADER),
        ("GetClassFields", GET_CLASS_FIELDS),
        ("GetFieldName", GET_FIELD_NAME),
        ("GetFieldModifiers", GET_FIELD_MODIFIERS),
        ("GetMethodName", GET_METHOD_NAME),
        ("GetCurrentThread", GET_CURRENT_THREAD),
        ("GetMethodDeclaringClass", GET_METHOD_DECLARING_CLASS),
        ("GetLoadedClasses", GET_LOADED_CLASSES),
        ("GetVersionNumber", GET_VERSION_NUMBER),
        ("GetAllStackTraces", GET_ALL_STACK_TRACES),
        ("GetStackTrace", GET_STACK_TRACE),
        ("SetEventCallbacks", SET_EVENT_CALLBACKS),
        ("AddCapabilities", ADD_CAPABILITIES),
        ("RetransformClasses", RETRANSFORM_CLASSES),
    ];
}

/// Zero-based positions in the JNI table.
pub mod jni_slot {
    pub const DEFINE_CLASS: usize = 5;
    pub const FIND_CLASS: usize = 6;
    pub const GET_SUPERCLASS: usize = 10;
    pub const THROW: usize = 13;
    pub const EXCEPTION_OCCURRED: usize = 15;
    pub const EXCEPTION_CLEAR: usize = 17;
    pub const PUSH_LOCAL_FRAME: usize = 19;
    pub const POP_LOCAL_FRAME: usize = 20;
    pub const NEW_GLOBAL_REF: usize = 21;
    pub const DELETE_GLOBAL_REF: usize = 22;
    pub const DELETE_LOCAL_REF: usize = 23;
    pub const IS_SAME_OBJECT: usize = 24;
    pub const NEW_LOCAL_REF: usize = 25;
    pub const NEW_OBJECT_A: usize = 30;
    pub const GET_OBJECT_CLASS: usize = 31;
    pub const GET_METHOD_ID: usize = 33;
    pub const CALL_OBJECT_METHOD_A: usize = 36;
    pub const CALL_BOOLEAN_METHOD_A: usize = 39;
    pub const CALL_INT_METHOD_A: usize = 51;
    pub const CALL_VOID_METHOD_A: usize = 63;
    pub const GET_FIELD_ID: usize = 94;
    pub const GET_OBJECT_FIELD: usize = 95;
    pub const GET_BOOLEAN_FIELD: usize = 96;
    pub const GET_BYTE_FIELD: usize = 97;
    pub const GET_CHAR_FIELD: usize = 98;
    pub const GET_SHORT_FIELD: usize = 99;
    pub const GET_INT_FIELD: usize = 100;
    pub const GET_LONG_FIELD: usize = 101;
    pub const GET_FLOAT_FIELD: usize = 102;
    pub const GET_DOUBLE_FIELD: usize = 103;
    pub const SET_OBJECT_FIELD: usize = 104;
    pub const GET_STATIC_METHOD_ID: usize = 113;
    pub const CALL_STATIC_OBJECT_METHOD_A: usize = 116;
    pub const GET_STATIC_FIELD_ID: usize = 144;
    pub const GET_STATIC_OBJECT_FIELD: usize = 145;
    pub const GET_STATIC_BOOLEAN_FIELD: usize = 146;
    pub const GET_STATIC_BYTE_FIELD: usize = 147;
    pub const GET_STATIC_CHAR_FIELD: usize = 148;
    pub const GET_STATIC_SHORT_FIELD: usize = 149;
    pub const GET_STATIC_INT_FIELD: usize = 150;
    pub const GET_STATIC_LONG_FIELD: usize = 151;
    pub const GET_STATIC_FLOAT_FIELD: usize = 152;
    pub const GET_STATIC_DOUBLE_FIELD: usize = 153;
    pub const NEW_STRING_UTF: usize = 167;
    pub const GET_STRING_UTF_LENGTH: usize = 168;
    pub const GET_STRING_UTF_CHARS: usize = 169;
    pub const RELEASE_STRING_UTF_CHARS: usize = 170;
    pub const GET_ARRAY_LENGTH: usize = 171;
    pub const NEW_OBJECT_ARRAY: usize = 172;
    pub const GET_OBJECT_ARRAY_ELEMENT: usize = 173;
    pub const SET_OBJECT_ARRAY_ELEMENT: usize = 174;
    pub const NEW_BYTE_ARRAY: usize = 176;
    pub const SET_BYTE_ARRAY_REGION: usize = 208;
    pub const GET_PRIMITIVE_ARRAY_CRITICAL: usize = 222;
    pub const RELEASE_PRIMITIVE_ARRAY_CRITICAL: usize = 223;
    pub const NEW_WEAK_GLOBAL_REF: usize = 226;
    pub const DELETE_WEAK_GLOBAL_REF: usize = 227;
    pub const EXCEPTION_CHECK: usize = 228;
    pub const TABLE: &[(&str, usize)] = &[
        ("DefineClass", DEFINE_CLASS),
        ("FindClass", FIND_CLASS),
        ("GetSuperclass", GET_SUPERCLASS),
        ("Throw", THROW),
        ("ExceptionOccurred", EXCEPTION_OCCURRED),
        ("ExceptionClear", EXCEPTION_CLEAR),
        ("PushLocalFrame", PUSH_LOCAL_FRAME),
        ("PopLocalFrame", POP_LOCAL_FRAME),
        ("NewGlobalRef", NEW_GLOBAL_REF),
        ("DeleteGlobalRef", DELETE_GLOBAL_REF),
        ("DeleteLocalRef", DELETE_LOCAL_REF),
        ("IsSameObject", IS_SAME_OBJECT),
        ("NewLocalRef", NEW_LOCAL_REF),
        ("NewObjectA", NEW_OBJECT_A),
        ("GetObjectClass", GET_OBJECT_CLASS),
        ("GetMethodID", GET_METHOD_ID),
        ("CallObjectMethodA", CALL_OBJECT_METHOD_A),
        ("CallBooleanMethodA", CALL_BOOLEAN_METHOD_A),
        ("CallIntMethodA", CALL_INT_METHOD_A),
        ("CallVoidMethodA", CALL_VOID_METHOD_A),
        ("GetFieldID", GET_FIELD_ID),
        ("GetObjectField", GET_OBJECT_FIELD),
        ("GetBooleanField", GET_BOOLEAN_FIELD),
        ("GetByteField", GET_BYTE_FIELD),
        ("GetCharField", GET_CHAR_FIELD),
        ("GetShortField", GET_SHORT_FIELD),
        ("GetIntField", GET_INT_FIELD),
        ("GetLongField", GET_LONG_FIELD),
        ("GetFloatField", GET_FLOAT_FIELD),
        ("GetDoubleField", GET_DOUBLE_FIELD),
        ("SetObjectField", SET_OBJECT_FIELD),
        ("GetStaticMethodID", GET_STATIC_METHOD_ID),
        ("CallStaticObjectMethodA", CALL_STATIC_OBJECT_METHOD_A),
        ("GetStaticFieldID", GET_STATIC_FIELD_ID),
        ("GetStaticObjectField", GET_STATIC_OBJECT_FIELD),
        ("GetStaticBooleanField", GET_STATIC_BOOLEAN_FIELD),
        ("GetStaticByteField", GET_STATIC_BYTE_FIELD),
        ("GetStaticCharField", GET_STATIC_CHAR_FIELD),
        ("GetStaticShortField", GET_STATIC_SHORT_FIELD),
        ("GetStaticIntField", GET_STATIC_INT_FIELD),
        ("GetStaticLongField", GET_STATIC_LONG_FIELD),
        ("GetStaticFloatField", GET_STATIC_FLOAT_FIELD),
        ("GetStaticDoubleField", GET_STATIC_DOUBLE_FIELD),
        ("NewStringUTF", NEW_STRING_UTF),
        ("GetStringUTFLength", GET_STRING_UTF_LENGTH),
        ("GetStringUTFChars", GET_STRING_UTF_CHARS),
        ("ReleaseStringUTFChars", RELEASE_STRING_UTF_CHARS),
        ("GetArrayLength", GET_ARRAY_LENGTH),
        ("NewObjectArray", NEW_OBJECT_ARRAY),
        ("GetObjectArrayElement", GET_OBJECT_ARRAY_ELEMENT),
        ("SetObjectArrayElement", SET_OBJECT_ARRAY_ELEMENT),
        ("GetPrimitiveArrayCritical", GET_PRIMITIVE_ARRAY_CRITICAL),
        (
            "ReleasePrimitiveArrayCritical",
            RELEASE_PRIMITIVE_ARRAY_CRITICAL,
        ),
        ("NewByteArray", NEW_BYTE_ARRAY),
        ("SetByteArrayRegion", SET_BYTE_ARRAY_REGION),
        ("NewWeakGlobalRef", NEW_WEAK_GLOBAL_REF),
        ("DeleteWeakGlobalRef", DELETE_WEAK_GLOBAL_REF),
        ("ExceptionCheck", EXCEPTION_CHECK),
    ];
}

/// Zero-based positions in the invocation table (`JavaVM*`).
pub mod vm_slot {
    pub const GET_ENV: usize = 6;
    pub const TABLE: &[(&str, usize)] = &[("GetEnv", GET_ENV)];
}

/// The function at `slot` of the table that `env` points to.
///
/// # Safety
/// `env` must be a live `JNIEnv*`, `jvmtiEnv*` or `JavaVM*`, `slot` a position of its table, and
/// `F` the function pointer type that the header gives for it.
pub unsafe fn function<F: Copy>(env: *mut FunctionTable, slot: usize) -> F {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: the caller vouches for the table, the position and the type.
    unsafe { std::mem::transmute_copy(&*(*env).add(slot)) }
}

/// The function at `address`.
///
/// # Safety
/// `F` must be the function pointer type of what is there.
pub unsafe fn as_function<F: Copy>(address: *mut c_void) -> F {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: the caller vouches for the type.
    unsafe { std::mem::transmute_copy(&address) }
}

/// The address of a function.
pub fn as_address<F: Copy>(function: F) -> *mut c_void {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: both have the same size, and any bits are a pointer.
    unsafe { std::mem::transmute_copy(&function) }
}
