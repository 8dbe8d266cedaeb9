//! What the linker makes of each instruction.

use super::*;

/// Instructions before and after linking, as an assembler and a linker wrote them.
// Long because it is a table of instructions.
#[test]
fn instructions_of_x86_64() {
    use object::elf::*;
    let cases: [(&[u8], _, &[u8]); 7] = [
        // call, to itself
        (
            &[0xe8, 0, 0, 0, 0],
            fix(R_X86_64_PLT32, 1, Address(AT), -4),
            &[0xe8, 0xfb, 0xff, 0xff, 0xff],
        ),
        // lea 0x1000(%rip), %rdx
        (
            &[0x48, 0x8d, 0x15, 0, 0, 0, 0],
            fix(R_X86_64_PC32, 3, Address(AT + 0x1007), -4),
            &[0x48, 0x8d, 0x15, 0, 0x10, 0, 0],
        ),
        // cmpb $1, -7(%rip): a byte stands behind the displacement
        (
            &[0x80, 0x3d, 0, 0, 0, 0, 1],
            fix(R_X86_64_PC32, 2, Address(AT), -5),
            &[0x80, 0x3d, 0xf9, 0xff, 0xff, 0xff, 1],
        ),
        // mov x@GOTPCREL(%rip), %r9 -> lea x(%rip), %r9
        (
            &[0x4c, 0x8b, 0x0d, 0, 0, 0, 0],
            fix(R_X86_64_REX_GOTPCRELX, 3, Address(AT + 7), -4),
            &[0x4c, 0x8d, 0x0d, 0, 0, 0, 0],
        ),
        // mov x@GOTTPOFF(%rip), %rax -> mov $-64, %rax
        (
            &[0x48, 0x8b, 0x05, 0, 0, 0, 0],
            fix(R_X86_64_GOTTPOFF, 3, Local(-64), -4),
            &[0x48, 0xc7, 0xc0, 0xc0, 0xff, 0xff, 0xff],
        ),
        // mov x@GOTTPOFF(%rip), %r14 -> mov $-64, %r14
        (
            &[0x4c, 0x8b, 0x35, 0, 0, 0, 0],
            fix(R_X86_64_GOTTPOFF, 3, Local(-64), -4),
            &[0x49, 0xc7, 0xc6, 0xc0, 0xff, 0xff, 0xff],
        ),
        // add x@GOTTPOFF(%rip), %r12 -> add $-4096, %r12
        (
            &[0x4c, 0x03, 0x25, 0, 0, 0, 0],
            fix(R_X86_64_GOTTPOFF, 3, Local(-4096), -4),
            &[0x49, 0x81, 0xc4, 0, 0xf0, 0xff, 0xff],
        ),
    ];
    for (before, fix, after) in cases {
        let mut bytes = before.to_vec();
        x86_64::apply(&mut bytes, &fix).unwrap();
        assert_eq!(bytes, after, "{before:02x?}");
    }
    let refused: [(&[u8], _, &str); 8] = [
        (
            &[0xe8, 0, 0, 0, 0],
            fix(R_X86_64_PLT32, 1, Address(AT + (1 << 31) + 5), -4),
            "0x80000000 does not fit 32 bits",
        ),
        (
            &[0xe8, 0, 0, 0],
            fix(R_X86_64_PLT32, 1, Address(AT), -4),
            "not in its section",
        ),
        (
            &[0xe8, 0, 0, 0, 0],
            fix(R_X86_64_PC32, 1, Local(0), -4),
            "as to an address",
        ),
        (
            &[0; 8],
            fix(R_X86_64_64, 0, Address(AT), 0),
            "type is unknown",
        ),
        // cmp x@GOTPCREL(%rip), %rax
        (
            &[0x48, 0x3b, 0x05, 0, 0, 0, 0],
            fix(R_X86_64_REX_GOTPCRELX, 3, Address(AT), -4),
            "instruction [48, 3b, 05], expected mov",
        ),
        // mov 0(%rax), %rax
        (
            &[0x48, 0x8b, 0x80, 0, 0, 0, 0],
            fix(R_X86_64_GOTTPOFF, 3, Local(0), -4),
            "instruction [48, 8b, 80]",
        ),
        (
            &[0x48, 0x8b, 0x05, 0, 0, 0, 0],
            fix(R_X86_64_GOTTPOFF, 3, Address(AT), -4),
            "as to a thread-local",
        ),
        (
            &[0x8b, 0x05, 0, 0, 0, 0],
            fix(R_X86_64_GOTTPOFF, 2, Local(0), -4),
            "no instruction is before it",
        ),
    ];
    for (bytes, fix, expected) in refused {
        let error = x86_64::apply(&mut bytes.to_vec(), &fix).unwrap_err();
        assert!(error.contains(expected), "{error}; expected {expected}");
    }
}

