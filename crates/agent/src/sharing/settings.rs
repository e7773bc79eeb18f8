//! Shared state outside of objects: system properties, the default locale, the default time zone,
//! and files.
//!
//! Settings are sampled when a unit ends. Who asks for a property is known from the hooks of the JDK; who uses
//! the default locale or time zone is not, so that everybody counts as one who does. Who writes and reads
//! files is known from native methods.

use crate::agent::{Agent, State};
use crate::classes::Classes;
use crate::pseudo_probes::PseudoProbe;
use crate::watchers::{Events, Watcher, environment};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_attribution::{Bits, Shared, State as RootState};
use tamis_inputs::policy::is_read_by_the_jdk;
use tamis_inputs::{ALL, OF_THE_JDK};
use tamis_jvmti::{Jni, Object, Thrown, Value};

/// The first number of the roots that are settings.
pub(crate) const SETTINGS: u32 = 1 << 29;

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Setting {
    Locale,
    TimeZone,
    Property(String),
    /// A file of the project or elsewhere, which tests wrote.
    File(PathBuf),
}

/// The state of the settings.
#[derive(Default)]
pub(crate) struct Settings {
    inner: Mutex<Inner>,
    /// Somebody set a property, or could, since the last sample.
    may_differ: AtomicBool,
}

#[derive(Default)]
struct Inner {
    numbers: HashMap<Setting, u32>,
    settings: Vec<Setting>,
    /// Those that were read since the last boundary.
    read: HashSet<u32>,
    last: Option<Sample>,
    /// The properties that were set since the last sample, and by whom.
    set: HashMap<String, SetBy>,
    /// The program has told the JDK which time zone to find.
    is_zone_told: bool,
}

/// The code that sets a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetBy {
    /// A library, the JDK, or what starts the tests: not on behalf of one test.
    Others,
    Program,
}

impl Inner {
    fn number(&mut self, setting: Setting) -> u32 {
        let next = self.settings.len() as u32;
        let number = *self.numbers.entry(setting.clone()).or_insert(next);
        if number == next {
            self.settings.push(setting);
        }
        number
    }
}

impl Settings {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tests start now.
    pub(crate) fn start(&self, sample: Sample) {
        let mut inner = self.inner();
        inner.set.clear();
        inner.last = Some(sample);
    }

    /// A property is asked for; [`ALL`] and [`OF_THE_JDK`] stand for many.
    pub(crate) fn read(&self, property: &str) {
        if property == ALL {
            self.may_differ.store(true, Ordering::Release);
        }
        let mut inner = self.inner();
        let number = inner.number(Setting::Property(property.into()));
        inner.read.insert(number);
    }

    /// A property is set or removed.
    pub(crate) fn set(&self, property: &str, by: SetBy) {
        self.may_differ.store(true, Ordering::Release);
        let mut inner = self.inner();
        match by {
            SetBy::Program => _ = inner.set.insert(property.into(), by),
            SetBy::Others => _ = inner.set.entry(property.into()).or_insert(by),
        }
    }

    /// Whether somebody set a property, or could, since the last sample.
    pub(crate) fn may_differ(&self) -> bool {
        self.may_differ.load(Ordering::Acquire)
    }

    /// The number of a file.
    pub(crate) fn file(&self, path: PathBuf) -> u32 {
        self.inner().number(Setting::File(path))
    }

    /// The numbers of the properties that were asked for since the last call.
    fn take_read(&self) -> HashSet<u32> {
        std::mem::take(&mut self.inner().read)
    }

    /// The roots that differ from the last sample when `unit` ends.
    pub(crate) fn changed(&self, now: Sample, shared: &mut Shared, unit: u32) -> Vec<u32> {
        let mut inner = self.inner();
        let inner = &mut *inner;
        self.may_differ.store(false, Ordering::Release);
        let set = std::mem::take(&mut inner.set);
        let Some(before) = inner.last.take() else {
            inner.last = Some(now);
            return Vec::new();
        };
        inner.is_zone_told |= set.get(TIME_ZONE) == Some(&SetBy::Program);
        let changed: Vec<u32> = differences(&before, &now, &set, inner.is_zone_told)
            .into_iter()
            .map(|setting| SETTINGS + inner.number(setting))
            .collect();
        for root in &changed {
            // Whatever it was and is: the unit left something else than it found.
            shared.observe(unit, *root, RootState::Unknown);
        }
        inner.last = Some(now);
        changed
    }

    /// The roots that a unit may have read which executed this.
    pub(crate) fn roots_read(&self, classes: &Classes, executed: &Bits) -> Vec<u32> {
        let inner = self.inner();
        let read = classes.numbers_in(executed, |event| match event {
            PseudoProbe::Setting(number) => Some(number),
            _ => None,
        });
        let read: HashSet<u32> = read.into_iter().collect();
        let reads = |name: &str| {
            let number = inner.numbers.get(&Setting::Property(name.into()));
            number.is_some_and(|number| read.contains(number))
        };
        let (reads_all, reads_some) = (reads(ALL), reads(OF_THE_JDK));
        let is_read = |(number, setting): &(u32, &Setting)| match setting {
            Setting::Locale | Setting::TimeZone => true,
            Setting::Property(name) => {
                read.contains(number) || reads_all || (reads_some && is_read_by_the_jdk(name))
            }
            Setting::File(_) => read.contains(number),
        };
        let all = (0..).zip(&inner.settings);
        all.filter(is_read)
            .map(|(number, _)| SETTINGS + number)
            .collect()
    }

