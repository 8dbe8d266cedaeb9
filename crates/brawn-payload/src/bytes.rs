//! The payload's bytes.  Release builds contain them compressed, and unpack a part when a command needs it.

use ruzstd::decoding::StreamingDecoder;
use std::fmt;
use std::io::Read as _;
use std::ops::Deref;
use std::sync::OnceLock;

/// The bytes of an object, compressed or not.  Reading them unpacks the whole [`Frame`] that they are in, once in a
/// process.
#[derive(Clone, Copy)]
pub struct Bytes(Stored);

#[derive(Clone, Copy)]
enum Stored {
    Plain(&'static [u8]),
    Packed {
        frame: &'static Frame,
        offset: usize,
        length: usize,
    },
}

impl Bytes {
    /// Those.
    pub const fn plain(bytes: &'static [u8]) -> Self {
        Self(Stored::Plain(bytes))
    }

    /// `length` bytes of what is in `frame`, from `offset` on.
    pub const fn packed(frame: &'static Frame, offset: usize, length: usize) -> Self {
        assert!(offset + length <= frame.length, "outside of the frame");
        Self(Stored::Packed {
            frame,
            offset,
            length,
        })
    }

    /// How many there are.  Unpacks nothing.
    pub const fn len(self) -> usize {
        match self.0 {
            Stored::Plain(bytes) => bytes.len(),
            Stored::Packed { length, .. } => length,
        }
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// All of them.
    pub fn get(self) -> &'static [u8] {
        match self.0 {
            Stored::Plain(bytes) => bytes,
            Stored::Packed {
                frame,
                offset,
                length,
            } => &frame.contents()[offset..offset + length],
        }
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::plain(&[])
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.get()
    }
}

impl From<&'static [u8]> for Bytes {
    fn from(bytes: &'static [u8]) -> Self {
        Self::plain(bytes)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// One zstd frame (RFC 8878) with its checksum, of many objects: objects of one architecture are much alike.
pub struct Frame {
    packed: &'static [u8],
    /// The size of its contents, in bytes.
    length: usize,
    contents: OnceLock<Vec<u8>>,
}

impl Frame {
    /// `length` bytes, which `packed` holds.
    pub const fn new(packed: &'static [u8], length: usize) -> Self {
        Self {
            packed,
            length,
            contents: OnceLock::new(),
        }
    }

    /// Appends its contents, and returns their size in bytes.
    fn read(&self, all: &mut Vec<u8>) -> Result<usize, String> {
        let mut frame = StreamingDecoder::new(self.packed).map_err(|error| error.to_string())?;
        let read = frame.read_to_end(all).map_err(|error| error.to_string())?;
        // The decoder does not check this.
        let frame = &frame.decoder;
        match frame.get_checksum_from_data() == frame.get_calculated_checksum() {
            true => Ok(read),
            false => Err("its checksum is another".into()),
        }
    }

    /// What is in it, `length` bytes.
    ///
    /// # Panics
    /// If that cannot be unpacked, or is another length: the build script has unpacked it and compared every byte.
    fn contents(&'static self) -> &'static [u8] {
        self.contents.get_or_init(|| {
            let mut all = Vec::with_capacity(self.length);
            let read = self.read(&mut all);
            assert_eq!(
                read,
                Ok(self.length),
                "the payload in this brawn is damaged"
            );
            all
        })
    }
}
