//! The user's own signatures: those of `--signatures`, and those of a directory that is always read.

use brawn_core::fingerprint::hexadecimal;
use brawn_core::signatures::{Build, text};
use brawn_core::{Error, Result};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The most bytes that a file may have: a hundred times what a build takes.
const LARGEST: u64 = 4 << 20;
/// The most builds, of all files together.
const MOST: usize = 256;
/// The ending of the directory's files.
const EXTENSION: &str = "txt";
/// `AT_SECURE` of the auxiliary vector (getauxval(3)): the program runs with rights that its user does not have.
const AT_SECURE: u64 = 23;

/// The option `--signatures`, for commands that look for musl's functions in programs.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SignaturesArg {
    /// Also use these signatures to find musl's functions (`brawn signatures learn`); may be repeated.
    #[arg(long, value_name = "FILE")]
    signatures: Vec<PathBuf>,
}

/// The user's own builds.
#[derive(Debug, Default)]
pub struct Builds {
    /// What was read.
    pub all: Vec<Build>,
    /// A hash of all files that were read, in hex; empty if there were none.
    pub digest: String,
}

impl SignaturesArg {
    /// Whether files are named.
    pub fn is_given(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// Reads the files that are named, and those of the user's directory.
    ///
    /// # Errors
    /// A file cannot be read, is no text of signatures, or lies in the user's directory and another may write to it.
    pub fn read(&self) -> Result<Builds> {
        let mut builds = Builds::default();
        let mut hash = Sha256::new();
        for path in &self.signatures {
            builds.add(path, &open(path)?, &mut hash)?;
        }
        for path in folder()? {
            let file = open(&path)?;
            let stat = file.1.clone();
            check(&path, &stat)?;
            builds.add(&path, &file, &mut hash)?;
        }
        if !builds.all.is_empty() {
            builds.digest = hexadecimal(&hash.finalize());
        }
        Ok(builds)
    }
}

impl Builds {
    fn add(&mut self, path: &Path, file: &(File, Metadata), hash: &mut Sha256) -> Result<()> {
        let text = content(file).map_err(|e| e.path(path))?;
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(&text);
        let found = text::read_all(&text).map_err(|e| e.path(path))?;
        if found.is_empty() {
            return Err(Error::malformed("no signatures")
                .path(path)
                .expected("a text that `brawn signatures learn` prints"));
        }
        self.all.extend(found);
        if self.all.len() > MOST {
            return Err(Error::usage(format!("more than {MOST} builds of musl"))
                .path(path)
                .next("name fewer files with `--signatures`, or remove some from the directory"));
        }
        Ok(())
    }
}

/// Opens a regular file; reading anything else might never end, or never begin.
fn open(path: &Path) -> Result<(File, Metadata)> {
    let mut options = File::options();
    options
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options
        .open(path)
        .map_err(|e| Error::io("cannot read the signatures", e).path(path))?;
    let stat = file
        .metadata()
        .map_err(|e| Error::io("cannot look at the signatures", e).path(path))?;
    if !stat.is_file() {
        return Err(Error::not_applicable("not a regular file")
            .path(path)
            .expected("a text that `brawn signatures learn` prints"));
    }
    Ok((file, stat))
}

fn content((file, _): &(File, Metadata)) -> Result<String> {
    let mut bytes = Vec::new();
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Error::io("cannot read the signatures", e))?;
    if bytes.len() as u64 > LARGEST {
        return Err(
            Error::malformed(format!("a text of more than {} MiB", LARGEST >> 20))
                .expected("signatures: a build takes about 25 KiB"),
        );
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let lines = e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
        Error::malformed(format!("line {}: not UTF-8", lines + 1))
            .at(at as u64)
            .expected("a text that `brawn signatures learn` prints")
    })
}

/// The files of the user's directory, in the order of their names; none if there is no directory, or if brawn runs with
/// rights that its user does not have.
fn folder() -> Result<Vec<PathBuf>> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: Option<PathBuf>| path.filter(|p| p.is_absolute());
    let config = absolute(variable("XDG_CONFIG_HOME"))
        .or_else(|| absolute(variable("HOME")).map(|home| home.join(".config")));
    let Some(folder) = config.map(|config| config.join("brawn/signatures")) else {
        return Ok(Vec::new());
    };
    // By its real path: a user who may rename a directory above can replace it.
    let Ok(folder) = fs::canonicalize(folder) else {
        return Ok(Vec::new());
    };
    let listed = |e| Error::io("cannot list the directory", e).path(&folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(listed)? {
        let path = entry.map_err(listed)?.path();
        if path.extension().is_some_and(|e| e == EXTENSION) {
            files.push(path);
        }
    }
    if files.is_empty() || is_secure() {
        return Ok(Vec::new());
    }
    for (number, above) in folder.ancestors().enumerate() {
        let stat = fs::symlink_metadata(above)
            .map_err(|e| Error::io("cannot look at it", e).path(above))?;
        // In a sticky directory only the owner of something may rename it.
        if number == 0 || stat.mode() & 0o1000 == 0 {
            check(above, &stat)?;
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Refuses a file that another user may change: signatures decide how programs are rewritten.
fn check(path: &Path, stat: &Metadata) -> Result<()> {
    let user = rustix::process::geteuid().as_raw();
    if [0, user].contains(&stat.uid()) && stat.mode() & 0o022 == 0 {
        return Ok(());
    }
    let found = format!(
        "signatures that another may change: user {}, mode {:o}",
        stat.uid(),
        stat.mode() & 0o7777
    );
    Err(Error::refused(found)
        .path(path)
        .expected(format!("what only user {user} or root may write to"))
        .next("`chmod go-w` it, or remove it"))
}

/// Whether the user has fewer rights than this process: then brawn must not trust files that the environment names.
fn is_secure() -> bool {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    if getuid() != geteuid() || getgid() != getegid() {
        return true;
    }
    let vector = match fs::read("/proc/self/auxv") {
        Ok(vector) => vector,
        // There is no /proc. If /proc exists and cannot be read, the process belongs to another user.
        Err(error) => return Errno::from_io_error(&error) != Some(Errno::NOENT),
    };
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let mut pairs = vector.chunks_exact(16);
    pairs.any(|pair| word(&pair[..8]) == AT_SECURE && word(&pair[8..]) != 0)
}
