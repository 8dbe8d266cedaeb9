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
    /// Compressed by xz.
    Xz,
    /// Compressed by zstd.
    Zstd,
    /// Compressed by bzip2.
    Bzip2,
    /// A Debian package: an `ar` archive with two tar archives in it. Its first 24 bytes are needed to tell.
    Debian,
    /// A tar archive, as container images are. Its first 262 bytes are needed to tell.
    Tar,
    /// Something else.
    Other,
}

impl Format {
    /// The format that `bytes` begin with.
    pub fn of(bytes: &[u8]) -> Self {
        match bytes {
            _ if bytes.starts_with(b"!<arch>\ndebian-binary") => Self::Debian,
            [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] => Self::Archive,
            [b'!', b'<', b't', b'h', b'i', b'n', b'>', b'\n', ..] => Self::ThinArchive,
            [0x7f, b'E', b'L', b'F', ..] => Self::Elf,
            [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Self::Bitcode,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Self::Zip,
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            // Both kinds of frames; the second has no contents, and stands before the first in some files.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            // The magic number of its first block, or that of an end without blocks.
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..]
                if rest.starts_with(b"\x31\x41\x59\x26\x53\x59")
                    || rest.starts_with(b"\x17\x72\x45\x38\x50\x90") =>
            {
                Self::Bzip2
            }
            _ if bytes.get(257..262) == Some(b"ustar") || is_old_tar(bytes) => Self::Tar,
            _ => Self::Other,
        }
    }

    /// Whether there may be files of other formats in it that brawn can read.
    pub const fn is_package(self) -> bool {
        match self {
            Self::Zip
            | Self::Gzip
            | Self::Xz
            | Self::Zstd
            | Self::Bzip2
            | Self::Debian
            | Self::Tar => true,
            Self::Archive | Self::ThinArchive | Self::Elf | Self::Bitcode | Self::Other => false,
        }
    }

    /// The name of the format of `bytes`, if it is one that may contain programs and that brawn does not open.
    pub fn closed(bytes: &[u8]) -> Option<&'static str> {
        const STARTS: [(&[u8], &str); 13] = [
            (b"7z\xbc\xaf\x27\x1c", "7z archive"),
            (b"\xed\xab\xee\xdb", "RPM package"),
            (b"Rar!\x1a\x07", "RAR archive"),
            (b"\x04\x22\x4d\x18", "file compressed by lz4"),
            (b"LZIP\x01", "file compressed by lzip"),
            (b"\x89LZO\0\r\n", "file compressed by lzop"),
            (b"\x1f\x9d", "file compressed by compress"),
            (b"070701", "cpio archive"),
            (b"070702", "cpio archive"),
            (b"070707", "cpio archive"),
            (b"hsqs", "squashfs image"),
            (b"xar!\0", "xar archive"),
            (b"MSCF\0\0\0\0", "cabinet"),
        ];
        if Self::of(bytes) != Self::Other {
            return None;
        }
        let mut starts = STARTS.iter();
        let known = starts.find(|(start, _)| bytes.starts_with(start));
        // The older form of xz has no magic: properties, a window of a power of two or one and a half, and a size, which
        // is unknown or below 2^40.
        let is_lzma = matches!(bytes, [0x5d, 0, 0, window, more, size @ ..]
            if matches!((window, more), (0 | 1 | 2 | 4 | 8 | 0x10 | 0x20 | 0x40 | 0x80, 0..=4))
                && (size.starts_with(&[0xff; 8]) || size.get(5..8) == Some(&[0; 3])));
        let lzma = is_lzma.then_some("file compressed by lzma");
        known.map(|(_, name)| *name).or(lzma)
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

/// Whether `bytes` begin with a header of tar without the word that later ones have: its sum is right.
fn is_old_tar(bytes: &[u8]) -> bool {
    let Some((header, _)) = bytes.split_first_chunk::<512>() else {
        return false;
    };
    let digits = header[148..156].trim_ascii_start();
    let end = digits.iter().position(|b| !matches!(b, b'0'..=b'7'));
    let digits = std::str::from_utf8(&digits[..end.unwrap_or(digits.len())]).unwrap_or_default();
    let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
    let own: u32 = header[148..156].iter().map(|b| u32::from(*b)).sum();
    // The sum is made as if its own field had spaces.
    header[0] != 0 && u32::from_str_radix(digits, 8) == Ok(sum - own + 8 * u32::from(b' '))
}

#[cfg(test)]
mod tests;
