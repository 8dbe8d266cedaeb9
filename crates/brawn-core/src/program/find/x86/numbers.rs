//! Finds the numbers that x86_64 code puts into registers before it calls something.

use super::{RUN_UP, STREAMS, is_immediate};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use memchr::memmem;
use std::collections::BTreeSet;
use std::ops::Range;

/// A register with an argument, by the names of its parts.
pub struct Argument {
    /// With 32 and 64 bits: writing the first sets the second.
    whole: [Register; 2],
    parts: &'static [Register],
    /// Whether string instructions change it.
    is_string: bool,
}

/// A function's first argument.
pub const FIRST: Argument = Argument {
    whole: [Register::EDI, Register::RDI],
    parts: &[Register::DIL, Register::DI],
    is_string: true,
};
/// Its third.
pub const THIRD: Argument = Argument {
    whole: [Register::EDX, Register::RDX],
    parts: &[Register::DL, Register::DH, Register::DX],
    is_string: false,
};

/// The numbers that `argument` may have after `code`, which ends with an instruction: all that the code puts there, since
/// some path may skip the last of them. `None` if the last is not a number, or depends on where decoding begins.
pub fn argument(code: &[u8], address: u64, argument: &Argument) -> Option<BTreeSet<u64>> {
    // Decoding from a wrong place finds the right boundaries after a few instructions; the first streams may fail to.
    let streams = (STREAMS as usize).min(code.len().saturating_sub(RUN_UP as usize) + 1);
    let mut told = (0..streams).filter_map(|n| stream(&code[n..], address + n as u64, argument));
    let (value, mut all) = told.next()?;
    for (other, numbers) in told {
        if other != value {
            return None;
        }
        all.extend(numbers);
    }
    value.map(|_| all)
}

/// The last number, if it is one, and all, for one way to decode `code`; `None` if decoding does not end exactly at its end.
fn stream(code: &[u8], address: u64, argument: &Argument) -> Option<(Option<u64>, BTreeSet<u64>)> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let (mut value, mut pushed, mut all) = (None, None, BTreeSet::new());
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() {
            return None;
        }
        let before = pushed.take();
        let number =
            (0..instruction.op_count()).find(|n| is_any_immediate(instruction.op_kind(*n)));
        let number = number.map(|n| instruction.immediate(n));
        let is_one_of = |all: &[Register]| {
            instruction.op0_kind() == OpKind::Register && all.contains(&instruction.op0_register())
        };
        let is_it = is_one_of(&argument.whole);
        let is_part = is_one_of(argument.parts);
        let is_string = argument.is_string && moves_rdi(instruction.mnemonic());
        match instruction.mnemonic() {
            Mnemonic::Mov if is_it && number.is_some() => value = number,
            Mnemonic::Xor if is_it && instruction.op1_register() == instruction.op0_register() => {
                value = Some(0);
            }
            Mnemonic::Push => pushed = number,
            Mnemonic::Pop if is_it => value = before,
            Mnemonic::Call => value = None,
            mnemonic
                if (is_it || is_part) && !is_comparison(mnemonic)
                    || changes_rdx(mnemonic)
                    || is_string =>
            {
                value = None
            }
            _ => {}
        }
        all.extend(value);
    }
    Some((value, all))
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

/// String instructions that move rdi.
fn moves_rdi(mnemonic: Mnemonic) -> bool {
    use Mnemonic::{
        Cmpsb, Cmpsd, Cmpsq, Cmpsw, Movsb, Movsd, Movsq, Movsw, Scasb, Scasd, Scasq, Scasw, Stosb,
        Stosd, Stosq, Stosw,
    };
    matches!(
        mnemonic,
        Cmpsb
            | Cmpsd
            | Cmpsq
            | Cmpsw
            | Movsb
            | Movsd
            | Movsq
            | Movsw
            | Scasb
            | Scasd
            | Scasq
            | Scasw
            | Stosb
            | Stosd
            | Stosq
            | Stosw
    )
}

fn is_any_immediate(kind: OpKind) -> bool {
    is_immediate(kind)
        || matches!(
            kind,
            OpKind::Immediate8 | OpKind::Immediate8to32 | OpKind::Immediate8to64
        )
}

