//! gcc's objects from one run of the tests to the next: compiling them is most of the tests' time, broken functions
//! included, and most sources stay as they are.
//!
//! An object is found by the text that the preprocessor makes of the source, the arguments, and the versions of gcc and its
//! assembler.  Lines' numbers are not in that text: it is for objects without debug information, and no source asks for its
//! own name.

use sha2::{Digest as _, Sha256};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What ends libc's test programs: a masked store that lies on two pages (memory/x86_64/vector.h), a sum that no int holds,
/// an index behind an array.
pub const CHECKS: [&str; 3] = [
    "-DBRAWN_MEMORY_CHECK_MASKED",
    "-fsanitize=signed-integer-overflow,bounds,object-size",
    "-fsanitize-undefined-trap-on-error",
];

fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}:\n{text}", output.status).into())
}

/// What this machine's gcc and its assembler say of themselves, asked once.
fn versions() -> Result<&'static [u8]> {
    static SAID: OnceLock<std::result::Result<Vec<u8>, String>> = OnceLock::new();
    let ask = || -> Result<Vec<u8>> {
        let gcc = output(Command::new("gcc").arg("--version"))?;
        Ok([gcc, output(Command::new("as").arg("--version"))?].concat())
    };
    let said = SAID.get_or_init(|| ask().map_err(|error| error.to_string()));
    Ok(said.as_deref().map_err(String::as_str)?)
}

/// Compiles `source` to `object`, by gcc with these arguments.
pub fn compile(arguments: &Command, source: &Path, object: &Path) -> Result<()> {
    assert_eq!(arguments.get_program(), "gcc");
    assert!(arguments.get_args().any(|argument| argument == "-g0"));
    let gcc = || {
        let mut command = Command::new("gcc");
        command.args(arguments.get_args());
        command
    };
    let text = output(gcc().args(["-E", "-P"]).arg(source))?;
    let mut hash = Sha256::new();
    let said = format!("{arguments:?}");
    for part in [versions()?, said.as_bytes(), &text] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let name: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gcc-objects");
    let kept = folder.join(name);
    if !kept.exists() {
        fs::create_dir_all(&folder)?;
        // Other tests may make the same one: each is published whole.
        let new = tempfile::NamedTempFile::new_in(&folder)?.into_temp_path();
        output(gcc().arg("-c").arg(source).arg("-o").arg(&new))?;
        new.persist(&kept)?;
    }
    fs::copy(&kept, object)?;
    Ok(())
}