    /// The name of a setting, as messages call it.
    pub(crate) fn name(&self, number: u32, project: &Path) -> Option<String> {
        let inner = self.inner();
        Some(match inner.settings.get(number as usize)? {
            Setting::Locale => "the default locale".to_owned(),
            Setting::TimeZone => "the default time zone".to_owned(),
            Setting::Property(name) => format!("the system property {name}"),
            // Nothing absolute is kept.
            Setting::File(path) => {
                let inside = path.strip_prefix(project).ok();
                let name = path.file_name().map(Path::new);
                let name = inside.or(name).unwrap_or(path);
                format!("the file {}", name.display())
            }
        })
    }
}

impl Watcher for Settings {
    /// Who reads a setting may inherit from who changed it.
    fn emit(&self, _: &Agent, state: &mut State, events: &mut Events) {
        let read = self.take_read().into_iter();
        events
            .seen
            .extend(read.map(|setting| state.classes.pseudo_probe(PseudoProbe::Setting(setting))));
    }
}

/// All settings at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    properties: HashMap<String, Vec<u8>>,
    locales: Locales,
    zone: Option<Zone>,
}

impl Sample {
    /// The properties.
    pub(crate) fn properties(&self) -> Vec<(String, Vec<u8>)> {
        let all = self.properties.iter();
        all.map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

/// The default locales.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Locales {
    all: Option<Vec<u8>>,
    /// That of texts and that of formats; the JDK finds them out when they are first asked for.
    of_categories: [Option<Vec<u8>>; 2],
}

/// The default time zone; the JDK finds it out when it is first asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Zone {
    name: Vec<u8>,
    rules: Vec<u8>,
}

/// The property that the JDK itself sets, to the time zone that it has found out.
const TIME_ZONE: &str = "user.timezone";

/// The settings that differ, but for what the JDK and libraries do for themselves.
fn differences(
    before: &Sample,
    now: &Sample,
    set: &HashMap<String, SetBy>,
    is_zone_told: bool,
) -> BTreeSet<Setting> {
    let names = before.properties.keys().chain(now.properties.keys());
    let differs = |name: &&String| before.properties.get(*name) != now.properties.get(*name);
    let counts = |name: &&String| match set.get(*name) {
        Some(by) => *by == SetBy::Program,
        None => *name != TIME_ZONE,
    };
    let properties = names.filter(differs).filter(counts);
    let mut all: BTreeSet<Setting> = properties.cloned().map(Setting::Property).collect();
    if has_other_locale(&before.locales, &now.locales) {
        all.insert(Setting::Locale);
    }
    if has_other_zone(before, now, is_zone_told) {
        all.insert(Setting::TimeZone);
    }
    all
}

fn has_other_locale(before: &Locales, now: &Locales) -> bool {
    let of_categories = before.of_categories.iter().zip(&now.of_categories);
    let mut of_categories = of_categories.filter(|(before, now)| before != now);
    // One that was found out meanwhile is usually the same.
    before.all != now.all || of_categories.any(|(was, is)| was.is_some() || *is != now.all)
}

fn has_other_zone(before: &Sample, now: &Sample, is_told: bool) -> bool {
    let is_found_out = || {
        let name = now.properties.get(TIME_ZONE);
        !is_told && before.zone.is_none() && now.zone.as_ref().map(|zone| &zone.name) == name
    };
    before.zone != now.zone && !is_found_out()
}

/// The settings as they are now; `None` if this JVM does not show them. It runs methods of the JDK, so nothing
/// may be locked.
pub(crate) fn sample(agent: &Agent, jni: &mut Jni<'_>) -> Option<Sample> {
    let properties = environment::snapshot(jni).ok()?;
    let sampled = environment::quietly(|| {
        jni.frame(|jni| {
            let locale = jni.find_class(c"java/util/Locale")?;
            let locale_of = |name: &CStr| {
                let found = object_in(jni, locale, name, c"Ljava/util/Locale;")?;
                found.map(|locale| text_of(jni, locale)).transpose()
            };
            let zone = jni.find_class(c"java/util/TimeZone")?;
            let zone = object_in(jni, zone, c"defaultTimeZone", c"Ljava/util/TimeZone;")?;
            Ok::<_, Thrown>(Sample {
                properties: properties.into_iter().collect(),
                locales: Locales {
                    all: locale_of(c"defaultLocale")?,
                    of_categories: [
                        locale_of(c"defaultDisplayLocale")?,
                        locale_of(c"defaultFormatLocale")?,
                    ],
                },
                zone: zone.map(|zone| zone_of(agent, jni, zone)).transpose()?,
            })
        })
    });
    sampled.ok()
}

