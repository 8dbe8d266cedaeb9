//! Patching any bytes is an error, or an archive in which every member that the plan does not name
//! is as it was, in its order, and which patching again leaves alone.
#![no_main]

use brawn_core::edit;
use brawn_core::plan::Action;
use brawn_core::read::archive::Archive;
use brawn_payload::{Architecture, Member, Payload, Profile};
use libfuzzer_sys::fuzz_target;

/// Defines what the heap of the seeds does, and is small.
const PAYLOAD: Payload = Payload {
    architecture: Architecture::X86_64,
    profile: Profile::Fast,
    version: "0.0.0",
    engine: "none",
    compiler: "as",
    source: "0",
    members: &[Member {
        name: "brawn_heap.o",
        bytes: include_bytes!("../seeds/payload.o"),
    }],
    surface: &[
        "__libc_calloc",
        "__libc_free",
        "__libc_malloc",
        "__libc_malloc_impl",
        "__libc_realloc",
        "__malloc_allzerop",
        "__malloc_atfork",
        "__malloc_donate",
        "aligned_alloc",
        "calloc",
        "free",
        "malloc",
        "malloc_usable_size",
        "memalign",
        "posix_memalign",
        "realloc",
        "reallocarray",
        "valloc",
    ],
    needs: &["__errno_location"],
    memory: None,
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(edited) = edit(bytes, &[PAYLOAD], Profile::Fast) else {
        return;
    };
    let Some(new) = edited.bytes else {
        assert_eq!(edited.plan.action, Action::Nothing);
        return;
    };
    let old = Archive::read(bytes).expect("what was edited can be read");
    let archive = Archive::read(&new).expect("what was written can be read");
    let mut members = archive.members();
    for (number, before) in old.members() {
        if edited.plan.removes(number) {
            continue;
        }
        let (_, after) = members.next().expect("a member is missing");
        assert_eq!(before.name, after.name);
        assert_eq!(old.data(before), archive.data(after));
        let header = |archive: &Archive<'_>, at: usize| archive.bytes[at..at + 60].to_vec();
        assert_eq!(
            header(&old, before.whole.start),
            header(&archive, after.whole.start)
        );
    }
    let (_, last) = members.next().expect("the payload is missing");
    assert_eq!(archive.data(last), PAYLOAD.members[0].bytes);
    assert!(members.next().is_none());
    if let Ok(again) = edit(&new, &[PAYLOAD], Profile::Fast) {
        assert_eq!(again.plan.action, Action::Nothing);
    }
});
