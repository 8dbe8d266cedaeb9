//! Turns files, directories and packages into reports, in parallel, and in an order that depends only on names.

use super::sdk::Sdk;
use super::{File, Status};
use crate::bar::Bar;
use crate::threads;
use brawn_core::bundle::{self, folder};
use brawn_core::format::Format;
use brawn_core::identify::executable::PACKED;
use brawn_core::identify::heap::Heap;
use brawn_core::input;
use brawn_core::report::inspect::{Inspection, inspect, inspect_with};
use brawn_core::report::package;
use brawn_core::report::package::Limits;
use brawn_core::signatures::Build;
use brawn_core::{Error, Kind, Result, publish};
use rayon::prelude::*;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Everything that was found at the paths.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The result for each file, in the order of the paths.
    pub found: Vec<Outcome>,
    /// How many files in directories and packages cannot be inspected.
    pub others: usize,
    /// How many files in directories are originals that brawn keeps.
    pub kept: usize,
    /// Directories in which nothing is judged.
    empty: Vec<PathBuf>,
}

/// The result for one file.
#[derive(Debug)]
pub enum Outcome {
    /// It has a verdict.
    Judged(Box<File>),
    /// It could not be read.
    Failed(Error),
    /// There may be programs in it, and brawn does not open it.
    Unopened(Error),
}

/// A file to look at.
#[derive(Debug)]
enum Target {
    /// The user named it: brawn must say what it is in any case.
    Named(PathBuf),
    /// It is in a directory that the user named: files of other kinds are skipped.
    Found(PathBuf),
    /// It is the libc of targets of an unpacked Swift SDK.
    Libc(PathBuf, Vec<bundle::Target>),
    /// It could not be listed.
    Lost(Error),
}

/// Looks at every path, and at everything in those that are directories; `builds` are the user's own signatures.
pub fn gather(paths: &[PathBuf], builds: &[Build]) -> Gathered {
    let mut targets = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let mut inside = Vec::new();
        if !path.is_dir() {
            inside.push(Target::Named(path.clone()));
        } else if !unpacked(path, &mut inside) {
            walk(path, &mut inside);
        }
        targets.extend(inside.into_iter().map(|target| (number, target)));
    }
    let progress = progress(targets.len());
    let look = |(number, target)| {
        let mut gathered = Gathered::default();
        match target {
            Target::Named(path) => gathered.file(&path, true, builds),
            Target::Found(path) => gathered.file(&path, false, builds),
            Target::Libc(path, targets) => gathered.libc(&path, &targets),
            Target::Lost(error) => gathered.failed(error),
        }
        progress.inc(1);
        (number, gathered)
    };
    let parts: Vec<(usize, Gathered)> =
        threads::with(|| targets.into_par_iter().with_max_len(1).map(look).collect());
    drop(progress);
    let mut all = Gathered::default();
    let mut is_judged = vec![false; paths.len()];
    for (number, part) in parts {
        is_judged[number] |= !part.found.is_empty();
        all.found.extend(part.found);
        all.others += part.others;
        all.kept += part.kept;
    }
    let empty = paths.iter().zip(is_judged).filter(|(_, is)| !is);
    all.empty = empty
        .filter(|(path, _)| path.is_dir())
        .map(|(path, _)| path.clone())
        .collect();
    all
}

/// Lists what targets link, if `path` is a bundle of a Swift SDK; other files in it do not belong to the SDK's libc.
fn unpacked(path: &Path, targets: &mut Vec<Target>) -> bool {
    let root = folder::bundle(path).filter(|root| path.canonicalize().is_ok_and(|p| p == *root));
    let Some(root) = root else {
        return false;
    };
    match folder::read(&root) {
        Ok(bundle) => targets.extend(bundle.archives.into_iter().map(|(archive, of)| {
            let named = archive.strip_prefix(&root).map(|rest| path.join(rest));
            Target::Libc(named.unwrap_or(archive), of)
        })),
        Err(error) => targets.push(Target::Lost(error)),
    }
    true
}

/// A bar, if there is work to wait for.
fn progress(files: usize) -> Bar {
    match files < 2 {
        true => Bar::hidden(),
        false => Bar::new(files as u64, "inspecting {bar:40} {pos} of {len} files"),
    }
}

