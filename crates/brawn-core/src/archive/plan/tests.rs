use super::*;
use crate::error::Kind;
use crate::for_tests::{Sym, archive, fake_payload, musl, object};

fn planned(bytes: &[u8], payload: &Payload) -> Result<Plan> {
    let archive = Archive::read(bytes)?;
    let findings = crate::archive::identify::identify(&archive)?;
    plan(&archive, &findings, payload, &Options::default())
}

fn refusal(members: &[(&str, Vec<u8>)]) -> String {
    let error = planned(&archive(members), &fake_payload("1")).unwrap_err();
    assert!(matches!(error.kind(), Kind::Refused | Kind::NotApplicable));
    error.to_string()
}

#[test]
fn the_heap_goes_and_everything_else_stays() {
    let plan = planned(&archive(&musl()), &fake_payload("1")).unwrap();
    assert_eq!(plan.action, Action::Patch);
    let gone: Vec<_> = plan.remove.iter().map(|r| r.name.as_str()).collect();
    // The second free.lo goes too; fork.lo and replaced.lo stay.
    assert_eq!(
        gone,
        [
            "calloc.lo",
            "free.lo",
            "lite_malloc.lo",
            "free.lo",
            "malloc.lo"
        ]
    );
    assert_eq!(plan.add.len(), 1);
    assert_eq!(plan.keep, musl().len() - gone.len());
    assert!(plan.removes(plan.remove[0].entry));
}

#[test]
fn the_same_payload_again_is_nothing_to_do() {
    let payload = fake_payload("1");
    let once =
        crate::archive::edit_with_profile(&archive(&musl()), &[payload], Profile::Fast).unwrap();
    let twice =
        crate::archive::edit_with_profile(&once.bytes.unwrap(), &[payload], Profile::Fast).unwrap();
    assert_eq!(twice.plan.action, Action::Nothing);
    assert!(twice.bytes.is_none());
}

#[test]
fn another_payload_is_upgraded() {
    let once =
        crate::archive::edit_with_profile(&archive(&musl()), &[fake_payload("1")], Profile::Fast)
            .unwrap();
    let direct =
        crate::archive::edit_with_profile(&archive(&musl()), &[fake_payload("2")], Profile::Fast)
            .unwrap();
    let twice = crate::archive::edit_with_profile(
        &once.bytes.unwrap(),
        &[fake_payload("2")],
        Profile::Fast,
    )
    .unwrap();
    assert_eq!(twice.plan.action, Action::Upgrade);
    assert_eq!(twice.plan.replaces[0].brawn, "1");
    assert_eq!(twice.bytes, direct.bytes);
}

#[test]
fn a_heap_that_shares_its_member_is_refused() {
    let mut members = musl();
    members.push((
        "jemalloc.o",
        object(&[Sym::Strong("malloc"), Sym::Strong("mallctl")], None),
    ));
    let text = refusal(&members);
    assert!(text.contains("member jemalloc.o"), "{text}");
    assert!(
        text.contains("`malloc`") && text.contains("`mallctl`"),
        "{text}"
    );
}

#[test]
fn a_member_that_needs_internals_is_refused() {
    let mut members = musl();
    members.push(("odd.lo", object(&[Sym::Needs("__malloc_context")], None)));
    let text = refusal(&members);
    assert!(text.contains("member odd.lo"), "{text}");
    assert!(
        text.contains("`__malloc_context`") && text.contains("malloc.lo"),
        "{text}"
    );
}

#[test]
fn a_name_that_the_payload_lacks_is_refused() {
    let mut members = musl();
    members.push(("valloc.lo", object(&[Sym::Strong("valloc")], None)));
    let text = refusal(&members);
    assert!(
        text.contains("member valloc.lo") && text.contains("`valloc`"),
        "{text}"
    );
}

#[test]
fn a_need_that_libc_does_not_meet_is_refused() {
    let members: Vec<_> = musl()
        .into_iter()
        .filter(|(name, _)| *name != "errno.lo")
        .collect();
    assert!(refusal(&members).contains("`__errno_location`"));
}

#[test]
fn bitcode_heaps_are_refused_by_what_the_index_says() {
    let bytes = archive(&musl());
    let read = Archive::read(&bytes).unwrap();
    let mut findings = crate::archive::identify::identify(&read).unwrap();
    findings.members[0].content = Content::Bitcode;
    findings
        .indexed
        .push((b"malloc", findings.members[0].entry));
    let error = plan(&read, &findings, &fake_payload("1"), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("LLVM bitcode"), "{error}");
}

#[test]
fn what_is_not_musl_is_refused() {
    let glibc = [(
        "version.o",
        object(
            &[Sym::Strong("gnu_get_libc_version"), Sym::Strong("malloc")],
            None,
        ),
    )];
    assert!(refusal(&glibc).contains("glibc"));
    let libm = [("sin.o", object(&[Sym::Strong("sin")], None))];
    assert!(refusal(&libm).contains("no heap"));
    let gutted: Vec<_> = musl()
        .into_iter()
        .filter(|(name, _)| {
            !matches!(
                *name,
                "calloc.lo" | "free.lo" | "lite_malloc.lo" | "malloc.lo"
            )
        })
        .collect();
    assert!(refusal(&gutted).contains("without a heap"));
}

#[test]
fn a_plan_serializes() {
    let plan = planned(&archive(&musl()), &fake_payload("1")).unwrap();
    let json = serde_json::to_value(&plan).unwrap();
    assert_eq!(json["action"], "patch");
    assert_eq!(json["remove"][0]["why"], "musl-heap");
}

#[test]
fn musl_before_1_2_2_is_refused_by_its_fork() {
    // The members of musl 1.1.20 to 1.2.0 that matter: `__malloc_replaced` is in the heap's own member, and the
    // member with fork does not use the heap's names.
    let members = [
        (
            "__libc_start_main.lo",
            object(&[Sym::Strong("__init_libc")], None),
        ),
        ("__lctrans.lo", object(&[Sym::Strong("__lctrans")], None)),
        (
            "malloc.lo",
            object(
                &[
                    Sym::Strong("malloc"),
                    Sym::Strong("free"),
                    Sym::Strong("__bin_chunk"),
                    Sym::Strong("__malloc_replaced"),
                ],
                None,
            ),
        ),
        (
            "fork.lo",
            object(&[Sym::Strong("fork"), Sym::Weak("__fork_handler")], None),
        ),
    ];
    let error = refusal(&members);
    for part in [
        "fork.lo",
        "`__malloc_atfork`",
        "musl 1.2.2 or later",
        "only the memory functions",
    ] {
        assert!(error.contains(part), "{error}");
    }
}
