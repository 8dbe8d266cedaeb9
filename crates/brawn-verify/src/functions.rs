//! Whose the functions are that a toolchain's programs call.

use crate::sides::Lab;
use crate::tool::{Tool, linked, text, write};
use brawn_core::Result;
use brawn_core::component::Families;
use brawn_core::identify::{MEMORY, PUBLIC};
use brawn_core::report::verify::{Function, verify};
use brawn_payload::{Architecture, Profile, payload, payloads};
use std::collections::HashSet;
use std::fmt::Write as _;

/// The public functions that a payload may have.
fn names(architecture: Architecture) -> Vec<&'static str> {
    let payload = payload(architecture, Profile::Fast);
    let others = payload.iter().flat_map(|p| p.libc.functions);
    // Of two functions of one name, the usual one.
    let others = others.filter(|f| Families::ALL.chooses(f));
    let others = others.flat_map(|f| f.surface).copied();
    let public = others.filter(|name| !name.starts_with("__"));
    PUBLIC.iter().chain(MEMORY).copied().chain(public).collect()
}

/// A program that names them all, and calls none.
fn source(names: &[&str]) -> String {
    let mut program = String::new();
    for (number, name) in names.iter().enumerate() {
        let _ = writeln!(program, "extern char n{number}[] __asm__(\"{name}\");");
    }
    program.push_str("char *volatile all[] = {\n");
    for number in 0..names.len() {
        let _ = writeln!(program, "n{number},");
    }
    program.push_str("};\nint main(void) { return !all[0]; }\n");
    program
}

/// Those of `names` of which a linker said nothing: an old musl lacks some.
fn known<'n>(names: &[&'n str], said: &str) -> Vec<&'n str> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let named: HashSet<&str> = said.split(is_end).collect();
    let rest = names.iter().filter(|name| !named.contains(*name));
    rest.copied().collect()
}

impl Lab<'_> {
    /// Whose each function is in what `tool` links with `more` on its line; nothing if it does not link a program that
    /// names them.
    pub(crate) fn functions(
        &self,
        tool: &Tool<'_>,
        more: &[String],
        architecture: Option<Architecture>,
        is_cxx: bool,
    ) -> Result<Vec<Function>> {
        let mut names = architecture.map_or_else(Vec::new, names);
        let file = if is_cxx { "names.cc" } else { "names.c" };
        let (path, object) = (self.folder.join(file), self.folder.join("names.o"));
        let executable = self.folder.join("names");
        for _ in 0..2 {
            write(&path, source(&names).as_bytes())?;
            if tool.compile(&path, &object, &[])?.is_err() {
                break;
            }
            let inputs = [&[text(&object)], more].concat();
            let Err(said) = tool.link(&inputs, &executable)? else {
                return Ok(verify(&linked(&executable)?, payloads())?.functions);
            };
            names = known(&names, &said);
        }
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests;
