//! Bundles of Swift SDKs: a directory or a tar archive, mostly compressed by gzip, with a `libc.a` for each target.
//!
//! ```text
//! file ─ input ─> bytes ─ entries ─> entries ─ scan, sdk ─> Planned ─ repack ─> file ─ check ─ publish
//! ```
//!
//! Everything is a stream. The first pass over the file (`scan`) finds the `libc.a`s and edits each one as if it were
//! a file of its own. If there is anything to change, the second pass (`repack`) writes the whole file again with the
//! new `libc.a`s. The third pass reads what was written and compares it with the first (`check`). Memory never holds
//! more than one `libc.a`, its new version, and the blocks that threads hand to each other.
//!
//! gzip is done by zlib-rs, here and in packages. It is written in Rust, as fast as zlib-ng, and its output is the
//! same on every processor.

mod entries;
pub mod folder;
mod header;
mod input;
mod manifest;
mod path;
mod repack;
mod scan;
mod sdk;

mod gzip;

pub use input::Progress;
pub use repack::Repack;
pub use sdk::Target;

use crate::archive::Edit;
use crate::archive::plan::{Action, Plan};
use crate::error::{Error, Kind, Result, printable};
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::report::inspect::Inspection;
use crate::work::LONGEST_HEADER;
use scan::{Scan, Wanted};
use sdk::TargetLibc;
use serde::Serialize;
use std::io::{self, Read};

/// Opens the bundle's file again, from its start.
pub type Open<'a> = &'a dyn Fn() -> io::Result<Box<dyn Read>>;

/// Edits the bytes of one `libc.a`.
pub type Editor<'a> = &'a dyn Fn(&[u8]) -> Result<Edit>;

/// Limits for a bundle. Data without a limit here is not kept in memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The bytes of names and records that may stand before one entry.
    pub header: u64,
    /// The bytes of one `info.json` or `swift-sdk.json`.
    pub json: u64,
    /// The bytes of one `libc.a`.
    pub member: u64,
    /// The bytes of the unpacked archive.
    pub total: u64,
    /// Roughly the bytes of all names of links and all JSON.
    pub links: usize,
    /// How many files may be named `libc.a`.
    pub candidates: usize,
}

impl Limits {
    /// Above every known bundle, and below the memory that any machine has.
    pub const USUAL: Self = Self {
        header: LONGEST_HEADER,
        json: 1 << 20,
        member: 1 << 29,
        total: 1 << 36,
        links: 1 << 24,
        candidates: 64,
    };
}

/// How many bytes of a file [`may_be`] needs.
pub const START: usize = 512;

/// Whether a file that begins with `start` may be a bundle: a tar archive, or data compressed by gzip.
pub fn may_be(start: &[u8]) -> bool {
    Format::of(start) == Format::Gzip || header::is_header(start)
}

/// Whether a file begins as a bundle's archive does: with a directory that has a bundle's name. Reads only its start.
pub fn begins(open: Open<'_>) -> bool {
    let first = || -> Result<Option<Vec<u8>>> {
        let file = open().map_err(|e| Error::io("cannot open it", e))?;
        let mut tar = entries::Tar::new(input::Input::new(file, &|_| ())?, Limits::USUAL);
        while let Some(entry) = tar.next()? {
            if entry.size > 0 || entry.path.as_ref().is_none_or(|path| !path.is_empty()) {
                return Ok(entry.path);
            }
        }
        Ok(None)
    };
    let Ok(Some(path)) = first() else {
        return false;
    };
    let top = path.split(|b| *b == b'/').next().unwrap_or_default();
    top.ends_with(b".artifactbundle")
}

