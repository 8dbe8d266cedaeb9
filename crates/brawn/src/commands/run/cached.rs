//! The rewritten program: in the user's cache or, if there can be no cache, in a file without a name (memfd).

use super::Stop;
use crate::builds::Builds;
use brawn_core::component::Component;
use brawn_core::content::Content;
use brawn_core::input;
use brawn_core::program;
use brawn_core::program::Options;
use brawn_core::publish::run_cache::{Cached, Key, RunCache};
use brawn_core::publish::{place, trust};
use brawn_core::{Error, Result};
use brawn_payload::{Profile, payloads};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The file that is run.
#[derive(Debug)]
pub enum Ready {
    /// A file of the cache.
    Cached(PathBuf),
    /// A file without a name.
    Anonymous(File),
    /// The program as it is.
    AsItIs,
}

impl Ready {
    /// The path for `execve`, for a program at `program`.
    pub fn path(&self, program: &Path) -> PathBuf {
        match self {
            Self::Cached(path) => path.clone(),
            Self::Anonymous(file) => format!("/proc/self/fd/{}", file.as_raw_fd()).into(),
            Self::AsItIs => program.to_owned(),
        }
    }

    /// The same for another process, as long as this one lives: there, the file without a name is not open.
    pub fn path_elsewhere(&self, program: &Path) -> PathBuf {
        match self {
            Self::Anonymous(file) => {
                format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into()
            }
            Self::Cached(_) | Self::AsItIs => self.path(program),
        }
    }
}

impl From<Cached> for Ready {
    fn from(found: Cached) -> Self {
        match found {
            Cached::Program(path) => Self::Cached(path),
            Cached::AsItIs => Self::AsItIs,
        }
    }
}

/// Which rewritten form of a program.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The heap's variant.
    pub profile: Profile,
    /// Which parts of libc.
    pub components: &'a [Component],
    /// The user's own signatures.
    pub builds: &'a Builds,
}

/// What to do about a program with rights of its own.
const RIGHTS: &str = "the rewritten copy would not have them: start the program without brawn, or as `brawn run --or-plain`; \
                      or `brawn rewrite` it to another file, and give that one the rights";

/// Finds or makes the rewritten program at `path`; `note` gets its origin.
pub fn prepare(
    path: &Path,
    ask: &Ask<'_>,
    note: &dyn Fn(&str),
) -> std::result::Result<Ready, Stop> {
    let stat = path
        .metadata()
        .map_err(|e| Error::io("cannot look at it", e).path(path))?;
    trust::refuse_set_id(&stat).map_err(|e| e.next(RIGHTS).path(path))?;
    let cache = open();
    let key = key(path, &stat, ask);
    if let Some(found) = cache.as_ref().ok().and_then(|cache| cache.find(&key)) {
        note(match &found {
            Cached::Program(_) => "rewritten before",
            Cached::AsItIs => "there is nothing to rewrite in it",
        });
        return Ok(found.into());
    }
    let (bytes, stat) = read(path).map_err(|e| match e.os() {
        Some(ErrorKind::OutOfMemory) => Stop::Failed(e.path(path)),
        _ => Stop::Refused(e.path(path)),
    })?;
    // In the meantime, another file may be at that path.
    let key = self::key(path, &stat, ask);
    let options = Options {
        components: ask.components,
        keeps: false,
        force: false,
        builds: &ask.builds.all,
    };
    let rewritten = program::rewrite_for(&bytes, payloads(), ask.profile, &options);
    let content = rewritten.map_err(|e| e.path(path))?.pieces;
    let is_nothing = content.is_none();
    let content = content.unwrap_or_default();
    let why = match cache.and_then(|cache| cache.add(&key, &content)) {
        Ok(found) => {
            note(match &found {
                Cached::Program(_) => "rewritten, and kept in the cache",
                Cached::AsItIs => "there is nothing to rewrite in it",
            });
            return Ok(found.into());
        }
        Err(error) => error,
    };
    if is_nothing {
        return Ok(Ready::AsItIs);
    }
    note(&format!("rewritten, and not kept: {why}"));
    Ok(Ready::Anonymous(anonymous(name(path), &content)?))
}

fn open() -> Result<RunCache> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    RunCache::open(&place::cache(variable("XDG_CACHE_HOME"), variable("HOME"))?)
}

fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or(path.as_os_str())
}

