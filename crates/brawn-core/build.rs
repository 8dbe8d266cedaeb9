//! Compresses the signatures of musl's builds (`signatures/`), one stream for each architecture.

use flate2::{Compression, write::GzEncoder};
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
    let mut list = String::from("[");
    for architecture in ARCHITECTURES {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        for file in &files {
            println!("cargo::rerun-if-changed={}", file.display());
            let text = fs::read_to_string(file)?;
            if text
                .lines()
                .any(|line| line == format!("architecture {architecture}"))
            {
                packed.write_all(text.as_bytes())?;
            }
        }
        let name = format!("signatures-{architecture}.gz");
        fs::write(out.join(&name), packed.finish()?)?;
        list.push_str(&format!(
            "(\"{architecture}\", include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),"
        ));
    }
    list.push(']');
    fs::write(out.join("signatures.rs"), list)
}
