//! The operating system that an ELF file is for. Other systems than Linux have a `libc.so` or `ld.so` too, so brawn
//! asks this before it looks for a libc.
//!
//! Sources: System V ABI, "ELF header" (`EI_OSABI`); the `.note.*.ident` sections of each system's own start files; GNU's
//! ABI tag (glibc, `elf/elf.h`: `NT_GNU_ABI_TAG`); the paths of each system's dynamic linker.

use crate::elf::image::Image;
use crate::elf::interpreter;
use crate::error::{Error, printable};
use crate::note::AnyNote;
use object::elf;
use serde::Serialize;

/// The place of `EI_OSABI` in a file.
const OS_ABI: usize = 7;

/// An operating system other than Linux. Android counts: it has Linux's kernel, but its own libc and dynamic linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Android.
    Android,
    /// DragonFly BSD.
    DragonFly,
    /// FreeBSD.
    FreeBsd,
    /// Fuchsia, whose libc began as musl.
    Fuchsia,
    /// Haiku.
    Haiku,
    /// The GNU system with Mach's kernel.
    Hurd,
    /// Solaris, illumos and their kin.
    Illumos,
    /// NetBSD.
    NetBsd,
    /// OpenBSD.
    OpenBsd,
    /// Redox.
    Redox,
    /// One that brawn does not know, by its number in the ELF header.
    Other(#[serde(skip)] u8),
}

impl System {
    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Android => "Android",
            Self::DragonFly => "DragonFly BSD",
            Self::FreeBsd => "FreeBSD",
            Self::Fuchsia => "Fuchsia",
            Self::Haiku => "Haiku",
            Self::Hurd => "the Hurd",
            Self::Illumos => "illumos",
            Self::NetBsd => "NetBSD",
            Self::OpenBsd => "OpenBSD",
            Self::Redox => "Redox",
            Self::Other(_) => "another system",
        }
    }

    /// The error for commands that work only on Linux programs; `sign` says how the system was recognized.
    pub fn refused(self, sign: &str) -> Error {
        Error::not_applicable(format!(
            "an executable for {} ({sign}): brawn is for static programs of musl on Linux",
            self.name()
        ))
    }

    /// The system that `image` is for, if it is not Linux, and how it was recognized.
    pub fn of_image(image: &Image<'_>) -> Option<(Self, String)> {
        let notes = image.notes.iter().copied();
        Self::of(image.bytes, image.ident.machine, image.interpreter, notes)
    }

    /// The same for a file whose parts are known: `machine` is `e_machine`, `interpreter` is the path in `PT_INTERP`.
    fn of<'a>(
        bytes: &[u8],
        machine: u16,
        interpreter: Option<&[u8]>,
        notes: impl Iterator<Item = AnyNote<'a>>,
    ) -> Option<(Self, String)> {
        let abi = bytes.get(OS_ABI).copied().unwrap_or_default();
        if let Some(system) = by_abi(abi) {
            return Some((system, format!("OS/ABI {abi} in its header")));
        }
        for note in notes {
            if let Some(system) = by_note(&note) {
                return Some((system, format!("a note of {}", printable(note.owner))));
            }
        }
        let interpreter = interpreter?.split(|b| *b == 0).next()?;
        let system = by_interpreter(interpreter, elf::Machine(machine))?;
        Some((system, format!("interpreter {}", printable(interpreter))))
    }
}

fn by_abi(abi: u8) -> Option<System> {
    match abi {
        // System V, which any system may use, and Linux with GNU's additions.
        0 | 3 => None,
        2 => Some(System::NetBsd),
        6 => Some(System::Illumos),
        9 => Some(System::FreeBsd),
        12 => Some(System::OpenBsd),
        // From 64 on, the meaning depends on the processor: old programs for ARM have 97.
        64..=254 => None,
        other => Some(System::Other(other)),
    }
}

fn by_note(note: &AnyNote<'_>) -> Option<System> {
    match (note.owner, note.kind) {
        (b"Android", 1) => Some(System::Android),
        (b"DragonFly", 1) => Some(System::DragonFly),
        (b"FreeBSD", 1) => Some(System::FreeBsd),
        (b"NetBSD", 1) => Some(System::NetBsd),
        (b"OpenBSD", 1) => Some(System::OpenBsd),
        // The first word is 0 for Linux. Its byte order does not matter: zero has only zero bytes.
        (b"GNU", 1) => match note.contents.get(..4)?.iter().max()? {
            1 => Some(System::Hurd),
            2 => Some(System::Illumos),
            3 => Some(System::FreeBsd),
            4 => Some(System::NetBsd),
            _ => None,
        },
        _ => None,
    }
}

fn by_interpreter(path: &[u8], machine: elf::Machine) -> Option<System> {
    let name = interpreter::name(path);
    let is_x86 = matches!(machine, elf::EM_386 | elf::EM_X86_64);
    let is_sparc = matches!(
        machine,
        elf::EM_SPARC | elf::EM_SPARC32PLUS | elf::EM_SPARCV9
    );
    match name {
        b"ld-elf.so.1" => Some(System::FreeBsd),
        b"ld-elf.so.2" => Some(System::DragonFly),
        b"ld.elf_so" => Some(System::NetBsd),
        b"ld.so" if path.ends_with(b"/libexec/ld.so") => Some(System::OpenBsd),
        b"runtime_loader" => Some(System::Haiku),
        b"ld.so.1" if path == name => Some(System::Fuchsia),
        // On other processors this is glibc's.
        b"ld.so.1" if is_x86 || is_sparc => Some(System::Illumos),
        b"ld64.so.1" if is_x86 || machine == elf::EM_AARCH64 => Some(System::Redox),
        _ if name.starts_with(b"linker") && path.starts_with(b"/system/") => Some(System::Android),
        _ if name.starts_with(b"linker") && path.starts_with(b"/apex/") => Some(System::Android),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
