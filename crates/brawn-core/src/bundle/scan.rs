//! One pass over a bundle in a tar archive. It finds the `libc.a`s and the files that describe the SDKs, and takes
//! digests of everything else, with which the repacked bundle is checked.

use super::entries::{Entry, Tar};
use super::header::Type;
use super::input::{Input, Progress};
use super::path::{self, Link, Tree};
use super::sdk::Files;
use super::{Limits, Open};
use crate::error::{Error, Result, printable};
use crate::fingerprint::{Fingerprint, Hashed};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Roughly the memory for an entry that is kept, in bytes, besides its names and contents.
const ENTRY: usize = 256;

/// The files that a pass looks for, besides those whose names are always of interest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    json: BTreeSet<Vec<u8>>,
    libc: BTreeSet<Vec<u8>>,
}

impl Wanted {
    /// Whether an entry may be a target's `libc.a`.
    pub fn is_libc(&self, entry: &Entry) -> bool {
        let is_named = |path: &Vec<u8>| path::last(path) == b"libc.a" || self.libc.contains(path);
        entry.kind == Type::File && entry.path.as_ref().is_some_and(is_named)
    }

    fn is_json(&self, entry: &Entry) -> bool {
        let is_named = |path: &Vec<u8>| {
            let is_info = path::last(path) == b"info.json" && !path::folder(path).contains(&b'/');
            is_info || path::last(path) == b"swift-sdk.json" || self.json.contains(path)
        };
        entry.kind == Type::File && entry.path.as_ref().is_some_and(is_named)
    }
}

/// An entry that may be a target's `libc.a`.
#[derive(Debug)]
pub struct Candidate<T> {
    pub entry: Entry,
    /// Its data.
    pub data: Fingerprint,
    pub padding: Vec<u8>,
    /// The result for its bytes; `None` if it is too large or has holes.
    pub work: Option<T>,
}

/// A file at a path that is of interest.
#[derive(Debug)]
enum AtPath {
    Json(Vec<u8>),
    /// A candidate, by its number.
    Libc(usize),
    /// More than one entry has this path.
    Several,
}

/// The results of a pass.
#[derive(Debug)]
pub struct Scan<T> {
    /// The fingerprint of the whole file, compressed as it is.
    pub file: Fingerprint,
    pub is_gzip: bool,
    pub candidates: Vec<Candidate<T>>,
    /// Digests of the bytes before the first candidate, between candidates, and after the last one.
    pub runs: Vec<Fingerprint>,
    /// The targets of hard links.
    hard: Vec<Vec<u8>>,
    pub wanted: Wanted,
    links: HashMap<Vec<u8>, Link>,
    files: BTreeMap<Vec<u8>, AtPath>,
    /// Paths that were asked for, and that this pass did not find.
    asked: RefCell<Wanted>,
}

impl<T> Scan<T> {
    /// Reads a bundle from its start to its end, and gives each candidate's bytes to `work`.
    pub fn new(
        open: Open<'_>,
        wanted: Wanted,
        limits: Limits,
        progress: Progress<'_>,
        work: &mut dyn FnMut(&[u8]) -> T,
    ) -> Result<Self> {
        let file = open().map_err(|e| Error::io("cannot open it", e))?;
        Self::read(Input::new(file, progress)?, wanted, limits, work)
    }

    /// The same for a file that is already open.
    pub fn read(
        input: Input<'_>,
        wanted: Wanted,
        limits: Limits,
        work: &mut dyn FnMut(&[u8]) -> T,
    ) -> Result<Self> {
        let mut tar = Tar::new(input, limits);
        let mut scan = Self {
            file: Hashed::default().finish(),
            is_gzip: tar.is_gzip(),
            candidates: Vec::new(),
            runs: Vec::new(),
            hard: Vec::new(),
            wanted,
            links: HashMap::new(),
            files: BTreeMap::new(),
            asked: RefCell::default(),
        };
        let mut names = 0;
        let mut run = Hashed::default();
        while let Some(entry) = tar.next()? {
            if scan.wanted.is_libc(&entry) {
                scan.runs.push(std::mem::take(&mut run).finish());
                scan.candidate(&mut tar, entry, limits, work)?;
                continue;
            }
            run.update(&entry.raw);
            if scan.wanted.is_json(&entry) {
                let bytes = tar.whole(&entry, limits.json)?;
                run.update(&bytes);
                if let Some(path) = entry.path {
                    names += path.len() + bytes.len() + ENTRY;
                    scan.file(path, AtPath::Json(bytes));
                }
            } else {
                tar.data(&mut |bytes| {
                    run.update(bytes);
                    Ok(())
                })?;
                names += scan.keep_link(entry);
            }
            run.update(&tar.padding()?);
            if names > limits.links || scan.candidates.len() > limits.candidates {
                return Err(Error::refused(
                    "too many links, or files named libc.a or swift-sdk.json",
                )
                .expected("a Swift SDK bundle"));
            }
        }
        tar.rest(&mut |bytes| {
            run.update(bytes);
            Ok(())
        })?;
        scan.runs.push(run.finish());
        scan.file = tar.finish();
        Ok(scan)
    }

