//! Lists of names, as words of a text.

use std::ffi::OsStr;

/// Names with blanks between them.
#[derive(Clone, Copy, Debug)]
pub struct Listed(pub &'static str);

impl Listed {
    /// Whether `name` is one of them.
    pub fn has(self, name: impl AsRef<OsStr>) -> bool {
        self.0.split(' ').any(|one| one == name.as_ref())
    }
}
