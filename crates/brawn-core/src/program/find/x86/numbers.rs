//! Finds the numbers that x86_64 code puts into registers before it calls something.

use super::super::step::{self, Step};
use super::{RUN_UP, STREAMS, changes_rdx, is_any_immediate, is_comparison};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use memchr::memmem;
use std::ops::Range;

/// The last number that `code`, which ends with an instruction, puts into the first argument's register, and the address behind the
/// instruction that does it. `None` if a branch, or another write to the register, follows, or if the result depends on where
/// decoding begins.
pub fn straight_argument(code: &[u8], address: u64) -> Option<(u64, u64)> {
    let streams = (STREAMS as usize).min(code.len().saturating_sub(RUN_UP as usize) + 1);
    let mut told = (0..streams).filter_map(|n| straight(&code[n..], address + n as u64));
    let first = told.next()?;
    told.all(|other| other == first).then_some(first).flatten()
}

/// The same for one way to decode `code`; the outer `None` if decoding does not end exactly at its end.
fn straight(code: &[u8], address: u64) -> Option<Option<(u64, u64)>> {
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
        let is_it = is_of(&[Register::EDI, Register::RDI]);
        let mnemonic = instruction.mnemonic();
        if mnemonic == Mnemonic::Mov && is_it && is_any_immediate(instruction.op_kind(1)) {
            last = Some((instruction.immediate(1), instruction.next_ip()));
        } else if is_branch(&instruction)
            || (is_it || is_of(&[Register::DIL, Register::DI])) && !is_comparison(mnemonic)
            || changes_rdx(mnemonic)
            || moves_rdi(mnemonic)
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

/// The places behind each instruction by which `code` puts `number` into the first argument's register.
pub fn first_arguments(code: &[u8], number: u32) -> Vec<usize> {
    // mov $number,%edi; mov $number,%rdi
    let operations = [&[0xbf][..], &[0xc7, 0xc7]].into_iter();
    operations
        .flat_map(|operation| behind(code, operation, number))
        .collect()
}

const RAX: [Register; 4] = [Register::AL, Register::AX, Register::EAX, Register::RAX];

/// What `code`, which is at `address`, does until it returns or goes elsewhere.
pub fn steps(code: &[u8], address: u64) -> Vec<Step> {
    use Mnemonic::{Call, Hlt, Int3, Jmp, Mov, Ret, Syscall, Ud2, Xor};
    let mut steps = Vec::new();
    // Whether rax holds a number of this code's own.
    let mut is_set = false;
    for i in Decoder::with_ip(64, code, address, DecoderOptions::NONE)
        .iter()
        .take(step::MOST)
    {
        let mnemonic = i.mnemonic();
        let is_direct = i.op0_kind() == OpKind::NearBranch64;
        let writes = i.op0_kind() == OpKind::Register
            && RAX.contains(&i.op0_register())
            && !is_comparison(mnemonic);
        if mnemonic == Syscall && !is_set {
            steps.push(Step::Kernel);
        }
        if matches!(mnemonic, Call | Jmp) && is_direct {
            steps.push(Step::To(i.near_branch64()));
        }
        if i.is_invalid() || matches!(mnemonic, Jmp | Ret | Hlt | Int3 | Ud2) {
            break;
        }
        if matches!(mnemonic, Call | Syscall) {
            is_set = false;
        } else if writes {
            let is_zeroed = mnemonic == Xor && i.op0_register() == i.op1_register();
            is_set = is_zeroed || mnemonic == Mov && is_any_immediate(i.op_kind(1));
        }
    }
    steps
}

/// The places behind each `operation` with this number.
fn behind<'c>(code: &'c [u8], operation: &[u8], number: u32) -> impl Iterator<Item = usize> + 'c {
    let bytes = [operation, &number.to_le_bytes()].concat();
    let found: Vec<usize> = memmem::find_iter(code, &bytes)
        .map(|at| at + bytes.len())
        .collect();
    found.into_iter()
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
