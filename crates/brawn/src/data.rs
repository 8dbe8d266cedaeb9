//! Files of figures: what `--export-json` writes and `--open-data` reads.

use brawn_core::publish::{check_report, write_report};
use brawn_core::{Error, Result, input, shown};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Fails if one of `files` cannot be written, or two are the same: before anything is measured, which takes a while.
pub fn check<'a>(files: impl IntoIterator<Item = &'a Option<PathBuf>> + Clone) -> Result<()> {
    check_apart(files.clone(), [])?;
    files
        .into_iter()
        .flatten()
        .try_for_each(|path| check_report(path))
}

/// Fails if one of `files`, which are to be written, is one of `read`, which would be lost, or is there twice.
pub fn check_apart<'a>(
    files: impl IntoIterator<Item = &'a Option<PathBuf>>,
    read: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let mut taken: Vec<(Which, &str)> = read
        .into_iter()
        .filter_map(|path| Some((Which::of(path)?, "it is read, and would be lost")))
        .collect();
    for path in files.into_iter().flatten() {
        let Some(which) = Which::of(path) else {
            continue;
        };
        if let Some((_, why)) = taken.iter().find(|(other, _)| *other == which) {
            return Err(Error::usage(*why).path(path).expected("another file"));
        }
        taken.push((which, "two results would go there, and one be lost"));
    }
    Ok(())
}

/// Which file a path means, whatever way it leads there.
#[derive(PartialEq, Eq)]
struct Which {
    /// The file's device and number; of a file that is not there yet, those of its directory.
    place: (u64, u64),
    /// The name of a file that is not there yet.
    name: Option<OsString>,
}

impl Which {
    /// `None`: a pipe or a device, or no path that can be looked at.
    fn of(path: &Path) -> Option<Self> {
        let place = |found: &Metadata| (found.dev(), found.ino());
        if let Ok(found) = fs::metadata(path) {
            let place = place(&found);
            return found.is_file().then_some(Self { place, name: None });
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let found = fs::metadata(folder.unwrap_or(Path::new("."))).ok()?;
        Some(Self {
            place: place(&found),
            name: Some(path.file_name()?.to_owned()),
        })
    }
}

/// Writes all figures of something, and their page: what is asked for.
pub fn export(
    data: &impl Serialize,
    [json, html]: [&Option<PathBuf>; 2],
    page: impl FnOnce() -> String,
) -> Result<()> {
    if let Some(path) = json {
        write(data, path)?;
    }
    match html {
        Some(path) => write_report(path, page().as_bytes()),
        None => Ok(()),
    }
}

/// Refuses data of another format than `known`, or of a newer version.
pub fn check_format(path: &Path, found: (&str, u32), known: (&str, u32)) -> Result<()> {
    if found.0 == known.0 && found.1 <= known.1 {
        return Ok(());
    }
    Err(
        Error::malformed(format!("{}, version {}", found.0, found.1))
            .path(path)
            .expected(format!("{}, at most version {}", known.0, known.1)),
    )
}

/// Writes all figures of something.
pub fn write(data: &impl Serialize, path: &Path) -> Result<()> {
    let text = serde_json::to_string(data)
        .map_err(|e| Error::io("cannot make JSON of it", std::io::Error::from(e)))?;
    write_report(path, (text + "\n").as_bytes())
}

/// The largest file that is read as data: a hundred thousand runs of three forms.
const LARGEST: u64 = 256 << 20;

/// What `command` wrote as JSON.
pub fn read<T: DeserializeOwned>(path: &Path, command: &str) -> Result<T> {
    let failed = |error| input::failed("cannot read it", error).path(path);
    let file = input::open(path).map_err(failed)?;
    let mut text = String::new();
    let mut file = file.take(LARGEST);
    file.read_to_string(&mut text).map_err(failed)?;
    // Anybody may have written the names in it, and they are printed in many places.
    serde_json::from_str(&shown::shown_json(&text))
        .map_err(|error| Error::malformed(format!("no data of `{command}`: {error}")).path(path))
}
