use super::*;
use crate::archive::identify::identify;
use crate::for_tests::{Sym, archive as write_archive, fake_payload, musl, object};
use brawn_payload::Profile;
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

/// The archive with its index written anew, and nothing else changed.
fn reindexed(bytes: &[u8]) -> Vec<u8> {
    let archive = Archive::read(bytes).unwrap();
    let findings = identify(&archive).unwrap();
    let payload = brawn_payload::Payload {
        members: &[],
        ..fake_payload("1")
    };
    let plan = Plan {
        action: Action::Patch,
        keep: findings.members.len(),
        ..Plan::default()
    };
    // Without what the old index says, so that every line comes from the objects.
    let mut blind = archive.clone();
    if let Some(index) = &mut blind.index {
        index.lines.clear();
    }
    apply(&blind, &findings, &plan, &payload).unwrap()
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn folder_with_objects() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (number, (_, data)) in musl().iter().enumerate() {
        std::fs::write(folder.path().join(format!("m{number}.o")), data).unwrap();
    }
    let long = folder.path().join("a_member_with_a_long_name.o");
    std::fs::write(long, object(&[Sym::Strong("odd")], None)).unwrap();
    folder
}

fn objects(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".o"))
        .collect();
    names.sort();
    names
}

#[test]
fn our_index_is_the_one_that_ar_and_llvm_ar_write() {
    let folder = folder_with_objects();
    let names = objects(folder.path());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (program, first) in [
        ("ar", &["rcsD", "x.a"][..]),
        ("llvm-ar", &["--format=gnu", "rcsD", "y.a"]),
        ("llvm-ar", &["--format=bsd", "rcsD", "z.a"]),
    ] {
        run(program, &[first, &names[..]].concat(), folder.path());
        let bytes = std::fs::read(folder.path().join(first.last().unwrap())).unwrap();
        assert!(Archive::read(&bytes).unwrap().index.is_some());
        assert!(reindexed(&bytes) == bytes, "{program} {first:?}");
    }
}

#[test]
fn our_index_of_a_real_libc_is_the_one_it_has() {
    let path = "/usr/lib/x86_64-linux-musl/libc.a";
    let bytes = std::fs::read(path).expect("Debian's musl-dev is installed");
    assert!(reindexed(&bytes) == bytes);
}

#[test]
fn other_tools_read_the_result_as_we_do() {
    let folder = tempfile::tempdir().unwrap();
    let old = write_archive(&musl());
    let new = crate::archive::edit_with_profile(&old, &[fake_payload("1")], Profile::Fast)
        .unwrap()
        .bytes
        .unwrap();
    std::fs::write(folder.path().join("new.a"), &new).unwrap();
    let read = Archive::read(&new).unwrap();
    let names: String = read
        .members()
        .map(|(_, e)| format!("{}\n", crate::error::printable(e.name)))
        .collect();
    for ar in ["ar", "llvm-ar"] {
        assert_eq!(run(ar, &["t", "new.a"], folder.path()), names);
    }
    for nm in ["nm", "llvm-nm"] {
        let text = run(nm, &["--print-armap", "new.a"], folder.path());
        for line in &read.index.as_ref().unwrap().lines {
            let wanted = format!(
                "{} in {}",
                crate::error::printable(line.symbol),
                crate::error::printable(read.entries[line.entry].name)
            );
            assert!(text.contains(&wanted), "{nm}: {wanted}\n{text}");
        }
    }
    // ranlib finds nothing to change.
    run("ranlib", &["-D", "new.a"], folder.path());
    assert!(std::fs::read(folder.path().join("new.a")).unwrap() == new);
}

#[test]
fn bsd_archives_stay_bsd() {
    let folder = folder_with_objects();
    let names = objects(folder.path());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run(
        "llvm-ar",
        &[&["--format=bsd", "rcsD", "x.a"], &names[..]].concat(),
        folder.path(),
    );
    let old = std::fs::read(folder.path().join("x.a")).unwrap();
    let new = crate::archive::edit_with_profile(&old, &[fake_payload("1")], Profile::Fast)
        .unwrap()
        .bytes
        .unwrap();
    let read = Archive::read(&new).unwrap();
    assert_eq!(read.dialect, Dialect::Bsd);
    assert_eq!(read.index.as_ref().unwrap().format, IndexFormat::Bsd32);
    std::fs::write(folder.path().join("new.a"), &new).unwrap();
    assert!(run("llvm-ar", &["t", "new.a"], folder.path()).ends_with("brawn-heap.o\n"));
    assert!(
        run("llvm-nm", &["--print-armap", "new.a"], folder.path())
            .contains("malloc in brawn-heap.o")
    );
}

#[test]
fn without_an_index_there_is_none_afterwards() {
    let old = write_archive(&musl());
    let read = Archive::read(&old).unwrap();
    let mut bare = MAGIC.to_vec();
    bare.extend(&old[read.entries[0].whole.end..]);
    let new = crate::archive::edit_with_profile(&bare, &[fake_payload("1")], Profile::Fast)
        .unwrap()
        .bytes
        .unwrap();
    assert!(Archive::read(&new).unwrap().index.is_none());
}

