//! What an instruction does to general registers and memory, as far as brawn needs it to follow a value. Encodings
//! are from the Arm Architecture Reference Manual (DDI 0487), chapter C4.

use super::super::reference::Reference;

/// The register number that means the stack pointer or zero, depending on the instruction.
pub const SP: u32 = 31;
/// Function arguments, of AAPCS64: `x0` to `x7`.
pub const ARGUMENTS: u32 = 0xff;
/// Registers that a call need not preserve: `x0` to `x18`, and `x30`.
pub const LOST_BY_CALLS: u32 = 0x4007_ffff;

/// The bit of a register; 0 for zero and the stack pointer.
pub fn bit(register: u32) -> u32 {
    (1 << (register & 31)) & !(1 << SP)
}

/// A load or store whose address is a register and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The register with the address.
    pub base: u32,
    /// The number that is added for the address, in bytes.
    pub offset: i64,
    /// The number that is added to the register itself, in bytes.
    pub step: i64,
    /// The general registers that are loaded or stored; none for vectors.
    pub moved: [Option<u32>; 2],
    /// How many registers of any kind are loaded or stored, and the size of each in bytes.
    pub count: usize,
    pub size: i64,
    pub is_load: bool,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Adds a number to a 64-bit register. [`SP`] means the stack pointer, except as `to` of an instruction that sets
    /// flags.
    Add {
        to: u32,
        from: u32,
        by: i64,
    },
    /// Copies one of these 64-bit registers.
    Copy {
        to: u32,
        from: [u32; 2],
    },
    Access(Access),
    /// A call, to the target in the instruction or in the register `by`.
    Call {
        by: Option<u32>,
    },
    /// A jump to the address in a register.
    Jump {
        by: u32,
    },
    /// `ret` and similar ones.
    Return,
    /// Nothing runs after it: `brk`, and words that no processor runs.
    Stop,
    /// Anything else: bits of the registers that it reads and writes.
    Other {
        reads: u32,
        writes: u32,
    },
    /// Unknown here.
    Unknown,
}

/// The field of `width` bits at bit `low`, as a signed number.
pub fn signed(word: u32, low: u32, width: u32) -> i64 {
    let shifted = word << (32 - low - width);
    i64::from(shifted as i32 >> (32 - width))
}

/// Decodes an instruction.
pub fn op(word: u32) -> Op {
    match word >> 25 & 0xf {
        0 if word >> 16 == 0 => Op::Stop,
        1 | 3 => Op::Stop,
        8 | 9 => with_number(word),
        10 | 11 => branch_or_system(word),
        4 | 6 | 12 | 14 => memory(word),
        5 | 13 => with_registers(word),
        7 | 15 => vector(word),
        _ => Op::Unknown,
    }
}

fn fields(word: u32) -> (u32, u32, u32, u32) {
    (word & 31, word >> 5 & 31, word >> 10 & 31, word >> 16 & 31)
}

fn other(reads: u32, writes: u32) -> Op {
    Op::Other { reads, writes }
}

fn with_number(word: u32) -> Op {
    let (d, n, _, m) = fields(word);
    let is_64 = word >> 31 == 1;
    match word >> 23 & 7 {
        // adr, adrp
        0 | 1 => other(0, bit(d)),
        // add, sub; in those that set flags, 31 as destination means zero
        2 => {
            let by = i64::from(word >> 10 & 0xfff) << (12 * (word >> 22 & 1));
            let by = if word >> 30 & 1 == 1 { -by } else { by };
            let sets_flags = word >> 29 & 1 == 1;
            match is_64 && !(sets_flags && d == SP) {
                true => Op::Add { to: d, from: n, by },
                false => other(bit(n), bit(d)),
            }
        }
        // movk changes a part: the highest bits are for tags of pointers and do not belong to an address
        5 if word >> 29 & 3 == 3 && word >> 21 & 3 == 3 => other(0, 0),
        5 if word >> 29 & 3 == 3 => other(bit(d), bit(d)),
        // movn, movz
        5 => other(0, bit(d)),
        // bfm keeps a part
        6 if word >> 29 & 3 == 1 => other(bit(d) | bit(n), bit(d)),
        7 => other(bit(n) | bit(m), bit(d)),
        // Tags, logic, bit fields
        _ => other(bit(n), bit(d)),
    }
}

