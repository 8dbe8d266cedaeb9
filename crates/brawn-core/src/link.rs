//! The payload for a link line: files in a folder, and the flags that bring them into a program
//! whose `libc.a` stays as it is.
//!
//! What matters is order.  A linker that has already taken musl's heap out of `libc.a` when it comes
//! upon the payload finds the strong names twice; one that has the payload first takes nothing of
//! that heap.  And a linker must take the payload even where nothing before it has asked for
//! `malloc`, since a libc function may be the first to ask.

use crate::apply::{header, index_contents};
use crate::error::{Error, Kind, Result};
use crate::read::archive::{Dialect, HEADER, IndexFormat, MAGIC};
use crate::read::elf::Object;
use brawn_payload::Payload;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// The library's name, for `-l`.
pub const LIBRARY: &str = "brawn_heap";
/// The archive, as linkers look for [`LIBRARY`].
pub const ARCHIVE: &str = "libbrawn_heap.a";
/// The file for `include()`.
pub const CMAKE: &str = "brawn.cmake";
/// The file for `pkg-config`.
pub const PKG_CONFIG: &str = "brawn.pc";
/// The strong name that makes a linker take the payload out of the archive: every program that
/// defines its own public names leaves it alone.
const PULL: &str = "__libc_malloc";

/// One file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// Everything that a script needs to know.  The names of these fields are published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Version of brawn.
    pub brawn: &'static str,
    /// What the payload runs on.
    pub architecture: &'static str,
    /// The payload's variant.
    pub profile: &'static str,
    /// The engine and its version.
    pub engine: &'static str,
    /// What compiled it.
    pub compiler: &'static str,
    /// The folder that the files are in.
    pub directory: String,
    /// The objects, for linkers that take them by path.
    pub objects: Vec<String>,
    /// The same objects in an archive.
    pub archive: String,
    /// The archive's name for `-l`.
    pub library: &'static str,
    /// A file for CMake's `include()`.
    pub cmake: String,
    /// A file for `pkg-config`.
    pub pkg_config: String,
    /// What to pass to whom.
    pub flags: Flags,
}

/// Arguments, one to an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flags {
    /// For a C or C++ compiler (gcc, clang, `zig cc`) that links, before every library.
    pub cc: Vec<String>,
    /// For GNU ld, ld.lld and mold when they are called themselves, before every library.
    pub ld: Vec<String>,
    /// For rustc, and for Cargo's `rustflags` of a musl target.
    pub rustc: Vec<String>,
    /// For swiftc that links, and for `linkerSettings: [.unsafeFlags([…])]`.
    pub swift: Vec<String>,
    /// For cmake: every executable of a project, without a change to it.
    pub cmake: Vec<String>,
}

/// The folder's name below the user's cache: the version, and a hash of the objects.
pub fn folder_name(payload: &Payload) -> String {
    let mut hash = Sha256::new();
    for member in payload.members {
        hash.update(member.name.as_bytes());
        hash.update([0]);
        hash.update(member.bytes);
    }
    let hash: String = hash.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{}-{hash}", payload.version)
}

/// Flags for the files of `payload` in `directory`, which is absolute.
pub fn link(payload: &Payload, directory: &Path) -> Result<Link> {
    let Some(folder) = directory.to_str().filter(|d| !d.contains(char::is_control)) else {
        return Err(
            Error::new(Kind::Usage, "a folder whose name is not printable text")
                .path(directory)
                .expected("UTF-8 without control characters")
                .next("choose another with `--dir`"),
        );
    };
    let at = |name: &str| PathBuf::from(folder).join(name).display().to_string();
    let objects: Vec<String> = payload.members.iter().map(|m| at(m.name)).collect();
    let words = |words: &[&str]| words.iter().map(|w| w.to_string()).collect();
    let cmake = at(CMAKE);
    Ok(Link {
        brawn: payload.version,
        architecture: payload.architecture.name(),
        profile: payload.profile.name(),
        engine: payload.engine,
        compiler: payload.compiler,
        directory: folder.to_string(),
        archive: at(ARCHIVE),
        library: LIBRARY,
        pkg_config: at(PKG_CONFIG),
        flags: Flags {
            cc: objects.clone(),
            ld: objects.clone(),
            // In front of libc.a, where rustc puts a crate's native libraries; an object behind
            // `link-arg` comes after it.  Not `+whole-archive`: Cargo passes its flags to every
            // crate, and each would add the objects once more.
            rustc: words(&[
                "-L",
                &format!("native={folder}"),
                "-l",
                &format!("static:-bundle={LIBRARY}"),
                "-C",
                // Understood by compilers and by linkers alike.
                &format!("link-arg=-u{PULL}"),
            ]),
            swift: objects.clone(),
            cmake: words(&[
                &format!("-DCMAKE_PROJECT_INCLUDE={cmake}"),
                "-DBRAWN_EVERYWHERE=ON",
            ]),
        },
        cmake,
        objects,
    })
}

