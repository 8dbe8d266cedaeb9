//! Finds the addresses that x86_64 code refers to, instruction by instruction.

use super::reference::Reference;
use super::scan::Wanted;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use std::ops::Range;

/// `endbr64`: in programs with control-flow enforcement, indirect calls must land on it.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
/// Size of `jmp rel32`, in bytes.
pub const JUMP: u64 = 5;
/// A jump that goes farther ahead than this, in bytes, leads to another function.
const FAR: u64 = 1024;
/// If no instruction before a place is known, this many streams are decoded, each beginning one byte after the other.
const STREAMS: u64 = 24;
/// How far before the place they begin. Decoding that begins inside an instruction finds the right boundaries after a
/// few.
pub const RUN_UP: u64 = 60;

/// The address after a landing pad at `address`.
pub fn behind_landing(code: &[u8], address: u64) -> u64 {
    address + 4 * u64::from(code.starts_with(&ENDBR64))
}

fn reference(instruction: &Instruction) -> Option<Reference> {
    let of = |target, is_branch| Reference {
        is_branch,
        is_last: instruction.mnemonic() == Mnemonic::Jmp,
        ..Reference::plain(instruction.ip(), target)
    };
    if instruction.op0_kind() == OpKind::NearBranch64 {
        return Some(of(instruction.near_branch64(), true));
    }
    if instruction.is_ip_rel_memory_operand() {
        return Some(of(instruction.ip_rel_memory_address(), false));
    }
    None
}

/// The absolute addresses in an instruction, as in programs at fixed addresses.
fn absolute(decoder: &Decoder<'_>, instruction: &Instruction) -> [Option<(usize, u64)>; 2] {
    let offsets = decoder.get_constant_offsets(instruction);
    let displacement =
        (offsets.displacement_size() >= 4 && !instruction.is_ip_rel_memory_operand()).then(|| {
            (
                offsets.displacement_offset(),
                instruction.memory_displacement64(),
            )
        });
    let immediate = (offsets.immediate_size() >= 4
        && instruction.op0_kind() != OpKind::NearBranch64)
        .then(|| {
            let number =
                (0..instruction.op_count()).find(|n| is_immediate(instruction.op_kind(*n)));
            number.map(|n| (offsets.immediate_offset(), instruction.immediate(n)))
        })
        .flatten();
    [displacement, immediate]
}

fn is_immediate(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Immediate32 | OpKind::Immediate64 | OpKind::Immediate32to64
    )
}

/// Whether the bytes before `at` allow an operand there that is a distance to a place in `wanted`: a call, a jump, or
/// a memory operand relative to the instruction, after which an immediate operand may follow.
pub fn may_refer(code: &[u8], address: u64, at: usize, wanted: &Wanted) -> bool {
    let before = |n: usize| at.checked_sub(n).map_or(0, |n| code[n]);
    let distance = code[at..]
        .first_chunk()
        .map_or(0, |b| i32::from_le_bytes(*b));
    let target = (address + at as u64 + 4).wrapping_add_signed(distance.into());
    match before(1) {
        0xe8 | 0xe9 => wanted.contains(target),
        0x80..=0x8f if before(2) == 0x0f => wanted.contains(target),
        modrm if modrm & 0xc7 == 5 => [0, 1, 2, 4]
            .iter()
            .any(|n| wanted.contains(target.wrapping_add(*n))),
        _ => false,
    }
}

/// The short jumps in `code` to a place in `to`, by the places of their operands.
pub fn short_jumps(code: &[u8], address: u64, to: &Range<u64>) -> Vec<u64> {
    let mut found = Vec::new();
    for (n, pair) in code.windows(2).enumerate() {
        let next = address + n as u64 + 2;
        let target = next.wrapping_add_signed(i64::from(pair[1] as i8));
        if matches!(pair[0], 0xeb | 0x70..=0x7f | 0xe0..=0xe3) && to.contains(&target) {
            found.push(next - 1);
        }
    }
    found
}

