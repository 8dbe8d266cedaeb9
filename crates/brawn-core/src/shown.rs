//! How names of files, members and symbols are printed. Anybody may have written them, so they never reach a terminal
//! unchanged: this module is the only way to print them.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

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

/// Serializes a path. JSON has no place for bytes that are not UTF-8: they become U+FFFD.
pub fn path<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.to_string_lossy())
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

/// JSON that anybody may have written, with its strings and names as [`line`] shows them, so that whatever is made of
/// them can be printed. Text that is no JSON does not become JSON.
pub fn shown_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    // Within JSON's strings a backslash is written twice.
    let escaped = |safe: &mut String, c: char| {
        // Writing to a String cannot fail.
        let _ = write!(safe, "\\{}", c.escape_default());
    };
    let mut rest = text;
    let mut is_string = false;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => {
                is_string = !is_string;
                safe.push(c);
            }
            '\\' if is_string => {
                let (meant, length) = escape(rest);
                let (escape, behind) = rest.split_at(length);
                match meant.filter(|c| !is_plain(*c)) {
                    Some(c) => escaped(&mut safe, c),
                    None => {
                        safe.push(c);
                        safe.push_str(escape);
                    }
                }
                rest = behind;
            }
            // JSON has none of the characters below the blank in strings: who parses it says so.
            c if is_string && !is_plain(c) && c >= ' ' => escaped(&mut safe, c),
            c => safe.push(c),
        }
    }
    safe
}

/// What is meant by an escape of JSON, and how long it is; `rest` is what stands behind its backslash.
fn escape(rest: &str) -> (Option<char>, usize) {
    let Some(kind) = rest.chars().next() else {
        return (None, 0);
    };
    let unit = |at: usize| {
        let digits = rest.get(at..at + 4)?;
        // A sign is no digit, but would be taken.
        let digits = digits
            .chars()
            .all(|c| c.is_ascii_hexdigit())
            .then_some(digits)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let meant = match kind {
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'u' => {
            let Some(first) = unit(1) else {
                return (None, 1);
            };
            if let Some(c) = char::from_u32(first.into()) {
                return (Some(c), 5);
            }
            // A character of two units has two escapes.
            let second = (rest.get(5..7) == Some("\\u")).then(|| unit(7)).flatten();
            let both = char::decode_utf16([Some(first), second].into_iter().flatten()).next();
            let Some(Ok(c)) = both else {
                return (None, 5);
            };
            return (Some(c), 11);
        }
        _ => None,
    };
    (meant, kind.len_utf8())
}

#[cfg(test)]
mod tests;
