//! Which programs can use the object for `LD_PRELOAD`: brawn looks at the dynamic linker that a program asks for.

use crate::advice::Advice;
use crate::elf::interpreter::{is_glibc, is_musl};
use crate::error::{Error, Result, printable};
use brawn_payload::{Architecture, Preload, Profile};
use object::Endianness;
use object::elf;
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader};
use std::fmt;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;

/// The error for all other programs: `what` was found.
fn unfit(what: impl fmt::Display) -> Error {
    let preload = Advice::Preload(None);
    Error::not_applicable(format!(
        "{what}: {preload} is for programs linked dynamically with musl"
    ))
}

/// A program that musl's dynamic linker starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What it runs on.
    pub architecture: Architecture,
    /// The path of its dynamic linker.
    pub interpreter: PathBuf,
}

/// Looks at a program's headers and does not read the rest of the file.
///
/// Refuses every program that `LD_PRELOAD` cannot help: static programs, programs of other libcs, scripts.
pub fn program(mut file: File) -> Result<Program> {
    let failed = |e| Error::io("cannot read it", e);
    let mut magic = Vec::new();
    (&mut file)
        .take(4)
        .read_to_end(&mut magic)
        .map_err(failed)?;
    file.rewind().map_err(failed)?;
    if magic.starts_with(b"#!") {
        return Err(unfit("a script").next("name the program that it starts, if that is one"));
    }
    if magic != elf::ELFMAG {
        return Err(unfit("not an ELF file"));
    }
    // Both fields are at the same place in 32-bit and 64-bit files.
    let cache = ReadCache::new(file);
    let broken =
        |e: object::Error| Error::malformed(e.to_string()).expected("a whole ELF executable");
    let other = |found: String| {
        Error::not_applicable(found).expected(format!("{}, 64 bits", Architecture::names()))
    };
    let header = elf::FileHeader64::<Endianness>::parse(&cache)
        .map_err(|_| other("no ELF file of 64 bits".into()))?;
    let endian = header.endian().map_err(broken)?;
    let machine = header.e_machine(endian).0;
    let architecture =
        Architecture::from_elf_machine(machine).filter(|_| header.is_little_endian());
    let architecture = architecture.ok_or_else(|| other(format!("machine {machine}")).at(18))?;
    let mut interpreter = None;
    let segments = header.program_headers(endian, &cache).map_err(broken)?;
    for (number, segment) in segments.iter().enumerate() {
        let found = segment.interpreter(endian, &cache);
        let found = found.map_err(|e| broken(e).segment(number))?;
        interpreter = interpreter.or(found);
    }
    let Some(name) = interpreter else {
        return Err(unfit("a static program, or a library").next(format!(
            "{} runs a static program of musl with this heap",
            Advice::Run
        )));
    };
    if !is_musl(name) {
        let libc = match is_glibc(name) {
            true => "linked with glibc".to_owned(),
            false => format!("started by {}", printable(name)),
        };
        return Err(unfit(format!("dynamic, {libc}"))
            .next("its own libc's heap stays, and is fast if that is glibc"));
    }
    use std::os::unix::ffi::OsStrExt as _;
    Ok(Program {
        architecture,
        interpreter: std::ffi::OsStr::from_bytes(name).into(),
    })
}

/// The object for `architecture` and `profile`.
pub fn object(architecture: Architecture, profile: Profile) -> Result<&'static Preload> {
    if profile == Profile::Trace {
        let found = "no shared object records: profile `trace` is for static programs";
        let next = format!("{} records a static build of the program", Advice::Record);
        return Err(Error::not_applicable(found).next(next));
    }
    brawn_payload::preload(architecture, profile).ok_or_else(|| {
        let found = format!("no object for {} ({})", architecture.name(), profile.name());
        Error::not_applicable(found).expected("an architecture that this brawn was built with")
    })
}
