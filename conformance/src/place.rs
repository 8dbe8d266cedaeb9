//! What a program is linked with, and how.

use crate::musls::Musl;
use brawn_payload::Profile;
use brawn_verify::directives::Surroundings;
use brawn_verify::ways::{Libc, Link};

/// What a program is linked with, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The libc whose heap it runs on.
    pub libc: Libc,
    /// The musl; if `None`, the distribution's or the installed zig's.
    pub musl: Option<&'static Musl>,
    /// How it is linked.
    pub link: Link,
    /// The payload's variant; the default one where there is no payload.
    pub profile: Profile,
}

impl Place {
    /// The libc's name in directives and names of trials: `LIBC` or `LIBC-PROFILE`, then `@MUSL`.
    pub fn name(self) -> String {
        let heap = self.heap();
        self.musl
            .map_or_else(|| heap.clone(), |musl| format!("{heap}@{}", musl.name))
    }

    /// The same without the musl.
    pub fn heap(self) -> String {
        match self.profile {
            Profile::Fast => self.libc.name().to_owned(),
            other => format!("{}-{}", self.libc.name(), other.name()),
        }
    }

    /// The names that directives may use for it: `brawn` means every profile on every musl, `brawn-lean` means that
    /// profile on every musl.
    pub fn surroundings(self) -> Surroundings {
        let is_emulated = self.musl.is_some_and(Musl::is_emulated);
        let emulated = is_emulated.then(|| "qemu".to_owned());
        let names = [self.name(), self.libc.name().to_owned(), self.heap()];
        Surroundings {
            libcs: names.into_iter().chain(emulated).collect(),
            link: self.link,
        }
    }
}
