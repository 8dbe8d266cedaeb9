use super::*;
use crate::for_tests::{Sym, archive, musl, object};

fn roles(bytes: &[u8]) -> Vec<(String, Role)> {
    let archive = Archive::read(bytes).unwrap();
    identify(&archive)
        .unwrap()
        .members
        .iter()
        .map(|m| (crate::error::printable(m.name), m.role))
        .collect()
}

#[test]
fn members_are_told_apart_by_what_they_define() {
    // The same objects under names without a meaning.
    let renamed: Vec<_> = musl().into_iter().map(|(_, data)| ("x.o", data)).collect();
    let by_name: Vec<_> = roles(&archive(&musl()))
        .into_iter()
        .map(|(_, r)| r)
        .collect();
    let blind: Vec<_> = roles(&archive(&renamed))
        .into_iter()
        .map(|(_, r)| r)
        .collect();
    assert_eq!(by_name, blind);
    assert_eq!(by_name.iter().filter(|r| **r == Role::MuslHeap).count(), 5);
}

#[test]
fn weak_private_names_are_fallbacks_and_stay() {
    let bytes = archive(&musl());
    let all = roles(&bytes);
    for name in ["fork.lo", "replaced.lo", "errno.lo"] {
        let (_, role) = all.iter().find(|(n, _)| n == name).unwrap();
        assert_eq!(*role, Role::Rest, "{name}");
    }
}

#[test]
fn libcs_are_told_apart() {
    let libc = |members: &[(&str, Vec<u8>)]| {
        let bytes = archive(members);
        let archive = Archive::read(&bytes).unwrap();
        identify(&archive).unwrap().libc
    };
    assert_eq!(libc(&musl()), Libc::Musl);
    let glibc = object(&[Sym::Weak("gnu_get_libc_version")], None);
    assert_eq!(libc(&[("version.o", glibc)]), Libc::Glibc);
    assert_eq!(libc(&[("a.o", object(&[], None))]), Libc::Unknown);
    assert_eq!(libc(&[]), Libc::Unknown);
}

#[test]
fn members_that_are_no_objects_are_left_alone() {
    let mut members = musl();
    members.push(("README", b"text".to_vec()));
    members.push(("lto.o", b"BC\xc0\xdeabcd".to_vec()));
    members.push(("empty", Vec::new()));
    let bytes = archive(&members);
    let read = Archive::read(&bytes).unwrap();
    let findings = identify(&read).unwrap();
    let last: Vec<_> = findings.members.iter().rev().take(3).collect();
    assert!(last.iter().all(|m| m.role == Role::Rest));
    assert!(matches!(last[1].content, Content::Bitcode));
}

#[test]
fn two_architectures_in_one_archive_are_refused() {
    let mut members = musl();
    let mut other = object(&[], None);
    other[18] = 183;
    members.push(("odd.o", other));
    let bytes = archive(&members);
    let read = Archive::read(&bytes).unwrap();
    let error = identify(&read).unwrap_err().to_string();
    assert!(
        error.contains("odd.o") && error.contains("aarch64"),
        "{error}"
    );
}

#[test]
fn a_lying_object_is_reported_with_its_member_and_place() {
    let mut members = musl();
    let mut lying = object(&[Sym::Strong("x")], None);
    lying[40..48].copy_from_slice(&0xffff_ffff_ffffu64.to_le_bytes());
    members.push(("lying.o", lying));
    let bytes = archive(&members);
    let read = Archive::read(&bytes).unwrap();
    let place = read.entries.last().unwrap().data.start as u64 + 40;
    let error = identify(&read).unwrap_err();
    assert_eq!(error.offset(), Some(place));
    assert!(error.to_string().contains("member lying.o"), "{error}");
}
