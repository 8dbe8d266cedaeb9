//! The user's cache of rewritten programs, for `brawn run`. A program is found by the result of `stat`, so brawn does
//! not read a program whose rewritten form is already there.
//!
//! ```text
//! CACHE/brawn/run/            mode 0700, the user's own
//!   KEY/NAME                  a rewritten program, by the name of the program: it is what `ps` shows
//!   KEY/NAME, empty           nothing was to be rewritten: the program itself is run
//!   .new-NUMBER/              being written; renamed when it is whole, removed a day after a killed run
//! ```
//!
//! The user runs these files. So the cache is a [`PrivateFolder`]: brawn works in it through its handle, and gives the kernel
//! a path through directories in which nobody else can exchange anything. Nothing is locked: a process that comes second
//! finds the first one's directory, and removes its own.

use super::private::PrivateFolder;
use super::walk::user;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::fingerprint::hexadecimal;
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, Stat, StatVfsMountFlags, Timespec,
    Timestamps,
};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The directory's name below [`cache`](super::place::cache).
const FOLDER: &str = "run";
/// How long a program stays that is not run.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long directories of killed runs stay.
const LEFT: Duration = Duration::from_secs(24 * 60 * 60);
/// How exactly the time of a program's last run is known.
const HOUR: Duration = Duration::from_secs(60 * 60);
/// How many bytes of the disk all programs may take. The newest stays even if it is larger.
const LIMIT: u64 = 2 << 30;
/// The prefix of directories that are being written.
const SCRATCH: &str = ".new-";
/// The mode of a program here. A program that replaces itself by its own path leaves a file with another mode.
const MODE: u32 = 0o500;

/// A program's name in the cache: it stands for the program and for everything that its rewritten form depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    folder: String,
    name: OsString,
    modified: (i64, i64),
}

impl Key {
    /// The key of the program `name` with the metadata `stat`. `made_by` is everything else that its rewritten form
    /// depends on.
    pub fn new(name: &OsStr, stat: &fs::Metadata, made_by: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for number in [
            stat.dev(),
            stat.ino(),
            stat.size(),
            stat.mtime().cast_unsigned(),
            stat.mtime_nsec().cast_unsigned(),
            stat.ctime().cast_unsigned(),
            stat.ctime_nsec().cast_unsigned(),
        ] {
            hash.update(number.to_le_bytes());
        }
        for text in made_by
            .iter()
            .map(|t| t.as_bytes())
            .chain([name.as_bytes()])
        {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        let hash = hash.finalize();
        Self {
            folder: hexadecimal(&hash[..16]),
            name: name.to_owned(),
            modified: (stat.mtime(), stat.mtime_nsec()),
        }
    }
}

/// What the cache has for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cached {
    /// The rewritten program.
    Program(PathBuf),
    /// Nothing was rewritten: run the program itself.
    AsItIs,
}

/// The user's cache of rewritten programs.
#[derive(Debug)]
pub struct RunCache {
    private: PrivateFolder,
}

impl RunCache {
    /// Opens the cache below `cache`, the directory of [`cache`](super::place::cache). Makes it if it is missing.
    ///
    /// # Errors
    /// It cannot be made, another user could change files in it, or programs cannot be run there (`noexec`).
    pub fn open(cache: &Path) -> Result<Self> {
        let private = PrivateFolder::open(cache, FOLDER)?;
        let failed = |doing: &str, e: std::io::Error| Error::io(doing, e).path(private.path());
        let mount = rustix::fs::fstatvfs(&private)
            .map_err(|e| failed("cannot look at the cache's filesystem", e.into()))?;
        if mount.f_flag.contains(StatVfsMountFlags::NOEXEC) {
            return Err(Error::refused(
                "nothing can be run from the cache: its filesystem is mounted `noexec`",
            )
            .path(private.path())
            .next("name a directory elsewhere in XDG_CACHE_HOME"));
        }
        Ok(Self { private })
    }

