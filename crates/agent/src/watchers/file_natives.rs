//! The native methods through which Java code looks at files.
//!
//! Readers, channels, memory maps, archives and loaders all open files through one of these, and
//! whoever asks whether there is one comes here too. What class loaders do with classes and archives
//! does not count: classes do, one by one.

use crate::agent::Agent;
use crate::hooks::{Bind, Native, Releases};
use crate::watchers::callers::{self, Sees, Who};
use crate::watchers::class_readers;
use crate::watchers::files::cannot_see;
use crate::watchers::test_files::FileWrite;
use std::ffi::{CStr, OsStr, c_int, c_uchar};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use tamis_classfile::decode_mutf8;
use tamis_inputs::Aspect;
use tamis_jvmti::Jni;
use tamis_jvmti::raw::{JObject, JniEnvPtr};

/// Flags of `open`, as the system has them.
mod flags {
    use std::ffi::c_int;
    pub(super) const ACCESS: c_int = 3;
    pub(super) const READ_ONLY: c_int = 0;
    /// Instead of a directory that is open.
    #[cfg(target_os = "macos")]
    pub(super) const CURRENT_DIRECTORY: c_int = -2;
    #[cfg(not(target_os = "macos"))]
    pub(super) const CURRENT_DIRECTORY: c_int = -100;
    #[cfg(target_os = "macos")]
    pub(super) const APPEND: c_int = 0x8;
    #[cfg(target_os = "macos")]
    pub(super) const TRUNCATE: c_int = 0x400;
    #[cfg(target_os = "macos")]
    pub(super) const EXCLUSIVE: c_int = 0x800;
    #[cfg(not(target_os = "macos"))]
    pub(super) const APPEND: c_int = 0o2000;
    #[cfg(not(target_os = "macos"))]
    pub(super) const TRUNCATE: c_int = 0o1000;
    #[cfg(not(target_os = "macos"))]
    pub(super) const EXCLUSIVE: c_int = 0o200;
}

/// The flag of `RandomAccessFile` for reading alone.
const RANDOM_ACCESS_READ: c_int = 1;

/// Declares native methods: what each is bound to notes what is looked at, and calls what the JVM
/// meant.
macro_rules! natives {
    ($($name:ident $symbol:literal $releases:ident ($($argument:ident: $type:ty),*) -> $result:ty = $handle:expr;)*) => {
        $(static $name: Native<unsafe extern "C" fn(JniEnvPtr, JObject, $($type),*) -> $result> = {
            unsafe extern "C" fn ours(env: JniEnvPtr, this: JObject, $($argument: $type),*) -> $result {
                // SAFETY: these are the arguments of the current native call.
                unsafe {
                    note(env, |call: &mut Call<'_, '_>| {
                        let handle: fn(&mut Call<'_, '_>, $($type),*) = $handle;
                        handle(call, $($argument),*);
                    });
                    match $name.theirs() {
                        Some(theirs) => theirs(env, this, $($argument),*),
                        // It is only called once it was bound.
                        None => std::mem::zeroed(),
                    }
                }
            }
            // SAFETY: the JDK declares it so in all its versions, but that some return nothing in older
            // ones: then what this returns is not looked at.
            unsafe { Native::new($symbol, Releases::$releases, ours) }
        };)*

        /// The native methods of which this module wants to know.
        pub(crate) fn natives() -> impl Iterator<Item = &'static dyn Bind> {
            [$(&$name as &dyn Bind),*].into_iter()
        }
    };
}

