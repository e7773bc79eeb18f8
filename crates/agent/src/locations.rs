//! Where classes come from, as the JVM's protection domains say.

use crate::agent::Agent;
use std::sync::PoisonError;
use tamis_classfile::decode_mutf8;
use tamis_jvmti::{Global, Jni, Object, Weak};
use tamis_recording::Record;

struct Location {
    domain: Weak,
    /// Keeps the domain until its URL has been asked for.
    unresolved: Option<Global>,
    url: String,
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
    /// The id of a domain, 0 for none.
    pub(crate) fn id(&mut self, jni: Jni<'_>, domain: Option<Object<'_>>) -> u32 {
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
        self.last as u32 + 1
    }

    fn add(&mut self, jni: Jni<'_>, domain: Object<'_>) -> Option<usize> {
        let (weak, strong) = (jni.weak(domain).ok()?, jni.global(domain).ok()?);
        self.known.push(Location {
            domain: weak,
            unresolved: Some(strong),
            url: String::new(),
            written: false,
        });
        Some(self.known.len() - 1)
    }

    fn at(&mut self, id: u32) -> Option<&mut Location> {
        self.known.get_mut((id as usize).checked_sub(1)?)
    }

    /// Whether the classes of a location are part of the JDK.
    pub(crate) fn is_jdk(&mut self, id: u32) -> bool {
        self.at(id)
            .is_some_and(|location| location.url.starts_with("jrt:"))
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
            url: location.url.clone(),
        })
    }
}

/// Asks the JVM for the URLs of these locations. Calls Java: the state must not be locked.
pub(crate) fn resolve(agent: &Agent, jni: Jni<'_>, ids: &[u32]) {
    let _one_at_a_time = agent
        .resolving
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    for &id in ids {
        let domain = agent
            .state()
            .locations
            .at(id)
            .and_then(|l| l.unresolved.take());
        let Some(domain) = domain else { continue };
        let url = jni
            .frame(|jni| url(jni, domain.object()))
            .unwrap_or_default();
        jni.drop_global(domain);
        if let Some(location) = agent.state().locations.at(id) {
            location.url = url;
        }
    }
}

fn url(jni: Jni<'_>, domain: Object<'_>) -> Option<String> {
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
