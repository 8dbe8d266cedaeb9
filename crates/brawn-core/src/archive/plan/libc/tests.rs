use crate::archive::Edit;
use crate::archive::plan::{Action, Options, State};
use crate::component::{Component, Families};
use crate::for_tests::{Sym, archive, fake_payload, musl, object};
use brawn_payload::{Frames, Function, Member, Payload, Profile, Set};

/// A function's name and family, its group, which names of brawn's it needs besides the note, and which names of
/// libc.
type Shape = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const FUNCTIONS: [Shape; 6] = [
    ("strcspn", "strings", "", &["brawn_strlen"], &[]),
    ("time", "time", "", &[], &["__clock_gettime"]),
    ("getenv", "time", "", &[], &["no_such_name"]),
    ("lock", "threads", "locks", &["brawn_unlock"], &[]),
    ("unlock", "threads", "locks", &["brawn_lock"], &[]),
    ("tan", "math", "", &[], &[]),
];

fn member(name: &str, symbols: &[Sym<'_>], note: Option<&str>) -> Member {
    Member {
        name: format!("brawn_{name}.o").leak(),
        bytes: brawn_payload::Bytes::plain(object(symbols, note).leak()),
        frames: Frames::default(),
    }
}

fn set(functions: Vec<Function>) -> &'static Set {
    Box::leak(Box::new(Set {
        version: "1.0.0",
        compiler: "test 2",
        source: "0",
        functions: functions.leak(),
    }))
}

/// A payload with one memory function and these functions; `version` goes into their note.
fn payload(version: &str) -> Payload {
    let strlen = member(
        "strlen",
        &[Sym::Weak("strlen"), Sym::Strong("brawn_strlen")],
        Some("brawn=1\ncomponent=memory\nsource=0\n"),
    );
    let strlen = Function::memory(strlen, &["strlen"], &["brawn_strlen"], &[]);
    let note = format!("brawn={version}\ncomponent=libc\n");
    let noted = member("note", &[Sym::Strong("brawn_libc_note")], Some(&note));
    let mut functions = vec![Function {
        family: "",
        ..Function::memory(noted, &[], &["brawn_libc_note"], &[])
    }];
    for (name, family, group, needs, asks) in FUNCTIONS {
        let own: &'static str = format!("brawn_{name}").leak();
        let needs = [needs, &["brawn_libc_note"]].concat().leak();
        let mut symbols = vec![Sym::Weak(name), Sym::Strong(own)];
        symbols.extend(needs.iter().chain(asks).map(|name| Sym::Needs(name)));
        let object = member(name, &symbols, None);
        functions.push(Function {
            family,
            group,
            exact: name != "tan",
            asks,
            ..Function::memory(object, vec![name].leak(), vec![own].leak(), needs)
        });
    }
    Payload {
        memory: Some(set(vec![strlen])),
        libc: set(functions),
        ..fake_payload("1")
    }
}