#[test]
fn a_stale_index_is_completed_and_unreadable_members_keep_their_lines() {
    let mut members = musl();
    members.push(("lto.o", b"BC\xc0\xdeabcd".to_vec()));
    let old = write_archive(&members);
    let mut read = Archive::read(&old).unwrap();
    let last = read.entries.len() - 1;
    let index = read.index.as_mut().unwrap();
    index.lines.retain(|l| l.symbol != b"fork");
    index.lines.push(crate::archive::read::IndexLine {
        symbol: b"from_bitcode",
        entry: last,
    });
    let findings = identify(&read).unwrap();
    let payload = fake_payload("1");
    let plan = crate::archive::plan::plan(
        &read,
        &findings,
        &payload,
        &crate::archive::plan::Options::default(),
    )
    .unwrap();
    let new = apply(&read, &findings, &plan, &payload).unwrap();
    crate::archive::check::check(&read, &findings, &plan, &payload, &new).unwrap();
    let again = Archive::read(&new).unwrap();
    let lines = &again.index.as_ref().unwrap().lines;
    for (symbol, name) in [(&b"fork"[..], &b"fork.lo"[..]), (b"from_bitcode", b"lto.o")] {
        let line = lines.iter().find(|l| l.symbol == symbol).unwrap();
        assert_eq!(again.entries[line.entry].name, name);
    }
}

#[test]
fn offsets_beyond_4_gib_need_64_bits() {
    let lines = [(&b"a"[..], u64::from(u32::MAX))];
    assert!(index_contents(IndexFormat::Gnu32, &lines, 68).is_none());
    let wide = index_contents(IndexFormat::Gnu64, &lines, 68).unwrap();
    // Count, one offset, "a\0": the member is 68 + 18 bytes after the offset's origin.
    assert_eq!(wide.len(), 18);
    assert_eq!(wide[8..16], (u64::from(u32::MAX) + 68 + 18).to_be_bytes());
}

#[test]
fn a_64_bit_index_stays_one() {
    let old = write_archive(&musl());
    let read = Archive::read(&old).unwrap();
    let mut wide = read.clone();
    wide.index.as_mut().unwrap().format = IndexFormat::Gnu64;
    let findings = identify(&wide).unwrap();
    let payload = fake_payload("1");
    let plan = crate::archive::plan::plan(
        &wide,
        &findings,
        &payload,
        &crate::archive::plan::Options::default(),
    )
    .unwrap();
    let mut new = apply(&wide, &findings, &plan, &payload).unwrap();
    // The old header was copied; it said `/`.
    new[8..24].copy_from_slice(b"/SYM64/         ");
    let again = Archive::read(&new).unwrap();
    assert_eq!(again.index.as_ref().unwrap().format, IndexFormat::Gnu64);
    assert!(
        again
            .index
            .unwrap()
            .lines
            .iter()
            .any(|l| l.symbol == b"malloc")
    );
}

#[test]
fn payload_names_must_fit_the_header() {
    assert!(header(Dialect::Gnu, "fifteen-bytes.o", 1).is_ok());
    assert!(header(Dialect::Gnu, "sixteen--bytes.o", 1).is_err());
    assert!(header(Dialect::Bsd, "with space.o", 1).is_err());
    assert!(header(Dialect::Gnu, "a.o", 10_000_000_000).is_err());
}

fn extra_members() -> impl Strategy<Value = Vec<(&'static str, Vec<u8>)>> {
    let names = prop::sample::select(vec![
        "a.o",
        "free.lo",
        "/abs/path/to/a/cache/free.o",
        "a_long_name_of_a_member.o",
        "brawn-heap.o",
    ]);
    let data = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40)
            .prop_filter("not an object", |d| !d.starts_with(b"\x7fELF")),
        "[a-z]{3,9}".prop_map(|name| object(&[Sym::Strong(&format!("x_{name}"))], None)),
    ];
    prop::collection::vec((names, data), 0..12)
}

proptest! {
    #[test]
    fn untouched_members_are_identical_and_twice_is_once(extra in extra_members(), seed in any::<prop::sample::Index>()) {
        let mut members = musl();
        let at = seed.index(members.len());
        for member in extra {
            members.insert(at, member);
        }
        let old = write_archive(&members);
        let first = crate::archive::edit_with_profile(&old, &[fake_payload("1")], Profile::Fast).unwrap();
        let new = first.bytes.unwrap();
        let (before, after) = (Archive::read(&old).unwrap(), Archive::read(&new).unwrap());
        let kept: Vec<_> = before
            .members()
            .filter(|(n, _)| !first.plan.removes(*n))
            .map(|(_, e)| (e.name, before.whole(e)))
            .collect();
        let found: Vec<_> = after.members().map(|(_, e)| (e.name, after.whole(e))).collect();
        prop_assert_eq!(&kept[..], &found[..kept.len()]);
        prop_assert_eq!(found.len(), kept.len() + 1);
        let second = crate::archive::edit_with_profile(&new, &[fake_payload("1")], Profile::Fast).unwrap();
        prop_assert!(second.bytes.is_none());
    }
}
