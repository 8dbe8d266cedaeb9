//! The only layer: a compressed tar whose bytes are fully determined by the plan.
//!
//! Source: OCI Image Format Specification 1.1, `layer.md`; names of more than 100 bytes are as in GNU tar.

use super::entry::READ;
use super::plan::{Entry, Plan, What};
use crate::content::{Content, Piece};
use crate::error::{Error, Result};
use crate::fingerprint::hexadecimal;
use crate::input;
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use tar::{Builder, EntryType, Header};

/// A compressed layer.
#[derive(Debug)]
pub(super) struct Layer {
    /// Its bytes.
    pub pieces: Vec<Piece<'static>>,
    /// Their digest.
    pub digest: String,
    /// Their size.
    pub size: u64,
    /// The digest of the unpacked bytes.
    pub diff_id: String,
    /// The size of the unpacked bytes.
    pub unpacked: u64,
}

/// Makes the layer of `plan`.
pub(super) fn layer(
    plan: &Plan,
    program: &Content<'_>,
    certificates: &[u8],
    progress: &mut dyn FnMut(u64),
) -> Result<Layer> {
    // gzip's header has no time and no name, and flate2 writes "unknown" for the operating system.
    let packed = GzBuilder::new()
        .mtime(0)
        .write(Chunks::default(), Compression::default());
    let hashed = Hashed {
        inner: packed,
        hash: Sha256::new(),
        size: 0,
        progress,
    };
    let mut tar = Builder::new(hashed);
    for entry in &plan.entries {
        append(&mut tar, plan.time, entry, program, certificates)?;
    }
    let failed = |e| Error::io("cannot pack the layer", e);
    let hashed = tar.into_inner().map_err(failed)?;
    let chunks = hashed.inner.finish().map_err(failed)?;
    Ok(Layer {
        diff_id: digest(hashed.hash),
        unpacked: hashed.size,
        digest: digest(chunks.hash),
        size: chunks.full.iter().map(|chunk| chunk.len() as u64).sum(),
        pieces: chunks
            .full
            .into_iter()
            .map(|chunk| Piece::Bytes(chunk.into()))
            .collect(),
    })
}

fn append(
    tar: &mut Builder<impl Write>,
    time: u64,
    entry: &Entry,
    program: &Content<'_>,
    certificates: &[u8],
) -> Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(entry.mode);
    header.set_uid(entry.uid);
    header.set_gid(entry.gid);
    header.set_mtime(time);
    header.set_size(entry.size);
    header.set_entry_type(match entry.what {
        What::Folder => EntryType::Directory,
        What::Link(_) => EntryType::Symlink,
        What::Program | What::Certificates(_) | What::Text(_) | What::File(_) => EntryType::Regular,
    });
    let path = &entry.path;
    let appended = match &entry.what {
        What::Folder => tar.append_data(&mut header, format!("{path}/"), io::empty()),
        What::Link(target) => link(tar, &mut header, target.as_bytes())
            .and_then(|()| tar.append_data(&mut header, path, io::empty())),
        What::Program => tar.append_data(&mut header, path, program.reader()),
        What::Certificates(_) => tar.append_data(&mut header, path, certificates),
        What::Text(text) => tar.append_data(&mut header, path, text.as_bytes()),
        What::File(source) => {
            let file =
                input::open(source).map_err(|e| input::failed("cannot open it", e).path(source))?;
            let exactly = Exactly {
                inner: file,
                left: entry.size,
            };
            let appended = tar.append_data(&mut header, path, exactly);
            return appended.map_err(|e| Error::io("cannot read it", e).path(source));
        }
    };
    appended.map_err(|e| Error::io(format!("cannot pack /{path}"), e))
}

/// Writes a link's target byte for byte; the crate `tar` would drop parts like `.`.
fn link(tar: &mut Builder<impl Write>, header: &mut Header, target: &[u8]) -> io::Result<()> {
    if header.set_link_name_literal(target).is_ok() {
        return Ok(());
    }
    // The target is longer than its field: it goes into an entry before the link, as in GNU tar.
    let mut long = Header::new_gnu();
    let name = b"././@LongLink";
    long.as_old_mut().name[..name.len()].copy_from_slice(name);
    long.set_entry_type(EntryType::GNULongLink);
    long.set_mode(READ);
    long.set_uid(0);
    long.set_gid(0);
    long.set_mtime(0);
    long.set_size(target.len() as u64 + 1);
    long.set_cksum();
    tar.append(&long, target.chain(&b"\0"[..]))
}

/// The text form of a digest (`descriptor.md`, "Digests").
pub(super) fn digest(hash: Sha256) -> String {
    format!("sha256:{}", hexadecimal(&hash.finalize()))
}

/// Hashes and counts the bytes that are written through it.
struct Hashed<'p, W> {
    inner: W,
    hash: Sha256,
    size: u64,
    progress: &'p mut dyn FnMut(u64),
}

impl<W: Write> Write for Hashed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.size += written as u64;
        (self.progress)(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Hashes compressed bytes and keeps them in chunks: one large buffer would be copied each time it grows.
#[derive(Default)]
struct Chunks {
    full: Vec<Vec<u8>>,
    hash: Sha256,
}

impl Chunks {
    /// The size of a chunk in bytes.
    const SIZE: usize = 1 << 20;
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self
            .full
            .last()
            .is_none_or(|chunk| chunk.len() == Self::SIZE)
        {
            self.full.push(Vec::with_capacity(Self::SIZE));
        }
        let mut written = 0;
        if let Some(chunk) = self.full.last_mut() {
            written = bytes.len().min(Self::SIZE - chunk.len());
            chunk.extend_from_slice(&bytes[..written]);
        }
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that must have the planned size, since the tar's header already says that size.
struct Exactly {
    inner: File,
    left: u64,
}

impl Read for Exactly {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let changed = || Err(io::Error::other("its size has changed meanwhile"));
        if to.is_empty() {
            return Ok(0);
        }
        let read = self.inner.read(to)?;
        match self.left.checked_sub(read as u64) {
            Some(left) if read > 0 || left == 0 => {
                self.left = left;
                Ok(read)
            }
            _ => changed(),
        }
    }
}
