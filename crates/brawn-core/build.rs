//! Compresses the signatures of musl's builds (`signatures/`), one stream for each architecture.

use flate2::{Compression, write::GzEncoder};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];

fn main() -> io::Result<()> {
    let folder = Path::new("signatures");
    println!("cargo::rerun-if-changed=signatures");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|e| e == "txt"));
    files.sort();
    let mut texts = Vec::new();
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        texts.push(fs::read_to_string(file)?);
    }
    let mut list = String::from("[");
    for architecture in ARCHITECTURES {
        let line = format!("architecture {architecture}");
        let of_it = texts
            .iter()
            .filter(|text| text.lines().any(|other| other == line));
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(sorted(of_it).as_bytes())?;
        let name = format!("signatures-{architecture}.gz");
        fs::write(out.join(&name), packed.finish()?)?;
        list.push_str(&format!(
            "(\"{architecture}\", include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),"
        ));
    }
    list.push(']');
    fs::write(out.join("signatures.rs"), list)
}

/// What several builds have of a function stands together and what is the same stands once: builds differ little, and a
/// compressor looks back over less than one of them.  Before each piece a line says where it was: a byte that no
/// text has, then `BUILD:PLACE …`.
/// `src/signatures/database.rs` puts them there again.
fn sorted<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let mut pieces = BTreeMap::<(&str, &str), Vec<(usize, usize)>>::new();
    for (build, text) in texts.enumerate() {
        for (place, piece) in pieces_of(text).into_iter().enumerate() {
            let what = piece.match_indices([' ', '\n']).nth(1);
            let what = what.map_or(piece, |(at, _)| &piece[..at]);
            pieces
                .entry((what, piece))
                .or_default()
                .push((build, place));
        }
    }
    let mut all = String::new();
    for ((_, piece), places) in pieces {
        for (n, (build, place)) in places.iter().enumerate() {
            let before = if n == 0 { '\u{1}' } else { ' ' };
            let _ = write!(all, "{before}{build}:{place}");
        }
        all += "\n";
        all += piece;
    }
    all
}

/// A text's head, then one piece for each function or constant, with the lines that belong to it.
fn pieces_of(text: &str) -> Vec<&str> {
    let mut begins = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_first = line.starts_with("function ") || line.starts_with("constant ");
        if is_first && at > 0 {
            begins.push(at);
        }
        at += line.len();
    }
    let ends = begins.iter().skip(1).copied().chain([at]);
    let pieces = begins.iter().zip(ends);
    pieces.map(|(begin, end)| &text[*begin..end]).collect()
}
