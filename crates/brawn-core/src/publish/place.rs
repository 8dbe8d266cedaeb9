//! Files of brawn's own in a folder of the user's: nothing is replaced that is not brawn's.

use crate::error::{Error, Kind, Result};
use crate::link::{File, is_ours};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The user's cache, as the XDG base directory specification has it: `XDG_CACHE_HOME`, which counts
/// only if it is absolute, or `.cache` in the home folder.
pub fn cache(xdg_cache_home: Option<PathBuf>, home: Option<PathBuf>) -> Result<PathBuf> {
    let absolute = |path: Option<PathBuf>| path.filter(|p| p.is_absolute());
    absolute(xdg_cache_home)
        .or_else(|| absolute(home).map(|home| home.join(".cache")))
        .map(|cache| cache.join("brawn"))
        .ok_or_else(|| {
            Error::new(Kind::Usage, "neither XDG_CACHE_HOME nor HOME is set")
                .expected("an absolute path in one of them")
                .next("name a folder with `--dir`")
        })
}

/// Puts `files` into `folder` of the user's cache, which nobody else may write to: what lies there
/// ends up in programs.
pub fn into_cache(folder: &Path, files: &[File]) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|e| Error::io("cannot create the folder", e).path(folder))?;
    let user = rustix::process::geteuid().as_raw();
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        let stat = fs::symlink_metadata(folder)
            .map_err(|e| Error::io("cannot look at the folder", e).path(folder))?;
        if !is_own(&stat) {
            return Err(Error::refused(format!(
                "a folder of user {}, mode {:o}, is no safe place for what ends up in programs",
                stat.uid(),
                stat.mode() & 0o7777
            ))
            .path(folder)
            .expected(format!("a folder that only user {user} may write to"))
            .next("remove it, or name another with `--dir`"));
        }
    }
    // Its name says what must be in it, so that everything else is damage.
    files
        .iter()
        .try_for_each(|file| one(folder, file, |_| true))
}

/// Whether `folder` is there, and nobody else may write to it.
pub fn is_private(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|stat| is_own(&stat))
}

fn is_own(stat: &fs::Metadata) -> bool {
    let user = rustix::process::geteuid().as_raw();
    stat.is_dir() && stat.uid() == user && stat.mode() & 0o022 == 0
}

/// Puts `files` into `folder`, replacing only what brawn wrote.
pub fn into_folder(folder: &Path, files: &[File]) -> Result<()> {
    fs::create_dir_all(folder)
        .map_err(|e| Error::io("cannot create the folder", e).path(folder))?;
    files.iter().try_for_each(|file| one(folder, file, is_ours))
}

/// Fails for `-`, by which elsewhere standard output is meant: nobody wants a file of that name.
pub(super) fn no_stream(path: &Path) -> Result<()> {
    if path != Path::new("-") {
        return Ok(());
    }
    Err(Error::new(Kind::Usage, "standard output")
        .path(path)
        .expected("the name of a file to write")
        .next("`./-` is a file of that name"))
}

/// Writes one file, replacing only what brawn wrote.
pub fn into_file(path: &Path, bytes: &[u8]) -> Result<()> {
    no_stream(path)?;
    let wrong = |found: &str| {
        let error = Error::new(Kind::Usage, found).path(path);
        Err(error.expected("the name of a file to write"))
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return wrong("no file name in UTF-8");
    };
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return wrong("not a regular file");
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let file = File {
        name: name.to_owned(),
        bytes: bytes.to_vec(),
    };
    one(folder.unwrap_or(Path::new(".")), &file, is_ours).map_err(|e| match e.kind() {
        Kind::Refused => e.next("choose another name"),
        _ => e,
    })
}

