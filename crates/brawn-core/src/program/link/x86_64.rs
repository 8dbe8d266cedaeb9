//! Relocations of x86_64 (psABI, 4.4.1 and B.2).

use super::Fix;
use object::elf;

const PC32: u32 = elf::R_X86_64_PC32.0;
const PLT32: u32 = elf::R_X86_64_PLT32.0;
const GOTTPOFF: u32 = elf::R_X86_64_GOTTPOFF.0;
const REX_GOTPCRELX: u32 = elf::R_X86_64_REX_GOTPCRELX.0;

/// The offset of the displacement in an instruction `REX opcode ModRM displacement`.
const DISPLACEMENT: usize = 3;
/// A displacement counts from the instruction's end, which is this much after it.
const FROM_END: i64 = -4;

/// Changes the section's `bytes` as `fix` says.
pub fn apply(bytes: &mut [u8], fix: &Fix) -> Result<(), String> {
    match fix.kind {
        PC32 | PLT32 => put(bytes, fix.at, fix.distance()?),
        // The address in the table is already known: compute it instead of loading it.
        REX_GOTPCRELX => {
            let instruction = Instruction::read(bytes, fix)?;
            if instruction.opcode != 0x8b {
                return Err(instruction.unknown("mov"));
            }
            bytes[fix.at - 2] = 0x8d; // lea
            put(bytes, fix.at, fix.distance()?)
        }
        // The same for a distance from the thread pointer: it becomes an immediate operand.
        GOTTPOFF => {
            let instruction = Instruction::read(bytes, fix)?;
            let opcode = match instruction.opcode {
                0x8b => 0xc7, // mov
                0x03 => 0x81, // add
                _ => return Err(instruction.unknown("mov or add")),
            };
            // The register moves from ModRM.reg to ModRM.rm, and its highest bit from REX.R to REX.B.
            let rex = 0x48 | u8::from(instruction.register >= 8);
            let modrm = 0xc0 | (instruction.register & 7);
            bytes[fix.at - DISPLACEMENT..fix.at].copy_from_slice(&[rex, opcode, modrm]);
            put(bytes, fix.at, fix.local()? - FROM_END)
        }
        _ => Err("its type is unknown".into()),
    }
}

/// `REX.W opcode register, displacement(%rip)`.
struct Instruction {
    opcode: u8,
    register: u8,
    bytes: [u8; DISPLACEMENT],
}

impl Instruction {
    fn read(bytes: &[u8], fix: &Fix) -> Result<Self, String> {
        let before = fix.at.checked_sub(DISPLACEMENT);
        let before = before.and_then(|from| bytes.get(from..)?.first_chunk());
        let [rex, opcode, modrm] = *before.ok_or("no instruction is before it")?;
        let instruction = Self {
            opcode,
            register: modrm >> 3 & 7 | (rex & 4) << 1,
            bytes: [rex, opcode, modrm],
        };
        // REX.W with or without REX.R; ModRM.mod 0 and ModRM.rm 5: relative to the instruction pointer.
        if rex & !4 != 0x48 || modrm & 0xc7 != 5 || fix.addend != FROM_END {
            return Err(instruction.unknown("a 64-bit register and a displacement"));
        }
        Ok(instruction)
    }

    fn unknown(&self, expected: &str) -> String {
        format!("instruction {:02x?}, expected {expected}", self.bytes)
    }
}

fn put(bytes: &mut [u8], at: usize, value: i64) -> Result<(), String> {
    let value = i32::try_from(value).map_err(|_| format!("{value:#x} does not fit 32 bits"))?;
    let place = bytes.get_mut(at..).and_then(|b| b.first_chunk_mut());
    *place.ok_or("it is not in its section")? = value.to_le_bytes();
    Ok(())
}