/// The value of `rdx` after `code`, which ends with an instruction: all bits of all numbers that the code puts there,
/// since some path may skip the last of them. `None` if it is not a number.
///
/// Where instructions begin may be unknown. Then `code` is decoded in several ways: decoding from a wrong place finds the
/// right boundaries after a few instructions. Each way that ends with `code` counts, with all its bits: so the bits of the right way are
/// among them, and a wrong one can only add some.
pub fn third_argument(code: &[u8], address: u64) -> Option<u64> {
    let streams = (STREAMS as usize).min(code.len().saturating_sub(RUN_UP as usize) + 1);
    let told = (0..streams).filter_map(|n| stream(&code[n..], address + n as u64));
    let told: Vec<Option<u64>> = told.collect();
    let all = told.iter().copied().collect::<Option<Vec<u64>>>()?;
    all.into_iter().reduce(|one, other| one | other)
}

/// The same for one way to decode `code`; the outer `None` if decoding does not end exactly at its end.
fn stream(code: &[u8], address: u64) -> Option<Option<u64>> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let (mut value, mut pushed, mut all) = (None, None, 0);
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() {
            return None;
        }
        let before = pushed.take();
        let number =
            (0..instruction.op_count()).find(|n| is_any_immediate(instruction.op_kind(*n)));
        let number = number.map(|n| instruction.immediate(n));
        let of_rdx = |all: &[Register]| {
            instruction.op0_kind() == OpKind::Register && all.contains(&instruction.op0_register())
        };
        let is_rdx = of_rdx(&[Register::EDX, Register::RDX]);
        let is_part = of_rdx(&[Register::DL, Register::DH, Register::DX]);
        match instruction.mnemonic() {
            Mnemonic::Mov if is_rdx && number.is_some() => value = number,
            Mnemonic::Xor if is_rdx && instruction.op1_register() == instruction.op0_register() => {
                value = Some(0);
            }
            Mnemonic::Push => pushed = number,
            Mnemonic::Pop if is_rdx => value = before,
            Mnemonic::Call => value = None,
            mnemonic
                if (is_rdx || is_part) && !is_comparison(mnemonic) || changes_rdx(mnemonic) =>
            {
                value = None
            }
            _ => {}
        }
        all |= value.unwrap_or_default();
    }
    Some(value.map(|_| all))
}

/// Whether an instruction has an operand at the thread pointer.
pub fn reads_thread(code: &[u8]) -> bool {
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    decoder
        .iter()
        .any(|instruction| instruction.segment_prefix() == Register::FS)
}

fn is_comparison(mnemonic: Mnemonic) -> bool {
    matches!(mnemonic, Mnemonic::Cmp | Mnemonic::Test)
}

/// Instructions that change rdx without naming it, or any register as their second operand.
fn changes_rdx(mnemonic: Mnemonic) -> bool {
    use Mnemonic::{Cdq, Cpuid, Cqo, Div, Idiv, Imul, Mul, Rdtsc, Rdtscp, Xadd, Xchg, Xgetbv};
    matches!(
        mnemonic,
        Cdq | Cpuid | Cqo | Div | Idiv | Imul | Mul | Rdtsc | Rdtscp | Xadd | Xchg | Xgetbv
    )
}

fn is_any_immediate(kind: OpKind) -> bool {
    is_immediate(kind)
        || matches!(
            kind,
            OpKind::Immediate8 | OpKind::Immediate8to32 | OpKind::Immediate8to64
        )
}

/// Whether `code` contains `syscall`.
pub fn calls_kernel(code: &[u8]) -> bool {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    decoder.iter().any(|i| i.mnemonic() == Mnemonic::Syscall)
}

/// Where the function at the start of `code` ends: after the first instruction that does not go on to the next one
/// and over which no earlier jump leads.
pub fn end(code: &[u8]) -> u64 {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let mut farthest = 0;
    for instruction in &mut decoder {
        let mnemonic = instruction.mnemonic();
        let jump = reference(&instruction).filter(|r| r.is_branch && mnemonic != Mnemonic::Call);
        if let Some(to) = jump.map(|r| r.target).filter(|to| *to < code.len() as u64) {
            let is_other = mnemonic == Mnemonic::Jmp && to > instruction.ip() + FAR;
            farthest = farthest.max(if is_other { 0 } else { to });
        }
        let is_last = matches!(
            mnemonic,
            Mnemonic::Jmp | Mnemonic::Ret | Mnemonic::Ud2 | Mnemonic::Hlt
        );
        if is_last && instruction.ip() >= farthest {
            return instruction.next_ip();
        }
    }
    code.len() as u64
}

