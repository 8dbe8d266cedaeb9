//! Reads a tar archive as a stream of entries. Each entry keeps the bytes of its headers, so that everything that
//! does not change can be written again as it was.

use super::header::{self, BLOCK, Header, Type};
use super::input::Input;
use super::{Limits, path};
use crate::error::{Error, Result, printable};
use crate::fingerprint::Fingerprint;
use std::io::Read as _;
use std::ops::Range;

/// How many bytes are read at once.
const CHUNK: usize = 1 << 17;

/// A function that takes bytes, in their order.
pub type Take<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// One entry, whose data has not been read yet.
#[derive(Clone, Debug)]
pub struct Entry {
    /// All blocks before its data, including those of long names, records and maps.
    pub raw: Vec<u8>,
    /// Where its own header is in `raw`.
    header: usize,
    /// Where pax records that give its size are in `raw`. The range covers the records; their own header block is
    /// before it.
    records: Option<Range<usize>>,
    /// Its path, without parts like `.`; `None` if the path leads out of the archive.
    pub path: Option<Vec<u8>>,
    /// Its path as the archive has it.
    pub name: Vec<u8>,
    /// The target of a link.
    pub link: Vec<u8>,
    pub kind: Type,
    /// Its data's size in bytes.
    pub size: u64,
    /// Whether its data begins with a map of holes, before the file's contents.
    pub is_sparse: bool,
}

/// Reads an archive once, from its start to its end.
pub struct Tar<'a> {
    input: Input<'a>,
    limits: Limits,
    buffer: Vec<u8>,
    /// How many bytes have been read.
    offset: u64,
    /// How many bytes are left of the entry's data and of the padding after it.
    data: u64,
    padding: usize,
    /// The first of the end-of-archive blocks.
    end: Option<[u8; BLOCK]>,
}

impl<'a> Tar<'a> {
    pub fn new(input: Input<'a>, limits: Limits) -> Self {
        Self {
            input,
            limits,
            buffer: vec![0; CHUNK],
            offset: 0,
            data: 0,
            padding: 0,
            end: None,
        }
    }

    /// Whether it is compressed.
    pub fn is_gzip(&self) -> bool {
        self.input.is_gzip()
    }

    /// The next entry; `None` at the end. The data and padding of the entry before must have been read.
    pub fn next(&mut self) -> Result<Option<Entry>> {
        debug_assert!(self.data == 0 && self.padding == 0);
        let mut raw = Vec::new();
        let mut long = Long::default();
        loop {
            let at = self.offset;
            let Some(block) = self.block()? else {
                return Err(ends(at, "before its end-of-archive blocks"));
            };
            if block == [0; BLOCK] {
                if !raw.is_empty() {
                    return Err(ends(at, "behind a name or records without their entry"));
                }
                self.end = Some(block);
                return Ok(None);
            }
            let read = Header::read(&block).map_err(|e| {
                if at == 0 {
                    return not_tar(e);
                }
                placed(e, at)
            })?;
            let own = raw.len();
            raw.extend_from_slice(&block);
            let named = |e: Error| placed(e, at).member(&read.name);
            match read.kind {
                Type::LongName | Type::LongLink | Type::Records | Type::Global => {
                    if raw.len() as u64 + read.size > self.limits.header {
                        let found = format!("{} bytes of names and records", read.size);
                        return Err(named(Error::refused(found))
                            .expected(format!("at most {}", self.limits.header)));
                    }
                    let data = raw.len()..raw.len() + read.size as usize;
                    self.data = read.size;
                    self.padding = padding(read.size);
                    self.data(&mut |bytes| {
                        raw.extend_from_slice(bytes);
                        Ok(())
                    })?;
                    raw.extend(self.padding()?);
                    long.add(read.kind, &raw, data).map_err(named)?;
                }
                _ => {
                    let name = long.name.as_ref().unwrap_or(&read.name);
                    let kind = read.kind_of(name).map_err(|e| placed(e, at))?;
                    let mut is_extended = read.is_extended;
                    while is_extended {
                        let Some(map) = self.block()? else {
                            return Err(ends(self.offset, "in a map of holes"));
                        };
                        if raw.len() as u64 > self.limits.header {
                            return Err(named(Error::refused("a map of holes without an end")));
                        }
                        raw.extend_from_slice(&map);
                        is_extended = map[504] != 0;
                    }
                    let size = long.size.unwrap_or(read.size);
                    if kind != Type::File && long.size.is_some_and(|size| size != read.size) {
                        let found = "records of pax with another size than its header's";
                        return Err(named(Error::refused(found))
                            .expected("that of a file with its contents"));
                    }
                    self.data = size;
                    self.padding = padding(size);
                    let name = long.name.unwrap_or(read.name);
                    return Ok(Some(Entry {
                        path: path::normal(&name),
                        header: own,
                        records: long.records,
                        name,
                        link: long.link.unwrap_or(read.link),
                        kind,
                        size,
                        is_sparse: kind == Type::Sparse || long.is_sparse,
                        raw,
                    }));
                }
            }
        }
    }

