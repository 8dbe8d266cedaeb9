use super::*;
use crate::archive::plan::{Action, Options};
use crate::component::Component;
use crate::for_tests::{Sym, archive, fake_payload, musl, object};
use brawn_payload::{Member as Object, Supplies};

type Members = Vec<(&'static str, Vec<u8>)>;

/// A function's member, its symbol, and the names that it needs.
const FUNCTIONS: [(&str, &str, &[&str]); 4] = [
    ("strdup", "strdup", &["malloc", "strlen"]),
    ("wcsdup", "wcsdup", &["malloc"]),
    ("nw", "_Znwm", &["__cxa_throw", "malloc"]),
    ("dl", "_ZdlPv", &["free"]),
];

fn supply(
    version: &str,
    name: &str,
    symbol: &'static str,
    needs: &'static [&'static str],
) -> Supply {
    let symbols: Vec<Sym<'_>> = [Sym::Weak(symbol)]
        .into_iter()
        .chain(needs.iter().map(|name| Sym::Needs(name)))
        .collect();
    let note = format!("brawn={version}\ncomponent=supplied\nfunction={symbol}\n");
    Supply {
        name: symbol,
        member: Object {
            name: format!("brawn_{name}.o").leak(),
            bytes: brawn_payload::Bytes::plain(object(&symbols, Some(&note)).leak()),
            frames: brawn_payload::Frames::default(),
        },
        needs,
    }
}

