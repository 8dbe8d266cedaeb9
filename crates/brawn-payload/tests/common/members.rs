//! What is in a musl.

use crate::Result;
use object::{Object as _, ObjectSymbol as _};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The members of a libc.a: what each defines for others, and what it needs.
pub fn members(archive: &Path) -> Result<Vec<(String, BTreeSet<String>)>> {
    let bytes = fs::read(archive).map_err(|e| format!("{}: {e}", archive.display()))?;
    let file = object::read::archive::ArchiveFile::parse(&*bytes)?;
    let mut found = Vec::new();
    for member in file.members() {
        let member = member?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let Ok(object) = object::File::parse(member.data(&*bytes)?) else {
            continue;
        };
        let symbols = object.symbols();
        let defined = symbols.filter(|s| s.is_global() && s.is_definition() || s.is_common());
        let defined = defined.map(|s| Ok(s.name()?.to_owned()));
        found.push((name, defined.collect::<Result<_>>()?));
    }
    Ok(found)
}