/// All addresses relative to themselves that the instructions of the code at `address` refer to.
pub fn references(code: &[u8], address: u64) -> Vec<Reference> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    decoder.iter().filter_map(|i| reference(&i)).collect()
}

/// How many bytes of padding `code` begins with: instructions with which linkers and assemblers fill gaps.
pub fn padding(code: &[u8]) -> u64 {
    let mut at = 0;
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let mut decoder = Decoder::with_ip(64, rest, 0, DecoderOptions::NONE);
        let instruction = decoder.decode();
        at += match rest[0] {
            0 | 0xcc => 1,
            _ if instruction.mnemonic() == Mnemonic::Nop => instruction.len(),
            _ => break,
        };
    }
    at as u64
}

/// Whether `code` is a jump to its end, with nothing in between that does anything.
pub fn skips_padding(code: &[u8]) -> bool {
    const JUMP: usize = 5;
    let Some((jump, rest)) = code.split_at_checked(JUMP) else {
        return false;
    };
    let distance = u32::try_from(rest.len()).unwrap_or(u32::MAX);
    jump[0] == 0xe9 && jump[1..] == distance.to_le_bytes() && padding(rest) == rest.len() as u64
}

/// The reference of the instruction whose operand begins at `place`, in the code at `address`; `None` if there is
/// none.
///
/// `from` is where an instruction is known to begin, and becomes the last such place before `place`. If none is known, or
/// if there is data in between, the bytes before are decoded in several ways: most of them must agree, or a fourth if they
/// find a reference. A wrong reference only makes brawn refuse.
pub fn operand(code: &[u8], address: u64, place: u64, from: Option<&mut u64>) -> Option<Reference> {
    let sure = from.and_then(|from| {
        let rest = code.get((*from - address) as usize..)?;
        walk(rest, from, place)
    });
    if let Some(sure) = sure {
        return sure;
    }
    let first = place.saturating_sub(RUN_UP).max(address);
    let mut ways = 0;
    let mut found: Vec<Reference> = Vec::new();
    for start in first..(first + STREAMS).min(place) {
        let mut from = start;
        if let Some(way) = walk(&code[(start - address) as usize..], &mut from, place) {
            ways += 1;
            found.extend(way);
        }
    }
    let most = |r: &&Reference| found.iter().filter(|f| f == r).count();
    let best = found.iter().max_by_key(most)?;
    (4 * most(&best) >= ways).then_some(*best)
}

/// Decodes from `from`, where `code` begins, to the instruction at `place`, which `from` becomes. `None` if the bytes are
/// not instructions; `Some(None)` if no operand begins at `place`.
fn walk(code: &[u8], from: &mut u64, place: u64) -> Option<Option<Reference>> {
    let mut decoder = Decoder::with_ip(64, code, *from, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        *from = instruction.ip();
        if instruction.is_invalid() {
            return None;
        }
        if instruction.next_ip() <= place {
            continue;
        }
        let within = place.checked_sub(instruction.ip())? as usize;
        let offsets = decoder.get_constant_offsets(&instruction);
        let is_operand = (offsets.has_displacement() && offsets.displacement_offset() == within)
            || (offsets.has_immediate() && offsets.immediate_offset() == within);
        if !is_operand {
            return Some(None);
        }
        if let Some(reference) = reference(&instruction) {
            // The instruction's other operand may be the one at `place`.
            let is_it = if reference.is_branch {
                offsets.immediate_offset() == within
            } else {
                offsets.displacement_offset() == within
            };
            if is_it {
                return Some(Some(reference));
            }
        }
        let named = absolute(&decoder, &instruction).into_iter().flatten();
        let target = named.into_iter().find(|(offset, _)| *offset == within);
        return Some(target.map(|(_, target)| Reference {
            is_absolute: true,
            ..Reference::plain(instruction.ip(), target)
        }));
    }
    None
}

#[cfg(test)]
mod tests;
