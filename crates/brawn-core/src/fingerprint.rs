//! What a file is: its size and its hash.

use crate::content::Content;
use crate::input;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::io::{self, Read};
use std::path::Path;

/// A file's identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// In bytes.
    pub size: u64,
    /// In hexadecimal digits.
    pub sha256: String,
}

/// Computes the fingerprint of a file from its bytes, which come in order and in parts.
#[derive(Clone, Debug, Default)]
pub struct Hashed {
    hash: Sha256,
    size: u64,
}

impl Hashed {
    /// Takes the next part.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
    }

    /// The fingerprint of all parts together.
    pub fn finish(self) -> Fingerprint {
        Fingerprint {
            size: self.size,
            sha256: hexadecimal(self.hash.finalize().as_ref()),
        }
    }
}

/// Bytes as hexadecimal digits.
pub fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

impl Fingerprint {
    pub(crate) fn of(content: &Content<'_>) -> Self {
        Self {
            size: content.size(),
            sha256: hexadecimal(content.sha256().as_ref()),
        }
    }

    /// The fingerprint of the file at `path`, of any size.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        Self::of_open(&mut input::open(path)?)
    }

    /// The fingerprint of the rest of an open file, from its current position.
    pub(crate) fn of_open(file: &mut impl Read) -> io::Result<Self> {
        let mut hashed = Hashed::default();
        let mut buffer = vec![0; 1 << 17];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(hashed.finish()),
                Ok(read) => hashed.update(&buffer[..read]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}