natives! {
    INPUT_STREAM c"Java_java_io_FileInputStream_open0" ALL (path: JObject) -> ()
        = |call, path| call.observe(call.text(path), Aspect::Content);
    OUTPUT_STREAM c"Java_java_io_FileOutputStream_open0" ALL (path: JObject, append: c_uchar) -> ()
        = |call, path, append| call.append(call.text(path), append != 0);
    RANDOM_ACCESS c"Java_java_io_RandomAccessFile_open0" ALL (path: JObject, mode: c_int) -> ()
        = |call, path, mode| call.open(call.text(path), mode & RANDOM_ACCESS_READ == 0);
    ZIP c"Java_java_util_zip_ZipFile_open" ONLY_8 (path: JObject, mode: c_int, time: i64, map: c_uchar) -> i64
        = |call, path, _, _, _| call.observe(call.text(path), Aspect::Content);
    CANONICAL c"Java_java_io_UnixFileSystem_canonicalize0" ALL (path: JObject) -> JObject
        = |call, path| call.links(&call.text(path));
    ATTRIBUTES c"Java_java_io_UnixFileSystem_getBooleanAttributes0" ALL (file: JObject) -> c_int
        = |call, file| call.observe(call.file(file), Aspect::Kind);
    CHECK_ACCESS c"Java_java_io_UnixFileSystem_checkAccess" UNTIL_17 (file: JObject, access: c_int) -> c_uchar
        = |call, file, _| call.observe(call.file(file), Aspect::Kind);
    CHECK_ACCESS0 c"Java_java_io_UnixFileSystem_checkAccess0" FROM_21 (file: JObject, access: c_int) -> c_uchar
        = |call, file, _| call.observe(call.file(file), Aspect::Kind);
    LENGTH c"Java_java_io_UnixFileSystem_getLength" UNTIL_17 (file: JObject) -> i64
        = |call, file| call.observe(call.file(file), Aspect::Size);
    LENGTH0 c"Java_java_io_UnixFileSystem_getLength0" FROM_21 (file: JObject) -> i64
        = |call, file| call.observe(call.file(file), Aspect::Size);
    MODIFIED c"Java_java_io_UnixFileSystem_getLastModifiedTime" UNTIL_17 (file: JObject) -> i64
        = |call, file| call.observe(call.file(file), Aspect::Kind);
    MODIFIED0 c"Java_java_io_UnixFileSystem_getLastModifiedTime0" FROM_21 (file: JObject) -> i64
        = |call, file| call.observe(call.file(file), Aspect::Kind);
    LIST c"Java_java_io_UnixFileSystem_list" UNTIL_17 (file: JObject) -> JObject
        = |call, file| call.observe(call.file(file), Aspect::Content);
    LIST0 c"Java_java_io_UnixFileSystem_list0" FROM_21 (file: JObject) -> JObject
        = |call, file| call.observe(call.file(file), Aspect::Content);
    CREATE c"Java_java_io_UnixFileSystem_createFileExclusively" UNTIL_17 (path: JObject) -> c_uchar
        = |call, path| call.make(call.text(path));
    CREATE0 c"Java_java_io_UnixFileSystem_createFileExclusively0" FROM_21 (path: JObject) -> c_uchar
        = |call, path| call.make(call.text(path));
    MAKE_DIRECTORY c"Java_java_io_UnixFileSystem_createDirectory" UNTIL_17 (file: JObject) -> c_uchar
        = |call, file| call.make(call.file(file));
    MAKE_DIRECTORY0 c"Java_java_io_UnixFileSystem_createDirectory0" FROM_21 (file: JObject) -> c_uchar
        = |call, file| call.make(call.file(file));
    DELETE0 c"Java_java_io_UnixFileSystem_delete0" ALL (file: JObject) -> c_uchar
        = |call, file| call.make(call.file(file));
    RENAME0 c"Java_java_io_UnixFileSystem_rename0" ALL (from: JObject, to: JObject) -> c_uchar
        = |call, from, to| call.rename(call.file(from), call.file(to));

    SPACE c"Java_java_io_UnixFileSystem_getSpace" UNTIL_17 (file: JObject, kind: c_int) -> i64
        = |call, file, _| call.observe(call.file(file), Aspect::Kind);
    SPACE0 c"Java_java_io_UnixFileSystem_getSpace0" FROM_21 (file: JObject, kind: c_int) -> i64
        = |call, file, _| call.observe(call.file(file), Aspect::Kind);
    SET_PERMISSION c"Java_java_io_UnixFileSystem_setPermission" UNTIL_17
        (file: JObject, access: c_int, enable: c_uchar, owner: c_uchar) -> c_uchar
        = |call, file, _, _, _| call.observe(call.file(file), Aspect::Kind);
    SET_PERMISSION0 c"Java_java_io_UnixFileSystem_setPermission0" FROM_21
        (file: JObject, access: c_int, enable: c_uchar, owner: c_uchar) -> c_uchar
        = |call, file, _, _, _| call.observe(call.file(file), Aspect::Kind);
    SET_MODIFIED c"Java_java_io_UnixFileSystem_setLastModifiedTime" UNTIL_17 (file: JObject, time: i64) -> c_uchar
        = |call, file, _| call.observe(call.file(file), Aspect::Kind);
    SET_MODIFIED0 c"Java_java_io_UnixFileSystem_setLastModifiedTime0" FROM_21 (file: JObject, time: i64) -> c_uchar
        = |call, file, _| call.observe(call.file(file), Aspect::Kind);
    SET_READ_ONLY c"Java_java_io_UnixFileSystem_setReadOnly" UNTIL_17 (file: JObject) -> c_uchar
        = |call, file| call.observe(call.file(file), Aspect::Kind);
    SET_READ_ONLY0 c"Java_java_io_UnixFileSystem_setReadOnly0" FROM_21 (file: JObject) -> c_uchar
        = |call, file| call.observe(call.file(file), Aspect::Kind);

    NIO_OPEN c"Java_sun_nio_fs_UnixNativeDispatcher_open0" ALL (path: i64, flags: c_int, mode: c_int) -> c_int
        = |call, path, flags, _| call.open_with(call.address(path), flags);
    NIO_STAT c"Java_sun_nio_fs_UnixNativeDispatcher_stat0" ALL (path: i64, attributes: JObject) -> c_int
        = |call, path, _| call.stat(call.address(path));
    NIO_STAT1 c"Java_sun_nio_fs_UnixNativeDispatcher_stat1" UNTIL_17 (path: i64) -> c_int
        = |call, path| call.observe(call.address(path), Aspect::Kind);
    NIO_LSTAT c"Java_sun_nio_fs_UnixNativeDispatcher_lstat0" ALL (path: i64, attributes: JObject) -> c_int
        = |call, path, _| call.observe(call.address(path), Aspect::Link);
    NIO_ACCESS c"Java_sun_nio_fs_UnixNativeDispatcher_access0" ALL (path: i64, mode: c_int) -> c_int
        = |call, path, _| call.observe(call.address(path), Aspect::Kind);
    NIO_EXISTS c"Java_sun_nio_fs_UnixNativeDispatcher_exists0" UNTIL_17 (path: i64) -> c_uchar
        = |call, path| call.observe(call.address(path), Aspect::Kind);
    NIO_DIRECTORY c"Java_sun_nio_fs_UnixNativeDispatcher_opendir0" ALL (path: i64) -> i64
        = |call, path| call.observe(call.address(path), Aspect::Content);
    NIO_LINK c"Java_sun_nio_fs_UnixNativeDispatcher_readlink0" ALL (path: i64) -> JObject
        = |call, path| call.observe(call.address(path), Aspect::Link);
    NIO_REAL_PATH c"Java_sun_nio_fs_UnixNativeDispatcher_realpath0" ALL (path: i64) -> JObject
        = |call, path| call.real_path(call.address(path));
    NIO_MAKE_DIRECTORY c"Java_sun_nio_fs_UnixNativeDispatcher_mkdir0" ALL (path: i64, mode: c_int) -> ()
        = |call, path, _| call.make(call.address(path));
    NIO_UNLINK c"Java_sun_nio_fs_UnixNativeDispatcher_unlink0" ALL (path: i64) -> ()
        = |call, path| call.make(call.address(path));
    NIO_REMOVE_DIRECTORY c"Java_sun_nio_fs_UnixNativeDispatcher_rmdir0" ALL (path: i64) -> ()
        = |call, path| call.make(call.address(path));
    NIO_RENAME c"Java_sun_nio_fs_UnixNativeDispatcher_rename0" ALL (from: i64, to: i64) -> ()
        = |call, from, to| call.rename(call.address(from), call.address(to));
    NIO_HARD_LINK c"Java_sun_nio_fs_UnixNativeDispatcher_link0" ALL (from: i64, to: i64) -> ()
        = |call, from, to| call.copy(call.address(from), call.address(to));
    NIO_SYMBOLIC_LINK c"Java_sun_nio_fs_UnixNativeDispatcher_symlink0" ALL (target: i64, link: i64) -> ()
        = |call, _, link| call.make(call.address(link));
    NIO_CHANGE_MODE c"Java_sun_nio_fs_UnixNativeDispatcher_chmod0" ALL (path: i64, mode: c_int) -> ()
        = |call, path, _| call.observe(call.address(path), Aspect::Kind);
    NIO_CHANGE_OWNER c"Java_sun_nio_fs_UnixNativeDispatcher_chown0" ALL (path: i64, user: c_int, group: c_int) -> ()
        = |call, path, _, _| call.observe(call.address(path), Aspect::Kind);
    NIO_CHANGE_LINK_OWNER c"Java_sun_nio_fs_UnixNativeDispatcher_lchown0" ALL
        (path: i64, user: c_int, group: c_int) -> ()
        = |call, path, _, _| call.observe(call.address(path), Aspect::Link);
    NIO_TIMES c"Java_sun_nio_fs_UnixNativeDispatcher_utimes0" UNTIL_21 (path: i64, access: i64, modified: i64) -> ()
        = |call, path, _, _| call.observe(call.address(path), Aspect::Kind);
    NIO_LINK_TIMES c"Java_sun_nio_fs_UnixNativeDispatcher_lutimes0" FROM_17_UNTIL_21
        (path: i64, access: i64, modified: i64) -> ()
        = |call, path, _, _| call.observe(call.address(path), Aspect::Link);
    NIO_FILE_SYSTEM c"Java_sun_nio_fs_UnixNativeDispatcher_statvfs0" ALL (path: i64, attributes: JObject) -> ()
        = |call, path, _| call.observe(call.address(path), Aspect::Kind);
    NIO_MAKE_NODE c"Java_sun_nio_fs_UnixNativeDispatcher_mknod0" ALL (path: i64, mode: c_int, device: i64) -> ()
        = |call, path, _, _| call.make(call.address(path));
    NIO_WATCH c"Java_sun_nio_fs_LinuxWatchService_inotifyAddWatch" ALL
        (watcher: c_int, path: i64, events: c_int) -> c_int
        = |call, _, path, _| call.observe(call.address(path), Aspect::Kind);

    // A directory that is open, and paths from there.
    NIO_CHANGE_MODE_AT c"Java_sun_nio_fs_UnixNativeDispatcher_fchmodat0" ONLY_25
        (directory: c_int, path: i64, mode: c_int, flags: c_int) -> ()
        = |call, directory, path, _, _| call.observe(call.at(directory, path), Aspect::Kind);
    NIO_TIMES_AT c"Java_sun_nio_fs_UnixNativeDispatcher_utimensat0" ONLY_25
        (directory: c_int, path: i64, access: i64, modified: i64, flags: c_int) -> ()
        = |call, directory, path, _, _, _| call.observe(call.at(directory, path), Aspect::Kind);
    NIO_OPEN_AT c"Java_sun_nio_fs_UnixNativeDispatcher_openat0" ALL
        (directory: c_int, path: i64, flags: c_int, mode: c_int) -> c_int
        = |call, directory, path, flags, _| call.open_with(call.at(directory, path), flags);
    NIO_STAT_AT c"Java_sun_nio_fs_UnixNativeDispatcher_fstatat0" ALL
        (directory: c_int, path: i64, flags: c_int, attributes: JObject) -> c_int
        = |call, directory, path, _, _| call.stat(call.at(directory, path));
    NIO_UNLINK_AT c"Java_sun_nio_fs_UnixNativeDispatcher_unlinkat0" ALL
        (directory: c_int, path: i64, flags: c_int) -> c_int
        = |call, directory, path, _| call.make(call.at(directory, path));
    NIO_RENAME_AT c"Java_sun_nio_fs_UnixNativeDispatcher_renameat0" ALL
        (from: c_int, from_path: i64, to: c_int, to_path: i64) -> c_int
        = |call, from, from_path, to, to_path| call.rename(call.at(from, from_path), call.at(to, to_path));

    LOAD_LIBRARY c"Java_jdk_internal_loader_NativeLibraries_load" FROM_17
        (library: JObject, name: JObject, is_built_in: c_uchar, throws: c_uchar) -> c_uchar
        = |call, _, name, _, _| call.observe(call.text(name), Aspect::Content);
    // For code that calls foreign functions.
    LOAD_RAW_LIBRARY c"Java_jdk_internal_loader_RawNativeLibraries_load0" FROM_21
        (library: JObject, name: JObject) -> c_uchar
        = |call, _, name| call.observe(call.text(name), Aspect::Content);
    LOAD_LIBRARY_11 c"Java_java_lang_ClassLoader_00024NativeLibrary_load0" ONLY_11
        (name: JObject, is_built_in: c_uchar) -> c_uchar
        = |call, name, _| call.observe(call.text(name), Aspect::Content);
    LOAD_LIBRARY_8 c"Java_java_lang_ClassLoader_00024NativeLibrary_load" ONLY_8
        (name: JObject, is_built_in: c_uchar) -> c_uchar
        = |call, name, _| call.observe(call.text(name), Aspect::Content);
}

