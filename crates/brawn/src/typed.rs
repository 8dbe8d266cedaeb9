//! How a name is typed, in the command lines that brawn advises.

use brawn_core::shown::is_plain;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;

/// The path `name` as a shell and brawn's own command line take it: quoted if it must be, and never an option.
pub fn path<N: AsRef<OsStr> + ?Sized>(name: &N) -> String {
    let bytes = name.as_ref().as_bytes();
    let bytes = match bytes.first() {
        Some(b'-') => [b"./", bytes].concat(),
        _ => bytes.to_vec(),
    };
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    match std::str::from_utf8(&bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(is_bare) => text.to_owned(),
        Ok(text) if text.chars().all(is_plain) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => escaped(&bytes),
    }
}

/// As bash, zsh and POSIX of 2024 take it: what a terminal must not get stands as the octal digits of its bytes.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::from("$'");
    // Writing to a String cannot fail.
    let octal = |text: &mut String, bytes: &[u8]| {
        for byte in bytes {
            let _ = write!(text, "\\{byte:03o}");
        }
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' | '\'' => text.extend(['\\', c]),
                _ if is_plain(c) => text.push(c),
                _ => octal(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        octal(&mut text, chunk.invalid());
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests;
