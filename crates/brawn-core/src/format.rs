//! What a file is, by its first bytes.

/// What a file is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An `ar` archive that holds its members.
    Archive,
    /// An `ar` archive that only names files elsewhere.
    ThinArchive,
    /// An ELF file of any class and type.
    Elf,
    /// LLVM bitcode, plain or in its wrapper.
    Bitcode,
    /// A zip archive, as wheels are.
    Zip,
    /// Compressed by gzip, as npm's tarballs are.
    Gzip,
    /// A tar archive, as container images are. Its first 262 bytes are needed to tell.
    Tar,
    /// Something else.
    Other,
}

impl Format {
    /// The format that `bytes` begin with.
    pub fn of(bytes: &[u8]) -> Self {
        match bytes {
            [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] => Self::Archive,
            [b'!', b'<', b't', b'h', b'i', b'n', b'>', b'\n', ..] => Self::ThinArchive,
            [0x7f, b'E', b'L', b'F', ..] => Self::Elf,
            [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Self::Bitcode,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Self::Zip,
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            _ if bytes.get(257..262) == Some(b"ustar") => Self::Tar,
            _ => Self::Other,
        }
    }
    /// The name of the compression or packing of `bytes`, if it is one that brawn does not unpack when it changes
    /// files.
    pub fn packed(bytes: &[u8]) -> Option<&'static str> {
        match bytes {
            [b'P', b'K', 3, 4, ..] => Some("zip"),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some("xz"),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("zstd"),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some("bzip2"),
            _ => None,
        }
    }
}
