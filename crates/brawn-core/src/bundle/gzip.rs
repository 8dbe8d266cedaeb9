//! gzip with one thread for each processor. The result does not depend on their number: the data is cut into blocks
//! of one size, and each block is deflated alone, with the 32 KiB before it as its dictionary.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// How many bytes are deflated as one block.
const BLOCK: usize = 1 << 19;
/// How many bytes deflate can refer back.
const WINDOW: usize = 1 << 15;
/// gzip's default level, with which the toolchain's bundles are made too.
const LEVEL: u32 = 6;
/// With more threads than this, some would wait for the one that unpacks.
const MOST: usize = 4;
/// Deflate, no flags, no time, no level, Unix: RFC 1952.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

struct Job {
    bytes: Vec<u8>,
    before: Vec<u8>,
    is_last: bool,
}

struct Worker {
    jobs: SyncSender<Job>,
    done: Receiver<io::Result<Vec<u8>>>,
    thread: JoinHandle<()>,
}

/// Compresses what is written to it.
pub struct Gzip<'a> {
    to: &'a mut dyn Write,
    workers: Vec<Worker>,
    /// The worker that gets the next block, and the workers whose blocks have not been written yet, in order.
    next: usize,
    pending: VecDeque<usize>,
    block: Vec<u8>,
    /// The end of the previous block.
    before: Vec<u8>,
    crc: Crc,
    size: u64,
}

impl<'a> Gzip<'a> {
    /// A compressor with as many threads as are useful.
    pub fn new(to: &'a mut dyn Write) -> io::Result<Self> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self::with_threads(to, threads.min(MOST))
    }

    fn with_threads(to: &'a mut dyn Write, threads: usize) -> io::Result<Self> {
        to.write_all(&HEADER)?;
        // As many as can be had. Without any, this thread does it.
        let workers = (0..threads).map_while(|_| worker().ok()).collect();
        Ok(Self {
            to,
            workers,
            next: 0,
            pending: VecDeque::new(),
            block: Vec::with_capacity(BLOCK),
            before: Vec::new(),
            crc: Crc::new(),
            size: 0,
        })
    }

    /// Writes the remaining data and gzip's trailer.
    pub fn finish(mut self) -> io::Result<()> {
        self.submit(true)?;
        while !self.pending.is_empty() {
            self.collect()?;
        }
        self.to.write_all(&self.crc.sum().to_le_bytes())?;
        // gzip stores only the lower 32 bits of the size.
        self.to.write_all(&(self.size as u32).to_le_bytes())
    }

    fn submit(&mut self, is_last: bool) -> io::Result<()> {
        if !self.workers.is_empty() && self.pending.len() >= 2 * self.workers.len() {
            self.collect()?;
        }
        let bytes = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK));
        self.crc.update(&bytes);
        self.size += bytes.len() as u64;
        let end = bytes[bytes.len().saturating_sub(WINDOW)..].to_vec();
        let before = std::mem::replace(&mut self.before, end);
        let job = Job {
            bytes,
            before,
            is_last,
        };
        let Some(worker) = self.workers.get(self.next) else {
            return self.to.write_all(&block(&job)?);
        };
        worker.jobs.send(job).map_err(gone)?;
        self.pending.push_back(self.next);
        self.next = (self.next + 1) % self.workers.len();
        Ok(())
    }

    /// Writes the oldest block.
    fn collect(&mut self) -> io::Result<()> {
        let Some(worker) = self.pending.pop_front() else {
            return Ok(());
        };
        let bytes = self.workers[worker].done.recv().map_err(gone)??;
        self.to.write_all(&bytes)
    }
}

fn gone(_: impl std::error::Error) -> io::Error {
    io::Error::other("a thread that compresses has ended")
}

impl Drop for Gzip<'_> {
    fn drop(&mut self) {
        for worker in self.workers.drain(..) {
            drop((worker.jobs, worker.done));
            // The thread's error is already known.
            let _ = worker.thread.join();
        }
    }
}

impl Write for Gzip<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = BLOCK - self.block.len();
        let taken = bytes.len().min(room);
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BLOCK {
            self.submit(false)?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn worker() -> io::Result<Worker> {
    let (jobs, todo) = sync_channel::<Job>(2);
    let (finished, done) = sync_channel(2);
    let thread = std::thread::Builder::new().spawn(move || {
        for job in todo {
            let result = block(&job);
            if finished.send(result).is_err() {
                break;
            }
        }
    })?;
    Ok(Worker { jobs, done, thread })
}

/// Deflates one block. Its output ends at a whole byte, so that the next one can follow.
fn block(job: &Job) -> io::Result<Vec<u8>> {
    // A new one for each block. One that is reset may find other matches than a new one (zlib-rs 0.6.8), so that the
    // result would depend on which blocks its thread had before.
    let mut deflate = Compress::new(Compression::new(LEVEL), false);
    if !job.before.is_empty() {
        deflate
            .set_dictionary(&job.before)
            .map_err(io::Error::other)?;
    }
    let flush = match job.is_last {
        true => FlushCompress::Finish,
        false => FlushCompress::Sync,
    };
    let mut out = Vec::with_capacity(job.bytes.len() / 2 + 1024);
    loop {
        let used = deflate.total_in() as usize;
        let status = deflate
            .compress_vec(&job.bytes[used..], &mut out, flush)
            .map_err(io::Error::other)?;
        let is_whole = deflate.total_in() as usize == job.bytes.len();
        match status {
            Status::StreamEnd => return Ok(out),
            // The flush is complete if it left room in the buffer.
            _ if is_whole && !job.is_last && out.len() < out.capacity() => return Ok(out),
            _ => out.reserve(out.capacity() / 2 + 1024),
        }
    }
}

#[cfg(test)]
mod tests;
