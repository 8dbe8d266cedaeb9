use super::*;
use proptest::prelude::*;

/// What musl 1.2.5 computes in `static_init_tls` and `__copy_tls`, with the names of `main_tls`'s fields. The result
/// is the block's first byte, relative to the thread pointer.
fn musl(architecture: Isa, image: u64, memsz: u64, align: u64) -> i64 {
    let mut size = memsz;
    match architecture {
        Isa::X86_64 => {
            size =
                size.wrapping_add(size.wrapping_neg().wrapping_sub(image) & align.wrapping_sub(1));
            let offset = size;
            0i64.wrapping_sub(offset as i64)
        }
        Isa::Aarch64 => {
            let gap = 16u64;
            let mut offset = gap;
            offset =
                offset.wrapping_add(gap.wrapping_neg().wrapping_add(image) & align.wrapping_sub(1));
            offset as i64
        }
    }
}

fn old(address: u64, file_size: u64, size: u64, align: u64) -> Segment {
    Segment {
        kind: elf::PT_TLS.0,
        flags: 4,
        offset: 0,
        address,
        file_size,
        size,
        align,
    }
}

proptest! {
    /// For any place of the image that the block allows: the program's own thread-locals keep their places, and the
    /// payload's are aligned, inside the block, and apart from the program's.
    #[test]
    fn the_programs_thread_locals_stay(
        is_x86 in any::<bool>(),
        power in 0u32..13,
        wanted in 0u32..7,
        tls in 1u64..300,
        address in 0u64..1 << 40,
        size in 0u64..9000,
        filled in 0u64..9000,
        elsewhere in 0u64..1 << 30,
    ) {
        let architecture = if is_x86 { Isa::X86_64 } else { Isa::Aarch64 };
        let align = 1u64 << power;
        let wanted = if is_x86 { 1 << wanted } else { 1 << wanted.min(3) };
        let segment = old(address, filled.min(size), size, align);
        let sizes = Sizes { tls, tls_align: wanted, ..Sizes::default() };
        let block = block(architecture, Some(&segment), &sizes).unwrap().unwrap();
        let image = if block.moves {
            elsewhere * block.align + block.congruence
        } else {
            address
        };
        prop_assert_eq!(image & (block.align - 1), block.congruence);
        let before = musl(architecture, address, size, align);
        let after = musl(architecture, image, block.size, block.align);
        prop_assert_eq!(offset(architecture, address, size, align), before);
        prop_assert_eq!(after + block.before as i64, before);
        // Each thread's pointer is a multiple of the block's alignment, and of 8.
        prop_assert_eq!(block.payload.rem_euclid(wanted as i64), 0);
        prop_assert!(wanted <= block.align.max(8));
        let payload = block.payload..block.payload + tls as i64;
        prop_assert!(after <= payload.start && payload.end <= after + block.size as i64);
        prop_assert!(payload.end <= before || before + size as i64 <= payload.start);
        prop_assert!(block.file_size <= block.size);
        if is_x86 {
            // No part of the block is above the thread pointer.
            prop_assert!(after + block.size as i64 <= 0);
        }
    }

    /// A program without thread-locals gets a block with only the payload's.
    #[test]
    fn a_program_without_gets_one(is_x86 in any::<bool>(), wanted in 0u32..8, tls in 1u64..300, at in 0u64..1 << 30) {
        let architecture = if is_x86 { Isa::X86_64 } else { Isa::Aarch64 };
        let sizes = Sizes { tls, tls_align: 1 << wanted, ..Sizes::default() };
        let block = block(architecture, None, &sizes).unwrap().unwrap();
        let start = musl(architecture, at * block.align + block.congruence, block.size, block.align);
        prop_assert!(start <= block.payload && block.payload + tls as i64 <= start + block.size as i64);
        prop_assert_eq!(block.payload.rem_euclid(1 << wanted), 0);
        prop_assert_eq!(block.file_size, 0);
        prop_assert!(block.moves);
    }
}

#[test]
fn no_thread_locals_change_nothing() {
    let segment = old(0x1000, 8, 16, 8);
    for architecture in Isa::ALL {
        let block = block(architecture, Some(&segment), &Sizes::default()).unwrap();
        assert_eq!(block, None);
    }
}

#[test]
fn a_wider_alignment_is_refused_where_it_would_move_the_programs() {
    let segment = old(0x1000, 8, 16, 8);
    let sizes = Sizes {
        tls: 64,
        tls_align: 64,
        ..Sizes::default()
    };
    let error = block(Isa::Aarch64, Some(&segment), &sizes).unwrap_err();
    assert!(error.to_string().contains("aligned to 64"), "{error}");
    assert!(block(Isa::X86_64, Some(&segment), &sizes).is_ok());
    let segment = old(0x1000, 8, 16, 1 << 30);
    assert!(block(Isa::X86_64, Some(&segment), &sizes).is_err());
}
