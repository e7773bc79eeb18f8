//! A class that is being loaded, as read from its bytes.

use std::collections::HashSet;
use tamis_code::references::{ReflectionKind, StaticUse};

/// The facts about a class when it is loaded.
#[derive(Debug, Default)]
pub(crate) struct Loaded<'a> {
    /// Internal name.
    pub(crate) name: &'a [u8],
    pub(crate) raw: u128,
    /// Checksum of the bytes that got the probes, which may be another agent's.
    pub(crate) code: u128,
    pub(crate) smart: Option<u128>,
    /// Index of its location, 0 if there is none.
    pub(crate) location: u32,
    /// Number of its first probe. `None`: it has no probes at all.
    pub(crate) first_probe: Option<u32>,
    /// How many probes each method has; none at all if each has one.
    pub(crate) counts: Vec<u16>,
    /// The basic blocks of its methods, encoded, where these have probes.
    pub(crate) blocks: Vec<u8>,
    /// Some of its methods run without a trace: native ones, and those too large for a probe.
    pub(crate) unprobed: bool,
    /// Names that belong to it whenever it is used: supertypes, annotations.
    pub(crate) structural: Vec<&'a [u8]>,
    /// Names of the classes that its constants name.
    pub(crate) linked: Vec<&'a [u8]>,
    /// Names of the classes around it.
    pub(crate) around: Vec<&'a [u8]>,
    /// Names of the classes that it shows when it is asked for its members.
    pub(crate) shown: HashSet<Vec<u8>>,
    /// Per method, the names its code refers to.
    pub(crate) types: Vec<(u16, &'a [u8])>,
    /// Per method, the names that it refers to in type checks.
    pub(crate) checks: Vec<(u16, &'a [u8])>,
    /// Per method, the names of the classes whose methods it calls on objects.
    pub(crate) calls: Vec<(u16, &'a [u8])>,
    /// Internal name of its superclass; empty if it has none.
    pub(crate) superclass: &'a [u8],
    /// Per method, the static methods it calls: class and [`signature`](tamis_fingerprint::signature).
    pub(crate) static_calls: Vec<(u16, &'a [u8], u64)>,
    /// The signatures of its own static methods.
    pub(crate) statics: Vec<u64>,
    /// Its fingerprint, encoded.
    pub(crate) print: Vec<u8>,
    /// Its probes do not stand for the methods of the fingerprint.
    pub(crate) mixed: bool,
    /// The indexes of its constructors.
    pub(crate) constructors: Vec<u16>,
    /// The reflection uses of its methods.
    pub(crate) reflection: Vec<(u16, ReflectionKind)>,
    /// Whether it comes from an archive that is not part of the project.
    pub(crate) is_library: bool,
    /// Per method, the static fields that it uses.
    pub(crate) static_uses: Vec<(u16, StaticUse<'a>)>,
    /// The methods that may use any static field, by reflection.
    pub(crate) any_static: Vec<u16>,
    /// Whether it gives handles to the JDK, which then calls them for anybody.
    pub(crate) gives_handles: bool,
}