/// Lists the regular files below `folder`, those of each directory by name.  Symbolic links are not followed: their target
/// is either in this directory under its own name, or does not belong to it.
fn walk(folder: &Path, targets: &mut Vec<Target>) {
    // The last entry is taken next, so a directory's files come at the place of the directory's name in the order.
    let mut open = vec![(folder.to_path_buf(), true)];
    while let Some((path, is_folder)) = open.pop() {
        if !is_folder {
            targets.push(Target::Found(path));
            continue;
        }
        let lost = |e| Target::Lost(Error::io("cannot list it", e).path(&path));
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(e) => {
                targets.push(lost(e));
                continue;
            }
        };
        let mut inside = Vec::new();
        for entry in entries {
            match entry.and_then(|e| Ok((e.path(), e.file_type()?))) {
                Ok((path, kind)) if kind.is_dir() => inside.push((path, true)),
                Ok((path, kind)) if kind.is_file() => inside.push((path, false)),
                Ok(_) => {}
                Err(e) => targets.push(lost(e)),
            }
        }
        inside.sort_unstable_by(|a, b| b.cmp(a));
        open.extend(inside);
    }
}

impl Gathered {
    /// The files that have a verdict.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.found.iter().filter_map(|outcome| match outcome {
            Outcome::Judged(file) => Some(&**file),
            Outcome::Failed(_) | Outcome::Unopened(_) => None,
        })
    }

    /// Why others could not be read.
    pub fn errors(&self) -> impl Iterator<Item = &Error> {
        self.found.iter().filter_map(|outcome| match outcome {
            Outcome::Judged(_) | Outcome::Unopened(_) => None,
            Outcome::Failed(error) => Some(error),
        })
    }

    /// What was not opened, and why.
    pub fn unopened(&self) -> impl Iterator<Item = &Error> {
        self.found.iter().filter_map(|outcome| match outcome {
            Outcome::Judged(_) | Outcome::Failed(_) => None,
            Outcome::Unopened(error) => Some(error),
        })
    }

    /// The places in which nothing has a verdict or failed to be read: each such directory, or all paths together.
    pub fn nothing(&self) -> Vec<Error> {
        let nothing = || Error::not_applicable("nothing to judge").expected(NOTHING);
        let mut all: Vec<Error> = self.empty.iter().map(|path| nothing().path(path)).collect();
        if self.found.is_empty() && all.is_empty() {
            all.push(nothing());
        }
        all
    }

    fn failed(&mut self, error: Error) {
        self.found.push(Outcome::Failed(error));
    }

    fn judged(
        &mut self,
        path: PathBuf,
        report: Inspection,
        sdk: Option<Sdk>,
        typed: Option<PathBuf>,
    ) {
        self.found.push(Outcome::Judged(Box::new(File {
            path,
            status: Status::Inspected,
            report,
            sdk,
            typed,
        })));
    }

    fn file(&mut self, path: &Path, is_named: bool, builds: &[Build]) {
        if !is_named && publish::is_kept_original(path) {
            self.kept += 1;
            return;
        }
        let open = || Ok(Box::new(input::open(path)?) as Box<dyn std::io::Read>);
        let is_file = fs::metadata(path).is_ok_and(|m| m.is_file());
        if is_file && (is_named || is_packed_bundle(path)) && bundle::begins(&open) {
            self.bundle(path, &open);
            return;
        }
        match read(path, is_named) {
            Ok(Read::Whole(bytes)) if Format::of(&bytes).is_package() => {
                self.package(path, &bytes, builds);
            }
            Ok(Read::Whole(bytes)) => {
                let report = inspect_with(&bytes, builds);
                self.report(path.to_path_buf(), report, is_named, Some(path.into()));
            }
            Ok(Read::Closed(error)) => self.found.push(Outcome::Unopened(error.path(path))),
            Ok(Read::Other) => self.others += 1,
            Err(error) => self.failed(error.path(path)),
        }
    }

    fn report(
        &mut self,
        path: PathBuf,
        report: Result<Inspection>,
        is_named: bool,
        typed: Option<PathBuf>,
    ) {
        match report {
            Ok(report) if report.evidence.iter().any(|e| e == PACKED) => {
                // What was seen is the code that unpacks it, so no verdict would be about the program.
                let error = Error::refused(PACKED).next("unpack it with `upx -d`");
                self.found.push(Outcome::Unopened(error.path(&path)));
            }
            Ok(report) => self.judged(path, report, None, typed),
            Err(e) if e.kind() == Kind::NotApplicable && !is_named => self.others += 1,
            Err(e) => self.failed(e.path(&path)),
        }
    }

    fn libc(&mut self, path: &Path, targets: &[bundle::Target]) {
        let read = read(path, true).and_then(|read| match read {
            Read::Whole(bytes) => inspect(&bytes),
            Read::Closed(_) | Read::Other => inspect(b""),
        });
        match read {
            Ok(report) => {
                let sdk = Sdk::new(targets, &report);
                self.judged(path.to_path_buf(), report, Some(sdk), Some(path.into()));
            }
            Err(error) => self.failed(error.path(path)),
        }
    }

    fn bundle(&mut self, path: &Path, open: bundle::Open<'_>) {
        match bundle::inspect(open, bundle::Limits::USUAL, &|_| ()) {
            Ok((all, _)) => {
                for bundle::Inspected {
                    member,
                    targets,
                    report,
                } in all
                {
                    let sdk = Sdk::new(&targets, &report);
                    self.judged(inside(path, &member), report, Some(sdk), Some(path.into()));
                }
            }
            Err(error) => self.failed(error.path(path)),
        }
    }

    fn package(&mut self, path: &Path, bytes: &[u8], builds: &[Build]) {
        // Originals, which may come before or after the files that replaced them.
        let mut originals = Vec::new();
        let mut replaced = HashSet::new();
        let mut take = |name: &[u8], member: Result<&[u8]>| {
            let member = match member {
                Ok(member) => member,
                Err(error) => {
                    let error = error.path(&inside(path, name));
                    self.found.push(match error.kind() {
                        Kind::NotApplicable | Kind::Refused => Outcome::Unopened(error),
                        _ => Outcome::Failed(error),
                    });
                    return;
                }
            };
            let report = inspect_with(member, builds);
            if let Some(of) = publish::kept_original_of(name) {
                originals.push((of.to_vec(), inside(path, name), report));
                return;
            }
            if report.as_ref().is_ok_and(is_brawns) {
                replaced.insert(name.to_vec());
            }
            self.report(inside(path, name), report, false, None);
        };
        let result = package::look(bytes, Limits::USUAL, &mut take);
        for (of, name, report) in originals {
            match replaced.contains(&of) {
                true => self.kept += 1,
                false => self.report(name, report, false, None),
            }
        }
        match result {
            Ok(others) => self.others += others,
            Err(error) => self.failed(error.path(path)),
        }
    }
}

