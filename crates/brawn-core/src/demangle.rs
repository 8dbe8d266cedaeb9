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
mod tests {
    use super::*;

    #[test]
    fn names_are_as_their_authors_wrote_them() {
        for (symbol, name) in [
            ("main", "main"),
            (
                "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
                "core::fmt::Write::write_fmt",
            ),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_ZN3foo3barIiEEvT_", "void foo::bar<int>"),
            ("_ZnwmSt11align_val_t", "operator new"),
            ("_Zbroken", "_Zbroken"),
            ("", ""),
            ("a\u{1b}[31m", "a\\u{1b}[31m"),
        ] {
            assert_eq!(demangled(symbol), name, "{symbol}");
        }
    }

    #[test]
    fn no_name_is_long() {
        // Each parameter doubles the length of the name.
        let mut symbol = String::from("_Z1fI1AIiiE");
        for n in 0..200 {
            let of = match n {
                0 => "S0_".to_owned(),
                n => format!(
                    "S{}_",
                    char::from_digit(n % 36, 36)
                        .unwrap_or('0')
                        .to_ascii_uppercase()
                ),
            };
            symbol.push_str(&format!("1AI{of}{of}E"));
        }
        symbol.push_str("Evv");
        for symbol in [symbol, "é".repeat(5000), "a".repeat(1 << 20)] {
            let name = demangled(&symbol);
            assert!(name.len() <= ENOUGH + "…".len(), "{}: {name}", name.len());
        }
    }
}
