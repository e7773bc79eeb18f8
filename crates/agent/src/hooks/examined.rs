//! Native methods of the JDK that need not be watched, in the packages where others must be.
//!
//! Read in the sources of JDK 11, 17, 21 and 25. A method of these packages that is neither here nor
//! watched may do anything.

/// Packages and classes whose native methods open files, find classes or start processes.
const WHERE: [&[u8]; 10] = [
    b"java/io/",
    b"java/lang/Class",
    b"java/lang/NullPointerException",
    b"java/lang/Process",
    b"java/util/jar/",
    b"java/util/zip/",
    b"jdk/internal/loader/",
    b"sun/nio/ch/File",
    b"sun/nio/ch/UnixFile",
    b"sun/nio/fs/",
];

/// Classes there with the native methods that show nothing that is not known otherwise.
#[rustfmt::skip]
const HARMLESS: &[(&str, &str)] = &[
    ("java/io/Console", "echo encoding istty ttyStatus"),
    // These have files that are open.
    ("java/io/FileCleanable", "cleanupClose0"),
    ("java/io/FileDescriptor", "close0 getAppend getHandle initIDs sync sync0"),
    ("java/io/FileInputStream", "available0 initIDs isRegularFile0 length0 position0 read0 readBytes skip0"),
    ("java/io/FileOutputStream", "initIDs write writeBytes"),
    ("java/io/RandomAccessFile",
        "getFilePointer initIDs length length0 read0 readBytes readBytes0 seek0 setLength setLength0 write0 \
         writeBytes writeBytes0"),
    ("sun/nio/ch/FileChannelImpl", "initIDs map0 maxDirectTransferSize0 transferTo0 unmap0"),
    ("sun/nio/ch/FileDispatcherImpl",
        "canTransferToFromOverlappedMap0 close0 closeIntFD dup0 force0 init init0 lock0 preClose0 pread0 pwrite0 \
         read0 readv0 release0 seek0 setDirect0 size0 transferFrom0 transferTo0 truncate0 write0 writev0"),
    ("sun/nio/ch/FileKey", "init initIDs"),
    ("sun/nio/ch/UnixFileDispatcherImpl",
        "allocationGranularity0 available0 closeIntFD force0 isOther0 lock0 map0 pread0 pwrite0 read0 readv0 \
         release0 seek0 setDirect0 size0 truncate0 unmap0 write0 writev0"),
    ("sun/nio/fs/UnixCopyFile", "transfer"),
    ("sun/nio/fs/UnixFileSystem", "bufferedCopy0"),
    // How long names may be.
    ("java/io/UnixFileSystem", "getNameMax0 initIDs"),
    // Files that are open, users and groups, the directory that the process started in, and a list of
    // what is mounted, which is no file of a project.
    ("sun/nio/fs/UnixNativeDispatcher",
        "close0 closedir dup fchmod fchmod0 fchmodatNoFollowSupported0 fchown fchown0 fclose fdopendir fgetxattr0 \
         flistxattr fopen0 fpathconf fremovexattr0 fsetxattr0 fstat fstat0 futimens futimens0 futimes futimes0 \
         getcwd getgrgid getgrnam0 getlinelen getpwnam0 getpwuid init pathconf0 read read0 readdir readdir0 rewind \
         strerror write write0"),
    ("sun/nio/fs/LinuxNativeDispatcher",
        "directCopy0 endmntent fgetxattr0 flistxattr fremovexattr0 fsetxattr0 getmntent0 init posix_fadvise \
         setmntent0"),
    ("sun/nio/fs/LinuxWatchService",
        "configureBlocking eventOffsets eventSize inotifyInit inotifyRmWatch poll socketpair"),
    // Bytes.
    ("java/io/ObjectInputStream", "bytesToDoubles bytesToFloats"),
    ("java/io/ObjectOutputStream", "doublesToBytes floatsToBytes"),
    ("java/util/zip/Adler32", "update updateByteBuffer updateBytes"),
    ("java/util/zip/CRC32", "update updateByteBuffer updateByteBuffer0 updateBytes updateBytes0"),
    ("java/util/zip/CRC32C", "updateBytes updateDirectByteBuffer"),
    ("java/util/zip/Deflater",
        "deflateBufferBuffer deflateBufferBytes deflateBytesBuffer deflateBytesBytes end getAdler init reset \
         setDictionary setDictionaryBuffer"),
    ("java/util/zip/Inflater",
        "end getAdler inflateBufferBuffer inflateBufferBytes inflateBytesBuffer inflateBytesBytes init initIDs \
         reset setDictionary setDictionaryBuffer"),
    // Serialization looks at a class as a whole, and who serializes is known by the call.
    ("java/io/ObjectStreamClass", "hasStaticInitializer initNative"),
    // A class as a whole, and those around it, which count for all who call into reflection.
    ("java/lang/Class",
        "desiredAssertionStatus0 getClassAccessFlagsRaw0 getClassFileVersion0 getConstantPool getDeclaringClass0 \
         getEnclosingMethod0 getInterfaces0 getModifiers getNestHost0 getPrimitiveClass getProtectionDomain0 \
         getRawAnnotations getRawTypeAnnotations getSigners getSimpleBinaryName0 getSuperclass initClassName \
         isArray isAssignableFrom isHidden isInstance isInterface isPrimitive isRecord0 registerNatives setSigners"),
    // Classes that are defined have probes.
    ("java/lang/ClassLoader",
        "defineClass0 defineClass1 defineClass2 findBuiltinLib registerNatives retrieveDirectives"),
    ("java/lang/ClassLoader$NativeLibrary", "findEntry unload"),
    ("jdk/internal/loader/BootLoader",
        "getSystemPackageLocation getSystemPackageNames setBootLoaderUnnamedModule0"),
    ("jdk/internal/loader/NativeLibraries", "findBuiltinLib findEntry0 unload"),
    ("jdk/internal/loader/NativeLibrary", "findEntry0"),
    ("jdk/internal/loader/RawNativeLibraries", "unload0"),
    // The variables are asked for in a method that is entered.
    ("java/lang/ProcessEnvironment", "environ"),
    ("java/lang/ProcessHandleImpl",
        "destroy0 getCurrentPid0 getProcessPids0 initNative isAlive0 parent0 waitForProcessExit0"),
    ("java/lang/ProcessHandleImpl$Info", "initIDs"),
    ("java/lang/ProcessImpl", "init"),
];

/// Whether a native method of a class of the boot loader (internal name) that is not watched need not be.
pub(super) fn is_harmless(class: &[u8], method: &[u8]) -> bool {
    if !WHERE.iter().any(|prefix| class.starts_with(prefix)) {
        return true;
    }
    let mut of_class = HARMLESS
        .iter()
        .filter(|(known, _)| known.as_bytes() == class);
    of_class.any(|(_, methods)| methods.split(' ').any(|known| known.as_bytes() == method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_examined_is_not_harmless() {
        let check = |class: &str, method: &str, expected| {
            let harmless = is_harmless(class.as_bytes(), method.as_bytes());
            assert_eq!(harmless, expected, "{class}.{method}");
        };
        check("java/io/FileInputStream", "read0", true);
        check("java/io/FileInputStream", "open0", false);
        check("java/io/FileInputStream", "open1", false);
        check("sun/nio/fs/NewDispatcher", "open", false);
        check("java/lang/Class", "getSuperclass", true);
        check("java/lang/Class", "getDeclaredMethods0", false);
        check("java/lang/Object", "hashCode", true);
    }
}
