use super::*;
use crate::archive::read::Archive;
use crate::error::Kind;
use crate::for_tests::fake_payload;

fn at(directory: &str) -> (Payload, Link) {
    let payload = fake_payload("1.0.0");
    let link = link(&payload, Component::ALL, Path::new(directory)).unwrap();
    (payload, link)
}

#[test]
fn the_archive_reads_back_with_every_symbol_in_its_index() {
    let payload = fake_payload("1.0.0");
    let bytes = archive_of_all(payload.members.iter()).unwrap();
    let read = Archive::read(&bytes).unwrap();
    let members: Vec<_> = read.members().map(|(_, e)| e).collect();
    assert_eq!(members.len(), 1);
    assert_eq!(read.data(members[0]), payload.members[0].bytes.get());
    let index = read.index.as_ref().unwrap();
    let mut names: Vec<&[u8]> = index.lines.iter().map(|l| l.symbol).collect();
    names.sort();
    let surface: Vec<&[u8]> = payload.surface.iter().map(|n| n.as_bytes()).collect();
    assert_eq!(names, surface);
    assert!(
        index
            .lines
            .iter()
            .all(|l| read.entries[l.entry].name == b"brawn-heap.o")
    );
    let report = crate::report::inspect::inspect(&bytes).unwrap();
    assert_eq!(report.heap, "brawn");
}

#[test]
fn the_name_that_pulls_is_on_the_surface_of_every_payload() {
    for payload in brawn_payload::payloads() {
        assert!(payload.surface.contains(&PULL));
    }
}

#[test]
fn flags() {
    let (_, link) = at("/x/y");
    assert_eq!(link.flags.cc, ["/x/y/brawn-heap.o"]);
    assert_eq!(
        shell(&link.flags.rustc),
        "-L native=/x/y -l static:-bundle=brawn_heap -C link-arg=-u__libc_malloc"
    );
    assert_eq!(swift(&link), ".unsafeFlags([\"/x/y/brawn-heap.o\"])");
    assert_eq!(cmake_include(&link), "include(\"/x/y/brawn.cmake\")");
}

#[test]
fn paths_are_quoted_for_whom_they_are_for() {
    let (payload, link) = at("/a b/it's \"$x\"");
    assert_eq!(shell(&link.flags.cc), "'/a b/it'\\''s \"$x\"/brawn-heap.o'");
    assert_eq!(
        swift(&link),
        ".unsafeFlags([\"/a b/it's \\\"$x\\\"/brawn-heap.o\"])"
    );
    assert_eq!(
        cmake_include(&link),
        "include(\"/a b/it's \\\"\\$x\\\"/brawn.cmake\")"
    );
    assert!(
        pkg_config(&link, &payload).contains("Libs: /a\\ b/it\\'s\\ \\\"\\$x\\\"/brawn-heap.o")
    );
}

#[test]
fn a_folder_that_no_flag_can_name_is_refused() {
    let payload = fake_payload("1.0.0");
    let error = link(&payload, Component::ALL, Path::new("/a\nb")).unwrap_err();
    assert_eq!(error.kind(), Kind::Usage);
}

#[test]
fn what_brawn_wrote_is_known_again() {
    let (payload, link) = at("/x");
    for file in files(&payload, &link).unwrap() {
        assert!(is_ours(&file.bytes), "{}", file.name);
    }
    assert!(!is_ours(b"") && !is_ours(b"int main;"));
}

#[test]
fn cmake_and_pkg_config_texts() {
    let (payload, link) = at("/x/y");
    insta::assert_snapshot!("cmake", cmake(&link, &payload));
    insta::assert_snapshot!("pkg-config", pkg_config(&link, &payload));
}

#[test]
fn every_file_is_known_for_brawns_when_it_is_there_already() {
    for payload in brawn_payload::payloads() {
        let link = link(payload, Component::ALL, Path::new("/x")).unwrap();
        let files = files(payload, &link).unwrap();
        assert!(files.iter().any(|f| f.name == SUPPLIED_ARCHIVE));
        for file in files {
            assert!(is_ours(&file.bytes), "{}", file.name);
        }
    }
}
