use super::jdk::Jdk;
use super::scratch;

/// A class file with its path inside a module image or jar.
pub(crate) struct Class {
    pub(crate) file: String,
    pub(crate) bytes: Vec<u8>,
}

/// All classes of a JDK's modules.
pub(crate) fn jdk_classes(jdk: &Jdk) -> Vec<Class> {
    let file = scratch("jdk").join(format!("{}.classes", jdk.version));
    if !file.exists() {
        let tools = jdk.compile(&["DumpJdk.java"], &[], "dump");
        let partial = file.with_extension("partial");
        jdk.java(&tools, &["DumpJdk".as_ref(), partial.as_os_str()]);
        std::fs::rename(partial, &file).expect("dump in place");
    }
    let bytes = std::fs::read(&file).expect("dump");
    let mut rest = bytes.as_slice();
    let mut take = |n: usize| {
        let (taken, tail) = rest.split_at(n);
        rest = tail;
        taken
    };
    let mut classes = Vec::new();
    let mut left = bytes.len();
    while left > 0 {
        let length = u16::from_be_bytes(take(2).try_into().expect("length"));
        // The first component is the module.
        let path = std::str::from_utf8(take(length.into())).expect("path");
        let file = path
            .split_once('/')
            .map_or(path, |(_, file)| file)
            .to_owned();
        let size = u32::from_be_bytes(take(4).try_into().expect("size")) as usize;
        classes.push(Class {
            file,
            bytes: take(size).to_vec(),
        });
        left -= 6 + usize::from(length) + size;
    }
    classes
}