    fn candidate(
        &mut self,
        tar: &mut Tar<'_>,
        entry: Entry,
        limits: Limits,
        work: &mut dyn FnMut(&[u8]) -> T,
    ) -> Result<()> {
        let mut hashed = Hashed::default();
        let is_editable = entry.size <= limits.member && !entry.is_sparse;
        let work = if is_editable {
            let bytes = tar.whole(&entry, limits.member)?;
            hashed.update(&bytes);
            Some(work(&bytes))
        } else {
            tar.data(&mut |bytes| {
                hashed.update(bytes);
                Ok(())
            })?;
            None
        };
        if let Some(path) = &entry.path {
            let number = self.candidates.len();
            self.file(path.clone(), AtPath::Libc(number));
        }
        self.candidates.push(Candidate {
            entry,
            data: hashed.finish(),
            padding: tar.padding()?,
            work,
        });
        Ok(())
    }

    fn file(&mut self, path: Vec<u8>, found: AtPath) {
        if let Some(link) = self.links.get_mut(&path) {
            *link = Link::Several;
        }
        self.files
            .entry(path)
            .and_modify(|there| *there = AtPath::Several)
            .or_insert(found);
    }

    /// Keeps an entry that is a link. Returns how many bytes of memory that takes.
    fn keep_link(&mut self, entry: Entry) -> usize {
        // A name that leads nowhere costs as much as one that leads to a file.
        let size = 2 * (entry.name.len() + entry.link.len()) + ENTRY;
        let link = match entry.kind {
            Type::Symlink => Link::Symbolic(entry.link),
            Type::HardLink => {
                self.hard.extend(path::normal(&entry.link));
                Link::Hard(entry.link)
            }
            _ => return 0,
        };
        let Some(path) = entry.path else { return size };
        let is_second = self.files.contains_key(&path) || self.links.contains_key(&path);
        let link = if is_second { Link::Several } else { link };
        self.links.insert(path, link);
        size
    }

    /// The directories that have an `info.json`.
    pub fn tops(&self) -> Vec<Vec<u8>> {
        let paths = self.files.keys();
        let infos = paths.filter(|path| path::last(path) == b"info.json");
        let tops = infos.map(|path| path::folder(path));
        tops.filter(|top| !top.contains(&b'/'))
            .map(<[u8]>::to_vec)
            .collect()
    }

    /// The number of the candidate at a path that [`Files::has_libc`] has found.
    pub fn number(&self, path: &[u8]) -> Result<usize> {
        match self.files.get(path) {
            Some(AtPath::Libc(number)) => Ok(*number),
            _ => Err(several(path)),
        }
    }

    /// How many hard links are further names of the file at `path`.
    pub fn other_names(&self, path: &[u8]) -> usize {
        self.hard.iter().filter(|target| *target == path).count()
    }

    /// What another pass has to look for because of links; `None` if this pass has looked for all of it.
    pub fn more(&self) -> Option<Wanted> {
        let asked = self.asked.borrow();
        let mut wanted = self.wanted.clone();
        wanted.json.extend(asked.json.iter().cloned());
        wanted.libc.extend(asked.libc.iter().cloned());
        (wanted != self.wanted).then_some(wanted)
    }
}

fn several(path: &[u8]) -> Error {
    Error::malformed(format!("{} is there more than once", printable(path)))
        .expected("each file once: programs disagree about which one counts")
}

impl<T> Tree for Scan<T> {
    fn link(&self, path: &[u8]) -> Result<Option<Link>> {
        Ok(self.links.get(path).cloned())
    }
}

impl<T> Files for Scan<T> {
    fn json(&self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(AtPath::Json(bytes)) => Ok(Some(bytes.clone())),
            Some(AtPath::Several) => Err(several(path)),
            Some(AtPath::Libc(_)) | None => {
                self.asked.borrow_mut().json.insert(path.to_vec());
                Ok(None)
            }
        }
    }

    fn has_libc(&self, path: &[u8]) -> Result<bool> {
        match self.files.get(path) {
            Some(AtPath::Libc(number)) => {
                let Candidate { entry, work, .. } = &self.candidates[*number];
                if work.is_none() {
                    let what = if entry.is_sparse {
                        "has holes"
                    } else {
                        "is too large"
                    };
                    let found = format!("{} {what}, with {} bytes", printable(path), entry.size);
                    return Err(Error::refused(found).expected("a libc.a as archives have it"));
                }
                Ok(true)
            }
            Some(AtPath::Several) => Err(several(path)),
            Some(AtPath::Json(_)) => Ok(false),
            None => {
                if path::last(path) != b"libc.a" {
                    self.asked.borrow_mut().libc.insert(path.to_vec());
                }
                Ok(false)
            }
        }
    }
}
