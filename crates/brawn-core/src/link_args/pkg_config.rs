//! The file for `pkg-config`.

use super::{Link, contents, escaped, title};
use brawn_payload::Payload;

/// The file for `pkg-config`.
pub fn pkg_config(link: &Link, payload: &Payload) -> String {
    let escaped = |text: &str| escaped(text, &[' ', '"', '\'', '\\', '$', '#']);
    let libs: Vec<String> = apart(&link.flags.ld).into_iter().map(escaped).collect();
    format!(
        "{}

Name: brawn
Description: {} in place of musl's, for static executables
Version: {}
Libs: {}
",
        title(link),
        contents(link),
        payload.version,
        libs.join(" ")
    )
}

/// The words in an order in which no two files stand beside each other, if one of them has a space. pkgconf makes one word of
/// two such files, and then leaves out the escapes. A flag between them prevents that; the names that a linker is told to look
/// for hold wherever they stand.
fn apart(words: &[String]) -> Vec<&str> {
    let words = words.iter().map(String::as_str);
    if words.clone().all(|word| !word.contains(' ')) {
        return words.collect();
    }
    let (mut flags, files): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('-'));
    let mut between = flags.split_off(flags.len() - files.len().saturating_sub(2).min(flags.len()));
    let mut all = Vec::new();
    for (number, file) in files.into_iter().enumerate() {
        if number == 1 {
            all.append(&mut flags);
        } else if number > 1 {
            all.extend(between.pop());
        }
        all.push(file);
    }
    all.extend(flags);
    all
}