/// A payload that supplies these functions; `version` goes into all notes.
fn payload(version: &str, functions: &[(&str, &'static str, &'static [&'static str])]) -> Payload {
    let functions: Vec<Supply> = functions
        .iter()
        .map(|(name, symbol, needs)| supply(version, name, symbol, needs))
        .collect();
    let supplied = Supplies {
        version: "1.0.0",
        compiler: "test 2",
        source: "0",
        functions: functions.leak(),
    };
    let mut payload = fake_payload(version);
    payload.supplied = Box::leak(Box::new(supplied));
    payload
}

/// musl with mimalloc in the place of its heap; that member also defines `more`.
fn mimalloc(more: &[Sym<'_>], others: Members) -> Members {
    let heap = ["calloc.lo", "free.lo", "lite_malloc.lo", "malloc.lo"];
    let mut members = musl();
    members.retain(|(name, _)| !heap.contains(name));
    members.push(("strlen.lo", object(&[Sym::Strong("strlen")], None)));
    members.extend(others);
    let own = [
        Sym::Strong("mi_malloc"),
        Sym::Strong("malloc"),
        Sym::Strong("free"),
        Sym::Strong("calloc"),
    ];
    members.push(("mimalloc.o", object(&[&own[..], more].concat(), None)));
    members
}

const UPGRADE: Options<'_> = Options {
    components: crate::component::Component::ALL,
    keeps: false,
    profile: None,
    upgrade: true,
};

fn edit(bytes: &[u8], payload: Payload, upgrade: bool) -> crate::Result<crate::archive::Edit> {
    crate::archive::edit_bytes(bytes, &[payload], &Options { upgrade, ..UPGRADE })
}

/// The names of the added members that supply functions.
fn comes(edit: &crate::archive::Edit) -> Vec<&str> {
    let added = edit
        .plan
        .add
        .iter()
        .filter(|a| a.component == Component::Supplied);
    added
        .flat_map(|a| a.defines.iter().map(String::as_str))
        .collect()
}

const OPERATORS: [Sym<'_>; 2] = [Sym::Strong("_Znwm"), Sym::Strong("_ZdlPv")];

#[test]
fn mimalloc_is_refused_unless_it_is_asked_for() {
    let bytes = archive(&mimalloc(&[], Vec::new()));
    let error = edit(&bytes, payload("1", &FUNCTIONS), false)
        .unwrap_err()
        .to_string();
    for part in [
        "mimalloc.o",
        "mimalloc (version unknown)",
        "an upgrade",
        "a patch with only `memory`",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_the_archive_then_lacks_comes_and_nothing_else() {
    let bytes = archive(&mimalloc(&OPERATORS, Vec::new()));
    let edited = edit(&bytes, payload("1", &FUNCTIONS), true).unwrap();
    assert_eq!(edited.plan.action, Action::Patch);
    assert_eq!(comes(&edited), ["strdup", "wcsdup", "_Znwm", "_ZdlPv"]);
    let gone: Vec<_> = edited
        .plan
        .remove
        .iter()
        .map(|r| (r.name.as_str(), r.why))
        .collect();
    assert_eq!(gone, [("mimalloc.o", Why::Mimalloc)]);
    // Patching again has nothing to do, with the upgrade or without.
    let new = edited.bytes.unwrap();
    for upgrade in [true, false] {
        let again = edit(&new, payload("1", &FUNCTIONS), upgrade).unwrap();
        assert_eq!(again.plan.action, Action::Nothing);
    }
}

#[test]
fn what_stays_is_not_supplied() {
    // strdup is in musl's own member. mimalloc has no operators, so the C++ runtime still has its own.
    let strdup = ("strdup.lo", object(&[Sym::Strong("strdup")], None));
    let bytes = archive(&mimalloc(&[Sym::Strong("strndup")], vec![strdup]));
    let edited = edit(&bytes, payload("1", &FUNCTIONS), true).unwrap();
    assert_eq!(comes(&edited), ["wcsdup"]);
}

#[test]
fn stock_archives_get_none() {
    let edited = edit(&archive(&musl()), payload("1", &FUNCTIONS), true).unwrap();
    assert_eq!(edited.plan.action, Action::Patch);
    assert_eq!(comes(&edited), [""; 0]);
}

#[test]
fn a_later_brawn_renews_them_and_keeps_what_it_does_not_have() {
    let bytes = archive(&mimalloc(&OPERATORS, Vec::new()));
    let old = edit(&bytes, payload("1", &FUNCTIONS), true)
        .unwrap()
        .bytes
        .unwrap();
    let edited = edit(&old, payload("2", &FUNCTIONS[..3]), false).unwrap();
    assert_eq!(edited.plan.action, Action::Upgrade);
    assert_eq!(comes(&edited), ["strdup", "wcsdup", "_Znwm"]);
    assert!(
        edited
            .plan
            .replaces
            .iter()
            .any(|note| note.function == "wcsdup")
    );
    let new = edited.bytes.unwrap();
    let read = Archive::read(&new).unwrap();
    let findings = crate::archive::identify::identify(&read).unwrap();
    let kept = findings
        .with_role(Role::Ours(Component::Supplied))
        .filter(|m| m.name == b"brawn_dl.o");
    assert_eq!(kept.count(), 1);
    let again = edit(&new, payload("2", &FUNCTIONS[..3]), false).unwrap();
    assert_eq!(again.plan.action, Action::Nothing);
}

#[test]
fn one_that_is_put_back_takes_the_place_of_brawns() {
    let bytes = archive(&mimalloc(&[], Vec::new()));
    let functions = &FUNCTIONS[..2];
    let edited = edit(&bytes, payload("1", functions), true).unwrap();
    assert_eq!(comes(&edited), ["strdup", "wcsdup"]);
    // As `ar` does it: musl's own strdup is there beside brawn's.
    let mut members = mimalloc(
        &[],
        vec![("strdup.lo", object(&[Sym::Strong("strdup")], None))],
    );
    members.retain(|(name, _)| *name != "mimalloc.o");
    let payload = payload("1", functions);
    members.extend(payload.members.iter().map(|m| (m.name, m.bytes.to_vec())));
    let supplied = payload.supplied.functions.iter();
    members.extend(supplied.map(|f| (f.member.name, f.member.bytes.to_vec())));
    let edited = edit(&archive(&members), payload, false).unwrap();
    let gone: Vec<_> = edited.plan.remove.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(gone, ["brawn_strdup.o", "brawn_wcsdup.o"]);
    assert_eq!(comes(&edited), ["wcsdup"]);
}

#[test]
fn an_archive_that_cannot_carry_them_is_refused_by_name() {
    let mut members = mimalloc(&[], Vec::new());
    members.retain(|(name, _)| *name != "strlen.lo");
    let error = edit(&archive(&members), payload("1", &FUNCTIONS), true)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`strlen`") && error.contains("`strdup`"),
        "{error}"
    );
}

#[test]
fn who_needs_mimallocs_own_names_is_refused() {
    let user = (
        "user.o",
        object(&[Sym::Strong("user"), Sym::Needs("mi_malloc")], None),
    );
    let error = edit(
        &archive(&mimalloc(&[], vec![user])),
        payload("1", &FUNCTIONS),
        true,
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("user.o") && error.contains("`mi_malloc`"),
        "{error}"
    );
    // A name that mimalloc overrides and brawn supplies is defined again.
    let user = (
        "user.o",
        object(&[Sym::Strong("user"), Sym::Needs("strdup")], None),
    );
    edit(
        &archive(&mimalloc(&[Sym::Strong("strdup")], vec![user])),
        payload("1", &FUNCTIONS),
        true,
    )
    .unwrap();
}
