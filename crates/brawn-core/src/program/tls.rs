//! Thread-locals: places the payload's so that the program's keep theirs.
//!
//! musl places the only block of a static program by `PT_TLS` alone (`src/env/__init_tls.c`). On x86_64 the block is
//! below the thread pointer (variant II) and its end counts, so the payload's part comes before the program's. On
//! aarch64 it is above (variant I), and the payload's part comes after.

use super::linked::Sizes;
use crate::arch::Isa;
use crate::elf::program::Segment;
use crate::error::{Error, Result};
use object::elf;
use serde::Serialize;

/// Bytes above the thread pointer that are reserved by the ABI of aarch64 (musl: `GAP_ABOVE_TP`).
pub const GAP_ABOVE: u64 = 16;
/// The smallest alignment that musl gives to a thread's block, in bytes (`MIN_TLS_ALIGN`).
const LEAST_ALIGN: u64 = 8;
/// No real program has a larger alignment, and it would make holes.
const MOST_ALIGN: u64 = 1 << 24;

/// The block with the payload's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    /// Bytes before the program's own: the payload's on x86_64, 0 on aarch64.
    pub before: u64,
    /// The bytes of the image that are in the file: `before` and the program's own; 0 without initial values.
    pub file_size: u64,
    /// All bytes of the block.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// The image's address modulo `align` must be this.
    pub congruence: u64,
    /// Whether the image must move: the payload's part comes before it, or there was no image.
    pub moves: bool,
    /// The payload's first byte, relative to the thread pointer, in bytes.
    pub payload: i64,
    /// The size of the payload's part in bytes.
    pub payload_size: u64,
}

/// Where musl puts the block's first byte, relative to the thread pointer, in bytes.
///
/// The block is that of a `PT_TLS` at `address` with `size` bytes in memory; `align` is a power of two.
pub fn offset(architecture: Isa, address: u64, size: u64, align: u64) -> i64 {
    let mask = align.max(1) - 1;
    match architecture {
        Isa::X86_64 => {
            let below = size + (size.wrapping_add(address).wrapping_neg() & mask);
            -(below as i64)
        }
        Isa::Aarch64 => (GAP_ABOVE + (address.wrapping_sub(GAP_ABOVE) & mask)) as i64,
    }
}

/// The block of a program with the segment `old`, including the payload's part; `None` if the payload has none.
///
/// Errors: refused if no place satisfies both alignments, or if an alignment is too large for a real program.
pub fn block(architecture: Isa, old: Option<&Segment>, sizes: &Sizes) -> Result<Option<Block>> {
    if sizes.tls == 0 {
        return Ok(None);
    }
    let wanted = sizes.tls_align.max(1);
    let align = old.map_or(1, |s| s.align.max(1));
    if align > MOST_ALIGN || wanted > MOST_ALIGN {
        let found = format!("thread-locals aligned to {:#x}", align.max(wanted));
        return Err(Error::refused(found).expected(format!("at most {MOST_ALIGN:#x}")));
    }
    let (address, file_size, size) = old.map_or((0, 0, 0), |s| (s.address, s.file_size, s.size));
    Ok(Some(match architecture {
        Isa::X86_64 => {
            let below = match old {
                Some(_) => offset(architecture, address, size, align).unsigned_abs(),
                None => 0,
            };
            let both = align.max(wanted);
            // The payload's part begins at a multiple of its alignment below the thread pointer.
            let whole = (below + sizes.tls).next_multiple_of(wanted);
            let before = whole - below;
            Block {
                before,
                file_size: if file_size == 0 {
                    0
                } else {
                    before + file_size
                },
                size: before + size,
                align: both,
                congruence: whole.wrapping_neg() & (both - 1),
                moves: true,
                payload: -(whole as i64),
                payload_size: sizes.tls,
            }
        }
        Isa::Aarch64 => {
            let align = align.max(LEAST_ALIGN);
            let old_align = old.map_or(align.max(wanted), |s| s.align.max(1));
            // Each thread's pointer has the alignment of the block.
            if wanted > old_align.max(LEAST_ALIGN) {
                let found = format!("thread-locals of the payload aligned to {wanted}");
                return Err(Error::refused(found)
                    .expected(format!("at most {old_align}, as the program's are")));
            }
            let start = match old {
                Some(_) => offset(architecture, address, size, old_align) as u64,
                None => GAP_ABOVE.next_multiple_of(old_align),
            };
            let at = (start + size).next_multiple_of(wanted.max(LEAST_ALIGN));
            Block {
                before: 0,
                file_size,
                size: at - start + sizes.tls,
                align: old_align,
                congruence: if old.is_some() { address } else { 0 } & (old_align - 1),
                moves: old.is_none(),
                payload: at as i64,
                payload_size: sizes.tls,
            }
        }
    }))
}

/// The changed `PT_TLS` of a block with the payload's part. Its image is at `address`, and at `offset` of the file.
pub fn segment(block: &Block, offset: u64, address: u64) -> Segment {
    Segment {
        kind: elf::PT_TLS.0,
        flags: elf::PF_R.0,
        offset,
        address,
        file_size: block.file_size,
        size: block.size,
        align: block.align,
    }
}

#[cfg(test)]
mod tests;
