use super::*;
use crate::archive::plan::{Action, Options};
use crate::component::Component;
use crate::for_tests::{Sym, archive, fake_payload, musl, object};
use brawn_payload::{Member as Object, Profile};

type Members = Vec<(&'static str, Vec<u8>)>;

/// A function's name, the public names that it defines, and the names that it needs.
type Shape = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const FUNCTIONS: [Shape; 4] = [
    ("level", &[], &[]),
    ("memcpy", &["memcpy", "memmove"], &["brawn_level"]),
    ("strcat", &["strcat"], &["brawn_strlen", "brawn_memcpy"]),
    ("strlen", &["strlen"], &["brawn_level"]),
];

/// A payload with memory functions; `version` goes into their note.
fn payload(version: &str) -> Payload {
    let functions = FUNCTIONS.map(|(name, surface, needs)| {
        let own: &'static str = format!("brawn_{name}").leak();
        let weak = surface.iter().map(|name| Sym::Weak(name));
        let symbols: Vec<Sym<'_>> = weak
            .chain([Sym::Strong(own)])
            .chain(needs.iter().map(|name| Sym::Needs(name)))
            .collect();
        let note = format!("brawn={version}\ncomponent=memory\n");
        let note = (name == "level").then_some(note.as_str());
        let member = Object {
            name: format!("brawn_{name}.o").leak(),
            bytes: brawn_payload::Bytes::plain(object(&symbols, note).leak()),
            frames: brawn_payload::Frames::default(),
        };
        brawn_payload::Function::memory(member, surface, vec![own].leak(), needs)
    });
    Payload {
        memory: Some(Box::leak(Box::new(brawn_payload::Set {
            version: "1.0.0",
            compiler: "test 2",
            source: "0",
            functions: functions.to_vec().leak(),
        }))),
        ..fake_payload("1")
    }
}

/// musl with members that define these.
fn with(members: &[(&'static str, &[Sym<'_>])]) -> Members {
    let mut all = musl();
    all.extend(
        members
            .iter()
            .map(|(name, symbols)| (*name, object(symbols, None))),
    );
    all
}

fn edit(bytes: &[u8], payload: Payload, components: &[Component]) -> crate::archive::Edit {
    let options = Options {
        components,
        keeps: false,
        profile: Some(Profile::Fast),
        upgrade: false,
    };
    crate::archive::edit_bytes(bytes, &[payload], &options).unwrap()
}

fn names(edit: &crate::archive::Edit) -> (Vec<&str>, Vec<&str>) {
    let plan = &edit.plan;
    let is_memory = |part: &Component| *part == Component::Memory;
    let gone = plan.remove.iter().filter(|r| is_memory(&r.component));
    let come = plan.add.iter().filter(|a| is_memory(&a.component));
    (
        gone.map(|r| r.name.as_str()).collect(),
        come.map(|a| a.name.as_str()).collect(),
    )
}

