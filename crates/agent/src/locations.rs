//! Locations of classes, from the protection domains of the JVM.

use crate::agent::Agent;
use std::path::Path;
use std::sync::PoisonError;
use tamis_classfile::decode_mutf8;
use tamis_jvmti::{Global, Jni, Object, Weak};
use tamis_recording::Record;

struct Location {
    domain: Weak,
    /// Keeps the domain until its URL has been asked for.
    held: Option<Global>,
    url: Option<String>,
    written: bool,
}

/// The protection domains seen so far; their ids start at 1.
#[derive(Default)]
pub(crate) struct Locations {
    known: Vec<Location>,
    /// The one found last: classes come in runs from one place.
    last: usize,
}

impl Locations {
    /// The id of a domain, 0 for none. Before tests are seen (`hold` is false) a domain may go, and
    /// its classes with it: a JVM that runs none must not grow because of us.
    pub(crate) fn id(&mut self, jni: &Jni<'_>, domain: Option<Object<'_>>, hold: bool) -> u32 {
        let Some(domain) = domain else { return 0 };
        if self
            .known
            .get(self.last)
            .is_none_or(|l| !jni.is(&l.domain, Some(domain)))
        {
            let found = self
                .known
                .iter()
                .rposition(|l| jni.is(&l.domain, Some(domain)));
            let Some(position) = found.or_else(|| self.add(jni, domain)) else {
                return 0;
            };
            self.last = position;
        }
        if hold
            && let Some(location) = self.known.get_mut(self.last)
            && location.held.is_none()
            && location.url.is_none()
        {
            location.held = jni.global(domain).ok();
        }
        self.last as u32 + 1
    }

    fn add(&mut self, jni: &Jni<'_>, domain: Object<'_>) -> Option<usize> {
        self.known.push(Location {
            domain: jni.weak(domain).ok()?,
            held: None,
            url: None,
            written: false,
        });
        Some(self.known.len() - 1)
    }

    fn at(&mut self, id: u32) -> Option<&mut Location> {
        self.known.get_mut((id as usize).checked_sub(1)?)
    }

    /// The URL of a location that has been asked for.
    pub(crate) fn url(&mut self, id: u32) -> Option<String> {
        self.at(id)?.url.clone()
    }

    /// Whether the classes of a location are part of the JDK.
    pub(crate) fn is_jdk(&mut self, id: u32) -> bool {
        self.at(id)
            .and_then(|location| location.url.as_deref())
            .is_some_and(|url| url.starts_with("jrt:"))
    }

    /// Whether a location is an archive that is not part of the project.
    pub(crate) fn is_library(&mut self, id: u32, project: &Path) -> bool {
        let url = self.at(id).and_then(|location| location.url.as_deref());
        url.is_some_and(|url| {
            let path = url.strip_prefix("file:").unwrap_or(url);
            !url.is_empty() && !url.ends_with('/') && !Path::new(path).starts_with(project)
        })
    }

    /// Whether the file of the class `name` at a location has letters beyond ASCII in its name.
    pub(crate) fn is_beyond_ascii(&mut self, id: u32, name: &str) -> bool {
        let url = self.at(id).and_then(|location| location.url.as_deref());
        url.is_some_and(|url| {
            // URLs have such letters as `%C3%BC`; names in archives are always UTF-8.
            let escaped = url.split('%').skip(1);
            !url.is_ascii()
                || (url.ends_with('/') && !name.is_ascii())
                || escaped.into_iter().any(|rest| rest >= "8")
        })
    }

    /// The record of a location, the first time it is asked for.
    pub(crate) fn record(&mut self, id: u32) -> Option<Record> {
        let location = self.at(id)?;
        if location.written {
            return None;
        }
        location.written = true;
        Some(Record::Location {
            id,
            url: location.url.clone().unwrap_or_default(),
        })
    }
}

/// Asks the JVM for the URLs of these locations. Calls Java: the state must not be locked.
pub(crate) fn resolve(agent: &Agent, jni: &mut Jni<'_>, ids: &[u32]) {
    let _one_at_a_time = agent
        .resolving
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    for &id in ids {
        let domain = match agent.state().locations.at(id) {
            Some(location) if location.url.is_none() => {
                location.held.take().or_else(|| jni.hold(&location.domain))
            }
            _ => continue,
        };
        // A domain that is gone has no classes any more.
        let url = domain
            .as_ref()
            .and_then(|d| jni.frame(|jni| url(jni, d.object())));
        let url = url.map(|url| agent.files.absolute(&url));
        if let Some(location) = agent.state().locations.at(id) {
            location.url = Some(url.unwrap_or_default());
        }
    }
}

fn url(jni: &Jni<'_>, domain: Object<'_>) -> Option<String> {
    // SAFETY: the methods take nothing and return objects; the last one returns a string.
    unsafe {
        let source = jni
            .call_object(
                domain,
                c"getCodeSource",
                c"()Ljava/security/CodeSource;",
                &[],
            )
            .ok()??;
        let location = jni
            .call_object(source, c"getLocation", c"()Ljava/net/URL;", &[])
            .ok()??;
        let text = jni
            .call_object(location, c"toExternalForm", c"()Ljava/lang/String;", &[])
            .ok()??;
        decode_mutf8(&jni.text(text).ok()?)
    }
}
