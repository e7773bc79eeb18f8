//! The positions in `raw` agree with the headers of every JDK on this machine.

use std::mem::offset_of;
use std::path::{Path, PathBuf};
use tamis_jvmti::raw::{
    CAN_GENERATE_ALL_CLASS_HOOK_EVENTS, CAN_GENERATE_NATIVE_METHOD_BIND_EVENTS,
    CAN_RETRANSFORM_CLASSES, CAN_TAG_OBJECTS, EVENT_CLASS_PREPARE, EVENT_NATIVE_METHOD_BIND,
    EVENT_VM_INIT, EventCallbacks, jni_slot, jvmti_slot, vm_slot,
};

fn include_directories() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    if let Ok(entries) = std::fs::read_dir("/usr/lib/jvm") {
        homes.extend(entries.flatten().map(|e| e.path()));
    }
    homes
        .into_iter()
        .map(|h| h.join("include"))
        .filter(|h| h.join("jvmti.h").exists())
        .collect()
}

/// The members of a C struct of function pointers, in order.
fn members(header: &str, start: &str) -> Vec<String> {
    let body = header
        .split(start)
        .nth(1)
        .expect(start)
        .split("\n};")
        .next()
        .unwrap();
    body.lines()
        .filter_map(|line| {
            let line = line.trim();
            if let Some(reserved) = line.strip_prefix("void *reserved") {
                return Some(format!("reserved{}", reserved.trim_end_matches(';')));
            }
            let name = line.split("(JNICALL *").nth(1)?;
            Some(name.split(')').next()?.to_string())
        })
        .collect()
}

fn check(header: &Path, start: &str, table: &[(&str, usize)]) {
    let text = std::fs::read_to_string(header).unwrap();
    let members = members(&text, start);
    for (name, slot) in table {
        assert_eq!(
            members.get(*slot).map(String::as_str),
            Some(*name),
            "{}",
            header.display()
        );
    }
}

#[test]
fn positions_agree_with_the_headers_of_the_jdk() {
    let directories = include_directories();
    assert!(
        !directories.is_empty(),
        "no JDK with headers found; set JAVA_HOME"
    );
    for directory in directories {
        check(
            &directory.join("jni.h"),
            "struct JNINativeInterface_ {",
            jni_slot::TABLE,
        );
        check(
            &directory.join("jni.h"),
            "struct JNIInvokeInterface_ {",
            vm_slot::TABLE,
        );
        check(
            &directory.join("jvmti.h"),
            "typedef struct jvmtiInterface_1_ {",
            jvmti_slot::TABLE,
        );
        let jvmti = std::fs::read_to_string(directory.join("jvmti.h")).unwrap();
        let capabilities: Vec<_> = jvmti
            .lines()
            .filter(|l| l.contains("unsigned int can_"))
            .collect();
        for (name, bit) in [
            (
                "can_generate_all_class_hook_events",
                CAN_GENERATE_ALL_CLASS_HOOK_EVENTS,
            ),
            (
                "can_generate_native_method_bind_events",
                CAN_GENERATE_NATIVE_METHOD_BIND_EVENTS,
            ),
            ("can_retransform_classes", CAN_RETRANSFORM_CLASSES),
            ("can_tag_objects", CAN_TAG_OBJECTS),
        ] {
            assert!(capabilities[bit].contains(name), "{name}");
        }
        let events = jvmti.split("JVMTI_EVENT_VM_INIT = ").nth(1).unwrap();
        let event = format!("JVMTI_EVENT_NATIVE_METHOD_BIND = {EVENT_NATIVE_METHOD_BIND},");
        assert!(events.contains(&event), "{event}");
        // The table of callbacks has a place for each event from the first on.
        let place = (EVENT_NATIVE_METHOD_BIND - EVENT_VM_INIT) as usize * size_of::<usize>();
        assert_eq!(offset_of!(EventCallbacks, native_method_bind), place);
        let event = format!("JVMTI_EVENT_CLASS_PREPARE = {EVENT_CLASS_PREPARE},");
        assert!(events.contains(&event), "{event}");
        let place = (EVENT_CLASS_PREPARE - EVENT_VM_INIT) as usize * size_of::<usize>();
        assert_eq!(offset_of!(EventCallbacks, class_prepare), place);
    }
}