fn object_in<'f>(
    jni: &Jni<'f>,
    class: Object<'_>,
    name: &CStr,
    signature: &CStr,
) -> Result<Option<Object<'f>>, Thrown> {
    // SAFETY: it is a class of the JDK.
    match unsafe { jni.static_field(class, jni.static_field_id(class, name, signature)?)? } {
        Value::Object(object) => Ok(object),
        Value::Number(_) => Err(Thrown),
    }
}

fn text_of(jni: &Jni<'_>, object: Object<'_>) -> Result<Vec<u8>, Thrown> {
    string_of(jni, object, c"toString")
}

fn string_of(jni: &Jni<'_>, object: Object<'_>, method: &CStr) -> Result<Vec<u8>, Thrown> {
    // SAFETY: every object that is handed over has such a method, which returns a string.
    unsafe {
        let text = jni.call_object(object, method, c"()Ljava/lang/String;", &[])?;
        jni.text(text.ok_or(Thrown)?)
    }
}

/// Identifies a time zone by name and rules. No code of the program may run, so one that the program made counts by its identity.
fn zone_of(agent: &Agent, jni: &Jni<'_>, zone: Object<'_>) -> Result<Zone, Thrown> {
    let facts = agent.facts.get().ok_or(Thrown)?;
    let identified = agent.statics.identity(facts.jvmti, jni, zone);
    let (identity, class) = identified.ok_or(Thrown)?;
    match class.as_str() {
        "sun.util.calendar.ZoneInfo" | "java.util.SimpleTimeZone" => Ok(Zone {
            name: string_of(jni, zone, c"getID")?,
            rules: text_of(jni, zone)?,
        }),
        _ => Ok(Zone {
            name: Vec::new(),
            rules: identity.to_ne_bytes().to_vec(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(properties: &[(&str, &str)], locales: [&str; 3], zone: &str) -> Sample {
        let some = |text: &str| (!text.is_empty()).then(|| text.as_bytes().to_vec());
        let properties = properties.iter();
        Sample {
            properties: properties
                .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()))
                .collect(),
            locales: Locales {
                all: some(locales[0]),
                of_categories: [some(locales[1]), some(locales[2])],
            },
            zone: some(zone).map(|name| Zone {
                rules: name.clone(),
                name,
            }),
        }
    }

    #[test]
    fn what_the_program_set_counts_and_what_the_jdk_and_libraries_found_out_does_not() {
        let set = HashMap::from([
            ("by.library".to_owned(), SetBy::Others),
            ("by.both".to_owned(), SetBy::Program),
        ]);
        let check = |story: &str, before: &Sample, now: &Sample, expected: &[&str]| {
            let name = |setting| match setting {
                Setting::Locale => "locale".to_owned(),
                Setting::TimeZone => "zone".to_owned(),
                Setting::Property(name) => name,
                Setting::File(path) => path.display().to_string(),
            };
            let found = differences(before, now, &set, false).into_iter().map(name);
            assert_eq!(found.collect::<Vec<_>>(), expected, "{story}");
        };
        let plain = sample(&[("a", "1")], ["en", "", ""], "");
        check("nothing", &plain, &plain, &[]);
        let other = sample(&[("b", "1")], ["en", "", ""], "");
        check("one goes, one comes", &plain, &other, &["a", "b"]);
        let other = sample(&[("a", "1"), ("by.library", "1")], ["en", "", ""], "");
        check("a library sets it", &plain, &other, &[]);
        let other = sample(&[("a", "1"), ("by.both", "1")], ["en", "", ""], "");
        check("so does the program", &plain, &other, &["by.both"]);
        let used = sample(
            &[("a", "1"), ("user.timezone", "UTC")],
            ["en", "en", "en"],
            "UTC",
        );
        check("the JDK finds them out", &plain, &used, &[]);
        let given = sample(&[("a", "1"), ("user.timezone", "UTC")], ["en", "", ""], "");
        check("as it was told", &given, &used, &[]);
        let other = sample(&[("a", "1")], ["en", "", ""], "GMT+1");
        check(
            "a zone that nobody had asked for",
            &plain,
            &other,
            &["zone"],
        );
        let other = sample(
            &[("a", "1"), ("user.timezone", "UTC")],
            ["en", "en", "en"],
            "GMT+1",
        );
        check("another zone", &used, &other, &["zone"]);
        let other = sample(
            &[("a", "1"), ("user.timezone", "UTC")],
            ["en", "en", "fr"],
            "UTC",
        );
        check("another format", &used, &other, &["locale"]);
        check(
            "a format that nobody had asked for",
            &given,
            &other,
            &["locale", "zone"][..1],
        );
        let other = sample(
            &[("a", "1"), ("user.timezone", "UTC")],
            ["fr", "fr", "fr"],
            "UTC",
        );
        check("another locale", &used, &other, &["locale"]);
        let told = differences(&given, &used, &set, true);
        assert_eq!(
            told,
            BTreeSet::from([Setting::TimeZone]),
            "the program chose it"
        );
    }
}