    /// Gives the entry's data to `take`.
    pub fn data(&mut self, take: Take<'_>) -> Result<()> {
        while self.data > 0 {
            let most = self
                .buffer
                .len()
                .min(usize::try_from(self.data).unwrap_or(CHUNK));
            let read = self.some(most)?;
            if read == 0 {
                let found = format!("{} bytes before the end of a file", self.data);
                return Err(ends(self.offset, &found));
            }
            self.data -= read as u64;
            take(&self.buffer[..read])?;
        }
        Ok(())
    }

    /// The entry's data as one piece.
    pub fn whole(&mut self, entry: &Entry, most: u64) -> Result<Vec<u8>> {
        if entry.size > most {
            return Err(Error::refused(format!("a file of {} bytes", entry.size))
                .expected(format!("at most {most}"))
                .member(&entry.name));
        }
        let mut bytes = Vec::new();
        self.data(&mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// The bytes between the entry's data and the next entry.
    pub fn padding(&mut self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; std::mem::take(&mut self.padding)];
        let read = self.fill(&mut bytes)?;
        if read < bytes.len() {
            return Err(ends(self.offset, "in the padding behind a file"));
        }
        Ok(bytes)
    }

    /// Gives everything from the end-of-archive blocks on to `take`; after that the whole file has been read.
    pub fn rest(&mut self, take: Take<'_>) -> Result<()> {
        if let Some(block) = self.end.take() {
            take(&block)?;
        }
        loop {
            let read = self.some(CHUNK)?;
            if read == 0 {
                return Ok(());
            }
            take(&self.buffer[..read])?;
        }
    }

    /// The fingerprint of the file, which must have been read to its end.
    pub fn finish(self) -> Fingerprint {
        self.input.finish()
    }

    fn block(&mut self) -> Result<Option<[u8; BLOCK]>> {
        let mut block = [0; BLOCK];
        match self.fill(&mut block)? {
            0 => Ok(None),
            BLOCK => Ok(Some(block)),
            _ if self.offset < BLOCK as u64 => Err(not_tar(Error::malformed(""))),
            _ => Err(ends(self.offset, "in a header")),
        }
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let read = self.some(buffer.len() - filled)?;
            if read == 0 {
                break;
            }
            buffer[filled..filled + read].copy_from_slice(&self.buffer[..read]);
            filled += read;
        }
        Ok(filled)
    }

    /// Reads at most `most` bytes into the buffer.
    fn some(&mut self, most: usize) -> Result<usize> {
        let most = most.min(self.buffer.len());
        let read = loop {
            match self.input.read(&mut self.buffer[..most]) {
                Ok(read) => break read,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.input.error(e)),
            }
        };
        self.offset += read as u64;
        let most = self.limits.total.min(self.input.most());
        if self.offset > most {
            return Err(
                Error::refused(format!("it unpacks to more than {most} bytes"))
                    .expected("a bundle that fits onto a disk")
                    .next("unpack it, and patch the directory"),
            );
        }
        Ok(read)
    }
}

/// What the headers before an entry's own header say about it.
#[derive(Debug, Default)]
struct Long {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    records: Option<Range<usize>>,
    is_sparse: bool,
    has_records: bool,
}

