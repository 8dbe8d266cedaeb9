//! The compiler of a program's libc, by the section `.comment`. Compilers write their versions there, and linkers keep each once, in the order
//! of the files that they linked. The first file is musl's own start (`crt1.o`).

use super::program::Program;
use crate::error::printable;

/// The longest text that is shown, in bytes.
const LONGEST: usize = 40;

/// The compiler of the program's first file, such as `Alpine, gcc 13.2.1`; `None` if it does not say so.
pub fn compiler(program: &Program<'_>) -> Option<String> {
    let section = program.section(b".comment")?;
    let end = section.offset.checked_add(section.size)?;
    let bytes = program.bytes.get(section.offset as usize..end as usize)?;
    let mut texts = bytes.split(|b| *b == 0).filter(|text| !text.is_empty());
    named(&printable(texts.next()?))
}

fn named(text: &str) -> Option<String> {
    let named = match text.strip_prefix("GCC: (") {
        Some(rest) => {
            let (whose, version) = rest.split_once(") ")?;
            let version = version.split(' ').next()?;
            match whose.split([' ', '-']).next()? {
                "GNU" => format!("gcc {version}"),
                whose => format!("{whose}, gcc {version}"),
            }
        }
        None => {
            let rest = text.strip_prefix("clang version ")?;
            format!("clang {}", rest.split(' ').next()?)
        }
    };
    (named.len() <= LONGEST).then_some(named)
}

#[cfg(test)]
mod tests;
