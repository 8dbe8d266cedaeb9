//! Finds the operands of x86_64 code that the linker wrote.

use super::super::operand::Form;
use super::{Located, RawOperand};
use crate::elf::program::{Placement, Program};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, OpKind, Register};

/// The operands of the function `code` at `address`; `None` if some of its bytes are not instructions.
pub fn operands(program: &Program<'_>, address: u64, code: &[u8]) -> Option<Vec<Located>> {
    let own = address..address + code.len() as u64;
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut found = Vec::new();
    while decoder.can_decode() {
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            return None;
        }
        let offsets = decoder.get_constant_offsets(&instruction);
        let start = (instruction.ip() - address) as u32;
        let mut add = |at: usize, form, to: Option<u64>, behind: usize| {
            let at = start + at as u32;
            let operand = RawOperand {
                at,
                form,
                target: None,
            };
            let behind = behind as u8;
            found.push(Located {
                operand,
                to,
                behind,
            });
        };
        if instruction.op0_kind() == OpKind::NearBranch64 {
            let to = instruction.near_branch_target();
            // In some objects, a call of the function itself is a call of its name.
            if own.contains(&to) && to != address || offsets.immediate_size() != 4 {
                continue;
            }
            let at = offsets.immediate_offset();
            let relaxed = instruction.code() == Code::Call_rel32_64
                && code.get(start as usize) == Some(&0x67);
            let form = if relaxed { Form::Table } else { Form::Distance };
            add(at, form, Some(to), 4);
            continue;
        }
        if instruction.is_ip_rel_memory_operand() && offsets.has_displacement() {
            let at = offsets.displacement_offset();
            let to = instruction.ip_rel_memory_address();
            // A linker may have made this instruction from a load from the global offset table.
            let relaxed = instruction.code() == Code::Lea_r64_m && at >= 3;
            let form = if relaxed { Form::Table } else { Form::Distance };
            add(at, form, Some(to), instruction.len() - at);
            continue;
        }
        if program.placement == Placement::Anywhere {
            continue;
        }
        let is_address = |value: u64| program.loads().any(|s| s.addresses().contains(&value));
        if let Some(value) = loaded(&instruction)
            && (value == 0 || is_address(value))
        {
            // No symbol of a program is at address 0: what is there is a weak name that nothing defines.
            let to = (value != 0).then_some(value);
            add(offsets.immediate_offset(), Form::Table, to, 4);
            continue;
        }
        if offsets.displacement_size() == 4
            && instruction.segment_prefix() == Register::None
            && is_address(instruction.memory_displacement64())
        {
            let to = instruction.memory_displacement64();
            add(offsets.displacement_offset(), Form::Absolute, Some(to), 0);
        }
        if let Some(immediate) = immediate(&instruction)
            && is_address(immediate)
            && matches!(offsets.immediate_size(), 4 | 8)
        {
            let form = if offsets.immediate_size() == 8 {
                Form::Word
            } else {
                Form::Absolute
            };
            add(offsets.immediate_offset(), form, Some(immediate), 0);
        }
    }
    Some(found)
}

/// The number that `instruction` loads, if it may be what a linker made of a load from the global offset table in a program at a fixed address: `mov` of 7
/// bytes. Compilers take shorter instructions.
fn loaded(instruction: &Instruction) -> Option<u64> {
    let is_long = instruction.code() == Code::Mov_rm64_imm32 && instruction.len() == 7;
    (is_long && instruction.op0_kind() == OpKind::Register).then(|| instruction.immediate(1))
}

/// The number in `instruction`, if it has one that may be an address.
fn immediate(instruction: &Instruction) -> Option<u64> {
    let is_long = |n: &u32| {
        matches!(
            instruction.op_kind(*n),
            OpKind::Immediate32 | OpKind::Immediate32to64 | OpKind::Immediate64
        )
    };
    let number = (0..instruction.op_count()).find(is_long)?;
    Some(instruction.immediate(number))
}
