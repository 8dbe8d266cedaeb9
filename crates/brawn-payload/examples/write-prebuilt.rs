//! Writes `prebuilt/objects`, from what this build compiled, with Debian's `zstd`: a part of `make rt-objects`.  With
//! `--check` it only says whether the file is that, for `make crates` and `make dist`.

#[path = "../build/engine/mod.rs"]
#[allow(dead_code)]
mod engine;
#[path = "../build/prebuilt.rs"]
#[allow(dead_code)]
mod prebuilt;
#[path = "../build/recipe.rs"]
#[allow(dead_code)]
mod recipe;
#[path = "../build/source.rs"]
#[allow(dead_code)]
mod source;

use prebuilt::Prebuilt;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = Path::new(env!("OUT_DIR"));
    let compilers = brawn_payload::payloads()
        .iter()
        .map(|payload| payload.compiler);
    if let Some(other) = compilers.into_iter().find(|name| !name.starts_with("zig ")) {
        return Err(format!("compiled by {other}, not by zig: run `make tools`").into());
    }
    let inputs = fs::read_to_string(out.join("inputs"))?;
    let carried = Prebuilt::read(home)?;
    let is_current = carried.is_some_and(|carried| carried.inputs() == inputs);
    if std::env::args()
        .nth(1)
        .is_some_and(|argument| argument == "--check")
    {
        return match is_current {
            true => Ok(()),
            false => Err(
                "prebuilt/objects is of other sources: run `make rt-objects`, and commit it".into(),
            ),
        };
    }
    let packed = pack(&inputs, out)?;
    let file = home.join(prebuilt::FILE);
    fs::create_dir_all(file.parent().ok_or("no directory")?)?;
    Ok(fs::write(file, packed)?)
}

/// What was made in `out`, as `prebuilt/objects` has it.
fn pack(inputs: &str, out: &Path) -> Result<Vec<u8>> {
    let (mut text, mut bytes) = (format!("{inputs}\n"), Vec::new());
    for (frame, files) in prebuilt::built(out)? {
        let mut whole = Vec::new();
        for (name, file) in files {
            text += &format!("{} {name}\n", file.len());
            whole.extend(file);
        }
        let packed = compress(&whole)?;
        text += &format!("frame {} {frame}\n", packed.len());
        bytes.extend(packed);
    }
    Ok([text.as_bytes(), b"\n", &bytes].concat())
}

/// A zstd frame of `bytes`, as small as zstd makes it, with a checksum.
fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut zstd = Command::new("zstd")
        .args(["--ultra", "-22", "--check", "--no-progress", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("zstd: {error}: Debian's package of that name has it"))?;
    let mut input = zstd.stdin.take().ok_or("no input of zstd")?;
    let mut output = zstd.stdout.take().ok_or("no output of zstd")?;
    let mut packed = Vec::new();
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || input.write_all(bytes));
        output.read_to_end(&mut packed)?;
        writer.join().expect("writes only")
    })?;
    match zstd.wait()?.success() {
        true => Ok(packed),
        false => Err("zstd failed".into()),
    }
}
