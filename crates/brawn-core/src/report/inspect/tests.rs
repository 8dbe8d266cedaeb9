use super::*;
use crate::for_tests::{Sym, archive, fake_payload, musl, object};
use proptest::prelude::*;

const NOTE: &str = "brawn=1.0.0\ncomponent=heap\nengine=test 1\nprofile=fast\n";

fn patched() -> Vec<u8> {
    let payload = fake_payload("1.0.0");
    let payloads = [payload];
    let edit = crate::archive::edit_with_profile(
        &archive(&musl()),
        &payloads,
        brawn_payload::Profile::Fast,
    )
    .unwrap();
    edit.bytes.unwrap()
}

#[test]
fn archives_before_and_after() {
    let before = inspect(&archive(&musl())).unwrap();
    assert_eq!(before.verdict, Verdict::SlowHeap, "{}", before.why);
    assert_eq!(
        (before.libc, before.linkage),
        (Libc::Musl, Linkage::Archive)
    );
    let after = inspect(&patched()).unwrap();
    assert_eq!(after.verdict, Verdict::Fine, "{}", after.why);
    assert_eq!(after.heap, "brawn");
    assert_eq!(after.sure, Sure::Certain);
}

#[test]
fn a_second_heap_in_an_archive_is_named_with_its_members() {
    let mut members = musl();
    members.push(("brawn.o", object(&[Sym::Weak("malloc")], Some(NOTE))));
    members.push(("late.o", object(&[Sym::Needs("__malloc_context")], None)));
    let report = inspect(&archive(&members)).unwrap();
    assert_eq!(report.verdict, Verdict::Mixed);
    assert_eq!(report.heap, "brawn + musl mallocng");
    let second = &report.heaps[1];
    let member = |name: &str| second.members.iter().find(|m| m.member == name).unwrap();
    assert_eq!(member("late.o").refers_to, ["__malloc_context"]);
    assert!(
        member("malloc.lo")
            .defines
            .contains(&"__malloc_context".into())
    );
    assert!(second.members.iter().all(|m| m.member != "fork.lo"));
}

#[test]
fn two_payloads_are_mixed() {
    let bytes = archive(&[
        ("a.o", object(&[Sym::Weak("malloc")], Some(NOTE))),
        ("b.o", object(&[Sym::Weak("malloc")], Some(NOTE))),
    ]);
    let report = inspect(&bytes).unwrap();
    assert_eq!(report.verdict, Verdict::Mixed);
    assert!(report.why.contains("2 times"));
}

#[test]
fn memory_functions_that_are_in_it_twice_are_mixed() {
    let level = |version: &str| {
        let note = format!("brawn={version}\ncomponent=memory\n");
        object(&[Sym::Strong("brawn_memory_level")], Some(&note))
    };
    let heap = object(&[Sym::Weak("malloc")], Some(NOTE));
    let one = [("heap.o", heap), ("a.o", level("1.0.0"))];
    let report = inspect(&archive(&one)).unwrap();
    assert_eq!(report.verdict, Verdict::Fine, "{}", report.why);
    let mut two = one.to_vec();
    two.push(("b.o", level("2.0.0")));
    let report = inspect(&archive(&two)).unwrap();
    assert_eq!(
        (report.verdict, report.sure),
        (Verdict::Mixed, Sure::Certain)
    );
    assert!(report.why.contains("memory functions are in it 2 times"));
    assert!(report.evidence.iter().any(|e| e.ends_with(": a.o, b.o")));
    assert_eq!(report.memory_note.unwrap().brawn, "1.0.0");
}

#[test]
fn objects_and_heaps_of_others() {
    let report = inspect(&object(&[Sym::Strong("mi_malloc")], None)).unwrap();
    assert_eq!(
        (report.linkage, report.heap.as_str()),
        (Linkage::Object, "mimalloc")
    );
    let report = inspect(&object(&[Sym::Strong("f")], None)).unwrap();
    assert_eq!(
        (report.verdict, report.heap.as_str()),
        (Verdict::Unknown, "none")
    );
    let report = inspect(&archive(&[("a.o", object(&[Sym::Strong("malloc")], None))])).unwrap();
    assert_eq!(report.heap, "the program's own");
}

#[test]
fn what_is_neither_is_an_error_that_says_so() {
    for (bytes, found) in [
        (&b"#!/bin/sh\n"[..], "begins with `#!/bin/s`"),
        (b"", "empty file"),
        (b"BC\xc0\xde", "bitcode"),
        (b"!<thin>\n", "thin archive"),
        (b"\x7fELF\x02", "truncated"),
    ] {
        let error = inspect(bytes).unwrap_err().to_string();
        assert!(
            error.contains(found) && error.contains("expected"),
            "{error}"
        );
    }
}

#[test]
fn the_words_are_the_same_in_tables_and_json() {
    for verdict in [
        Verdict::Fine,
        Verdict::SlowHeap,
        Verdict::Mixed,
        Verdict::NotMusl,
        Verdict::Unknown,
    ] {
        let json = serde_json::to_string(&verdict).unwrap();
        assert_eq!(json, format!("\"{}\"", verdict.name()));
    }
}

proptest! {
    #[test]
    fn no_mutated_archive_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut bytes = patched();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = inspect(&bytes);
    }

    #[test]
    fn no_mutated_object_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        kind in 0u8..5,
    ) {
        let mut bytes = object(&[Sym::Strong("malloc"), Sym::Weak("memcpy")], Some(NOTE));
        bytes[16] = kind;
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = inspect(&bytes);
    }
}

#[test]
fn a_heap_for_rust_code_alone_is_named_in_the_note() {
    let note = format!("{NOTE}serves=rust\n");
    let notes = crate::note::read(&crate::for_tests::note_bytes(&note), 0).unwrap();
    assert!(notes[0].serves_rust());
    let json = serde_json::to_value(&notes[0]).unwrap();
    assert_eq!(json["serves"], "rust");
    let libcs = crate::note::read(&crate::for_tests::note_bytes(NOTE), 0).unwrap();
    assert!(!libcs[0].serves_rust());
    assert!(
        serde_json::to_value(&libcs[0])
            .unwrap()
            .get("serves")
            .is_none()
    );
}
