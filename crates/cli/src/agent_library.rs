use crate::error::Error;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tamis_store::Project;
use xxhash_rust::xxh3::xxh3_128;

static LIBRARY: &[u8] = include_bytes!(env!("TAMIS_AGENT_LIBRARY"));

/// The agent as a file that a JVM can load. It is written once per version, to the user's cache or,
/// where that cannot be written, to the project's own.
pub(crate) fn place(project: &Project) -> Result<PathBuf, Error> {
    let own = project.dir().join("cache");
    if let Some(cache) = user_cache()
        && let Ok(file) = place_in(&cache)
    {
        return Ok(file);
    }
    place_in(&own).map_err(Error::io("write the agent to", own))
}

/// The JVM cannot load an agent from a path with `=` in it.
fn user_cache() -> Option<PathBuf> {
    let given = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|dir| dir.is_absolute());
    let cache = given
        .or_else(|| Some(env::home_dir()?.join(".cache")))?
        .join("tamis");
    let usable = cache.to_str().is_some_and(|text| !text.contains('='));
    usable.then_some(cache)
}

fn place_in(dir: &Path) -> io::Result<PathBuf> {
    let extension = if cfg!(target_os = "macos") {
        "dylib"
    } else {
        "so"
    };
    let name = format!("libtamis_agent-{:032x}.{extension}", xxh3_128(LIBRARY));
    let file = dir.join(&name);
    // The content is compared, not only the name: a file that is cut off would break the JVM.
    if fs::read(&file).is_ok_and(|present| present == LIBRARY) {
        return Ok(file);
    }
    fs::create_dir_all(dir)?;
    tamis_files::write(&file, LIBRARY)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_is_written_once_and_repaired() {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().join("a b");
        let file = place_in(&cache).unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        assert_eq!(place_in(&cache).unwrap(), file);
        assert_eq!(file.metadata().unwrap().modified().unwrap(), written);

        fs::write(&file, "cut").unwrap();
        place_in(&cache).unwrap();
        assert_eq!(fs::read(&file).unwrap(), LIBRARY);
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
    }
}
