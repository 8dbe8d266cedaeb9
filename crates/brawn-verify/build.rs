//! Embeds `conformance/programs/`, so that `brawn verify` has them where there is no checkout: their texts one after
//! another, compressed, and a list of names and lengths.

use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let home = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("run through cargo")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("run through cargo")?);
    let programs = home.join("programs").canonicalize()?;
    println!("cargo::rerun-if-changed={}", programs.display());
    let mut names = Vec::new();
    list(&programs, "", &mut names)?;
    names.sort();
    let mut table = String::from("&[\n");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    for name in names {
        let text = fs::read_to_string(programs.join(&name))?;
        writeln!(table, "    ({name:?}, {}),", text.len())?;
        packed.write_all(text.as_bytes())?;
    }
    table.push_str("]\n");
    fs::write(out.join("programs.gz"), packed.finish()?)?;
    fs::write(out.join("programs.rs"), table)?;
    Ok(())
}

/// Every file below `folder`, with the names of directories before its own.
fn list(folder: &Path, before: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}