    /// Finds the program for `key`, and notes that it is used.
    pub fn find(&self, key: &Key) -> Option<Cached> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&self.private, &key.folder, flags, Mode::empty()).ok()?;
        let there = rustix::fs::statat(&folder, &key.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        // A program that replaced itself by its own path left another file. Incomplete files, pipes and links are not
        // brawn's either.
        let is_ours = FileType::from_raw_mode(there.st_mode) == FileType::RegularFile
            && there.st_uid == user()
            && (there.st_mtime, there.st_mtime_nsec.cast_signed()) == key.modified
            && there.st_mode & 0o7777 == MODE;
        if !is_ours {
            return None;
        }
        self.used(&key.folder);
        Some(self.cached(key, there.st_size == 0))
    }

    fn cached(&self, key: &Key, is_empty: bool) -> Cached {
        match is_empty {
            true => Cached::AsItIs,
            false => Cached::Program(self.private.path().join(&key.folder).join(&key.name)),
        }
    }

    /// Puts a rewritten program there. An empty one says that the program itself is to be run.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, key: &Key, content: &Content<'_>) -> Result<Cached> {
        let failed =
            |e: std::io::Error| Error::io("cannot write to the cache", e).path(self.private.path());
        let scratch = self.scratch().map_err(|e| failed(e.into()))?;
        let made = self
            .fill(&scratch, key, content)
            .and_then(|()| self.exchange(&scratch, key));
        if made.is_err() {
            // The error to report is the one of the failed write.
            let _ = self.remove(&scratch);
        }
        made.map_err(failed)?;
        self.tidy(&key.folder, SystemTime::now(), LIMIT);
        Ok(self.cached(key, content.size() == 0))
    }

    /// A new directory of this process's own.
    fn scratch(&self) -> rustix::io::Result<String> {
        let mut number = std::process::id();
        loop {
            let name = format!("{SCRATCH}{number}");
            match rustix::fs::mkdirat(&self.private, &name, Mode::RWXU) {
                Ok(()) => return Ok(name),
                // The directory of a killed run, or of another machine.
                Err(Errno::EXIST) => number = number.wrapping_add(1),
                Err(e) => return Err(e),
            }
        }
    }

    fn fill(&self, scratch: &str, key: &Key, content: &Content<'_>) -> std::io::Result<()> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = Path::new(scratch).join(&key.name);
        let mut file = File::from(rustix::fs::openat(
            &self.private,
            path,
            flags,
            Mode::RUSR | Mode::WUSR,
        )?);
        content.write(&mut file)?;
        rustix::fs::fchmod(&file, Mode::from_raw_mode(MODE))?;
        let modified = Timespec {
            tv_sec: key.modified.0,
            tv_nsec: key.modified.1,
        };
        set_modified(&file, modified)?;
        // After a crash there must not be an empty file of that name.
        file.sync_all()
    }

    /// Gives the finished directory its name.
    fn exchange(&self, scratch: &str, key: &Key) -> std::io::Result<()> {
        let rename = || {
            rustix::fs::renameat_with(
                &self.private,
                scratch,
                &self.private,
                &key.folder,
                RenameFlags::empty(),
            )
        };
        match rename() {
            Err(Errno::EXIST | Errno::NOTEMPTY) if self.find(key).is_some() => {
                // Another process was faster.
                self.remove(scratch)?;
                Ok(())
            }
            Err(Errno::EXIST | Errno::NOTEMPTY) => {
                // The files there are not what brawn wrote.
                self.remove(&key.folder)?;
                Ok(rename()?)
            }
            other => Ok(other?),
        }
    }

    /// Removes a directory in the cache and the files in it.
    fn remove(&self, name: &str) -> rustix::io::Result<()> {
        for file in self.names(name)? {
            let path = Path::new(name).join(file);
            match rustix::fs::unlinkat(&self.private, path, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(e) => return Err(e),
            }
        }
        rustix::fs::unlinkat(&self.private, name, AtFlags::REMOVEDIR)
    }

    /// The names in a directory of the cache; for `.`, the names of all its directories.
    fn names(&self, folder: &str) -> rustix::io::Result<Vec<OsString>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.private, folder, flags, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::read_from(handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Notes that a directory is used now. This fails on a read-only disk, but there nothing can be removed either.
    fn used(&self, folder: &str) {
        let now = SystemTime::now();
        let old = rustix::fs::statat(&self.private, folder, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| age(&stat, now) > HOUR);
        if old {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let _ = rustix::fs::openat(&self.private, folder, flags, Mode::empty())
                .and_then(|handle| set_modified(&handle, NOW));
        }
    }

    /// Removes programs that were not used for long. Then removes the oldest ones beyond `limit` bytes, but never
    /// `keep`.
    fn tidy(&self, keep: &str, now: SystemTime, limit: u64) {
        let mut all = Vec::new();
        for name in self.names(".").unwrap_or_default() {
            let Ok(name) = name.into_string() else {
                continue;
            };
            let Ok(stat) = rustix::fs::statat(&self.private, &name, AtFlags::SYMLINK_NOFOLLOW)
            else {
                continue;
            };
            let age = age(&stat, now);
            let may_stay = if name.starts_with(SCRATCH) {
                LEFT
            } else {
                UNUSED
            };
            if name != keep && age > may_stay {
                // Another process may have removed it.
                let _ = self.remove(&name);
            } else if !name.starts_with(SCRATCH) {
                all.push((name != keep, age, self.taken(&name), name));
            }
        }
        all.sort_unstable();
        let mut total = 0;
        for (_, _, taken, name) in all {
            total += taken;
            if name != keep && total > limit {
                // As above.
                let _ = self.remove(&name);
            }
        }
    }

    /// How many bytes of the disk a directory's files take.
    fn taken(&self, folder: &str) -> u64 {
        let names = self.names(folder).unwrap_or_default();
        let sizes = names.into_iter().filter_map(|name| {
            let path = Path::new(folder).join(name);
            let stat = rustix::fs::statat(&self.private, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some(stat.st_blocks.cast_unsigned() * 512)
        });
        sizes.sum()
    }
}

/// Sets the time at which a file or directory was modified.
fn set_modified(file: impl std::os::fd::AsFd, modified: Timespec) -> rustix::io::Result<()> {
    let times = Timestamps {
        last_access: NOW,
        last_modification: modified,
    };
    rustix::fs::futimens(file, &times)
}

const NOW: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: rustix::fs::UTIME_NOW,
};

/// The time since it was modified; zero if that time is in the future.
fn age(stat: &Stat, now: SystemTime) -> Duration {
    let modified = UNIX_EPOCH + Duration::from_secs(stat.st_mtime.try_into().unwrap_or(0));
    now.duration_since(modified).unwrap_or_default()
}

#[cfg(test)]
mod tests;
