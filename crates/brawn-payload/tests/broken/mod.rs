//! Functions that are broken on purpose: what a test of functions has to find.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Copies the files of one directory, without the directories in it.
pub fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Runs the test program in one way after the other until one fails and says `named`: most are found at a glance, and only
/// what is not takes the time of all the rest.  Gives what the last way said, if none does.
pub fn missed(
    start: impl Fn() -> Command,
    ways: &[&str],
    named: &str,
    what: &str,
) -> Result<Option<String>> {
    let mut said = None;
    for way in ways {
        let output = start().arg(way).output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() == Some(1) && text.contains(named) {
            return Ok(None);
        }
        said = Some(format!("{what}: {}: {text}", output.status));
    }
    Ok(said)
}
