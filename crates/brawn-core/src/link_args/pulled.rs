//! The functions that the flags ask for at the start, since GNU ld takes from an archive only what was asked for.

use crate::component::Families;
use brawn_payload::{Payload, Set};

/// Memory functions that the flags ask for at the start. GNU ld takes from an archive only what was asked for before
/// it. Without these, functions that only libc calls, or that files later on the line call, would be musl's. Nearly
/// every program has these functions, and they decide its speed. If a program defines one itself, its own is used.
const PULL_MEMORY: [&str; 6] = ["memchr", "memcmp", "memcpy", "memset", "strcmp", "strlen"];

/// The function of libc that the flags ask for: nobody but libc calls it. It stands before every call that may wait, so
/// that a program has musl's own in any case.
const PULL_LIBC: &str = "__syscall_cp";

/// Whether that is one of these flags.
pub fn pulls(flag: &str) -> bool {
    let name = flag.strip_prefix("-u");
    name.is_some_and(|name| name == PULL_LIBC || PULL_MEMORY.contains(&name))
}

/// One flag for each, which compilers and linkers both understand.
pub(super) fn flags(
    payload: &Payload,
    memory: Option<&Set>,
    families: Option<Families>,
) -> Vec<String> {
    let is_in_memory =
        |name: &&str| memory.is_some_and(|m| m.functions.iter().any(|f| f.surface.contains(name)));
    let is_in_libc = |name: &&str| {
        let mut functions = payload.libc.functions.iter();
        families
            .is_some_and(|families| functions.any(|f| f.surface.contains(name) && families.take(f)))
    };
    let memory = PULL_MEMORY.into_iter().filter(is_in_memory);
    let all = memory.chain([PULL_LIBC].into_iter().filter(is_in_libc));
    all.map(|name| format!("-u{name}")).collect()
}