fn one(folder: &Path, file: &File, may_replace: impl Fn(&[u8]) -> bool) -> Result<()> {
    let path = folder.join(&file.name);
    match fs::read(&path) {
        Ok(there) if there == file.bytes => return Ok(()),
        Ok(there) if may_replace(&there) => {}
        Ok(_) => {
            return Err(Error::refused("a file that brawn did not write")
                .path(&path)
                .expected("nothing, or a file of brawn's")
                .next("name another folder with `--dir`"));
        }
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(Error::io("cannot read it", e).path(&path)),
    }
    let failed = |e| Error::io("cannot write", e).path(&path);
    let (staged, mut handle) = stage(folder, &file.name).map_err(failed)?;
    let written = handle
        .write_all(&file.bytes)
        .and_then(|()| handle.sync_all())
        .and_then(|()| fs::rename(&staged, &path));
    if written.is_err() {
        // The error that is reported is why it could not be written.
        let _ = fs::remove_file(&staged);
    }
    written.map_err(failed)
}

/// A file that nobody else has: several builds may come here at once.
fn stage(folder: &Path, name: &str) -> std::io::Result<(PathBuf, fs::File)> {
    let mut number = std::process::id();
    loop {
        let path = folder.join(format!(".{name}.{number}.brawn-new"));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o644)
            .open(&path);
        match file {
            // Another machine's process of the same number, or one that was killed.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => number = number.wrapping_add(1),
            Err(e) => return Err(e),
            Ok(file) => return Ok((path, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn file(bytes: &[u8]) -> [File; 1] {
        [File {
            name: "brawn.pc".into(),
            bytes: bytes.to_vec(),
        }]
    }

    #[test]
    fn where_the_cache_is() {
        let path = |p: &str| Some(PathBuf::from(p));
        let is = |xdg, home, expected: &str| {
            assert_eq!(cache(xdg, home).unwrap(), PathBuf::from(expected));
        };
        is(path("/c"), path("/h"), "/c/brawn");
        is(path("relative"), path("/h"), "/h/.cache/brawn");
        is(None, path("/h"), "/h/.cache/brawn");
        assert_eq!(cache(path(""), path("")).unwrap_err().kind(), Kind::Usage);
    }

    #[test]
    fn damage_in_the_cache_is_put_right() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("brawn/1");
        into_cache(&folder, &file(b"whole")).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        fs::write(folder.join("brawn.pc"), b"torn").unwrap();
        into_cache(&folder, &file(b"whole")).unwrap();
        assert_eq!(fs::read(folder.join("brawn.pc")).unwrap(), b"whole");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_cache_that_others_may_write_to_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("brawn/1");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(root.path().join("brawn"), fs::Permissions::from_mode(0o777)).unwrap();
        let error = into_cache(&folder, &file(b"x")).unwrap_err();
        assert_eq!(error.kind(), Kind::Refused);
        assert!(error.to_string().contains("777"), "{error}");
        assert!(!folder.join("brawn.pc").exists());
    }

    #[test]
    fn a_single_file_is_written_where_nobody_elses_is() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("brawn.pc");
        fs::write(&path, b"Name: mine\n").unwrap();
        let error = into_file(&path, b"# brawn 1\n").unwrap_err();
        assert_eq!(error.kind(), Kind::Refused);
        assert!(error.to_string().contains("another name"), "{error}");
        fs::write(&path, b"# brawn 0\n").unwrap();
        into_file(&path, b"# brawn 1\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"# brawn 1\n");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
        for wrong in [root.path(), Path::new("/dev/null"), Path::new("..")] {
            assert_eq!(into_file(wrong, b"x").unwrap_err().kind(), Kind::Usage);
        }
    }

    #[test]
    fn strangers_files_stay() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("brawn.pc"), b"Name: mine\n").unwrap();
        let error = into_folder(root.path(), &file(b"# brawn 1\n")).unwrap_err();
        assert_eq!(error.kind(), Kind::Refused);
        fs::write(root.path().join("brawn.pc"), b"# brawn 0\n").unwrap();
        into_folder(root.path(), &file(b"# brawn 1\n")).unwrap();
        assert_eq!(
            fs::read(root.path().join("brawn.pc")).unwrap(),
            b"# brawn 1\n"
        );
    }
}
