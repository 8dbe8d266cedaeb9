use super::frames::DebugFrame;
use super::*;
use crate::for_tests::{self, Sym};
use brawn_payload::{Architecture, Profile};

mod instructions_tests;

const AT: u64 = 0x5000_0000;

fn fix(kind: object::elf::RelocationType, at: usize, value: Value, addend: i64) -> Fix {
    Fix {
        kind: kind.0,
        at,
        place: AT + at as u64,
        value,
        addend,
    }
}

use Value::{Address, Local};

/// `host` for tests: every name at one address.
fn at<'a>(host: &'a dyn Fn(&str) -> Option<u64>) -> At<'a> {
    At {
        code: AT,
        data: AT + 0x10_0000,
        tls: 0x40,
        host,
    }
}

/// Those of architectures whose programs brawn rewrites.
fn payloads() -> impl Iterator<Item = &'static Payload> {
    let all = brawn_payload::payloads().iter();
    all.filter(|p| Isa::of(p.architecture).is_some())
}

fn heap_names(payload: &Payload) -> Vec<&'static str> {
    let names = payload.surface.iter().copied();
    names.chain([THREAD_EXIT]).collect()
}

#[test]
fn every_payload_links() {
    for payload in payloads() {
        let memory = payload.memory.unwrap();
        let mut names = heap_names(payload);
        names.extend(memory.functions.iter().flat_map(|f| f.surface));
        let objects = Objects::choose(payload, &names).unwrap();
        let needs: Vec<_> = objects.needs().collect();
        assert_eq!(needs, ["__errno_location", HOST_ENTRY, HOST_TSD_RUN_DTORS]);
        let sizes = objects.sizes();
        assert!(sizes.tls > 0 && sizes.tls <= 96, "{sizes:?}");
        // On aarch64, the rewriter relies on 16 bytes between the thread pointer and the program's thread-locals.
        assert_eq!((sizes.code_align, sizes.tls_align), (64, 8));
        assert!(sizes.data > 0 && sizes.zero > sizes.data);

        let host = |name: &str| (name != TABLE).then_some(AT - 0x10_0000);
        let linked = link(&objects, &at(&host)).unwrap();
        let lengths = (linked.code.len() as u64, linked.data.len() as u64);
        assert_eq!(lengths, (sizes.code, sizes.data));
        for name in names.into_iter().chain([START]) {
            let address = linked.symbols[name];
            let listed = linked.functions.iter().find(|f| f.1 == address).unwrap();
            assert!(
                listed.2 > 0 && address + listed.2 <= AT + sizes.code,
                "{listed:?}"
            );
        }
        let listed = |name: &str| linked.functions.iter().any(|f| f.0 == name);
        assert!(listed("malloc") && listed("memcpy") && listed("brawn_thread_start"));
        assert!(!listed("__libc_malloc") && !listed("brawn_strlen"));
        assert!(linked.functions.is_sorted_by(|a, b| a.1 + a.2 <= b.1));

        // Every function has unwind information, in the same order.
        let covered = covered(&linked.debug_frame);
        let functions: Vec<_> = linked.functions.iter().map(|f| (f.1, f.2)).collect();
        assert_eq!(covered, functions);

        let note = linked.note.start - AT..linked.note.end - AT;
        assert!(note.start.is_multiple_of(4));
        let notes =
            crate::note::read(&linked.code[note.start as usize..note.end as usize], 0).unwrap();
        let components: Vec<_> = notes.iter().map(|n| n.component.as_str()).collect();
        assert_eq!(components, ["heap", "memory"]);
    }
}

/// Two links to different addresses give bytes that differ only in addresses.
#[test]
fn linking_is_deterministic_and_moves_with_its_program() {
    for payload in payloads() {
        let objects = Objects::choose(payload, &heap_names(payload)).unwrap();
        let place = |by: u64| {
            let host = move |name: &str| (name != TABLE).then_some(AT - 0x10_0000 + by);
            let at = At {
                code: AT + by,
                data: AT + 0x10_0000 + by,
                ..at(&host)
            };
            link(&objects, &at).unwrap()
        };
        let (first, again, moved) = (place(0), place(0), place(0x1_0000_0000));
        assert!(first.code == again.code && first.data == again.data);
        assert!(
            first.code == moved.code && first.data == moved.data,
            "an address is in it"
        );
    }
}

