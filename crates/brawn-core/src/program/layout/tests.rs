use super::super::apply::apply;
use super::super::check::check;
use super::super::find::Function;
use super::super::headers::Where;
use super::super::linked::Linked;
use super::super::plan::{Hooked, Plan};
use super::*;
use crate::component::Component;
use crate::content::{Content, Piece};
use crate::elf::program::Program;
use crate::signatures::names::Evidence;
use proptest::prelude::*;

/// An invented program with some segments.
#[derive(Clone, Debug)]
struct Shape {
    is_arm: bool,
    is_pie: bool,
    has_sections: bool,
    align: u64,
    /// The bytes between the program headers and the contents of the first segment.
    room: u64,
    /// For each segment: its bytes in the file, its further bytes in memory, and the pages before the next segment.
    loads: Vec<(u64, u64, u64)>,
    /// For thread-locals: bytes of initial values, bytes of zeros, and their alignment as a power of two.
    tls: Option<(u64, u64, u32)>,
    /// The bytes after all segments.
    rest: usize,
    sizes: Sizes,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let sizes = (1u64..9000, 0u64..300, 0u64..9000, 0u64..100, 0u32..5).prop_map(
        |(code, data, zero, tls, power)| Sizes {
            code,
            code_align: 64,
            data,
            zero,
            data_align: 16,
            tls,
            // aarch64 refuses larger alignments.
            tls_align: 1 << power.min(3),
        },
    );
    let load = (1u64..9000, prop_oneof![Just(0), 0u64..1 << 22], 0u64..3);
    let tls = proptest::option::of((0u64..64, 0u64..9000, 0u32..13));
    let room = prop_oneof![Just(0), 0u64..500, Just(5000)];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (
        flags,
        room,
        proptest::collection::vec(load, 1..5),
        tls,
        0..200usize,
        sizes,
    )
        .prop_map(
            |((is_arm, is_pie, has_sections, is_wide), room, loads, tls, rest, sizes)| Shape {
                is_arm,
                is_pie,
                has_sections,
                align: match (is_arm, is_wide) {
                    (_, true) => 0x10000,
                    (_, false) => 0x1000,
                },
                room,
                loads,
                tls,
                rest,
                sizes,
            },
        )
}

