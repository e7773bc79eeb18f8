//! Watches look-ups of resources on class paths.
//!
//! Class loaders that find things in directories and archives ask a class path of the JDK. What the
//! JVM's own class path has is known by the name; of others the archives are noted. Directories are
//! looked at like all files.

use crate::agent::Agent;
use crate::watchers::callers::{self, Who};
use crate::watchers::class_readers::is_reader_of_declarations;
use std::os::unix::ffi::OsStrExt;
use tamis_classfile::decode_mutf8;
use tamis_inputs::{Aspect, Input, file_of_url};
use tamis_jvmti::{Jni, Object, Thrown};

/// A class path is asked for `name`, for the first or for all, found or not.
pub(crate) fn looked_up(
    agent: &Agent,
    jni: &mut Jni<'_>,
    path: Object<'_>,
    name: Object<'_>,
    all: bool,
) {
    if !agent.config.records || agent.facts.get().is_none() {
        return;
    }
    // SAFETY: the hook hands over the argument of a method that takes a string.
    let text = unsafe { jni.text(name) };
    let Some(name) = text.ok().and_then(|text| decode_mutf8(&text)) else {
        agent.distrust("a resource has a name that is not valid Unicode".into());
        return;
    };
    let is_own = callers::who(agent, jni) == Who::ClassPath;
    let is_class = is_own && !all && name.ends_with(".class");
    let input = match is_class && is_reader_of_declarations(agent, jni) {
        true => Input::Declared(name),
        false => {
            // Of what another path has, nobody knows where it is on the JVM's own.
            let all = all || !is_own;
            Input::Resource { name, all }
        }
    };
    agent.inputs.observe(agent, jni, (input, None));
    if is_own {
        return;
    }
    match jni.frame(|jni| archives(jni, path)) {
        Ok(urls) => {
            let urls = urls.iter().map(|url| agent.files.absolute(url));
            let others = urls.filter(|url| agent.files.is_elsewhere(url));
            others.for_each(|url| {
                let archive = Input::Archive(url);
                agent.inputs.observe(agent, jni, (archive, None));
            });
        }
        Err(Thrown) => agent.distrust("the entries of a class path cannot be read".into()),
    }
}

/// An entry of an archive is asked for.
pub(crate) fn entry(agent: &Agent, jni: &mut Jni<'_>, url: Object<'_>) {
    if !agent.config.records || agent.facts.get().is_none() {
        return;
    }
    let text = jni.frame(|jni| text(jni, url));
    match text {
        Ok(url) => {
            let archive = Input::Archive(agent.files.absolute(&url));
            agent.inputs.observe(agent, jni, (archive, None));
        }
        Err(Thrown) => agent.distrust("a URL cannot be read".into()),
    }
}

/// Notes an archive: code that asks for an entry gets all of it.
pub(crate) fn archive(agent: &Agent, jni: &mut Jni<'_>, connection: Object<'_>) {
    if !agent.config.records || agent.facts.get().is_none() {
        return;
    }
    let url = jni.frame(|jni| {
        // SAFETY: the method takes nothing and returns a URL.
        let url =
            unsafe { jni.call_object(connection, c"getJarFileURL", c"()Ljava/net/URL;", &[])? };
        text(jni, url.ok_or(Thrown)?)
    });
    let file = url
        .ok()
        .and_then(|url| file_of_url(&agent.files.absolute(&url)));
    match file {
        Some(file) => {
            let file = file.as_os_str().as_bytes();
            if let Some(path) = agent.files.unseen(&agent.inputs, file, Aspect::Content) {
                agent.files.observe(agent, jni, path, Aspect::Content);
            }
        }
        None => agent.distrust("an archive on a class path is no file".into()),
    }
}

fn text(jni: &Jni<'_>, url: Object<'_>) -> Result<String, Thrown> {
    // SAFETY: the method takes nothing and returns a string.
    let text = unsafe {
        let text = jni.call_object(url, c"toExternalForm", c"()Ljava/lang/String;", &[])?;
        jni.text(text.ok_or(Thrown)?)?
    };
    decode_mutf8(&text).ok_or(Thrown)
}

/// The URLs of a class path.
fn archives(jni: &Jni<'_>, path: Object<'_>) -> Result<Vec<String>, Thrown> {
    // SAFETY: the method takes nothing and returns an array of URLs; the other one of these returns a
    // string.
    unsafe {
        let urls = jni.call_object(path, c"getURLs", c"()[Ljava/net/URL;", &[])?;
        let urls = urls.ok_or(Thrown)?;
        let mut texts = Vec::new();
        for index in 0..jni.length(urls) {
            let Some(url) = jni.element(urls, index)? else {
                continue;
            };
            texts.push(text(jni, url)?);
        }
        Ok(texts)
    }
}