/// One `libc.a` of a bundle, and what would happen to it.
#[derive(Clone, Debug, Serialize)]
pub struct Archive {
    /// Its path in the bundle.
    pub member: String,
    /// The targets that link it.
    pub targets: Vec<Target>,
    /// What would be done to it; absent if it is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Why it is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many hard links in the bundle are further names of it, and so change with it.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_names: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A target without a `libc.a` of musl's.
#[derive(Clone, Debug, Serialize)]
pub struct Alone {
    /// The target.
    #[serde(flatten)]
    pub target: Target,
    /// Why it has none.
    pub reason: String,
}

/// The planned new version of a `libc.a`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    /// Its number among the candidates.
    candidate: usize,
    new: Fingerprint,
}

/// What would happen to a bundle.
#[derive(Debug)]
pub struct Planned {
    /// Each `libc.a`, once.
    pub archives: Vec<Archive>,
    /// Targets without a `libc.a` that brawn can patch.
    pub alone: Vec<Alone>,
    scan: Scan<Result<Edited>>,
    changes: Vec<Change>,
}

/// The result of an edit without the new bytes, which are made again when they are written.
#[derive(Debug)]
struct Edited {
    plan: Plan,
    new: Option<Fingerprint>,
}

impl Edited {
    fn new(edit: Edit) -> Self {
        Self {
            plan: edit.plan,
            new: edit.bytes.map(|new| Fingerprint::of(&new.into())),
        }
    }
}

impl Planned {
    /// The action for the whole bundle: the strongest of its archives' actions.
    pub fn action(&self) -> Action {
        let is_there = |action: &Action| self.plans().any(|plan| plan.action == *action);
        let mut strongest = [Action::Patch, Action::Upgrade].into_iter();
        strongest.find(is_there).unwrap_or_default()
    }

    /// Whether it already has a payload of brawn's.
    pub fn has_payload(&self) -> bool {
        self.plans().any(|plan| plan.action != Action::Patch)
    }

    fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.archives.iter().filter_map(|a| a.plan.as_ref())
    }

    /// The fingerprint of the file as it was read.
    pub fn file(&self) -> &Fingerprint {
        &self.scan.file
    }
}

/// Reads a bundle and plans the change of each `libc.a` in it.
///
/// # Errors
/// The file is no bundle, is broken, or has a `libc.a` for musl that cannot be edited. The error's member is the path
/// of that `libc.a`.
pub fn plan(
    open: Open<'_>,
    editor: Editor<'_>,
    limits: Limits,
    progress: Progress<'_>,
) -> Result<Planned> {
    let mut work = |bytes: &[u8]| editor(bytes).map(Edited::new);
    let (mut scan, places) = survey(open, limits, progress, &mut work)?;
    let mut planned = Vec::new();
    let mut changes = Vec::new();
    let (libcs, alone) = by_archive(places, |path| scan.number(path))?;
    for (number, targets) in libcs {
        let candidate = &mut scan.candidates[number];
        let path = candidate.entry.path.clone().unwrap_or_default();
        let mut archive = Archive {
            member: printable(&path),
            targets,
            plan: None,
            reason: None,
            other_names: 0,
        };
        match candidate.work.take() {
            Some(Ok(edited)) => {
                if let Some(new) = edited.new {
                    let candidate = number;
                    changes.push(Change { candidate, new });
                }
                archive.plan = Some(edited.plan);
            }
            Some(Err(e)) if e.kind() == Kind::NotApplicable => {
                archive.reason = Some(e.without_path().to_string());
            }
            Some(Err(e)) => return Err(e.held_by(&path)),
            None => return Err(Error::refused("more than one way to it").member(&path)),
        }
        archive.other_names = scan.other_names(&path);
        planned.push(archive);
    }
    changes.sort_by_key(|change: &Change| change.candidate);
    if planned.iter().all(|archive| archive.plan.is_none()) {
        let mut reasons = planned
            .iter()
            .filter_map(|archive| archive.reason.as_deref());
        let mut others = alone.iter().map(|alone| alone.reason.as_str());
        let why = reasons
            .next()
            .or_else(|| others.next())
            .unwrap_or("it has no targets");
        return Err(Error::not_applicable(format!(
            "nothing in this bundle that brawn can patch: {why}"
        )));
    }
    Ok(Planned {
        archives: planned,
        alone,
        scan,
        changes,
    })
}

