//! Decides whether a word of data is an address. A program at a fixed address does not say which words are.
//!
//! At low addresses, an address has three bytes, which text and many numbers also have: `TiB` is 0x426954. If the
//! word is the start of a function or an object, it counts as its address: there are only few of these. If it is an
//! address inside of one, it counts too, except in these cases:
//!
//! - Nothing runs from the middle of an instruction, and only the heap itself knows addresses inside its state.
//! - Text is among text: words beside it have more printable characters than an address.
//! - The sections for unwinding and debuggers have no addresses that are run.
//!
//! In doubt, a word counts.

use super::code::Code;
use super::whole::Whole;
use crate::elf::program::PROGRAM_HEADER;
use object::elf;
use std::ops::Range;

/// Size of a word, in bytes.
const WORD: usize = 8;
/// How many words before and after are searched for text.
const AROUND: usize = 4;
/// A word with this many printable characters is not an address: addresses below 512 MiB have at most three.
const PRINTABLE: usize = 4;
/// Sections with no jump targets and no pointers that the program follows.
const TABLES: [&[u8]; 3] = [b".eh_frame", b".eh_frame_hdr", b".gcc_except_table"];

/// Decides about words.
pub struct Words<'w, 'p> {
    code: &'w Code<'p>,
    /// The starts of the data that is searched for, ascending.
    begins: &'w [u64],
    tables: Vec<Range<u64>>,
}

impl<'w, 'p> Words<'w, 'p> {
    /// For this program; `begins` are the starts of data that is searched for besides functions, ascending.
    pub fn of(whole: &Whole<'_, '_>, code: &'w Code<'p>, begins: &'w [u64]) -> Self {
        let program = whole.program;
        let sections = program.sections.iter().filter(|s| {
            TABLES.contains(&s.name) || s.kind == elf::SHT_NOTE.0 && s.flags & elf::SHF_ALLOC.0 != 0
        });
        let sections = sections.map(|s| s.address..s.address.saturating_add(s.size));
        // The file's own headers are loaded too.
        let size = program.headers_at + PROGRAM_HEADER * program.segments.len() as u64;
        let headers = program.loads().filter(|s| s.offset == 0);
        let headers = headers.map(|s| s.address..s.address.saturating_add(size));
        Self {
            code,
            begins,
            tables: sections.chain(headers).collect(),
        }
    }

    /// Whether the word at `at` of `data` (at `address`), whose value is `target`, may be meant as an address.
    pub fn may_be(&self, data: &[u8], address: u64, at: usize, target: u64) -> bool {
        if self.code.begins(target) || self.begins.binary_search(&target).is_ok() {
            return true;
        }
        let place = address + at as u64;
        let is_table = self.tables.iter().any(|t| t.contains(&place));
        !is_table && self.code.may_run_from(target) && !is_text(data, at)
    }
}

/// Whether the word at `at` is part of a text: it consists of characters and zeros, and is beside words of text.
fn is_text(data: &[u8], at: usize) -> bool {
    let word = |at: usize| data.get(at..).and_then(|d| d.first_chunk::<WORD>());
    // Control characters such as tabs may also be small numbers, unless they are among characters.
    let is_text = |word: &&[u8; WORD]| {
        let is_blank = |b: &u8| matches!(b, b'\t' | b'\n' | b'\r') && printable(word) >= PRINTABLE;
        word.iter()
            .all(|b| *b == 0 || is_printable(*b) || is_blank(b))
    };
    let is_near = |places: &mut dyn Iterator<Item = usize>| {
        let words = places.map_while(word);
        let texts = words.take_while(is_text);
        texts.take(AROUND).any(|w| printable(w) >= PRINTABLE)
    };
    let mut before = (1..=AROUND).map_while(|n| at.checked_sub(n * WORD));
    let mut behind = (1..=AROUND).map(|n| at + n * WORD);
    word(at).filter(is_text).is_some() && (is_near(&mut before) || is_near(&mut behind))
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

fn printable(word: &[u8; WORD]) -> usize {
    word.iter().filter(|b| is_printable(**b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_by_what_stands_beside_it() {
        let text = |bytes: &[u8], at: usize| {
            let mut data = bytes.to_vec();
            data.resize(bytes.len().next_multiple_of(WORD) + WORD, 0);
            is_text(&data, at)
        };
        // Names of units in cells of four bytes; the end of a sentence; a name behind padding.
        assert!(text(b"B\0\0\0KiB\0MiB\0GiB\0TiB\0", 16));
        assert!(text(b"no such \x66ile", 8));
        assert!(text(b"abB\0\0\0\0\0\0\0\0\0\0\0\0\0another one", 0));
        // Addresses, of which each may be text by itself; a number beside text; text beside numbers.
        let addresses: Vec<u8> = [0x42_6954u64, 0x42_6970, 0x42_6960]
            .iter()
            .flat_map(|a| a.to_le_bytes())
            .collect();
        for at in [0, 8, 16] {
            assert!(!text(&addresses, at));
        }
        assert!(!text(b"\x10iB\0\0\0\0\0some text", 0));
        assert!(!text(b"TiB\0\0\0\0\0\x01\0\0\0\0\0\0\0some text", 0));
        assert!(!text(b"TiB\0\0\0\0\0", 0));
        assert!(!text(b"TiB\0\0\0\0\0\t\0\0\0\0\0\0\0some text", 0));
    }
}
