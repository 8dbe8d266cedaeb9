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
mod tests {
    /// `bl` to the second instruction after it.
    const BL: [u8; 4] = [2, 0, 0, 0x94];

    use super::*;
    use Isa::{Aarch64, X86_64};

    #[test]
    fn branches_of_x86_64() {
        let bytes = jump(X86_64, 0x401000, 0x402000, 5).unwrap();
        assert_eq!(bytes, [0xe9, 0xfb, 0x0f, 0, 0]);
        let bytes = redirect(X86_64, &[0xe8], 0x402000, 0x401000).unwrap();
        assert_eq!(bytes, [0xe8, 0xfb, 0xef, 0xff, 0xff]);
        assert!(jump(X86_64, 0x401000, 0x402000, 4).is_err());
        assert!(jump(X86_64, 0, 1 << 40, 16).is_err());
    }

    // The output of `aarch64-linux-gnu-as` for the same instructions.
    #[test]
    fn branches_of_aarch64() {
        let words = |bytes: Vec<u8>| -> Vec<u32> {
            bytes
                .as_chunks::<4>()
                .0
                .iter()
                .map(|b| u32::from_le_bytes(*b))
                .collect()
        };
        assert_eq!(
            words(jump(Aarch64, 0x1000, 0x2000, 4).unwrap()),
            [0x1400_0400]
        );
        assert_eq!(
            words(redirect(Aarch64, &BL, 0x2000, 0x1000).unwrap()),
            [0x97ff_fc00]
        );
        let far = words(jump(Aarch64, 0x1000, 0x1234_5678, 12).unwrap());
        assert_eq!(far, [0x9009_1a30, 0x9119_e210, 0xd61f_0200]);
        let far = words(jump(Aarch64, 0x1234_5678, 0x1000, 12).unwrap());
        assert_eq!(far, [0x90f6_e5f0, 0x9100_0210, 0xd61f_0200]);
        assert!(jump(Aarch64, 0x1000, 0x1234_5678, 8).is_err());
        assert!(redirect(Aarch64, &BL, 0x1000, 0x1234_5678).is_err());
        assert!(redirect(Aarch64, &[0xc0, 0x03, 0x5f, 0xd6], 0x2000, 0x1000).is_err());
    }
}