/// The last number that `argument` got in `code`, which ends with an instruction, and the address behind the instruction that
/// put it there, if nothing but what goes on to the next instruction follows. `None` if there is none, or if that depends on
/// where decoding begins.
pub fn straight_argument(code: &[u8], address: u64, argument: &Argument) -> Option<(u64, u64)> {
    let streams = (STREAMS as usize).min(code.len().saturating_sub(RUN_UP as usize) + 1);
    let mut told = (0..streams).filter_map(|n| straight(&code[n..], address + n as u64, argument));
    let first = told.next()?;
    told.all(|other| other == first).then_some(first).flatten()
}

/// The same for one way to decode `code`; the outer `None` if decoding does not end exactly at its end.
fn straight(code: &[u8], address: u64, argument: &Argument) -> Option<Option<(u64, u64)>> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut last = None;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() {
            return None;
        }
        let is_of = |all: &[Register]| {
            instruction.op0_kind() == OpKind::Register && all.contains(&instruction.op0_register())
        };
        let is_it = is_of(&argument.whole);
        let mnemonic = instruction.mnemonic();
        if mnemonic == Mnemonic::Mov && is_it && is_any_immediate(instruction.op_kind(1)) {
            last = Some((instruction.immediate(1), instruction.next_ip()));
        } else if is_branch(&instruction)
            || (is_it || is_of(argument.parts)) && !is_comparison(mnemonic)
            || changes_rdx(mnemonic)
            || argument.is_string && moves_rdi(mnemonic)
        {
            last = None;
        }
    }
    Some(last)
}

/// Whether an instruction at `from` or later, in the code at `address`, jumps to a place in `to`, in some way to decode it.
pub fn jumps_to(code: &[u8], address: u64, from: u64, to: &Range<u64>) -> bool {
    let run_up = (from - address) as usize;
    let streams = (STREAMS as usize).min(run_up + 1);
    (0..streams).any(|n| {
        let (code, address) = (&code[n..], address + n as u64);
        let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
        decoder.iter().any(|i| {
            let is_jump = i.op0_kind() == OpKind::NearBranch64 && i.mnemonic() != Mnemonic::Call;
            is_jump && i.ip() >= from && to.contains(&i.near_branch64())
        })
    })
}

/// Whether anything else than the next instruction may follow.
fn is_branch(instruction: &Instruction) -> bool {
    use Mnemonic::{Call, Hlt, Int, Int3, Iretq, Jmp, Ret, Retf, Ud2};
    instruction.op0_kind() == OpKind::NearBranch64
        || matches!(
            instruction.mnemonic(),
            Call | Hlt | Int | Int3 | Iretq | Jmp | Ret | Retf | Ud2
        )
}

/// How many bytes behind the number of a call of the kernel the call itself is, at most.
const CALLED: usize = 40;

/// Where `code`, which is at `address`, calls the kernel with `number` in `rax`, as far as it is put there shortly before.
/// The addresses of `syscall`.
pub fn kernel_calls(code: &[u8], address: u64, number: u32) -> Vec<u64> {
    let site = |at: usize| {
        let ahead = &code[at..];
        let call = memmem::find(&ahead[..ahead.len().min(CALLED)], b"\x0f\x05")?;
        Some(address + (at + call) as u64)
    };
    // mov $number,%eax; mov $number,%rax
    let mut all: Vec<u64> = Vec::new();
    for operation in [&[0xb8][..], &[0xc7, 0xc0]] {
        all.extend(behind(code, operation, number).filter_map(site));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether `code` puts `number` into the first argument's register.
pub fn has_first_argument(code: &[u8], number: u32) -> bool {
    // mov $number,%edi; mov $number,%rdi
    let mut operations = [&[0xbf][..], &[0xc7, 0xc7]].into_iter();
    operations.any(|operation| behind(code, operation, number).next().is_some())
}

/// The places behind each `operation` with this number.
fn behind<'c>(code: &'c [u8], operation: &[u8], number: u32) -> impl Iterator<Item = usize> + 'c {
    let bytes = [operation, &number.to_le_bytes()].concat();
    let found: Vec<usize> = memmem::find_iter(code, &bytes)
        .map(|at| at + bytes.len())
        .collect();
    found.into_iter()
}