const ALL: [(&str, &[Sym<'_>]); 4] = [
    ("memcpy.lo", &[Sym::Strong("memcpy")]),
    ("memmove.lo", &[Sym::Strong("memmove")]),
    ("strcat.lo", &[Sym::Strong("strcat")]),
    ("strlen.lo", &[Sym::Strong("strlen")]),
];

#[test]
fn both_parts_go_and_come_and_twice_is_once() {
    let old = archive(&with(&ALL));
    let first = edit(&old, payload("1"), Component::ALL);
    assert_eq!(first.plan.action, Action::Patch);
    let (gone, come) = names(&first);
    assert_eq!(gone, ["memcpy.lo", "memmove.lo", "strcat.lo", "strlen.lo"]);
    assert_eq!(come.len(), FUNCTIONS.len());
    assert_eq!(first.plan.remove.len(), 5 + gone.len());
    let new = first.bytes.unwrap();
    for components in [Component::ALL, &[Component::Memory], &[Component::Heap]] {
        let second = edit(&new, payload("1"), components);
        assert_eq!(second.plan.action, Action::Nothing, "{components:?}");
    }
    let third = edit(&new, payload("2"), Component::ALL);
    assert_eq!(third.plan.action, Action::Upgrade);
    assert!(third.plan.replaces[0].is_memory());
    let direct = edit(&old, payload("2"), &[Component::Memory]);
    let (gone, come) = names(&third);
    assert_eq!((gone.len(), come.len()), (4, names(&direct).1.len()));
}

#[test]
fn an_archive_that_has_the_heap_alone_gets_the_rest() {
    let old = archive(&with(&ALL));
    let heap = edit(&old, fake_payload("1"), Component::ALL);
    let both = edit(&heap.bytes.unwrap(), payload("1"), Component::ALL);
    assert_eq!(both.plan.action, Action::Upgrade);
    assert!(both.plan.replaces.is_empty());
    assert_eq!(names(&both).0.len(), both.plan.remove.len());
    let direct = edit(&old, payload("1"), Component::ALL);
    assert!(both.bytes == direct.bytes);
}

#[test]
fn what_the_archive_lacks_comes_only_where_another_needs_it() {
    let old = archive(&with(&ALL[3..]));
    assert_eq!(
        names(&edit(&old, payload("1"), Component::ALL)).1,
        ["brawn_level.o", "brawn_strlen.o"]
    );
    let old = archive(&with(&ALL[2..3]));
    let edited = edit(&old, payload("1"), Component::ALL);
    assert_eq!(names(&edited).1.len(), 4);
    let again = edit(&edited.bytes.unwrap(), payload("1"), Component::ALL);
    assert_eq!(again.plan.action, Action::Nothing);
}

#[test]
fn what_shares_its_member_stays_and_is_reported_and_the_heap_goes_all_the_same() {
    let mixed: (&str, &[Sym<'_>]) = ("all.o", &[Sym::Strong("memcpy"), Sym::Strong("strange")]);
    let old = archive(&with(&[mixed, ALL[3]]));
    let edited = edit(&old, payload("1"), Component::ALL);
    assert_eq!(names(&edited).0, ["strlen.lo"]);
    let memory = edited.plan.memory.as_ref().unwrap();
    assert_eq!(memory.state, State::Brawn);
    assert_eq!(memory.stay[0].defines, ["memcpy"]);
    assert!(memory.stay[0].why.contains("`strange`"), "{memory:?}");
    // The result is only that: the heap is exchanged, and the report says why the rest stays.
    let old = archive(&with(&[mixed]));
    let edited = edit(&old, payload("1"), Component::ALL);
    let memory = edited.plan.memory.as_ref().unwrap();
    assert_eq!(
        (edited.plan.action, memory.state),
        (Action::Patch, State::Stay)
    );
    assert!(memory.why.as_ref().unwrap().contains("all.o"), "{memory:?}");
    let payloads = [payload("1")];
    let options = Options {
        components: &[Component::Memory],
        keeps: false,
        ..Options::default()
    };
    let error = crate::archive::edit_bytes(&old, &payloads, &options);
    assert!(error.unwrap_err().to_string().contains("all.o"));
}

#[test]
fn a_function_that_another_brawn_brought_does_not_vanish() {
    let newer: (&str, &[Sym<'_>]) = ("n.o", &[Sym::Weak("strspn"), Sym::Strong("brawn_strspn")]);
    let old = archive(&with(&[newer, ALL[3]]));
    let edited = edit(&old, payload("1"), Component::ALL);
    let memory = edited.plan.memory.as_ref().unwrap();
    assert_eq!(memory.state, State::Stay);
    assert!(
        memory.why.as_ref().unwrap().contains("`strspn`"),
        "{memory:?}"
    );
    assert_eq!(names(&edited), (vec![], vec![]));
}

#[test]
fn an_architecture_without_them_gets_its_heap() {
    let old = archive(&with(&ALL));
    let edited = edit(&old, fake_payload("1"), Component::ALL);
    let memory = edited.plan.memory.unwrap();
    assert_eq!(memory.why.unwrap(), "this brawn has none for x86_64");
    assert_eq!(edited.plan.remove.len(), 5);
}