/// The key of the rewritten program in the cache: the program, and everything that its rewritten form depends on.
fn key(path: &Path, stat: &Metadata, ask: &Ask<'_>) -> Key {
    let Ask {
        profile,
        components,
        builds,
    } = *ask;
    let parts = format!("{components:?}");
    let mut made_by = vec![env!("CARGO_PKG_VERSION"), profile.name(), &builds.digest];
    made_by.push(&parts);
    for payload in payloads().iter().filter(|p| p.profile == profile) {
        made_by.extend([
            payload.architecture.name(),
            payload.source,
            payload.compiler,
        ]);
        let sets = payload.memory.iter().chain([&payload.libc]);
        made_by.extend(sets.flat_map(|set| [set.source, set.compiler]));
    }
    // Two builds of one version may rewrite differently.
    let own = std::env::current_exe().and_then(|own| own.metadata());
    let own = own.map_or_else(
        |_| String::new(),
        |own| format!("{} {} {}", own.size(), own.mtime(), own.mtime_nsec()),
    );
    made_by.push(&own);
    Key::new(name(path), stat, &made_by)
}

/// The program's bytes, with the results of `stat` before and after they were read.
fn read(path: &Path) -> Result<(Vec<u8>, Metadata)> {
    let mut file = input::open(path).map_err(|e| match input::is_irregular(&e) {
        true => input::failed("cannot read it", e),
        false => Error::io("cannot read it", e)
            .next("a program that may be run but not read cannot be rewritten"),
    })?;
    trust::refuse_capabilities(&file).map_err(|e| e.next(RIGHTS))?;
    let look = |file: &File| {
        file.metadata()
            .map_err(|e| Error::io("cannot look at it", e))
    };
    loop {
        let before = settled(&file, look)?;
        let mut bytes = Vec::new();
        let reserved =
            usize::try_from(before.size()).is_ok_and(|size| bytes.try_reserve_exact(size).is_ok());
        let read = match reserved {
            true => file.read_to_end(&mut bytes),
            false => Err(ErrorKind::OutOfMemory.into()),
        };
        read.map_err(|e| Error::io("cannot read it", e))?;
        let after = look(&file)?;
        let facts = |stat: &Metadata| {
            let times = (
                stat.mtime(),
                stat.mtime_nsec(),
                stat.ctime(),
                stat.ctime_nsec(),
            );
            (stat.size(), stat.mode(), times)
        };
        if facts(&before) == facts(&after) && bytes.len() as u64 == after.size() {
            return Ok((bytes, after));
        }
        // Somebody is writing it.
        std::io::Seek::rewind(&mut file).map_err(|e| Error::io("cannot read it again", e))?;
    }
}

/// Waits until a further change of the file would get another time than its last one: the clocks of filesystems advance
/// only every few milliseconds, or every two seconds on filesystems that keep whole seconds.
fn settled(file: &File, look: impl Fn(&File) -> Result<Metadata>) -> Result<Metadata> {
    loop {
        let stat = look(file)?;
        let step = match (stat.mtime_nsec(), stat.ctime_nsec()) {
            (0, 0) => Duration::from_secs(2),
            _ => Duration::from_millis(20),
        };
        let (Ok(seconds), Ok(nanoseconds)) =
            (stat.ctime().try_into(), stat.ctime_nsec().try_into())
        else {
            return Ok(stat);
        };
        let changed = UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        // A time in the future was set by another machine, whose clock is not known.
        match SystemTime::now().duration_since(changed) {
            Ok(age) if age < step => std::thread::sleep(step - age),
            _ => return Ok(stat),
        }
    }
}

/// A file without a name that contains `content` and cannot be changed.
fn anonymous(name: &OsStr, content: &Content<'_>) -> Result<File> {
    let failed = |e: std::io::Error| Error::io("cannot make a file without a name for it", e);
    // Its name is for people who look at /proc; the kernel limits its length.
    let name: String = name.to_string_lossy().chars().take(60).collect();
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let make = |flags| rustix::fs::memfd_create(name.as_str(), flags);
    let file = match make(flags | MemfdFlags::EXEC) {
        // Before Linux 6.3, every such file may be executed, and this flag does not exist.
        Err(Errno::INVAL) => make(flags),
        other => other,
    };
    let mut file = File::from(file.map_err(|e| failed(e.into()))?);
    content.write(&mut file).map_err(failed)?;
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    rustix::fs::fcntl_add_seals(&file, seals).map_err(|e| failed(e.into()))?;
    Ok(file)
}
