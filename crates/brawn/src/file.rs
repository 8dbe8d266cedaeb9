//! Shared by commands that change files: where the new bytes go, and messages about what happened.

use crate::ui;
use brawn_core::publish::{Notice, To};
use brawn_core::shown::shown;
use std::path::Path;

/// Where new bytes go, by `-o` and `--dry-run`.
pub fn to(output: Option<&Path>, is_dry: bool) -> To<'_> {
    match output {
        _ if is_dry => To::Nowhere,
        Some(output) => To::Another(output),
        None => To::Itself,
    }
}

/// Says what the user might wonder about.
pub fn notice(notice: Notice<'_>) {
    let text = match notice {
        Notice::Waiting(folder) => {
            format!("waiting for another brawn that works in {}", shown(&folder))
        }
        Notice::RolledBack(file) => format!(
            "{}: an interrupted write was rolled back to the original",
            shown(&file)
        ),
        Notice::Newer(file, newer) => format!(
            "{}: a newer version of it came while an earlier brawn worked, which was then killed: it lies at {}. If it is the one \
             that you want, move it into the file's place",
            shown(&file),
            shown(&newer)
        ),
    };
    ui::info(&text);
}