/// Whether brawn's payload is in it.
fn is_brawns(report: &Inspection) -> bool {
    report.memory_note.is_some() || report.heaps.iter().any(|h| h.heap == Heap::Brawn)
}

/// The name of a package's member; a compressed file is its own.
fn inside(package: &Path, name: &[u8]) -> PathBuf {
    let mut inside = OsString::from(package);
    if name.is_empty() {
        return inside.into();
    }
    inside.push("!");
    inside.push(OsString::from_vec(name.to_vec()));
    inside.into()
}

/// Whether a file in a directory is named as bundles of Swift SDKs are.
fn is_packed_bundle(path: &Path) -> bool {
    let name = path.as_os_str().as_bytes();
    [".artifactbundle.tar.gz", ".artifactbundle.tar"]
        .iter()
        .any(|end| name.ends_with(end.as_bytes()))
}

/// What a file can be that has something to judge.
const NOTHING: &str = "an ELF file, an archive or a package with such files";

/// What was read of a file.
enum Read {
    /// All of it.
    Whole(Vec<u8>),
    /// Nothing: there may be programs in it, and brawn does not open it.
    Closed(Error),
    /// Nothing: there is nothing in it to judge.
    Other,
}

/// The bytes of a file, if the user named it or it can be inspected.
fn read(path: &Path, is_named: bool) -> Result<Read> {
    let failed = |e| Error::io("cannot read it", e);
    let file = input::open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::io("cannot find it", e),
        _ => input::failed("cannot read it", e),
    })?;
    let size = file.metadata().map_err(failed)?.len();
    let start = input::head(&file, bundle::START).map_err(failed)?;
    if is_named {
        // The error for it is the same, whatever comes behind.
        if matches!(Format::of(&start), Format::Other | Format::Bitcode) {
            return Ok(Read::Whole(start));
        }
    } else {
        match Format::of(&start) {
            Format::Gzip | Format::Xz | Format::Zstd | Format::Bzip2 => {
                let head = input::head(&file, package::HEAD).map_err(failed)?;
                if !package::may_have(&head) {
                    return Ok(Read::Other);
                }
            }
            Format::Bitcode => return Ok(Read::Other),
            Format::Other => {
                // Its name and the way out are in the error for a file that the user names.
                let closed = Format::closed(&start).and_then(|_| inspect(&start).err());
                return Ok(closed.map_or(Read::Other, Read::Closed));
            }
            _ => {}
        }
    }
    whole(&file, size).map(Read::Whole).map_err(failed)
}

/// How much of a file one thread reads at a time.
const CHUNK: usize = 4 << 20;

/// Reads all of a file, on several threads if it is large: providing the memory takes longer than copying data that is
/// already cached.
fn whole(file: &fs::File, size: u64) -> std::io::Result<Vec<u8>> {
    let has_holes = input::has_holes(&file.metadata()?);
    let mut bytes = input::zeros(size)?;
    bytes
        .par_chunks_mut(CHUNK)
        .enumerate()
        .try_for_each(|(number, chunk)| {
            input::fill(file, chunk, (number * CHUNK) as u64, has_holes)
        })?;
    Ok(bytes)
}
