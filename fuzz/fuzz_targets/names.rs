//! Any bytes are a name that a terminal shows as text, in a line and in JSON that says the same.

use brawn_core::demangle::demangled;
use brawn_core::shown::{LONGEST, is_plain, json, line, printable};

pub fn run(bytes: &[u8]) {
    let shown = printable(bytes);
    assert!(shown.chars().all(is_plain));
    // An escape of a character of one byte has six.
    assert!(shown.len() <= 6 * LONGEST + 40);
    let text = String::from_utf8_lossy(bytes);
    let whole = line(&text).to_string();
    assert!(whole.chars().all(is_plain));
    assert_eq!(line(&whole).to_string(), whole);
    assert!(demangled(&text).chars().all(is_plain));
    // Between quotes, in which JSON has no such character as it is.
    let is_text = |c: &char| !matches!(c, '"' | '\\' | '\0'..='\x1f');
    let inside: String = text.chars().filter(is_text).collect();
    let safe = json(&inside);
    assert!(safe.chars().all(is_plain));
    assert_eq!(read(&safe), inside);
}

/// A JSON string's contents, whose only escapes are those of code units.
fn read(text: &str) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(escape) = rest.strip_prefix("\\u") {
            units.push(u16::from_str_radix(&escape[..4], 16).expect("four digits"));
            rest = &escape[4..];
        } else {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            rest = &rest[c.len_utf8()..];
        }
    }
    String::from_utf16(&units).expect("pairs of surrogates")
}