/// The files that [`Link`] speaks of.
pub fn files(payload: &Payload, link: &Link) -> Result<Vec<File>> {
    let mut files: Vec<File> = payload
        .members
        .iter()
        .map(|m| File {
            name: m.name.to_string(),
            bytes: m.bytes.to_vec(),
        })
        .collect();
    let text = |name: &str, text: String| File {
        name: name.to_string(),
        bytes: text.into_bytes(),
    };
    files.push(File {
        name: ARCHIVE.to_string(),
        bytes: archive(payload)?,
    });
    files.push(text(CMAKE, cmake(link, payload)));
    files.push(text(PKG_CONFIG, pkg_config(link, payload)));
    Ok(files)
}

/// An archive of the payload's objects.
fn archive(payload: &Payload) -> Result<Vec<u8>> {
    let members: Vec<_> = payload.members.iter().map(|m| (m.name, m.bytes)).collect();
    archive_of(&members)
}

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

/// What a text file begins with, so that the next run knows it for brawn's.
const MARK: &str = "# brawn ";

/// Whether a file that is already there may be replaced.
pub fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK.as_bytes())
        || crate::inspect::inspect(bytes)
            .is_ok_and(|report| report.heaps.iter().any(|h| h.note.is_some()))
}

fn title(payload: &Payload) -> String {
    format!(
        "{MARK}{}: the heap {}, profile {}, {}, for static executables linked with musl",
        payload.version,
        payload.engine,
        payload.profile.name(),
        payload.architecture.name()
    )
}

/// The file for `include()`.
pub fn cmake(link: &Link, payload: &Payload) -> String {
    let objects: Vec<String> = payload
        .members
        .iter()
        .map(|m| format!("${{CMAKE_CURRENT_LIST_DIR}}/{}", m.name))
        .collect();
    // Link options come before objects and libraries, whatever the project links.
    let options: Vec<String> = objects
        .iter()
        .map(|o| format!("\"$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:{o}>\""))
        .collect();
    format!(
        "{}
#
# For single executables:
#   include({})
#   target_link_libraries(app PRIVATE brawn::heap)
# For every executable of a project, without a change to it:
#   cmake {}

cmake_minimum_required(VERSION 3.13...3.25)
if(NOT TARGET brawn::heap)
  add_library(brawn::heap INTERFACE IMPORTED GLOBAL)
  set_target_properties(brawn::heap PROPERTIES
    INTERFACE_LINK_OPTIONS {}
    INTERFACE_LINK_DEPENDS \"{}\")
endif()
if(BRAWN_EVERYWHERE)
  link_libraries(brawn::heap)
endif()
",
        title(payload),
        cmake_quoted(&link.cmake),
        shell(&link.flags.cmake),
        options.join(";").replace("\";\"", ";"),
        objects.join(";"),
    )
}

/// The line that brings [`cmake`] into a project.
pub fn cmake_include(link: &Link) -> String {
    format!("include({})", cmake_quoted(&link.cmake))
}

fn cmake_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '$') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// The file for `pkg-config`.
pub fn pkg_config(link: &Link, payload: &Payload) -> String {
    let escaped = |text: &str| {
        let mut out = String::new();
        for c in text.chars() {
            if matches!(c, ' ' | '"' | '\'' | '\\' | '$' | '#') {
                out.push('\\');
            }
            out.push(c);
        }
        out
    };
    let objects: Vec<String> = link.objects.iter().map(|o| escaped(o)).collect();
    format!(
        "{}

Name: brawn
Description: the heap {} in place of musl's, for static executables
Version: {}
Libs: {}
",
        title(payload),
        payload.engine,
        payload.version,
        objects.join(" ")
    )
}

/// The element for a Swift package's `linkerSettings`.
pub fn swift(link: &Link) -> String {
    let objects: Vec<String> = link
        .flags
        .swift
        .iter()
        .map(|o| format!("\"{}\"", o.replace('\\', "\\\\").replace('"', "\\\"")))
        .collect();
    format!(".unsafeFlags([{}])", objects.join(", "))
}

/// Arguments as a shell reads them.
pub fn shell(arguments: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted: Vec<String> = arguments
        .iter()
        .map(|a| {
            if !a.is_empty() && a.chars().all(is_plain) {
                a.clone()
            } else {
                format!("'{}'", a.replace('\'', "'\\''"))
            }
        })
        .collect();
    quoted.join(" ")
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