#[test]
fn what_is_not_wanted_is_left_out() {
    for payload in payloads() {
        let all = Objects::choose(payload, &heap_names(payload)).unwrap();
        let without_threads = Objects::choose(payload, payload.surface).unwrap();
        let needs: Vec<_> = without_threads.needs().collect();
        assert_eq!(needs, ["__errno_location", HOST_ENTRY]);
        // The sizes may be equal: functions are aligned to 64 bytes, and there may be room before the next one.
        let host = |name: &str| (name != TABLE).then_some(AT - 0x10_0000);
        for (objects, has) in [(&all, true), (&without_threads, false)] {
            let linked = link(objects, &at(&host)).unwrap();
            assert_eq!(linked.symbols.contains_key(THREAD_EXIT), has);
            assert_eq!(linked.functions.iter().any(|f| f.0 == THREAD_EXIT), has);
        }
        assert!(without_threads.sizes().code <= all.sizes().code);

        // Memory functions alone need no names of the program and no start; their note is added too.
        let one = Objects::choose(payload, &["strlen"]).unwrap();
        assert_eq!(one.needs().count(), 0);
        let linked = link(&one, &at(&|_| None)).unwrap();
        assert!(!linked.symbols.contains_key(START));
        assert_eq!(one.sizes().tls, 0);
        assert!(linked.symbols.contains_key("strlen") && !linked.note.is_empty());
        assert!(one.sizes().code < 4096, "{:?}", one.sizes());
    }
}

#[test]
fn names_that_are_nowhere_are_named() {
    let payload = brawn_payload::payload(Architecture::X86_64, Profile::Fast).unwrap();
    let error = Objects::choose(payload, &["strdup"])
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the payload has no `strdup`; expected a name of its surface"
    );
    let objects = Objects::choose(payload, &["malloc"]).unwrap();
    let host = |name: &str| (name == HOST_ENTRY).then_some(AT);
    let error = link(&objects, &at(&host)).unwrap_err().to_string();
    assert_eq!(
        error,
        "the payload needs `__errno_location`, which is nowhere in the program"
    );
}

#[test]
fn what_is_too_far_is_refused_or_reached_in_steps() {
    let far = |distance: u64| move |_: &str| Some(AT + distance);
    for payload in payloads() {
        let objects = Objects::choose(payload, &heap_names(payload)).unwrap();
        let (near, far, farther) = (far(1 << 26), far(1 << 30), far(1 << 33));
        link(&objects, &at(&near)).unwrap();
        link(&objects, &at(&far)).unwrap();
        let error = link(&objects, &at(&farther)).unwrap_err().to_string();
        assert!(
            error.contains("brawn_host_entry") || error.contains("brawn_attach"),
            "{error}"
        );
    }
    // The stub for a distant name in an aarch64 program: adrp x16, add x16, x16, br x16.
    let way = aarch64::way(AT, AT + 0x4000_0abc).unwrap();
    let words: Vec<_> = way
        .chunks(4)
        .map(|w| u32::from_le_bytes(w.try_into().unwrap()))
        .collect();
    assert_eq!(words, [0x9020_0010, 0x912a_f210, 0xd61f_0200]);
}

#[test]
fn addresses_must_be_aligned() {
    let payload = brawn_payload::payload(Architecture::X86_64, Profile::Fast).unwrap();
    let objects = Objects::choose(payload, &["malloc"]).unwrap();
    let host = |_: &str| Some(AT);
    let at = At {
        code: AT + 16,
        ..at(&host)
    };
    let error = link(&objects, &at).unwrap_err().to_string();
    assert_eq!(
        error,
        "the payload's code at 0x50000010; expected a multiple of 64"
    );
}