/// What one `libc.a` of a bundle is.
#[derive(Clone, Debug)]
pub struct Inspected {
    /// Its path in the bundle.
    pub member: Vec<u8>,
    /// The targets that link it.
    pub targets: Vec<Target>,
    /// What brawn found in it.
    pub report: Inspection,
}

/// Reads a bundle. Reports what each `libc.a` of it is, and which targets have none.
///
/// # Errors
/// As [`plan`].
pub fn inspect(
    open: Open<'_>,
    limits: Limits,
    progress: Progress<'_>,
) -> Result<(Vec<Inspected>, Vec<Alone>)> {
    let (mut scan, places) = survey(open, limits, progress, &mut crate::report::inspect::inspect)?;
    let (libcs, alone) = by_archive(places, |path| scan.number(path))?;
    let mut all = Vec::new();
    for (number, targets) in libcs {
        let candidate = &mut scan.candidates[number];
        let member = candidate.entry.path.clone().unwrap_or_default();
        if let Some(report) = candidate.work.take() {
            let report = report.map_err(|e| e.held_by(&member))?;
            all.push(Inspected {
                member,
                targets,
                report,
            });
        }
    }
    Ok((all, alone))
}

/// Reads a bundle as often as its links require: mostly once.
fn survey<T>(
    open: Open<'_>,
    limits: Limits,
    progress: Progress<'_>,
    work: &mut dyn FnMut(&[u8]) -> T,
) -> Result<(Scan<T>, Vec<TargetLibc>)> {
    let mut wanted = Wanted::default();
    loop {
        let scan = Scan::new(open, wanted, limits, progress, work)?;
        let places = all_places(&scan);
        match (places, scan.more()) {
            (Ok(places), None) => return Ok((scan, places)),
            (Err(error), None) => return Err(error),
            // A name was not found. It may be in the bundle under another name: the next pass looks for it.
            (_, Some(more)) => wanted = more,
        }
    }
}

fn all_places<T>(scan: &Scan<T>) -> Result<Vec<TargetLibc>> {
    let tops = scan.tops();
    let mut places = Vec::new();
    for top in &tops {
        let is_bundle = top.ends_with(b".artifactbundle");
        match sdk::places(scan, top) {
            Ok(found) => places.extend(found),
            Err(error) if is_bundle || tops.len() == 1 => return Err(error),
            // A directory that is not a bundle may have an `info.json` too.
            Err(_) => {}
        }
    }
    if !places.is_empty() {
        return Ok(places);
    }
    Err(match tops.as_slice() {
        [] => {
            Error::not_applicable("a tar archive, but not a Swift SDK bundle: it has no info.json")
                .expected("NAME.artifactbundle/info.json in it")
        }
        _ => Error::not_applicable("its info.json has no target of a Swift SDK")
            .expected("an artifact of type `swiftSDK`"),
    })
}

type ByArchive<K> = Vec<(K, Vec<Target>)>;

/// Each `libc.a` with its targets, and the targets without one. `find` says which one a path leads to.
fn by_archive<K: PartialEq>(
    places: Vec<TargetLibc>,
    find: impl Fn(&[u8]) -> Result<K>,
) -> Result<(ByArchive<K>, Vec<Alone>)> {
    let mut libcs = ByArchive::new();
    let mut alone = Vec::new();
    for TargetLibc { target, libc } in places {
        match libc {
            Ok(path) => {
                let found = find(&path)?;
                match libcs.iter_mut().find(|(other, _)| *other == found) {
                    Some((_, targets)) => targets.push(target),
                    None => libcs.push((found, vec![target])),
                }
            }
            Err(reason) => alone.push(Alone { target, reason }),
        }
    }
    Ok((libcs, alone))
}

#[cfg(test)]
mod tests;
