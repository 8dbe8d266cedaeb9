//! Branches from the program to the payload.

use crate::arch::Isa;
use crate::error::{Error, Result};

/// How far `b` and `bl` of aarch64 reach, in bytes.
const NEAR: i64 = 1 << 27;

/// A jump at address `at` to `target`, in at most `room` bytes.
///
/// Errors: refused if it does not fit or does not reach its target.
pub fn jump(architecture: Isa, at: u64, target: u64, room: u64) -> Result<Vec<u8>> {
    let bytes = match architecture {
        Isa::X86_64 => relative(0xe9, at, target)?,
        Isa::Aarch64 => match near(0x1400_0000, at, target) {
            Some(bytes) => bytes,
            None => far(at, target)?,
        },
    };
    if bytes.len() as u64 > room {
        let found = format!("a function at {at:#x} of {room} bytes");
        return Err(Error::refused(found).expected(format!("{} for a jump", bytes.len())));
    }
    Ok(bytes)
}

/// Changes the target of a call or jump to `target`. It is at address `at`, where the code begins with `old`. The
/// result has 5 bytes on x86_64, 4 on aarch64.
///
/// Errors: refused if it does not reach `target`, or if `old` is neither a call nor a jump.
pub fn redirect(architecture: Isa, old: &[u8], at: u64, target: u64) -> Result<Vec<u8>> {
    match (architecture, old) {
        (Isa::X86_64, [operation @ (0xe8 | 0xe9), ..]) => relative(*operation, at, target),
        // The highest bit distinguishes `bl` from `b`; the five bits below it are the opcode.
        (Isa::Aarch64, [.., highest @ (0x94..=0x97 | 0x14..=0x17)]) => {
            let operation = u32::from(highest & 0xfc) << 24;
            near(operation, at, target).ok_or_else(|| unreachable(at, target))
        }
        _ => Err(
            Error::refused(format!("code {old:02x?} at address {at:#x}"))
                .expected("a call or jump to a fixed place"),
        ),
    }
}

fn unreachable(at: u64, target: u64) -> Error {
    Error::refused(format!("{target:#x} is too far from {at:#x} for a branch"))
        .expected("a smaller program")
}

fn distance(at: u64, target: u64) -> i64 {
    target.wrapping_sub(at) as i64
}

fn relative(operation: u8, at: u64, target: u64) -> Result<Vec<u8>> {
    let operand = i32::try_from(distance(at, target).wrapping_sub(5));
    let operand = operand.map_err(|_| unreachable(at, target))?;
    Ok([&[operation], &operand.to_le_bytes()[..]].concat())
}

fn near(operation: u32, at: u64, target: u64) -> Option<Vec<u8>> {
    let distance = distance(at, target);
    ((-NEAR..NEAR).contains(&distance) && distance % 4 == 0).then(|| {
        let operand = (distance >> 2) as u32 & 0x03ff_ffff;
        (operation | operand).to_le_bytes().to_vec()
    })
}

/// `adrp x16, page; add x16, x16, offset; br x16`. The ABI reserves x16 for such stubs.
fn far(at: u64, target: u64) -> Result<Vec<u8>> {
    let pages = distance(at >> 12, target >> 12);
    if !(-(1 << 20)..1 << 20).contains(&pages) {
        return Err(unreachable(at, target));
    }
    let pages = pages as u32;
    let adrp = 0x9000_0010 | (pages & 3) << 29 | (pages >> 2 & 0x7_ffff) << 5;
    let add = 0x9100_0210 | (target as u32 & 0xfff) << 10;
    Ok([adrp, add, 0xd61f_0200]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect())
}

#[cfg(test)]
mod tests;