impl Long {
    fn add(&mut self, kind: Type, raw: &[u8], data: Range<usize>) -> Result<()> {
        let bytes = &raw[data.clone()];
        match kind {
            // If both are there, pax records take precedence over GNU's long names.
            Type::LongName if !self.has_records => self.name = Some(header::text(bytes).to_vec()),
            Type::LongLink if !self.has_records => self.link = Some(header::text(bytes).to_vec()),
            Type::LongName | Type::LongLink => {}
            Type::Global => {
                let changes: &[&[u8]] = &[b"path", b"linkpath", b"size"];
                for record in header::records(bytes)? {
                    if changes.contains(&record.key) {
                        let key = printable(record.key);
                        return Err(Error::refused(format!(
                            "`{key}` for all entries that follow"
                        )));
                    }
                }
            }
            _ => {
                if self.has_records {
                    return Err(Error::refused("two headers with records for one entry"));
                }
                self.has_records = true;
                for record in header::records(bytes)? {
                    match record.key {
                        b"path" => self.name = Some(record.value.to_vec()),
                        b"linkpath" => self.link = Some(record.value.to_vec()),
                        b"size" => self.size(record.value, data.clone())?,
                        b"GNU.sparse.name" => {
                            self.name = Some(record.value.to_vec());
                            self.is_sparse = true;
                        }
                        key if key.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn size(&mut self, value: &[u8], data: Range<usize>) -> Result<()> {
        let size = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
        let size = size.filter(|size| *size <= u64::MAX >> 2).ok_or_else(|| {
            Error::malformed(format!("a size of `{}`", printable(value))).expected("decimal digits")
        })?;
        if self.size.replace(size).is_some_and(|other| other != size) {
            return Err(Error::malformed("two records with its size"));
        }
        self.records = Some(data);
        Ok(())
    }
}

impl Entry {
    /// The blocks before its data, with another size written into them.
    pub fn resized(&self, size: u64) -> Result<Vec<u8>> {
        let mut raw = self.raw.clone();
        let named = |e: Error| e.member(&self.name);
        match &self.records {
            None => header::resize(&mut raw[self.header..][..BLOCK], size).map_err(named)?,
            Some(records) => {
                // With pax records, the header's own size has no meaning; it is kept equal if there is room.
                let own = &mut raw[self.header..][..BLOCK];
                let is_same = Header::read(first(own)).is_ok_and(|read| read.size == self.size);
                if is_same {
                    header::resize(own, size).map_err(named)?;
                }
                let data = self.with_size(&raw[records.clone()], size)?;
                let before = records.start - BLOCK..records.start;
                header::resize(&mut raw[before], data.len() as u64).map_err(named)?;
                let end = records.end + padding(records.len() as u64);
                let pad = vec![0; padding(data.len() as u64)];
                raw.splice(records.start..end, data.into_iter().chain(pad));
            }
        }
        Ok(raw)
    }

    fn with_size(&self, data: &[u8], size: u64) -> Result<Vec<u8>> {
        let mut new = Vec::with_capacity(data.len() + 1);
        let mut used = 0;
        for record in header::records(data)? {
            used += record.raw.len();
            match record.key {
                b"size" => new.extend(header::write_record(b"size", size.to_string().as_bytes())),
                _ => new.extend_from_slice(record.raw),
            }
        }
        new.extend_from_slice(&data[used..]);
        Ok(new)
    }

    /// The blocks before its data without everything that depends on its size: two entries that differ only in size
    /// give the same bytes.
    pub fn masked(&self) -> Result<Vec<u8>> {
        let mut raw = self.raw.clone();
        if let Some(records) = &self.records {
            let all = header::records(&self.raw[records.clone()])?;
            let others = all.iter().filter(|record| record.key != b"size");
            let others: Vec<u8> = others.flat_map(|record| record.raw.to_vec()).collect();
            header::mask(&mut raw[self.header..][..BLOCK]);
            header::mask(&mut raw[records.start - BLOCK..records.start]);
            let end = records.end + padding(records.len() as u64);
            raw.splice(records.start..end, others);
        } else {
            header::mask(&mut raw[self.header..][..BLOCK]);
        }
        Ok(raw)
    }
}

/// How many padding bytes follow data of `size` bytes, up to the next block.
pub fn padding(size: u64) -> usize {
    (size.next_multiple_of(BLOCK as u64) - size) as usize
}

fn first(block: &[u8]) -> &[u8; BLOCK] {
    block.first_chunk().expect("a header is one block")
}

/// `error` is about the unpacked archive and gets an offset there; other errors have offsets in the file.
fn placed(error: Error, at: u64) -> Error {
    error
        .at(at)
        .next("offsets are those in the unpacked tar archive; get the file again")
}

fn ends(at: u64, found: &str) -> Error {
    placed(
        Error::malformed(format!("the tar archive ends {found}")),
        at,
    )
}

fn not_tar(found: Error) -> Error {
    let error = Error::not_applicable("no tar archive").at(0);
    let text = found.without_path().to_string();
    let error = match text.is_empty() {
        true => error,
        false => Error::not_applicable(format!("no tar archive: {text}")).at(0),
    };
    error.expected("a Swift SDK bundle: a tar archive, plain or compressed by gzip")
}