const ALL: [(&str, &[Sym<'_>]); 8] = [
    ("strlen.lo", &[Sym::Strong("strlen")]),
    ("strcspn.lo", &[Sym::Strong("strcspn")]),
    ("time.lo", &[Sym::Strong("time")]),
    ("getenv.lo", &[Sym::Strong("getenv")]),
    ("lock.lo", &[Sym::Strong("lock")]),
    ("unlock.lo", &[Sym::Strong("unlock")]),
    ("tan.lo", &[Sym::Strong("tan")]),
    ("clock.lo", &[Sym::Strong("__clock_gettime")]),
];

fn bytes(members: &[(&'static str, &[Sym<'_>])]) -> Vec<u8> {
    let mut all = musl();
    let more = members.iter();
    all.extend(more.map(|(name, symbols)| (*name, object(symbols, None))));
    archive(&all)
}

fn edit(bytes: &[u8], payload: Payload, components: &[Component]) -> Edit {
    let options = Options {
        components,
        keeps: false,
        profile: Some(Profile::Fast),
        upgrade: false,
    };
    crate::archive::edit_bytes(bytes, &[payload], &options).unwrap()
}

/// The removed members with functions of libc, and how many members are added.
fn gone(edit: &Edit) -> (Vec<&str>, usize) {
    let gone = edit.plan.remove.iter();
    let gone = gone.filter(|r| r.component == Component::LIBC);
    let come = edit.plan.add.iter();
    let come = come.filter(|a| a.component == Component::LIBC).count();
    (gone.map(|r| r.name.as_str()).collect(), come)
}

const FIVE: [&str; 5] = ["strcspn.lo", "time.lo", "lock.lo", "unlock.lo", "tan.lo"];

#[test]
fn what_finds_all_that_it_needs_is_exchanged_once_and_renewed() {
    let old = bytes(&ALL);
    let first = edit(&old, payload("1"), Component::ALL);
    let plan = first.plan.libc.as_ref().unwrap();
    assert_eq!(
        (plan.state, gone(&first)),
        (State::Brawn, (FIVE.to_vec(), 6))
    );
    let stays: Vec<_> = plan.stay.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(stays, ["getenv.lo"]);
    assert!(plan.stay[0].why.contains("no_such_name"), "{plan:?}");
    let new = first.bytes.unwrap();
    for components in [Component::ALL, &[Component::Memory], &Component::ALL[2..]] {
        let second = edit(&new, payload("1"), components);
        assert_eq!(second.plan.action, Action::Nothing, "{components:?}");
    }
    let third = edit(&new, payload("2"), &Component::ALL[2..]);
    assert_eq!(third.plan.action, Action::Upgrade);
    assert!(third.plan.replaces[0].is_libc());
    assert_eq!(gone(&third).1, 6);
}

#[test]
fn a_group_goes_whole_or_not_at_all() {
    let mut members = ALL;
    members[4] = ("lock.lo", &[Sym::Strong("lock"), Sym::Strong("trylock")]);
    let edited = edit(&bytes(&members), payload("1"), Component::ALL);
    assert_eq!(gone(&edited).0, ["strcspn.lo", "time.lo", "tan.lo"]);
    let plan = edited.plan.libc.unwrap();
    let unlock = plan.stay.iter().find(|s| s.name == "unlock.lo").unwrap();
    assert!(unlock.why.contains("locks"), "{unlock:?}");
}

#[test]
fn families_are_left_out_and_exact_math_is_musls() {
    let without = |families| [Component::Memory, Component::Libc(families)];
    let families = Families::ALL.without("threads").exact_math();
    let edited = edit(&bytes(&ALL), payload("1"), &without(families));
    assert_eq!(gone(&edited).0, ["strcspn.lo", "time.lo"]);
}

/// Of two functions of one name, the option's comes.
#[test]
fn one_of_two_sorts_comes() {
    let names = |families: Families| {
        let functions = brawn_payload::payloads()[0].libc.functions.iter();
        let sorts = functions.filter(|f| f.surface.contains(&"qsort") && families.take(f));
        sorts.map(|f| f.own).collect::<Vec<_>>()
    };
    assert_eq!(names(Families::ALL), [["brawn_qsort"]]);
    assert_eq!(names(Families::ALL.stable_sort()), [["brawn_qsort_stable"]]);
    assert_eq!(names(Families::ALL.without("sort").stable_sort()).len(), 0);
}

/// Streams have musl's buffers, or larger ones if an option asks for them.
#[test]
fn large_buffers_come_where_they_are_asked_for() {
    let names = |families: Families| {
        let functions = brawn_payload::payloads()[0].libc.functions.iter();
        let is_one = |f: &&brawn_payload::Function| {
            let names = ["__stdio_read", "__stdout_write"];
            families.take(f) && names.iter().any(|name| f.surface.contains(name))
        };
        functions
            .filter(is_one)
            .flat_map(|f| f.own)
            .copied()
            .collect::<Vec<_>>()
    };
    let large = ["brawn___stdout_write_large", "brawn___stdio_read_large"];
    assert_eq!(names(Families::ALL), ["brawn___stdio_read"]);
    assert_eq!(names(Families::ALL.large_buffers()), large);
}

#[test]
fn without_memory_functions_only_what_does_without_them() {
    let libc = &Component::ALL[2..];
    let edited = edit(&bytes(&ALL), payload("1"), libc);
    assert_eq!(gone(&edited).0, FIVE[1..]);
    // With this build's memory functions already there, every function can come.
    let memory = edit(&bytes(&ALL), payload("1"), &[Component::Memory]);
    let edited = edit(&memory.bytes.unwrap(), payload("1"), libc);
    assert_eq!(gone(&edited).0, FIVE);
}