fn branch_or_system(word: u32) -> Op {
    let (t, n, ..) = fields(word);
    match word >> 24 {
        0x94..=0x97 => Op::Call { by: None },
        // cbz, cbnz, tbz, tbnz
        0x34..=0x37 | 0xb4..=0xb7 => other(bit(t), 0),
        0xd6 | 0xd7 => match word >> 21 & 7 {
            0 => Op::Jump { by: n },
            1 => Op::Call { by: Some(n) },
            2 | 4 => Op::Return,
            _ => Op::Unknown,
        },
        // svc has its number in x8 and returns in x0; brk, hlt and udf stop.
        0xd4 => match word & 0xffe0_001f {
            0xd400_0001 => other(0x1ff, 1),
            0xd420_0000 | 0xd440_0000 => Op::Stop,
            _ => Op::Unknown,
        },
        // mrs and sysl write, msr and sys read
        0xd5 if word >> 21 & 1 == 1 => other(0, bit(t)),
        0xd5 => other(bit(t), 0),
        _ => other(0, 0),
    }
}

// Long because it is a table: an arm for each class of loads and stores (Arm ARM, C4.1.94).
fn memory(word: u32) -> Op {
    let (t, n, _, m) = fields(word);
    let is_vector = word >> 26 & 1 == 1;
    let size = 1i64 << (word >> 30);
    // The size of a vector has a third bit.
    let size_of_one = match is_vector && word >> 23 & 1 == 1 {
        true => 16,
        false => size,
    };
    let general = |register| (!is_vector).then_some(register);
    let simple = |offset, step| {
        Op::Access(Access {
            base: n,
            offset,
            step,
            moved: [general(t), None],
            count: 1,
            size: size_of_one,
            is_load: word >> 22 & 3 != 0 && !(is_vector && word >> 22 & 1 == 0),
        })
    };
    // prfm has a number in place of a register.
    let is_prefetch = word >> 30 == 3 && !is_vector && word >> 22 & 3 == 2;
    match word >> 27 & 7 {
        // Several vectors in a row; the register may be changed after them.
        1 if is_vector => match word >> 23 & 1 {
            0 => other(bit(n), 0),
            _ => other(bit(n) | bit(m), bit(n)),
        },
        1 if word >> 24 & 1 == 0 => exclusive(word),
        // Literals
        3 if word >> 24 & 1 == 0 && (is_vector || word >> 30 == 3) => other(0, 0),
        3 if word >> 24 & 1 == 0 => other(0, bit(t)),
        // stlur, ldapur and similar ones
        3 if word >> 21 & 1 == 0 && word >> 10 & 3 == 0 => simple(signed(word, 12, 9), 0),
        5 => pair(word),
        7 if is_prefetch => other(0, 0),
        7 if word >> 24 & 1 == 1 => simple(i64::from(word >> 10 & 0xfff) * size_of_one, 0),
        7 if word >> 21 & 1 == 0 => {
            let by = signed(word, 12, 9);
            match word >> 10 & 3 {
                1 => simple(0, by),
                3 => simple(by, by),
                _ => simple(by, 0),
            }
        }
        7 if word >> 10 & 3 == 2 => {
            let moved = if is_vector { 0 } else { bit(t) };
            match word >> 22 & 3 {
                0 => other(bit(n) | bit(m) | moved, 0),
                _ => other(bit(n) | bit(m), moved),
            }
        }
        // ldadd, swp, ldapr
        7 if word >> 10 & 3 == 0 && !is_vector => other(bit(n) | bit(m), bit(t)),
        _ => Op::Unknown,
    }
}

/// Loads and stores of two registers.
fn pair(word: u32) -> Op {
    let (t, n, t2, _) = fields(word);
    let is_vector = word >> 26 & 1 == 1;
    let general = |register| (!is_vector).then_some(register);
    let unit = match is_vector {
        true => 4 << (word >> 30),
        false if word >> 30 == 2 => 8,
        false => 4,
    };
    let by = signed(word, 15, 7) * unit;
    let (offset, step) = match word >> 23 & 3 {
        1 => (0, by),
        3 => (by, by),
        _ => (by, 0),
    };
    Op::Access(Access {
        base: n,
        offset,
        step,
        moved: [general(t), general(t2)],
        count: 2,
        size: unit,
        is_load: word >> 22 & 1 == 1,
    })
}

/// Exclusive and ordered loads and stores, and compare-and-swap.
fn exclusive(word: u32) -> Op {
    let (t, n, t2, s) = fields(word);
    let (o2, is_load, o1) = (word >> 23 & 1, word >> 22 & 1 == 1, word >> 21 & 1);
    let pair = if o1 == 1 { bit(t2) } else { 0 };
    let next = |r: u32| bit(r) | bit(r + 1);
    let (reads, writes) = match (o2, o1, is_load) {
        (1, 1, _) => (bit(s) | bit(t), bit(s)),
        // casp, which has no size of 32 or 64 bits
        (0, 1, _) if word >> 31 == 0 => (next(s) | next(t), next(s)),
        (_, _, true) => (0, bit(t) | pair),
        (1, _, false) => (bit(t), 0),
        (_, _, false) => (bit(t) | pair, bit(s)),
    };
    other(reads | bit(n), writes)
}