/// A call of a native method, before it is made.
struct Call<'a, 'f> {
    agent: &'a Agent,
    jni: &'a mut Jni<'f>,
}

/// # Safety
/// `env` must be what the JVM handed to the current native call, and so must be what `body` hands to
/// the methods of the call.
unsafe fn note(env: JniEnvPtr, body: impl FnOnce(&mut Call<'_, '_>)) {
    Agent::contain((), |agent| {
        if !agent.config.records || agent.facts.get().is_none() {
            return;
        }
        // SAFETY: the caller vouches for it.
        let mut jni = unsafe { Jni::from_raw(env) };
        jni.frame(|jni| body(&mut Call { agent, jni }));
    });
}

type Path = Option<Vec<u8>>;

impl Call<'_, '_> {
    /// The path in a string; it goes to the system as UTF-8.
    fn text(&self, string: JObject) -> Path {
        // SAFETY: an argument of the current call, which is a string or null.
        let text = unsafe { self.jni.text(self.jni.object(string)?) };
        let Ok(text) = text else {
            return self.unreadable();
        };
        let path = decode_mutf8(&text);
        if path.is_none() {
            cannot_see(&self.agent.inputs, &text);
        }
        path.map(String::into_bytes)
    }

    /// The path of a `java.io.File`.
    fn file(&self, file: JObject) -> Path {
        // SAFETY: an argument of the current call, which is a `File` or null; the field is a string.
        let path = unsafe {
            let file = self.jni.object(file)?;
            self.jni.field(file, c"path", c"Ljava/lang/String;")
        };
        match path {
            Ok(path) => self.text(path?.as_raw()),
            Err(_) => self.unreadable(),
        }
    }

