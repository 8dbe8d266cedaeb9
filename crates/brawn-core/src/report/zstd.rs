//! Reads what is compressed by zstd (RFC 8878): a sequence of frames, some of which have no contents.

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, Read};

/// The largest window of a layer's frames, in bytes: the size that every decoder must support (RFC 8878, 3.1.1.1.2).
pub(super) const LAYERS: u64 = 8 << 20;
/// The same for packages: the size that `zstd` itself unpacks without an option.
pub(super) const PACKAGES: u64 = 128 << 20;
/// The first bytes of a frame without contents; the lowest four bits may vary (3.1.2).
const SKIPPED: u32 = 0x184d_2a50;

/// Whether `bytes` begin with a frame without contents.
pub(super) fn is_skipped(bytes: &[u8]) -> bool {
    let first = bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
    first & !0xf == SKIPPED
}

/// Reads all frames in order.
pub(super) struct Frames<'a> {
    rest: &'a [u8],
    window: u64,
    frame: Option<StreamingDecoder<&'a [u8], FrameDecoder>>,
}

impl<'a> Frames<'a> {
    /// `window` is the largest that a frame may have.
    pub(super) fn new(bytes: &'a [u8], window: u64) -> Self {
        Self {
            rest: bytes,
            window,
            frame: None,
        }
    }

    /// The bytes after the frames without contents at the start of `rest`.
    fn behind_skipped(mut rest: &'a [u8]) -> io::Result<&'a [u8]> {
        while let Some((head, behind)) = rest.split_first_chunk::<8>() {
            if !is_skipped(head) {
                break;
            }
            let size = head[4..]
                .first_chunk()
                .map_or(0, |b| u32::from_le_bytes(*b));
            let ended = || {
                io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "a frame of zstd without its end",
                )
            };
            rest = behind.get(size as usize..).ok_or_else(ended)?;
        }
        Ok(rest)
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(buffer)?;
                if read > 0 {
                    return Ok(read);
                }
                self.rest = frame.get_ref();
                self.frame = None;
            }
            self.rest = Self::behind_skipped(self.rest)?;
            if self.rest.is_empty() {
                return Ok(0);
            }
            let frame = StreamingDecoder::new_with_max_window_size(self.rest, self.window);
            self.frame = Some(frame.map_err(failed)?);
        }
    }
}

/// The error for a frame that cannot be begun: [`io::ErrorKind::Unsupported`] if only its window is too large.
fn failed(error: FrameDecoderError) -> io::Error {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, .. } => {
            let mib = requested.div_ceil(1 << 20);
            let text = format!("zstd with a window of {mib} MiB");
            io::Error::new(io::ErrorKind::Unsupported, text)
        }
        other => io::Error::other(format!("zstd: {other}")),
    }
}

#[cfg(test)]
mod tests;