fn with_registers(word: u32) -> Op {
    let (d, n, a, m) = fields(word);
    let is_64 = word >> 31 == 1;
    match word >> 24 & 0x1f {
        // orr with zero and without a shift is a copy
        0x0a if word & 0xffe0_ffe0 == 0xaa00_03e0 => Op::Copy {
            to: d,
            from: [m, SP],
        },
        0x1a => match word >> 21 & 7 {
            // ccmp with a number or a register
            2 if word >> 11 & 1 == 1 => other(bit(n), 0),
            2 => other(bit(n) | bit(m), 0),
            // csel; similar ones change the second
            4 if is_64 && word & 0x4000_0c00 == 0 => Op::Copy {
                to: d,
                from: [n, m],
            },
            // rbit, clz and others of one register
            6 if word >> 30 & 1 == 1 => other(bit(n), bit(d)),
            _ => other(bit(n) | bit(m), bit(d)),
        },
        0x1b => other(bit(n) | bit(m) | bit(a), bit(d)),
        _ => other(bit(n) | bit(m), bit(d)),
    }
}

/// Of vector and floating-point instructions, only moves to and from general registers matter.
fn vector(word: u32) -> Op {
    let (d, n, ..) = fields(word);
    // fmov, scvtf, fcvtzs and similar ones, with and without a fixed point
    if word & 0x5f20_fc00 == 0x1e20_0000 || word & 0x5f20_0000 == 0x1e00_0000 {
        return match word >> 16 & 7 {
            2 | 3 | 7 => other(bit(n), 0),
            _ => other(0, bit(d)),
        };
    }
    // dup, ins, smov, umov
    if word & 0x9fe0_8400 == 0x0e00_0400 {
        return match word >> 11 & 0xf {
            1 | 3 => other(bit(n), 0),
            5 | 7 if word >> 29 & 1 == 0 => other(0, bit(d)),
            _ => other(0, 0),
        };
    }
    other(0, 0)
}

/// The reference that the instruction `word` at `at` makes on its own, to an address near it.
pub fn direct(word: u32, at: u64) -> Option<Reference> {
    let (distance, is_branch) = match word >> 24 {
        // b, bl
        0x14..=0x17 | 0x94..=0x97 => (signed(word, 0, 26) * 4, true),
        // b.cond; cbz, cbnz of 32 and 64 bits
        0x54 | 0x34 | 0x35 | 0xb4 | 0xb5 => (signed(word, 5, 19) * 4, true),
        // tbz, tbnz
        0x36 | 0x37 | 0xb6 | 0xb7 => (signed(word, 5, 14) * 4, true),
        // ldr of a literal
        0x18 | 0x58 | 0x98 | 0x1c | 0x5c | 0x9c => (signed(word, 5, 19) * 4, false),
        // adr
        0x10 | 0x30 | 0x50 | 0x70 => (signed(word, 5, 19) * 4 + i64::from(word >> 29 & 3), false),
        _ => return None,
    };
    Some(Reference {
        is_branch,
        is_last: matches!(word >> 24, 0x14..=0x17),
        ..Reference::plain(at, at.wrapping_add_signed(distance))
    })
}

/// The page of `adrp`, if `word` is one.
pub fn page(word: u32, at: u64) -> Option<u64> {
    let pages = signed(word, 5, 19) * 4 + i64::from(word >> 29 & 3);
    (word & 0x9f00_0000 == 0x9000_0000).then(|| (at & !0xfff).wrapping_add_signed(pages << 12))
}

/// The registers that an instruction writes. For a call, the registers that it may write.
pub fn written(word: u32) -> u32 {
    match op(word) {
        Op::Add { to, .. } | Op::Copy { to, .. } => bit(to),
        Op::Access(access) => {
            let moved = access.moved.iter().flatten().filter(|_| access.is_load);
            let base = if access.step == 0 {
                0
            } else {
                bit(access.base)
            };
            moved.fold(base, |all, r| all | bit(*r))
        }
        Op::Call { .. } => LOST_BY_CALLS,
        Op::Other { writes, .. } => writes,
        Op::Unknown => u32::MAX,
        Op::Jump { .. } | Op::Return | Op::Stop => 0,
    }
}
