//! Bytes after the end that the headers give: archives and scripts that a program reads from its own file.

use super::super::risk::{Risk, RiskKind};
use crate::elf::program::{PROGRAM_HEADER, Program, SECTION_HEADER};
use memchr::memmem;

/// The most bytes of padding at the end that need no explanation.
const PADDING: usize = 4096;
/// How many bytes at the end are searched for signs of their kind.
const END: usize = 70_000;

/// Kinds of data after executables, recognized by bytes near the file's end or at the start of the overlay.
const KINDS: [(&[u8], &str); 9] = [
    (b"\n---- Bun! ----\n", "a program compiled by bun"),
    (b"d3n0l4nd", "a program compiled by deno"),
    (
        b"MEI\x0c\x0b\x0a\x0b\x0e",
        "a program packed by PyInstaller",
    ),
    (b"KAY", "a program packed by Nuitka"),
    (b"~Module signature appended~\n", "a signature"),
    (b"hsqs", "a squashfs image"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"PK\x05\x06", "a zip archive"),
    (b"\xcf\xfa\xed\xfe", "another executable"),
];

/// The risk from bytes after the program, if there are any.
pub fn check(program: &Program<'_>) -> Option<Risk> {
    let next = "a program that looks for them by their distance to the file's beginning will not find them";
    let bytes = program.bytes;
    // AppImage's runtime has a mark in its header. It finds its image by the end of its section headers.
    if let Some(mark @ (b"AI\x01" | b"AI\x02")) = bytes.get(8..11) {
        let text = format!(
            "an AppImage of type {}: it finds its image by the size of its own headers",
            mark[2]
        );
        return Some(
            Risk::of(RiskKind::Overlay, None, text)
                .at(8)
                .next("extract it, and rewrite what is inside"),
        );
    }
    let end = end(program);
    let overlay = bytes.get(end as usize..).unwrap_or_default();
    if overlay.len() < PADDING && overlay.iter().all(|b| *b == 0) {
        return None;
    }
    let tail = &overlay[overlay.len().saturating_sub(END)..];
    let kind = KINDS.iter().find(|(sign, _)| match sign.len() {
        // Short signs are only meaningful at the start of the overlay.
        ..8 => {
            overlay.starts_with(sign)
                || (sign.starts_with(b"PK") && memmem::find(tail, sign).is_some())
        }
        _ => memmem::find(tail, sign).is_some(),
    });
    let what = kind.map_or(String::new(), |(_, what)| format!(", {what}"));
    let text = match overlay.len() {
        1 => format!("1 byte behind the program{what}"),
        many => format!("{many} bytes behind the program{what}"),
    };
    Some(Risk::of(RiskKind::Overlay, None, text).at(end).next(next))
}

/// The end of everything that the headers mention.
fn end(program: &Program<'_>) -> u64 {
    let segments = program.segments.iter();
    let segments = segments.map(|s| s.offset.saturating_add(s.file_size));
    let sections = program.sections.iter().map(|s| s.range().end);
    let headers = program.headers_at + program.segments.len() as u64 * PROGRAM_HEADER;
    let section_headers = program.sections_at + program.sections.len() as u64 * SECTION_HEADER;
    let end = segments.chain(sections).max().unwrap_or_default();
    end.max(headers)
        .max(section_headers)
        .min(program.bytes.len() as u64)
}
