//! Writes `prebuilt/objects`, from what this build compiled: a part of `make rt-objects`.  With `--check` it only says
//! whether the file is that, for `make crates`.

use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let built = Path::new(env!("OUT_DIR")).join("prebuilt/objects");
    let built = fs::read(&built)
        .map_err(|error| format!("{}: {error}: was it compiled here?", built.display()))?;
    let compilers = brawn_payload::payloads()
        .iter()
        .map(|payload| payload.compiler);
    if let Some(other) = compilers.into_iter().find(|name| !name.starts_with("zig ")) {
        return Err(format!("compiled by {other}, not by zig: run `make tools`").into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("prebuilt");
    if std::env::args()
        .nth(1)
        .is_some_and(|argument| argument == "--check")
    {
        let there = fs::read(folder.join("objects"))?;
        return match there == built {
            true => Ok(()),
            false => Err(
                "prebuilt/objects is of other sources: run `make rt-objects`, and commit it".into(),
            ),
        };
    }
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("objects"), built)?;
    Ok(())
}