    /// Notes that an unknown file is accessed.
    fn unreadable(&self) -> Path {
        let why = "the path of a file that is accessed cannot be read";
        self.agent.distrust(why.into());
        None
    }

    /// The path at an address, where it ends in NUL.
    fn address(&self, address: i64) -> Path {
        let address = usize::try_from(address).ok().filter(|at| *at != 0)?;
        // SAFETY: an argument of the current call: the JDK keeps a copy of the path there until the
        // call is over.
        let path = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(address)) };
        Some(path.to_bytes().to_vec())
    }

    /// The path at an address, from an open directory on.
    fn at(&self, directory: c_int, address: i64) -> Path {
        let path = self.address(address)?;
        if path.starts_with(b"/") || directory == flags::CURRENT_DIRECTORY {
            return Some(path);
        }
        let directory = std::fs::read_link(format!("/proc/self/fd/{directory}"));
        match directory {
            Ok(directory) => {
                let path = directory.join(OsStr::from_bytes(&path));
                Some(path.into_os_string().into_vec())
            }
            Err(_) => {
                let why = "a file is accessed through an open directory whose path is unknown";
                self.agent.distrust(why.into());
                None
            }
        }
    }

    /// Notes an access to a path.
    fn observe(&mut self, path: Path, aspect: Aspect) {
        let Some(path) = path else { return };
        // The JDK hands an empty path on, which is no file.
        if path.is_empty() {
            return;
        }
        let Some(path) = self.agent.files.unseen(&self.agent.inputs, &path, aspect) else {
            return;
        };
        if self.is_by_a_loader(&path, aspect) {
            return;
        }
        let aspect = match aspect {
            Aspect::Content if self.skips_code(&path) => Aspect::Declarations,
            aspect => aspect,
        };
        self.agent.files.observe(self.agent, self.jni, path, aspect);
    }

    /// Whether a class file is opened for what it declares.
    fn skips_code(&mut self, path: &std::path::Path) -> bool {
        let is_class = path
            .extension()
            .is_some_and(|extension| extension == "class");
        is_class && class_readers::is_reader_of_declarations(self.agent, self.jni)
    }

    /// The attributes of a file are asked for. Who opens an archive that is open already does nothing
    /// but that.
    fn stat(&mut self, path: Path) {
        let counts = |aspect| {
            let path = path.as_deref();
            path.is_some_and(|path| self.agent.files.place(path, aspect).is_some())
        };
        if !counts(Aspect::Size) && !counts(Aspect::Link) {
            return;
        }
        let caller = callers::on_stack(self.agent, self.jni);
        match caller.compares {
            true => self.links(&path),
            false => self.link(path.clone()),
        }
        let aspect = match caller.sees {
            _ if caller.unpacks => Aspect::Content,
            Sees::Kind => Aspect::Kind,
            _ => Aspect::Size,
        };
        self.observe(path, aspect);
    }

    /// Notes the target of a path, if it is a link.
    fn link(&mut self, path: Path) {
        let is_link = |path: &std::path::Path| {
            let metadata = path.symlink_metadata();
            metadata.is_ok_and(|metadata| metadata.is_symlink())
        };
        let known = path.as_deref().and_then(|path| {
            self.agent
                .files
                .unseen(&self.agent.inputs, path, Aspect::Link)
        });
        if known.is_some_and(|path| is_link(&path)) {
            self.observe(path, Aspect::Link);
        }
    }

    /// Notes the final target of a path: each link on the way counts.
    fn links(&mut self, path: &Path) {
        let path = OsStr::from_bytes(path.as_deref().unwrap_or_default());
        for part in self.agent.files.paths_to(path.as_ref()) {
            self.link(Some(part.into_os_string().into_vec()));
        }
    }

    fn real_path(&mut self, path: Path) {
        self.observe(path.clone(), Aspect::Kind);
        self.links(&path);
    }

    /// A file is opened, to be read alone or to be written as well.
    fn open(&mut self, path: Path, writes: bool) {
        let makes = writes && !self.is_there(&path);
        self.observe(path.clone(), Aspect::Content);
        if makes {
            self.write(path);
        } else if writes {
            self.write_more(path);
        }
    }

    fn open_with(&mut self, path: Path, flags: c_int) {
        let writes = flags & flags::ACCESS != flags::READ_ONLY;
        if !writes {
            return self.observe(path, Aspect::Content);
        }
        match flags {
            flags if flags & flags::EXCLUSIVE != 0 => self.make(path),
            flags if flags & flags::TRUNCATE != 0 => self.write(path),
            flags if flags & flags::APPEND != 0 => self.append(path, true),
            _ => self.open(path, true),
        }
    }

    /// A file is written, from its end on perhaps: what is there before matters only to who reads it.
    fn append(&mut self, path: Path, appends: bool) {
        match appends && self.is_there(&path) {
            true => self.write_more(path),
            false => self.write(path),
        }
    }

    fn write_more(&self, path: Path) {
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            self.agent.files.write_more(&path);
        }
    }

    /// Notes that something is created at a path, or removed from it.
    fn make(&mut self, path: Path) {
        self.observe(path.clone(), Aspect::Kind);
        self.note_write(path, FileWrite::Makes);
    }

    /// Whether something is there that counts.
    fn is_there(&self, path: &Path) -> bool {
        let path = path.as_deref();
        path.is_some_and(|path| self.agent.files.is_there(path))
    }

    /// A file is made or emptied.
    fn write(&self, path: Path) {
        self.note_write(path, FileWrite::Empties);
    }

    fn note_write(&self, path: Path, write: FileWrite) {
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            self.agent.files.write(&path, write);
        }
    }

    fn copy(&mut self, from: Path, to: Path) {
        self.observe(from, Aspect::Content);
        self.note_write(to, FileWrite::Makes);
    }

    fn rename(&mut self, from: Path, to: Path) {
        self.observe(from.clone(), Aspect::Content);
        if let (Some(from), Some(to)) = (from, to)
            && self.agent.files.rename(&from, &to)
        {
            // It will be looked at where files do not count.
            cannot_see(&self.agent.inputs, &from);
        }
    }

    /// Whether the JDK looks for a class, or in an archive, or a test framework for its tests.
    fn is_by_a_loader(&mut self, path: &std::path::Path, aspect: Aspect) -> bool {
        let extension = path.extension();
        let is_code = extension.is_some_and(|extension| extension == "class" || extension == "jar");
        let is_list = aspect == Aspect::Content && path.is_dir();
        if !(is_code || is_list) {
            return false;
        }
        let who = callers::who(self.agent, self.jni);
        match is_list {
            true => who == Who::Framework && !self.agent.is_inside_a_test(),
            false => who == Who::ClassPath,
        }
    }
}
