//! Names of functions as their authors wrote them, for text output. `--json` has the symbols instead.

use crate::shown::printable;
use cpp_demangle::{DemangleOptions, Symbol};
use std::fmt::{self, Write};

/// Longer symbols (in bytes) are not demangled: nobody would read the result.
const LONGEST: usize = 4096;
/// The length, in bytes, at which a name is cut.
const ENOUGH: usize = 200;

/// The Rust or C++ name behind `symbol`, or the symbol itself. It is always short and printable.
pub fn demangled(symbol: &str) -> String {
    let mut name = Bounded::default();
    // `Bounded` reports an error when it is full.
    let written = match symbol.len() <= LONGEST {
        true => write(symbol, &mut name),
        false => None,
    };
    if written.is_none() && !name.is_full {
        name = Bounded::default();
        let _ = name.write_str(symbol);
    }
    let dots = if name.is_full { "…" } else { "" };
    format!("{}{dots}", printable(name.text.as_bytes()))
}

fn write(symbol: &str, to: &mut Bounded) -> Option<()> {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        // The alternate form leaves out the hash.
        return write!(to, "{name:#}").ok();
    }
    if !symbol.starts_with("_Z") {
        return None;
    }
    let options = DemangleOptions::default().no_params();
    let name = Symbol::new(symbol.as_bytes()).ok()?;
    name.structured_demangle(to, &options).ok()
}

/// A text of limited size: a short symbol can stand for a very long name.
#[derive(Default)]
struct Bounded {
    text: String,
    is_full: bool,
}

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = ENOUGH - self.text.len();
        let mut end = room.min(more.len());
        while !more.is_char_boundary(end) {
            end -= 1;
        }
        self.text.push_str(&more[..end]);
        self.is_full |= end < more.len();
        match self.is_full {
            true => Err(fmt::Error),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
