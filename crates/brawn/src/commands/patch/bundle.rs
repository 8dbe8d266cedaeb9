//! `brawn patch` of a bundle of a Swift SDK: as the archive that is downloaded, or unpacked.

use super::{Args, Report, Status, failed, left_alone, one_of_many, options, status};
use crate::bar::Bar;
use crate::file::notice;
use crate::typed;
use brawn_core::archive::edit_bytes;
use brawn_core::archive::plan::Action;
use brawn_core::bundle::{Alone, Archive, Limits, Planned, START, Target, folder, may_be, plan};
use brawn_core::fingerprint::Fingerprint;
use brawn_core::input;
use brawn_core::publish;
use brawn_core::publish::stream_elsewhere;
use brawn_core::{Error, Result};
use brawn_payload::payloads;
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Further fields of a bundle's object in `--json`.
#[derive(Debug, Serialize)]
pub struct Bundle {
    /// The `libc.a` in it.
    pub archives: Vec<Archive>,
    /// Targets that have no libc of musl's.
    pub alone: Vec<Alone>,
    /// The file afterwards, or as it was if nothing was written.
    #[serde(flatten)]
    pub file: Fingerprint,
    /// What installs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// Whether a file may be a bundle, by its first bytes.
pub fn may_be_file(path: &Path) -> bool {
    let mut start = Vec::with_capacity(START);
    let file = input::open(path).and_then(|file| file.take(START as u64).read_to_end(&mut start));
    file.is_ok() && may_be(&start)
}

/// Patches the bundle that is the file at `path`.
pub fn file(args: &Args, path: &Path) -> Result<Report> {
    // A bundle is too large to be made again from its original beside the new one.
    if !args.parts.is_plain() && publish::has_record(path) {
        return Err(Error::refused("brawn patched it before")
            .path(path)
            .expected("the original, for options that choose other parts")
            .next("`brawn restore` it first"));
    }
    let is_written = !args.dry_run && args.output.is_none();
    let target = is_written
        .then(|| publish::open(path, &notice))
        .transpose()?;
    let from = target.as_ref().map_or(path, |target| target.path());
    let size = std::fs::metadata(from).map_err(|e| Error::io("cannot look at it", e).path(path))?;
    let bar = Bar::new(size.len(), "patching {bar:40} {percent:>3} %");
    let editor = |bytes: &[u8]| edit_bytes(bytes, payloads(), &options(args));
    let again = || match &target {
        Some(target) => Ok(Box::new(target.again()?) as Box<dyn Read>),
        None => Ok(Box::new(input::open(from)?) as Box<dyn Read>),
    };
    let progress = |bytes| bar.inc(bytes);
    let planned = plan(&again, &editor, Limits::USUAL, &progress).map_err(|e| e.path(path))?;
    let action = planned.action();
    let mut report = Report::new(path, status(action, args.dry_run));
    let mut repack = planned.repack(&again, &editor, Limits::USUAL, &progress);
    // Written, and read again.
    bar.inc_length(2 * size.len());
    let mut file = planned.file().clone();
    if let Some(out) = &args.output {
        file = stream_elsewhere(from, out, &mut repack).map_err(|e| e.path(path))?;
        report.output = Some(out.clone());
    } else if let (Some(target), Action::Patch | Action::Upgrade) = (&target, action) {
        let (published, new) =
            target.publish_stream(planned.file(), &mut repack, planned.has_payload())?;
        report.details.published = Some(published);
        file = new;
    }
    let is_there = !args.dry_run || action == Action::Nothing;
    let install = is_there.then(|| install(args.output.as_deref().unwrap_or(from), &file));
    let Planned {
        archives, alone, ..
    } = planned;
    report.details.bundle = Some(Bundle {
        archives,
        alone,
        file,
        install,
    });
    Ok(report)
}

/// The command line that installs the bundle at `path`.
fn install(path: &Path, file: &Fingerprint) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let (path, sha256) = (typed::path(&path), &file.sha256);
    format!("swift sdk install {path} --checksum {sha256}")
}

/// The directory of the unpacked bundle that `path` is, or lies in.
pub fn unpacked(path: &Path) -> Option<PathBuf> {
    folder::bundle(path)
}

/// Patches the parts of the unpacked bundle `root` that are in the directory `path`; none if no target's libc is there.
pub fn folder(args: &Args, path: &Path, root: &Path) -> Option<Vec<Report>> {
    let bundle = match folder::read(root) {
        Ok(bundle) => bundle,
        Err(error) => return Some(vec![failed(path, &error)]),
    };
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let is_inside = |(archive, _): &(PathBuf, Vec<Target>)| archive.starts_with(&real);
    let archives: Vec<_> = bundle.archives.into_iter().filter(is_inside).collect();
    if archives.is_empty() && real != root {
        return None;
    }
    let mut reports = Vec::new();
    for (archive, targets) in archives {
        // With the name that the user gave to the directory.
        let archive = match archive.strip_prefix(&real) {
            Ok(rest) => path.join(rest),
            Err(_) => archive,
        };
        let mut report = one_of_many(args, &archive);
        report.details.targets = targets;
        reports.push(report);
    }
    let is_whole = real == root;
    for Alone { target, reason } in bundle.alone.into_iter().filter(|_| is_whole) {
        let why = format!("{}: {reason}", target.triple);
        reports.push(left_alone(root, why));
    }
    if reports.iter().all(|r| r.status == Status::LeftAlone) {
        let error = Error::not_applicable("nothing in this bundle that brawn can patch");
        reports.push(failed(path, &error.path(path)));
    }
    Some(reports)
}
