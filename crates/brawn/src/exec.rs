//! Replaces this process by another program (`execve`).
//!
//! The standard library does that by `execvp`. If the kernel refuses a file, `execvp` gives it to a shell, which would
//! run it line by line; an executable for another processor would be such a file.

pub mod own_memory;

use crate::inherited;
use brawn_core::Error;
use brawn_core::elf::ident::Ident;
use brawn_core::format::Format;
use brawn_lab::process::start::{Strings, pointers};
use own_memory::OwnMemory;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::path::Path;

/// Becomes the program in the file at `path`, with these arguments, its name the first.  It gets this process's
/// environment, with `variable` added if there is one.  Returns only if that failed, with the reason.
pub fn execute<'a>(
    path: &Path,
    arguments: impl IntoIterator<Item = &'a OsString>,
    variable: Option<(&str, &OsStr)>,
) -> io::Error {
    let variable = variable.map(|(name, value)| (name.into(), value.to_owned()));
    match Strings::of(path, arguments, variable.as_slice()) {
        Ok(strings) => become_program(&strings, variable.is_some()),
        // Arguments that came through `execve` contain no zero byte.
        Err(error) => error,
    }
}

/// `has_variable` is false for this process's own environment.
#[allow(unsafe_code)]
fn become_program(strings: &Strings, has_variable: bool) -> io::Error {
    let path = strings.path.as_ptr();
    let arguments = pointers(&strings.arguments);
    let environment = pointers(&strings.environment);
    let own = OwnMemory::look();
    // SAFETY: the arrays end with null, and they and the strings, which end with zero, live until the call returns.
    unsafe {
        inherited::give_back();
        own.forget();
        match has_variable {
            true => libc::execve(path, arguments.as_ptr(), environment.as_ptr()),
            false => libc::execv(path, arguments.as_ptr()),
        };
    }
    let error = io::Error::last_os_error();
    // SAFETY: as above.  The signal is ignored again: the error message may go to a closed pipe.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    error
}

/// Why the program in the file at `path` could not be run, after `error`.
pub fn failed(path: &Path, error: io::Error) -> Error {
    if error.raw_os_error() != Some(libc::ENOEXEC) {
        return Error::io("cannot run it", error);
    }
    let mut start = Vec::new();
    // If the file cannot be read, only the general reason is given.
    let _ = brawn_core::input::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
    let own = std::env::consts::ARCH;
    let described = Ident::read(&start, 0).map(|ident| ident.describe());
    match (Format::of(&start), described) {
        (Format::Elf, Ok(other)) if other != own => {
            let found = format!("an executable for {other}: this system runs those for {own}");
            Error::not_applicable(found)
                .next("`brawn rewrite EXE -o OUT` works for other systems, too")
        }
        (Format::Elf, _) => Error::io("cannot run it", error),
        _ => Error::not_applicable(
            "not a program: neither an executable nor a script that names its interpreter (`#!`)",
        ),
    }
}

#[cfg(test)]
mod tests;
