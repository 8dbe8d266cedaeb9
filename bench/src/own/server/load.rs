//! The load: threads that ask a server on this machine over and over, and read its answers.

use crate::Result;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An answer that takes longer does not come.
const LIMIT: Duration = Duration::from_secs(60);

/// How a server is asked.
#[derive(Clone, Debug)]
pub struct Load {
    /// Its name in the raw data.
    pub name: String,
    /// What it is, for people.
    pub title: String,
    /// The bytes of an answer before it is compressed, which are also the page's name.
    pub size: usize,
    /// How many requests are on their way at the same time.
    pub connections: usize,
    /// Whether a connection serves many requests; otherwise each has its own.
    pub is_kept: bool,
    /// How many requests there are.
    pub requests: usize,
}

/// What came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The bytes of one answer, compressed: each has the same.
    pub bytes: usize,
    /// The time from the first request to the last answer.
    pub wall: Duration,
}

impl Load {
    /// Asks, `requests` times.
    ///
    /// # Errors
    ///
    /// The server answers with something that is not a gzip stream, or with something else each time.
    pub fn ask(&self, server: SocketAddr, requests: usize) -> Result<Answered> {
        let asked = AtomicUsize::new(0);
        let begin = Instant::now();
        let sizes: Vec<Result<Option<usize>>> = std::thread::scope(|scope| {
            let one = || self.connection(server, &asked, requests);
            let threads: Vec<_> = (0..self.connections).map(|_| scope.spawn(one)).collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .map(|sizes| sizes.unwrap_or_else(|_| Err("a thread panicked".to_owned())))
                .collect()
        });
        let wall = begin.elapsed();
        let mut bytes = None;
        for size in sizes {
            let size = size.map_err(|error| format!("{}: {error}", self.name))?;
            bytes = same(bytes, size)?;
        }
        let bytes = bytes.ok_or("no request was made")?;
        Ok(Answered { bytes, wall })
    }

    /// What one thread does: the size of its answers, if it got a turn.
    fn connection(
        &self,
        server: SocketAddr,
        asked: &AtomicUsize,
        requests: usize,
    ) -> Result<Option<usize>> {
        let mut kept = None;
        let mut bytes = None;
        while asked.fetch_add(1, Ordering::Relaxed) < requests {
            let mut stream = match kept.take() {
                Some(stream) => stream,
                None => connect(server)?,
            };
            let size = self.one(&mut stream)?;
            bytes = same(bytes, Some(size))?;
            kept = Some(stream).filter(|_| self.is_kept);
        }
        Ok(bytes)
    }

    /// One request, and the size of its answer.
    fn one(&self, stream: &mut BufReader<TcpStream>) -> Result<usize> {
        let end = if self.is_kept {
            ""
        } else {
            "Connection: close\r\n"
        };
        let request = format!(
            "GET /{} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n{end}\r\n",
            self.size
        );
        let failed = |error| format!("ask: {error}");
        stream
            .get_mut()
            .write_all(request.as_bytes())
            .map_err(failed)?;
        answer(stream)
    }
}

/// The one size of two, as far as they are known.
fn same(one: Option<usize>, other: Option<usize>) -> Result<Option<usize>> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => {
            Err(format!("answers have {one} bytes and {other}"))
        }
        (one, other) => Ok(one.or(other)),
    }
}

fn connect(server: SocketAddr) -> Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(server);
    let stream = stream.and_then(|stream| {
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_nodelay(true)?;
        Ok(BufReader::with_capacity(1 << 16, stream))
    });
    stream.map_err(|error| format!("connect: {error}"))
}

/// Reads an answer whose body comes in chunks, as compressed ones do, and returns the bytes of its body.
fn answer<R: std::io::Read>(stream: &mut BufReader<R>) -> Result<usize> {
    let mut line = String::new();
    let mut next = |stream: &mut BufReader<R>| -> Result<String> {
        line.clear();
        let read = stream.read_line(&mut line);
        match read.map_err(|error| format!("read: {error}"))? {
            0 => Err("the connection ended within an answer".to_owned()),
            _ => Ok(line.trim_end().to_ascii_lowercase()),
        }
    };
    let status = next(stream)?;
    let (mut is_chunked, mut is_compressed) = (false, false);
    loop {
        match next(stream)?.as_str() {
            "" => break,
            "transfer-encoding: chunked" => is_chunked = true,
            "content-encoding: gzip" => is_compressed = true,
            _ => {}
        }
    }
    if !status.contains(" 200") || !is_chunked || !is_compressed {
        return Err(format!(
            "an answer with {status}, chunked: {is_chunked}, compressed: {is_compressed}"
        ));
    }
    let (mut bytes, mut begin) = (0, Vec::<u8>::new());
    loop {
        let size = next(stream)?;
        let size = usize::from_str_radix(&size, 16).map_err(|_| format!("a chunk of {size:?}"))?;
        let mut chunk = vec![0; size];
        let read = stream.read_exact(&mut chunk);
        read.map_err(|error| format!("read: {error}"))?;
        next(stream)?;
        if size == 0 {
            break;
        }
        begin.extend(chunk.iter().take(2 - begin.len().min(2)));
        bytes += size;
    }
    match begin == [0x1f, 0x8b] {
        true => Ok(bytes),
        false => Err("an answer that is no gzip stream".to_owned()),
    }
}

#[cfg(test)]
mod tests;
