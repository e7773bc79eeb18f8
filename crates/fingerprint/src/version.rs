use tamis_classfile::{ClassFile, Error, Result};

/// The minor version that marks preview features.
const PREVIEW: u16 = 65535;

/// The last major version (Java 25) whose differences to earlier ones are known.
const LAST_KNOWN: u16 = 69;

/// The major versions that give a class another meaning than the version before; the reasons are
/// listed in `docs/fingerprint.md`. Versions behind [`LAST_KNOWN`] each stand for themselves.
const BOUNDARIES: &[u16] = &[46, 49, 50, 51, 52, 53, 55];

/// Refuses versions with another layout of the `Code` attribute.
pub(crate) fn check(class: &ClassFile<'_>) -> Result<()> {
    if (class.major, class.minor) < (45, 3) {
        return Err(Error::Malformed {
            at: 4,
            what: "class file version before 45.3",
        });
    }
    Ok(())
}

/// A number that is equal for versions under which the same class means the same.
pub(crate) fn semantics(class: &ClassFile<'_>) -> u32 {
    let major = class.major;
    if class.minor == PREVIEW {
        return u32::from(major) | 1 << 16;
    }
    if major > LAST_KNOWN {
        return major.into();
    }
    BOUNDARIES
        .iter()
        .rev()
        .find(|&&boundary| boundary <= major)
        .copied()
        .unwrap_or(45)
        .into()
}

/// Whether the JVM reads a `Record` attribute.
pub(crate) fn record_counts(class: &ClassFile<'_>) -> bool {
    class.major >= 60
}

/// Whether the JVM reads a `PermittedSubclasses` attribute.
pub(crate) fn permitted_subclasses_count(class: &ClassFile<'_>) -> bool {
    class.major >= 61
}

/// Whether `ACC_STRICT` of a method has a meaning, and reflection shows it as a flag.
pub(crate) fn strict_counts(class: &ClassFile<'_>) -> bool {
    class.major <= 60
}
