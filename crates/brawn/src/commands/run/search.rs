//! Finds the file for a name, as `execvp` does (POSIX, "exec").

use super::Stop;
use brawn_core::Error;
use brawn_core::shown::shown;
use rustix::fs::{Access, AtFlags, CWD};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The directories to search if PATH is not set: as in glibc and musl, without musl's /usr/local.
const DEFAULT: &str = "/bin:/usr/bin";

/// The file that `program` means: itself, if there is a slash in it, or the first of PATH that may be run.
pub fn search(program: &OsStr) -> Result<PathBuf, Stop> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from(DEFAULT));
    search_in(program, &path)
}

fn search_in(program: &OsStr, path: &OsStr) -> Result<PathBuf, Stop> {
    let shown = Path::new(program);
    if program.as_bytes().contains(&b'/') {
        return match may_run(shown) {
            Ok(()) => Ok(shown.to_owned()),
            Err(Errno::NOENT | Errno::NOTDIR) => Err(not_found(shown)),
            Err(e) => Err(denied(shown, e)),
        };
    }
    if program.is_empty() {
        return Err(not_found(shown));
    }
    let mut first = None;
    for folder in std::env::split_paths(path) {
        let candidate = match folder.as_os_str().is_empty() {
            true => Path::new(".").join(program),
            false => folder.join(program),
        };
        match may_run(&candidate) {
            Ok(()) => return Ok(candidate),
            // A file that may not be run is reported only if no later directory of PATH has one that may.
            Err(Errno::ACCESS) if candidate.is_file() => {
                first = first.or(Some(denied(&candidate, Errno::ACCESS)));
            }
            Err(_) => {}
        }
    }
    Err(first.unwrap_or_else(|| not_found(shown)))
}

/// Whether this user may run the file.  The execute bit of a directory means something else.
fn may_run(path: &Path) -> Result<(), Errno> {
    rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS)?;
    if path.is_dir() {
        return Err(Errno::ACCESS);
    }
    Ok(())
}

fn not_found(path: &Path) -> Stop {
    let error = Error::io("cannot find it", Errno::NOENT).path(path);
    // People type the bare name of what they have just built.
    let has_slash = path.as_os_str().as_bytes().contains(&b'/');
    let here = Path::new(".").join(path);
    Stop::NotFound(match !has_slash && here.is_file() {
        true => error.next(format!(
            "a name without a slash is looked for in PATH: for the file in this directory say `{}`",
            shown(&here)
        )),
        false => error,
    })
}

fn denied(path: &Path, errno: Errno) -> Stop {
    let error = match path.is_dir() {
        true => Error::refused("it is a directory").next("name the program in it"),
        false => Error::io("it may not be run", errno),
    };
    Stop::Refused(error.path(path))
}

#[cfg(test)]
mod tests;
