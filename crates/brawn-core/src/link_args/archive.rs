//! An archive as `ar` makes it.

use crate::archive::apply::{header, index_contents};
use crate::archive::read::{Dialect, HEADER, IndexFormat, MAGIC};
use crate::elf::object::Object;
use crate::error::{Error, Result};

/// An archive of objects, by name (at most 15 bytes) and contents, with a symbol index, as `ar rcsD`
/// makes it.
pub fn archive_of(members: &[(&str, &[u8])]) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut lines = Vec::new();
    for (name, contents) in members {
        if body.len() % 2 == 1 {
            body.push(b'\n');
        }
        let object = Object::read(contents, 0).map_err(|e| e.member(name.as_bytes()))?;
        let symbols = object.map(|o| o.symbols).unwrap_or_default();
        let defined = symbols.into_iter().filter(|s| s.defined);
        lines.extend(defined.map(|s| (s.name, body.len() as u64)));
        body.extend(header(Dialect::Gnu, name, contents.len())?);
        body.extend_from_slice(contents);
    }
    if body.len() % 2 == 1 {
        body.push(b'\n');
    }
    let index = index_contents(IndexFormat::Gnu32, &lines, MAGIC.len() + HEADER)
        .ok_or_else(|| Error::refused("objects of more than 4 GiB"))?;
    let mut bytes = MAGIC.to_vec();
    // The index is the member whose name is empty.
    bytes.extend(header(Dialect::Gnu, "", index.len())?);
    bytes.extend(index);
    bytes.extend(body);
    Ok(bytes)
}
