//! How names of files, members and symbols are printed. Anybody may have written them, so they never reach a terminal
//! unchanged: this module is the only way to print them.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;

/// How many bytes of a name are shown. No path is longer (`PATH_MAX`), and nobody reads more of a symbol.
pub const LONGEST: usize = 4096;

/// Whether a terminal shows `c` and does nothing else: the cursor does not move, colours do not change, and other
/// text does not change its order or vanish.
pub const fn is_plain(c: char) -> bool {
    !matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        // Characters that set the direction of text: marks, embeddings, overrides and isolates.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // The separators of lines and paragraphs.
        | '\u{2028}' | '\u{2029}'
        // Characters without width: they could make two names look the same.
        | '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A name in a message. Characters that are not [plain](is_plain) and bytes that are not UTF-8 are escaped; a name
/// longer than [`LONGEST`] is cut.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    bytes: &'a [u8],
    most: usize,
}

/// A name as people see it: a path, an argument, a word from a file.
pub fn shown<N: AsRef<OsStr> + ?Sized>(name: &N) -> Shown<'_> {
    Shown {
        bytes: name.as_ref().as_bytes(),
        most: LONGEST,
    }
}

/// A text of brawn's own that may have names in it, as people see it: whole, and in one line.
pub fn line(text: &str) -> Shown<'_> {
    Shown {
        bytes: text.as_bytes(),
        most: usize::MAX,
    }
}

/// Bytes from a file as people see them; see [`Shown`].
pub fn printable(bytes: &[u8]) -> String {
    let most = LONGEST;
    Shown { bytes, most }.to_string()
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = &self.bytes[..end(self.bytes, self.most)];
        for chunk in cut.utf8_chunks() {
            for c in chunk.valid().chars() {
                if is_plain(c) {
                    f.write_char(c)?;
                } else {
                    write!(f, "{}", c.escape_default())?;
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        match self.bytes.len() - cut.len() {
            0 => Ok(()),
            more => write!(f, "… ({more} bytes more)"),
        }
    }
}

/// Where to cut `bytes` so that at most `most` bytes are left and no character is split.
fn end(bytes: &[u8], most: usize) -> usize {
    if bytes.len() <= most {
        return bytes.len();
    }
    // A character has at most three bytes after its first.
    let is_within = |at: &usize| bytes[*at] & 0xc0 == 0x80;
    let start = (most.saturating_sub(3)..=most).rev();
    start.into_iter().find(|at| !is_within(at)).unwrap_or(most)
}

/// brawn's own JSON, made safe to print: characters that are not [plain](is_plain) become JSON's own escapes inside
/// the strings, so a parser reads the same values.
pub fn json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut units = [0; 2];
    for c in text.chars() {
        if is_plain(c) || c == '\n' {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            // Writing to a String cannot fail.
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_escaped() {
        assert_eq!(printable(b"a\x1b[31m\xff\n"), "a\\u{1b}[31m\\xff\\n");
        let name = "a\r\u{7f}\u{85}\u{9b}\u{200e}\u{202e}\u{2028}\u{2067}b\u{feff}é漢";
        assert_eq!(
            shown(name).to_string(),
            "a\\r\\u{7f}\\u{85}\\u{9b}\\u{200e}\\u{202e}\\u{2028}\\u{2067}b\\u{feff}é漢"
        );
        // Text that is already escaped does not change.
        let once = shown(name).to_string();
        assert_eq!(line(&once).to_string(), once);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let name = "é".repeat(LONGEST);
        let cut = printable(&name.as_bytes()[1..]);
        assert_eq!(
            cut,
            format!("\\xa9{}… (4096 bytes more)", "é".repeat(LONGEST / 2 - 1))
        );
        assert_eq!(printable(&[b'a'; LONGEST]), "a".repeat(LONGEST));
        assert_eq!(line(&name).to_string(), name);
    }

    #[test]
    fn json_stays_the_same_to_who_parses_it() {
        let name = "\u{9b}\u{202e}\u{2028}\u{e0001}\u{7f}é";
        let text = serde_json::to_string(name).unwrap();
        let safe = json(&text);
        assert!(safe.chars().all(is_plain), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), name);
    }
}
