//! What `rewrite`, `run` and `image` share: from a program's bytes to those of the rewritten one, and which files are
//! trusted for more than their bytes.

use brawn_core::plan::Component;
use brawn_core::rewrite::program::WANTED;
use brawn_core::rewrite::signatures::Build;
use brawn_core::rewrite::{self, Options, Rewritten};
use brawn_core::{Error, Kind, Result};
use brawn_payload::{Architecture, Profile, payload};
use rustix::io::Errno;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;

/// What is wanted of a program.
#[derive(Clone, Copy, Debug)]
pub struct Rewriting<'b> {
    /// The heap's variant.
    pub profile: Profile,
    /// What is exchanged.
    pub components: &'static [Component],
    /// Whether what may go wrong is risked.
    pub force: bool,
    /// Builds of musl that the user has signatures of.
    pub builds: &'b [Build],
}

impl Rewriting<'_> {
    /// Rewrites the program in `bytes`.
    pub fn rewrite<'a>(&self, bytes: &'a [u8]) -> Result<Rewritten<'a>> {
        if bytes.starts_with(b"#!") {
            return Err(Error::not_applicable(format!("a script: {WANTED}"))
                .next("name the program that it starts, if that is one"));
        }
        // Who is no ELF file for a known architecture is told so by who reads it.
        let machine = bytes.get(18..20).and_then(|b| b.try_into().ok());
        let architecture = machine
            .map(u16::from_le_bytes)
            .and_then(Architecture::from_elf_machine)
            .unwrap_or(Architecture::X86_64);
        let payload = payload(architecture, self.profile).ok_or_else(|| {
            let name = architecture.name();
            let found = format!("no payload for {name} ({})", self.profile.name());
            Error::new(Kind::NotApplicable, found)
        })?;
        let options = Options {
            components: self.components,
            force: self.force,
            builds: self.builds,
        };
        rewrite::rewrite(bytes, payload, &options)
    }
}

/// Refuses a program that runs with another user's or group's rights: those go with the inode, and not to a copy; and
/// who gave them trusted these bytes.
pub fn refuse_set_id(stat: &Metadata) -> Result<()> {
    let bit = match stat.mode() {
        mode if mode & 0o4000 != 0 => "setuid",
        mode if mode & 0o2000 != 0 => "setgid",
        _ => return Ok(()),
    };
    Err(Error::refused(format!(
        "a {bit} program (mode {:o}): whoever gave it those rights trusted these very bytes",
        stat.mode() & 0o7777
    ))
    .next("`brawn rewrite EXE -o OUT` writes one without the bit"))
}

/// The same for rights that an extended attribute gives.
pub fn refuse_capabilities(file: &File) -> Result<()> {
    if !has_attribute(file, c"security.capability")? {
        return Ok(());
    }
    Err(Error::refused(
        "a program with file capabilities: whoever gave it those rights trusted these very bytes",
    )
    .next("`brawn rewrite EXE -o OUT` writes one without them"))
}

/// Refuses a file whose signature the kernel may check (IMA, EVM): its bytes cannot change under it.
pub fn refuse_signature(file: &File) -> Result<()> {
    for name in [c"security.ima", c"security.evm"] {
        if has_attribute(file, name)? {
            let found = format!("a file with a signature in {}", name.to_string_lossy());
            return Err(Error::refused(found)
                .expected("none, since it would not fit the new bytes")
                .next("write elsewhere with `-o`, and sign that"));
        }
    }
    Ok(())
}

/// Whether `file` has that extended attribute.
pub fn has_attribute(file: &File, name: &std::ffi::CStr) -> Result<bool> {
    match rustix::fs::fgetxattr_query(file, name) {
        Ok(_) => Ok(true),
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(false),
        Err(e) => {
            let doing = format!(
                "cannot read the extended attribute {}",
                name.to_string_lossy()
            );
            Err(Error::io(doing, e))
        }
    }
}
