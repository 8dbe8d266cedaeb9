//! Patching any bytes is an error, or an archive in which every member that the plan does not name
//! is as it was, in its order, and which patching again leaves alone.

use brawn_core::archive::plan::{Action, Removed};
use brawn_core::archive::read::Archive;
use brawn_core::archive::{Options, edit_bytes};
use brawn_core::component::Component;
use brawn_payload::{
    Architecture, Bytes, Frames, Function, HEAP_SURFACE, Member, Payload, Profile, Set, Supplies,
    Supply,
};

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
        bytes: Bytes::plain(include_bytes!("../seeds/payload.o")),
        frames: NO_FRAMES,
    }],
    surface: HEAP_SURFACE,
    needs: &["__errno_location"],
    memory: Some(&MEMORY),
    libc: &Set::EMPTY,
    supplied: &SUPPLIED,
};

const NO_FRAMES: Frames = Frames {
    bytes: Bytes::plain(&[]),
    functions: &[],
};

/// The same for its memory functions, one of which needs all others.
const MEMORY: Set = Set {
    version: "0.0.0",
    compiler: "as",
    source: "0",
    functions: &[
        Function::memory(
            Member {
                name: "brawn_level.o",
                bytes: Bytes::plain(include_bytes!("../seeds/brawn_level.o")),
                frames: NO_FRAMES,
            },
            &[],
            &["brawn_level"],
            &[],
        ),
        Function::memory(
            Member {
                name: "brawn_memcpy.o",
                bytes: Bytes::plain(include_bytes!("../seeds/brawn_memcpy.o")),
                frames: NO_FRAMES,
            },
            &["memcpy", "memmove"],
            &["brawn_memcpy"],
            &["brawn_level"],
        ),
        Function::memory(
            Member {
                name: "brawn_strcat.o",
                bytes: Bytes::plain(include_bytes!("../seeds/brawn_strcat.o")),
                frames: NO_FRAMES,
            },
            &["strcat"],
            &["brawn_strcat"],
            &["brawn_memcpy", "brawn_strlen"],
        ),
        Function::memory(
            Member {
                name: "brawn_strlen.o",
                bytes: Bytes::plain(include_bytes!("../seeds/brawn_strlen.o")),
                frames: NO_FRAMES,
            },
            &["strlen"],
            &["brawn_strlen"],
            &["brawn_level"],
        ),
    ],
};

/// The same for what an archive lacks without mimalloc.
const SUPPLIED: Supplies = Supplies {
    version: "0.0.0",
    compiler: "as",
    source: "0",
    functions: &[
        Supply {
            name: "strdup",
            member: Member {
                name: "brawn_strdup.o",
                bytes: Bytes::plain(include_bytes!("../seeds/brawn_strdup.o")),
                frames: NO_FRAMES,
            },
            needs: &["malloc", "strlen"],
        },
        Supply {
            name: "_Znwm",
            member: Member {
                name: "brawn_nw.o",
                bytes: Bytes::plain(include_bytes!("../seeds/brawn_nw.o")),
                frames: NO_FRAMES,
            },
            needs: &["__cxa_throw", "malloc"],
        },
    ],
};

/// The object of that name.
fn object(name: &str) -> &'static [u8] {
    let mut members = PAYLOAD.members.iter();
    let mut functions = MEMORY.functions.iter().map(|f| &f.member);
    let found = members.find(|m| m.name == name);
    let found = found.or_else(|| functions.find(|m| m.name == name));
    let mut supplied = SUPPLIED.functions.iter().map(|f| &f.member);
    let found = found.or_else(|| supplied.find(|m| m.name == name));
    found
        .expect("the plan names an object of the payload")
        .bytes
        .get()
}

pub fn run(bytes: &[u8]) {
    for components in [Component::ALL, &[Component::Heap], &[Component::Memory]] {
        for upgrade in [false, true] {
            patch(bytes, components, upgrade);
        }
    }
}

/// What was supplied may go when somebody puts another back.
fn is_withdrawal(removed: &[Removed]) -> bool {
    removed.iter().all(|r| r.component == Component::Supplied)
}

fn patch(bytes: &[u8], components: &[Component], upgrade: bool) {
    let options = Options {
        components,
        keeps: false,
        profile: Some(Profile::Fast),
        upgrade,
    };
    let edit = |bytes: &[u8]| edit_bytes(bytes, &[PAYLOAD], &options);
    let Ok(edited) = edit(bytes) else {
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
    assert!(!edited.plan.add.is_empty() || is_withdrawal(&edited.plan.remove));
    for added in &edited.plan.add {
        assert!(components.contains(match added.component {
            Component::Heap | Component::Supplied => &Component::Heap,
            Component::Memory => &Component::Memory,
            Component::Libc(_) => &Component::ALL[2],
        }));
        let (_, entry) = members.next().expect("a member of the payload is missing");
        assert_eq!(entry.name, added.name.as_bytes());
        assert_eq!(archive.data(entry), object(&added.name));
    }
    assert!(members.next().is_none());
    if let Ok(again) = edit(&new) {
        assert_eq!(again.plan.action, Action::Nothing);
    }
}