// Long because it is a table of instructions.
#[test]
fn instructions_of_aarch64() {
    use object::elf::*;
    let to = |distance: i64| Address(AT.wrapping_add_signed(distance));
    let cases = [
        // bl, b
        (
            0x9400_0000,
            fix(R_AARCH64_CALL26, 0, to(-4), 0),
            0x97ff_ffff_u32,
        ),
        (
            0x1400_0000,
            fix(R_AARCH64_JUMP26, 0, to((1 << 27) - 4), 0),
            0x15ff_ffff,
        ),
        // adrp x8, one page on; the last page but one behind; four pages on
        (
            0x9000_0008,
            fix(R_AARCH64_ADR_PREL_PG_HI21, 0, to(0x1fff), 0),
            0xb000_0008,
        ),
        (
            0x9000_0008,
            fix(R_AARCH64_ADR_PREL_PG_HI21, 0, to(-1), 0),
            0xf0ff_ffe8,
        ),
        (
            0x9000_0008,
            fix(R_AARCH64_ADR_GOT_PAGE, 0, to(0x4000), 0),
            0x9000_0028,
        ),
        // add x0, x1, #0xabc
        (
            0x9100_0020,
            fix(R_AARCH64_ADD_ABS_LO12_NC, 0, to(0xabc), 0),
            0x912a_f020,
        ),
        // ldr x8, [x8] of a table -> add x8, x9, #0x10
        (
            0xf940_0128,
            fix(R_AARCH64_LD64_GOT_LO12_NC, 0, to(0x10), 0),
            0x9100_4128,
        ),
        // strb w9, [x8, #0xabc]; ldrh w9, [x8, #0xabc]; str w9, [x8, #8]; ldr x9, [x8, #0x18]; str q0, [x8, #0x20]
        (
            0x3900_0109,
            fix(R_AARCH64_LDST8_ABS_LO12_NC, 0, to(0xabc), 0),
            0x392a_f109,
        ),
        (
            0x7940_0109,
            fix(R_AARCH64_LDST16_ABS_LO12_NC, 0, to(0xabc), 0),
            0x7955_7909,
        ),
        (
            0xb900_0109,
            fix(R_AARCH64_LDST32_ABS_LO12_NC, 0, to(0), 8),
            0xb900_0909,
        ),
        (
            0xf940_0109,
            fix(R_AARCH64_LDST64_ABS_LO12_NC, 0, to(0x10), 8),
            0xf940_0d09,
        ),
        (
            0x3d80_0100,
            fix(R_AARCH64_LDST128_ABS_LO12_NC, 0, to(0x20), 0),
            0x3d80_0900,
        ),
        // adrp x20 and ldr x20, [x20] -> movz x20, #1, lsl #16 and movk x20, #0x10
        (
            0x9000_0014,
            fix(R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, 0, Local(0x1_0010), 0),
            0xd2a0_0034,
        ),
        (
            0xf940_0294,
            fix(R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC, 0, Local(0x1_0010), 0),
            0xf280_0214,
        ),
    ];
    for (before, fix, after) in cases {
        let mut bytes = u32::to_le_bytes(before);
        aarch64::apply(&mut bytes, &fix).unwrap();
        let found = u32::from_le_bytes(bytes);
        assert_eq!(
            found, after,
            "{before:08x} became {found:08x}, expected {after:08x}"
        );
    }
    let refused = [
        (
            0x9400_0000,
            fix(R_AARCH64_CALL26, 0, to(1 << 27), 0),
            "a branch does not go 0x8000000",
        ),
        (
            0x9400_0000,
            fix(R_AARCH64_CALL26, 0, to(2), 0),
            "a branch does not go 0x2",
        ),
        (
            0x9000_0008,
            fix(R_AARCH64_ADR_PREL_PG_HI21, 0, to(1 << 32), 0),
            "adrp does not go 0x100000",
        ),
        (
            0xf940_0109,
            fix(R_AARCH64_LDST64_ABS_LO12_NC, 0, to(4), 0),
            "0x4 is no multiple of 8",
        ),
        (
            0xf940_0109,
            fix(R_AARCH64_CALL26, 0, to(4), 0),
            "instruction f9400109, expected b or bl",
        ),
        (
            0xf940_0128,
            fix(R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC, 0, Local(16), 0),
            "expected one register",
        ),
        (
            0x9000_0014,
            fix(R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, 0, Local(-8), 0),
            "without a sign",
        ),
        (0, fix(R_AARCH64_ABS64, 0, to(0), 0), "type is unknown"),
        (
            0x9400_0000,
            fix(R_AARCH64_CALL26, 1, to(0), 0),
            "not in its section",
        ),
    ];
    for (before, fix, expected) in refused {
        let error = aarch64::apply(&mut u32::to_le_bytes(before), &fix).unwrap_err();
        assert!(error.contains(expected), "{error}; expected {expected}");
    }
}