impl Shape {
    /// The file.
    // Long because it writes a whole program: headers, segments, sections and symbols depend on each other.
    fn bytes(&self) -> Vec<u8> {
        let count = self.loads.len() as u64 + 1 + u64::from(self.tls.is_some());
        let mut bytes = vec![0; (64 + 56 * count + self.room) as usize];
        let mut headers = Vec::new();
        let mut sections: Vec<(u32, u64, u64, u64, u64)> = Vec::new();
        let mut address = if self.is_pie { 0 } else { 0x400000 };
        for (number, (filled, zeros, pages)) in self.loads.iter().enumerate() {
            let offset = if number == 0 { 0 } else { bytes.len() as u64 };
            let start = bytes.len() as u64;
            bytes.resize((start + filled) as usize, 0xc3);
            let size = bytes.len() as u64 - offset;
            let flags = [5, 4, 6, 6][number.min(3)];
            headers.push((1, flags, offset, address, size, size + zeros, self.align));
            sections.push((1, 2, address + (start - offset), start, *filled));
            if let (Some((values, zeros, power)), true) = (self.tls, number + 1 == self.loads.len())
            {
                let values = values.min(*filled);
                let at = address + (start - offset);
                headers.push((7, 4, start, at, values, values + zeros, 1 << power));
            }
            let end = address + size + zeros;
            address = end.next_multiple_of(self.align)
                + pages * self.align
                + bytes.len() as u64 % self.align;
        }
        headers.push((0x6474_e551, 6, 0, 0, 0, 0, 16));
        for (number, header) in headers.iter().enumerate() {
            let (kind, flags, offset, address, file, memory, align) = *header;
            let to = &mut bytes[64 + 56 * number..][..56];
            to[..4].copy_from_slice(&u32::to_le_bytes(kind));
            to[4..8].copy_from_slice(&u32::to_le_bytes(flags));
            for (to, word) in to[8..]
                .chunks_exact_mut(8)
                .zip([offset, address, address, file, memory, align])
            {
                to.copy_from_slice(&u64::to_le_bytes(word));
            }
        }
        let entry = if self.is_pie { 0 } else { 0x400000 } + 64 + 56 * count + self.room;
        let mut table = 0;
        if self.has_sections {
            let names = bytes.len() as u64;
            bytes.extend(b"\0.text\0.shstrtab\0.comment\0");
            sections.push((3, 0, 0, names, 26));
            sections.push((1, 0, 0, bytes.len() as u64, 7));
            bytes.extend(b"comment");
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            table = bytes.len() as u64;
            bytes.extend([0; 64]);
            for (kind, flags, address, offset, size) in &sections {
                bytes.extend(1u32.to_le_bytes());
                bytes.extend(kind.to_le_bytes());
                for word in [*flags, *address, *offset, *size, 0, 1, 0] {
                    bytes.extend(word.to_le_bytes());
                }
            }
        }
        bytes.extend((0..self.rest).map(|b| b as u8 | 1));
        let mut header = [0u8; 64];
        header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        let machine = if self.is_arm { 183 } else { 62 };
        let shorts = [
            (16, if self.is_pie { 3 } else { 2 }),
            (18, machine),
            (20, 1),
            (52, 64),
            (54, 56),
            (56, headers.len() as u16),
            (58, 64),
            (
                60,
                if table > 0 {
                    sections.len() as u16 + 1
                } else {
                    0
                },
            ),
            (
                62,
                if table > 0 {
                    sections.len() as u16 - 1
                } else {
                    0
                },
            ),
        ];
        for (at, value) in shorts {
            header[at..at + 2].copy_from_slice(&u16::to_le_bytes(value));
        }
        for (at, value) in [(24, entry), (32, 64), (40, table)] {
            header[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
        }
        bytes[..64].copy_from_slice(&header);
        bytes
    }
}

/// A meaningless payload at the places of the layout.
fn linked(layout: &Layout, sizes: &Sizes) -> Linked {
    Linked {
        code: vec![0x90; sizes.code as usize],
        data: vec![1; sizes.data as usize],
        symbols: [("start".to_owned(), layout.code.address)].into(),
        functions: vec![("start".into(), layout.code.address, 1)],
        note: layout.code.end()..layout.code.end(),
        debug_frame: Vec::new(),
    }
}

proptest! {
    /// A program of any shape gets its payload, and in the new file everything old is at its old address.
    #[test]
    fn every_shape_has_a_place(shape in shapes()) {
        let bytes = shape.bytes();
        let program = Program::read(&bytes).unwrap();
        let layout = match layout(&program, &shape.sizes) {
            Ok(layout) => layout,
            // Refused only if the headers would have to go after a hole.
            Err(error) => {
                prop_assert!(error.to_string().contains("at most 0x40000000"), "{}", error);
                return Ok(());
            }
        };
        let plan = Plan::new(&program, "start", shape.sizes, layout);
        let linked = linked(&plan.layout, &shape.sizes);
        let new = apply(&program, &plan, &linked).unwrap();
        check(&program, &plan, &linked, &new).unwrap();
        let bytes_of_its_own = new.0.iter().map(|piece| match piece {
            crate::content::Piece::Bytes(bytes) => bytes.len(),
            crate::content::Piece::Hole(_) => 0,
        });
        let most = bytes.len() as u64 + shape.sizes.code + shape.sizes.data + 16384;
        prop_assert!(bytes_of_its_own.sum::<usize>() as u64 <= most);
        prop_assert!(new.size() < 1 << 30);
        let new = new.to_vec();
        let read = Program::read(&new).unwrap();
        prop_assert_eq!(read.entry, plan.layout.code.address);
        // Every address has the same byte as before.
        for segment in program.loads() {
            let start = segment.address + if segment.offset == 0 { 64 + 56 * 20 } else { 0 };
            let size = segment.filled().end.saturating_sub(start);
            prop_assert_eq!(program.at(start, size), read.at(start, size));
        }
        prop_assert!(new.ends_with(&bytes[bytes.len() - shape.rest..]));
    }
}

/// A program as GNU ld makes it, with its pages.
fn plain(align: u64) -> Shape {
    Shape {
        is_arm: false,
        is_pie: true,
        has_sections: true,
        align,
        room: 0,
        loads: vec![(0x900, 0, 0), (0x100, 0x10000, 0)],
        tls: None,
        rest: 0,
        sizes: Sizes {
            code: 100,
            code_align: 64,
            data: 8,
            data_align: 8,
            ..Sizes::default()
        },
    }
}

fn place(shape: &Shape) -> Result<Where> {
    let bytes = shape.bytes();
    let program = Program::read(&bytes).unwrap();
    layout(&program, &shape.sizes).map(|layout| layout.headers.place)
}

#[test]
fn program_headers_stay_where_there_is_room() {
    let mut shape = plain(0x1000);
    assert_eq!(place(&shape).unwrap(), Where::WithCode);
    shape.room = 3 * 56;
    assert_eq!(place(&shape).unwrap(), Where::InPlace);
    shape.has_sections = false;
    assert_eq!(place(&shape).unwrap(), Where::WithCode);
    shape.is_pie = false;
    assert_eq!(place(&shape).unwrap(), Where::Below);
}

#[test]
fn a_hole_over_a_gibibyte_is_refused() {
    let mut shape = plain(0x1000);
    shape.loads[1].1 = 1 << 30;
    let error = place(&shape).unwrap_err();
    assert_eq!(error.kind(), crate::Kind::Refused);
    assert!(error.to_string().contains("at most 0x40000000"), "{error}");
    shape.room = 3 * 56;
    assert_eq!(place(&shape).unwrap(), Where::InPlace);
}

/// `check` reads branches by itself: if `apply` wrote another, or none, that is found.
#[test]
fn a_wrong_branch_is_found() {
    for is_arm in [false, true] {
        let mut shape = plain(if is_arm { 0x10000 } else { 0x1000 });
        shape.is_arm = is_arm;
        let mut bytes = shape.bytes();
        let program = Program::read(&bytes).unwrap();
        let first = *program.loads().next().unwrap();
        let (function, call) = (first.address + 0x880, first.address + 0x8c0);
        let at = program.offset(call, 5).unwrap() as usize;
        let old: &[u8] = if is_arm {
            &[0, 0, 0, 0x94]
        } else {
            &[0xe8, 0, 0, 0, 0]
        };
        bytes[at..at + old.len()].copy_from_slice(old);

        let program = Program::read(&bytes).unwrap();
        let layout = layout(&program, &shape.sizes).unwrap();
        let mut linked = linked(&layout, &shape.sizes);
        let code = layout.code.address;
        linked
            .symbols
            .extend([("a".into(), code + 8), ("b".into(), code + 16)]);
        let mut plan = Plan::new(&program, "start", shape.sizes, layout);
        plan.functions.push(Function {
            name: "malloc".into(),
            component: Component::Heap,
            address: function,
            patch_at: function,
            room: 16,
            target: "a".into(),
            evidence: Evidence::Symbol,
            aliases: Vec::new(),
            extent: 0..0,
        });
        plan.hooks.push(Hooked {
            at: call,
            callee: call + old.len() as u64,
            target: "a".into(),
        });
        let is_right = |applied: &Plan| {
            let new = apply(&program, applied, &linked).unwrap();
            check(&program, &plan, &linked, &new).is_ok()
        };
        assert!(is_right(&plan));
        let faults: [fn(&mut Plan); 6] = [
            |p| p.functions[0].target = "b".into(),
            |p| p.hooks[0].target = "b".into(),
            |p| p.functions[0].patch_at += 4,
            |p| p.functions.clear(),
            |p| p.hooks.clear(),
            |p| {
                let one_more = p.functions[0].clone();
                p.functions.push(one_more);
                p.functions[1].patch_at += 32;
            },
        ];
        for (number, fault) in faults.iter().enumerate() {
            let mut other = plan.clone();
            fault(&mut other);
            assert!(!is_right(&other), "fault {number}, is_arm: {is_arm}");
        }
        // Every bit of a branch counts: also those that make a jump a call.
        let new = apply(&program, &plan, &linked).unwrap().to_vec();
        let read = Program::read(&new).unwrap();
        for address in [function, call] {
            let offset = read.offset(address, 5).unwrap() as usize;
            for bit in 0..old.len() * 8 {
                let mut new = new.clone();
                new[offset + bit / 8] ^= 1 << (bit % 8);
                let new = Content(vec![Piece::Bytes(new.into())]);
                let found = check(&program, &plan, &linked, &new);
                assert!(
                    found.is_err(),
                    "bit {bit} at {address:#x}, is_arm: {is_arm}"
                );
            }
        }
    }
}
