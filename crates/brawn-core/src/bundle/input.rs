//! The bytes of a bundle as a stream: unpacked if they are compressed, counted, and hashed as they are in the file.

use crate::error::{Error, Result, printable};
use crate::fingerprint::{Fingerprint, Hashed};
use crate::format::Format;
use crate::report::package::RATIO;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, Read};

/// How many bytes of the file are read at once.
const CHUNK: usize = 1 << 17;
/// A compressed file may unpack to [`RATIO`] times its size, and to this many bytes more.
const BESIDES: u64 = 1 << 25;

/// A function that is told how many more bytes of the file have been read.
pub type Progress<'a> = &'a dyn Fn(u64);

/// The unpacked bytes of a bundle's file.
pub struct Input<'a> {
    stream: Stream<'a>,
}

enum Stream<'a> {
    Gzip(Box<MultiGzDecoder<File<'a>>>),
    Plain(File<'a>),
}

impl<'a> Input<'a> {
    /// A stream over a file from its first byte, which also shows whether the file is compressed.
    pub fn new(file: Box<dyn Read + 'a>, progress: Progress<'a>) -> Result<Self> {
        let mut file = File {
            inner: file,
            buffer: vec![0; CHUNK],
            filled: 0..0,
            used: 0,
            hashed: Hashed::default(),
            failed: false,
            progress,
        };
        file.fill()
            .map_err(|e| Error::io("cannot read it", e).at(0))?;
        let stream = match Format::of(&file.buffer[file.filled.clone()]) {
            Format::Gzip => Stream::Gzip(Box::new(MultiGzDecoder::new(file))),
            _ => Stream::Plain(file),
        };
        Ok(Self { stream })
    }

    /// Whether it is compressed by gzip.
    pub fn is_gzip(&self) -> bool {
        matches!(self.stream, Stream::Gzip(_))
    }

    fn file(&self) -> &File<'a> {
        match &self.stream {
            Stream::Gzip(decoder) => decoder.get_ref(),
            Stream::Plain(file) => file,
        }
    }

    /// How many bytes may have been unpacked by now, for as much of the file as has been read.
    pub fn most(&self) -> u64 {
        match self.is_gzip() {
            true => self
                .file()
                .used
                .saturating_mul(RATIO)
                .saturating_add(BESIDES),
            false => u64::MAX,
        }
    }

    /// The error for a failed read. Its offset is the offset in the file.
    pub fn error(&self, error: io::Error) -> Error {
        let file = self.file();
        if file.failed {
            return Error::io("cannot read it", error).at(file.used);
        }
        let found = match error.kind() {
            io::ErrorKind::UnexpectedEof => "the compressed data ends too early".to_owned(),
            _ if file.used == 0 => format!("gzip: {}", lower(&error)),
            _ => format!("compressed data: {}", lower(&error)),
        };
        Error::malformed(found)
            .at(file.used)
            .expected("gzip, whole")
            .next("the file is truncated or damaged: get it again")
    }

    /// The fingerprint of the file, which must have been read to its end.
    pub fn finish(self) -> Fingerprint {
        let file = match self.stream {
            Stream::Gzip(decoder) => decoder.into_inner(),
            Stream::Plain(file) => file,
        };
        file.hashed.finish()
    }
}

fn lower(error: &io::Error) -> String {
    printable(error.to_string().as_bytes()).to_lowercase()
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Gzip(decoder) => decoder.read(buffer),
            Stream::Plain(file) => file.read(buffer),
        }
    }
}

/// The file itself.
struct File<'a> {
    inner: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    /// The part of the buffer that has been read and not used yet.
    filled: std::ops::Range<usize>,
    /// How many bytes have been used.
    used: u64,
    hashed: Hashed,
    /// Whether the stream ended by an error of the operating system, not of the data.
    failed: bool,
    progress: Progress<'a>,
}

impl File<'_> {
    fn fill(&mut self) -> io::Result<()> {
        // A short read at the start must not hide the file's format.
        let mut length = 0;
        while length < 512 {
            match self.inner.read(&mut self.buffer[length..]) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = true;
                    return Err(e);
                }
            }
        }
        self.filled = 0..length;
        self.hashed.update(&self.buffer[..length]);
        (self.progress)(length as u64);
        Ok(())
    }
}

impl BufRead for File<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.filled.is_empty() {
            self.fill()?;
        }
        Ok(&self.buffer[self.filled.clone()])
    }

    fn consume(&mut self, amount: usize) {
        self.filled.start += amount;
        self.used += amount as u64;
    }
}

impl Read for File<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let length = there.len().min(buffer.len());
        buffer[..length].copy_from_slice(&there[..length]);
        self.consume(length);
        Ok(length)
    }
}
