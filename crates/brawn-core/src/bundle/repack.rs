//! Writes a bundle again with new `libc.a`s and every other byte unchanged, and compares it with the old one.

use super::entries::{Tar, padding};
use super::gzip::Gzip;
use super::input::{Input, Progress};
use super::scan::{Candidate, Scan};
use super::{Change, Edited, Editor, Limits, Open, Planned};
use crate::error::{Error, Kind, Result};
use crate::fingerprint::Fingerprint;
use crate::publish::Stream;
use std::io::{self, Read, Write};

/// A bundle with its planned changes.
pub struct Repack<'a> {
    planned: &'a Planned,
    open: Open<'a>,
    editor: Editor<'a>,
    limits: Limits,
    progress: Progress<'a>,
}

impl Planned {
    /// The new bundle. `open` and `editor` must be the ones that it was planned with.
    pub fn repack<'a>(
        &'a self,
        open: Open<'a>,
        editor: Editor<'a>,
        limits: Limits,
        progress: Progress<'a>,
    ) -> Repack<'a> {
        Repack {
            planned: self,
            open,
            editor,
            limits,
            progress,
        }
    }
}

impl Stream for Repack<'_> {
    fn write(&mut self, to: &mut dyn Write) -> Result<()> {
        let file = (self.open)().map_err(|e| Error::io("cannot open it", e))?;
        if self.planned.changes.is_empty() {
            return copy(file, to);
        }
        let tar = Tar::new(Input::new(file, self.progress)?, self.limits);
        if self.planned.scan.is_gzip {
            let mut gzip = Gzip::new(to).map_err(unwritten)?;
            self.entries(tar, &mut gzip)?;
            gzip.finish().map_err(unwritten)
        } else {
            self.entries(tar, to)
        }
    }

    fn check(&mut self, written: &mut dyn Read) -> Result<()> {
        let scan = &self.planned.scan;
        let input = Input::new(Box::new(written), self.progress)?;
        let new = Scan::read(input, scan.wanted.clone(), self.limits, &mut |_| ())?;
        if self.planned.changes.is_empty() {
            return match new.file == scan.file {
                true => Ok(()),
                false => Err(changed()),
            };
        }
        same(scan, &self.planned.changes, &new)
    }
}

impl Repack<'_> {
    fn entries(&self, mut tar: Tar<'_>, to: &mut dyn Write) -> Result<()> {
        let scan = &self.planned.scan;
        let mut changes = self.planned.changes.iter().peekable();
        let mut changes_of = |number: usize| changes.next_if(|c| c.candidate == number);
        let mut number = 0;
        while let Some(entry) = tar.next()? {
            let is_candidate = scan.wanted.is_libc(&entry);
            let change = if is_candidate {
                changes_of(number)
            } else {
                None
            };
            number += usize::from(is_candidate);
            let Some(change) = change else {
                to.write_all(&entry.raw).map_err(unwritten)?;
                tar.data(&mut |bytes| to.write_all(bytes).map_err(unwritten))?;
                to.write_all(&tar.padding()?).map_err(unwritten)?;
                continue;
            };
            let old = tar.whole(&entry, self.limits.member)?;
            tar.padding()?;
            let new = self.edited(&old, change)?;
            drop(old);
            let size = new.len() as u64;
            to.write_all(&entry.resized(size)?).map_err(unwritten)?;
            to.write_all(&new).map_err(unwritten)?;
            to.write_all(&vec![0; padding(size)]).map_err(unwritten)?;
        }
        if changes.next().is_some() {
            return Err(changed());
        }
        tar.rest(&mut |bytes| to.write_all(bytes).map_err(unwritten))?;
        match tar.finish() == scan.file {
            true => Ok(()),
            false => Err(changed()),
        }
    }

    /// The new bytes of a `libc.a`. Fails if they differ from the planned ones.
    fn edited(&self, old: &[u8], change: &Change) -> Result<Vec<u8>> {
        let was = &self.planned.scan.candidates[change.candidate];
        if Fingerprint::of(&old.into()) != was.data {
            return Err(changed());
        }
        let edit = (self.editor)(old)?;
        let is_planned = |new: &Vec<u8>| Fingerprint::of(&new.into()) == change.new;
        let new = edit.bytes.filter(is_planned);
        new.ok_or_else(|| wrong("an edit is not as planned"))
    }
}

/// Writes the file unchanged.
fn copy(mut file: Box<dyn Read>, to: &mut dyn Write) -> Result<()> {
    let mut buffer = vec![0; 1 << 17];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => to.write_all(&buffer[..read]).map_err(unwritten)?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::io("cannot read it", e)),
        }
    }
}

/// Fails unless `new` is `old` with exactly these changes.
fn same(old: &Scan<Result<Edited>>, changes: &[Change], new: &Scan<()>) -> Result<()> {
    if old.is_gzip != new.is_gzip {
        return Err(wrong("it is compressed otherwise"));
    }
    if old.candidates.len() != new.candidates.len() {
        return Err(wrong("another number of files named libc.a"));
    }
    if old.runs != new.runs {
        return Err(wrong("an entry that should stay has changed"));
    }
    for (number, (was, is)) in old.candidates.iter().zip(&new.candidates).enumerate() {
        let change = changes.iter().find(|change| change.candidate == number);
        if !candidate(was, is, change)? {
            let what = match change {
                Some(_) => "a file is not what was planned",
                None => "a file that should stay has changed",
            };
            return Err(wrong(what).member(&was.entry.name));
        }
    }
    Ok(())
}

fn candidate<T, U>(was: &Candidate<T>, is: &Candidate<U>, change: Option<&Change>) -> Result<bool> {
    let Some(change) = change else {
        let same = was.entry.raw == is.entry.raw && was.data == is.data;
        return Ok(same && was.padding == is.padding);
    };
    let size = change.new.size;
    Ok(is.data == change.new
        && is.entry.size == size
        && was.entry.masked()? == is.entry.masked()?
        && is.padding == vec![0; padding(size)])
}

fn unwritten(error: io::Error) -> Error {
    Error::io("cannot write", error).next("the old file is unchanged")
}

fn changed() -> Error {
    Error::new(Kind::Io, "it changed while brawn was working on it")
        .next("nothing was written; try again")
}

fn wrong(what: &str) -> Error {
    Error::refused(format!("the new bundle is not as planned: {what}"))
        .next("nothing was written; this is a fault of brawn's: please report it with the bundle")
}