#[test]
fn a_strong_name_goes_before_a_weak_one_and_two_strong_ones_clash() {
    let weak = for_tests::object(&[Sym::Weak("malloc"), Sym::Strong("one")], None);
    let strong = for_tests::object(&[Sym::Strong("malloc"), Sym::Needs("one")], None);
    let read = |name, bytes| Object::read(name, bytes).unwrap();
    for order in [["weak", "strong"], ["strong", "weak"]] {
        let bytes = |name: &str| if name == "weak" { &weak } else { &strong };
        let objects = order.map(|name| read(name, bytes(name)));
        let all = Objects::of(Isa::X86_64, objects.into(), &["malloc"]).unwrap();
        assert_eq!(order[all.defined["malloc"].0], "strong");
    }
    let objects = vec![read("a.o", &strong), read("b.o", &strong)];
    let error = Objects::of(Isa::X86_64, objects, &["malloc"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "two objects define `malloc`; expected only a.o (member b.o)"
    );
}

#[test]
fn the_table_is_the_programs_or_empty() {
    for payload in payloads() {
        let objects = Objects::choose(payload, &["malloc"]).unwrap();
        let place = |table: Option<u64>| {
            let host = move |name: &str| if name == TABLE { table } else { Some(AT) };
            link(&objects, &at(&host)).unwrap().code
        };
        let behind = AT + objects.sizes().code.next_multiple_of(8);
        let (empty, own) = (place(None), place(Some(behind)));
        assert_ne!(empty, own);
        let at = objects.empty_table.unwrap() as usize;
        assert_eq!(empty[at..at + 8], [0; 8]);
    }
}

/// Address and size of every function in a `.debug_frame`, sorted.
fn covered(debug_frame: &[u8]) -> Vec<(u64, u64)> {
    let u32_at = |at: usize| u32::from_le_bytes(debug_frame[at..at + 4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(debug_frame[at..at + 8].try_into().unwrap());
    let (mut at, mut common, mut covered) = (0, Vec::new(), Vec::new());
    while at < debug_frame.len() {
        let length = u32_at(at) as usize;
        assert_eq!((length + 4) % 8, 0);
        match u32_at(at + 4) {
            u32::MAX => common.push(at as u32),
            of => {
                assert!(common.contains(&of), "{of:#x} is no common entry");
                covered.push((u64_at(at + 8), u64_at(at + 16)));
            }
        }
        at += length + 4;
    }
    assert_eq!(at, debug_frame.len());
    // There are two for the whole payload: nothing calls the start, so its common entry has other rules.
    assert!((1..=2).contains(&common.len()), "{common:?}");
    covered.sort_unstable();
    covered
}

/// One CIE and one FDE, as an assembler made them: `sub $8, %rsp` and a call.
#[test]
fn unwind_information_changes_its_form() {
    let mut eh_frame =
        b"\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\0\0".to_vec();
    eh_frame.extend(b"\x10\0\0\0\x1c\0\0\0\0\0\0\0\x20\0\0\0\0\x44\x0e\x10");
    let frames = |bytes: &[u8]| brawn_payload::Frames {
        bytes: brawn_payload::Bytes::plain(bytes.to_vec().leak()),
        functions: &[(0x20, ".text.f", 4)],
    };
    let at = |name: &str, place: u64| (name == ".text.f").then_some(0x40_0000 + place);
    let mut all = DebugFrame::default();
    all.add(&frames(&eh_frame), &at).unwrap();
    all.add(&frames(&eh_frame), &at).unwrap();
    let common = b"\x14\0\0\0\xff\xff\xff\xff\x01\0\x01\x78\x10\x0c\x07\x08\x90\x01\0\0\0\0\0\0";
    let function =
        b"\x1c\0\0\0\0\0\0\0\x04\0\x40\0\0\0\0\0\x20\0\0\0\0\0\0\0\x44\x0e\x10\0\0\0\0\0";
    assert_eq!(all.bytes, [&common[..], function, function].concat());
    // There are no entries for functions that are not in the program.
    let mut none = DebugFrame::default();
    none.add(&frames(&eh_frame), &|_, _| None).unwrap();
    assert!(none.bytes.is_empty());
    for (place, byte, expected) in [
        (0, 0xff, "its end"),
        (8, 3, "version 1"),
        (15, 2, "distances"),
        (16, 0, "distances"),
        (28, 0x1b, "no common entry"),
    ] {
        let mut broken = eh_frame.clone();
        broken[place] = byte;
        let error = DebugFrame::default()
            .add(&frames(&broken), &at)
            .unwrap_err();
        assert!(
            error.to_string().contains(expected),
            "{error}; expected {expected}"
        );
    }
}
