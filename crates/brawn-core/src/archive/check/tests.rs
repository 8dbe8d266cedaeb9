use super::*;
use crate::archive::apply::{apply, symbols_by_entry, write};
use crate::archive::identify::identify;
use crate::archive::read::HEADER;
use crate::for_tests::{archive, fake_payload, musl};

#[test]
fn one_wrong_byte_anywhere_that_matters_is_found() {
    let bytes = archive(&musl());
    let old = Archive::read(&bytes).unwrap();
    let findings = identify(&old).unwrap();
    let payload = fake_payload("1");
    let plan = crate::archive::plan::plan(
        &old,
        &findings,
        &payload,
        &crate::archive::plan::Options::default(),
    )
    .unwrap();
    let mut new = apply(&old, &findings, &plan, &payload).unwrap();
    check(&old, &findings, &plan, &payload, &new).unwrap();
    let read = Archive::read(&new).unwrap();
    let last = read.entries.len() - 1;
    let mut places = Vec::new();
    for (number, entry) in read.entries.iter().enumerate() {
        places.extend(match entry.kind {
            // Compare offsets and names. The header and the filler mean nothing.
            EntryKind::Index(_) => entry.data.start..entry.data.end - 1,
            _ if number == last => entry.whole.start + HEADER..entry.data.end,
            _ => entry.whole.clone(),
        });
    }
    for at in places {
        new[at] ^= 1;
        let found = check(&old, &findings, &plan, &payload, &new);
        assert!(found.is_err(), "byte {at:#x}");
        new[at] ^= 1;
    }
}

#[test]
fn a_missing_and_an_additional_member_are_found() {
    let bytes = archive(&musl());
    let old = Archive::read(&bytes).unwrap();
    let findings = identify(&old).unwrap();
    let payload = fake_payload("1");
    let plan = crate::archive::plan::plan(
        &old,
        &findings,
        &payload,
        &crate::archive::plan::Options::default(),
    )
    .unwrap();
    let new = apply(&old, &findings, &plan, &payload).unwrap();
    let read = Archive::read(&new).unwrap();
    let last = read.entries.last().unwrap().whole.clone();
    let twice = [&new[..], &new[last.clone()]].concat();
    assert!(check(&old, &findings, &plan, &payload, &twice).is_err());
    assert!(check(&old, &findings, &plan, &payload, &new[..last.start]).is_err());
    assert!(check(&old, &findings, &plan, &payload, &bytes).is_err());
}

/// One error in an index, as a faulty `apply` would write it.
type Fault = fn(&mut Vec<Vec<&'static [u8]>>);

#[test]
fn every_fault_of_the_index_is_found() {
    let faults: [(&str, Fault); 6] = [
        ("a line is lost", |lists| {
            let list = lists.iter_mut().rfind(|list| !list.is_empty());
            list.unwrap().clear();
        }),
        ("a member has none of its lines", |lists| {
            lists.iter_mut().for_each(Vec::clear);
        }),
        ("a line too many", |lists| {
            lists.last_mut().unwrap().push(b"extra");
        }),
        ("a line twice", |lists| {
            let list = lists.last_mut().unwrap();
            list.push(list[0]);
        }),
        ("what goes is ascribed to what stays", |lists| {
            lists.last_mut().unwrap().push(b"calloc");
        }),
        ("two members are mistaken for each other", |lists| {
            let last = lists.len() - 1;
            lists.swap(1, last);
        }),
    ];
    let bytes: &'static [u8] = archive(&musl()).leak();
    let old = Archive::read(bytes).unwrap();
    let findings = identify(&old).unwrap();
    let payload = fake_payload("1");
    let options = crate::archive::plan::Options::default();
    let plan = crate::archive::plan::plan(&old, &findings, &payload, &options).unwrap();
    let with = |symbols| {
        let new = write(&old, &plan, &payload, symbols).unwrap();
        check(&old, &findings, &plan, &payload, &new)
    };
    with(symbols_by_entry(&old, &findings)).unwrap();
    for (what, fault) in faults {
        let mut symbols = symbols_by_entry(&old, &findings);
        fault(&mut symbols);
        assert!(with(symbols).is_err(), "{what}");
    }
}
