//! The payload for a link line: files in a directory, and the flags that bring them into a program
//! whose `libc.a` stays as it is.
//!
//! The order of files on the link line matters. If a linker has already taken musl's heap out of `libc.a` when it
//! reaches the payload, it finds each strong name twice. If it reaches the payload first, it takes nothing of musl's
//! heap. A linker must also take the payload if nothing before it needs `malloc`, since a function of libc may be the
//! first that does.
//!
//! The memory functions come as an archive, so a program takes only those that it uses.
//!
//! In a `libc.a` that already contains another heap, such as that of Swift's Static Linux SDK, one member defines
//! `malloc` together with other functions: `strdup`, C++'s operators. A program that needs one of those would get a
//! second heap, or a clash of strong names. An archive of these functions before `libc.a` keeps the linker away from
//! that member.

use crate::advice::Advice;
use crate::archive::read::Archive;
use crate::component::{Component, Families};
use crate::elf::object::Object;
use crate::error::{Error, Result};
use crate::fingerprint::hexadecimal;
use crate::note::Note;
use crate::publish::place::File;
use crate::shown::is_plain;
use brawn_payload::{Member, Payload, Set};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::path::Path;

mod archive;
mod pkg_config;
pub use archive::archive_of;
pub use pkg_config::pkg_config;

/// The library's name, for `-l`.
pub const LIBRARY: &str = "brawn_heap";
/// The archive, as linkers look for [`LIBRARY`].
pub const ARCHIVE: &str = "libbrawn_heap.a";
/// The memory functions' library, for `-l`.
pub const MEMORY_LIBRARY: &str = "brawn_memory";
/// The archive, as linkers look for [`MEMORY_LIBRARY`].
pub const MEMORY_ARCHIVE: &str = "libbrawn_memory.a";
/// The library of other functions of libc, for `-l`.
pub const LIBC_LIBRARY: &str = "brawn_libc";
/// The archive, as linkers look for [`LIBC_LIBRARY`].
pub const LIBC_ARCHIVE: &str = "libbrawn_libc.a";
/// The archive of functions that a `libc.a` defines in the same member as another heap.
pub const SUPPLIED_ARCHIVE: &str = "libbrawn_supplied.a";
/// The file for `include()`.
pub const CMAKE: &str = "brawn.cmake";
/// The file for `pkg-config`.
pub const PKG_CONFIG: &str = "brawn.pc";
/// The strong name that makes a linker take the payload out of the archive. A program that defines its own `malloc`
/// does not define this name, so the two do not clash.
const PULL: &str = "__libc_malloc";

/// Everything that a script needs to know. The names of these fields are a public interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Version of brawn.
    pub brawn: &'static str,
    /// The architecture that the payload runs on.
    pub architecture: &'static str,
    /// The payload's variant.
    pub profile: &'static str,
    /// The engine and its version.
    pub engine: &'static str,
    /// The compiler that built it.
    pub compiler: &'static str,
    /// The directory that the files are in.
    pub directory: String,
    /// The heap's objects, for linkers that take them by path; empty without the heap.
    pub objects: Vec<String>,
    /// The same objects in an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// The archive's name for `-l`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<&'static str>,
    /// The memory functions in an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_archive: Option<String>,
    /// That archive's name for `-l`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_library: Option<&'static str>,
    /// An archive with other functions of libc. It stands before the memory functions' archive, since it needs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libc_archive: Option<String>,
    /// That archive's name for `-l`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libc_library: Option<&'static str>,
    /// Which families of functions are in it.
    #[serde(skip)]
    families: Option<Families>,
    /// An archive of `strdup`, similar functions and C++'s operators, for a `libc.a` that has them in one member with
    /// another heap, as Swift's has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supplied_archive: Option<String>,
    /// A file for CMake's `include()`.
    pub cmake: String,
    /// A file for `pkg-config`.
    pub pkg_config: String,
    /// Which flags to pass to which tool.
    pub flags: Flags,
}

/// Arguments: each element is one argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flags {
    /// For a C or C++ compiler (gcc, clang, `zig cc`) that links; they go before every library.
    pub cc: Vec<String>,
    /// For GNU ld, ld.lld and mold when called directly; they go before every library.
    pub ld: Vec<String>,
    /// For rustc, and for Cargo's `rustflags` of a musl target.
    pub rustc: Vec<String>,
    /// For swiftc when it links, and for `linkerSettings: [.unsafeFlags([…])]`.
    pub swift: Vec<String>,
    /// For cmake: they reach every executable of a project, without a change to the project.
    pub cmake: Vec<String>,
}

/// The directory's name below the user's cache: the version, and a hash of the objects and of the chosen parts.
pub fn folder_name(payload: &Payload, components: &[Component]) -> String {
    let mut hash = Sha256::new();
    let parts = [
        Component::Heap,
        Component::Memory,
        Component::LIBC,
        Component::Supplied,
    ];
    for member in parts.iter().flat_map(|part| part.members(payload)) {
        hash.update(member.name.as_bytes());
        hash.update([0]);
        hash.update(member.bytes.get());
    }
    for component in components {
        hash.update(component.name().as_bytes());
        if let Component::Libc(families) = component {
            hash.update(families.bytes());
        }
    }
    let hash = hexadecimal(&hash.finalize()[..8]);
    format!("{}-{hash}", payload.version)
}

/// Flags for the files of `payload` in `directory`, which must be absolute.
pub fn link(payload: &Payload, components: &[Component], directory: &Path) -> Result<Link> {
    let Some(folder) = directory.to_str().filter(|d| d.chars().all(is_plain)) else {
        return Err(Error::usage("a directory whose name is not printable text")
            .path(directory)
            .expected("UTF-8 without control characters")
            .next("choose another directory"));
    };
    let at = |name: &str| format!("{}/{name}", folder.trim_end_matches('/'));
    let has_heap = components.contains(&Component::Heap);
    let memory = memory(payload, components)?;
    let families = families(components, memory)?;
    let libc_archive = families.map(|_| at(LIBC_ARCHIVE));
    let members = payload.members.iter().filter(|_| has_heap);
    let objects: Vec<String> = members.map(|m| at(m.name)).collect();
    // Without the heap there is nothing to give back.
    let chosen = families.filter(|_| has_heap);
    let pulled = pulled::flags(payload, memory, chosen);
    let memory_archive = memory.map(|_| at(MEMORY_ARCHIVE));
    let has_supplies = has_heap && !payload.supplied.functions.is_empty();
    let supplied_archive = has_supplies.then(|| at(SUPPLIED_ARCHIVE));
    let line: Vec<String> = [&objects, &pulled]
        .into_iter()
        .flatten()
        .chain(&libc_archive)
        .chain(&memory_archive)
        .cloned()
        .collect();
    let libraries = [
        families.map(|_| LIBC_LIBRARY),
        memory.map(|_| MEMORY_LIBRARY),
    ];
    let archives: Vec<&str> = libraries.into_iter().flatten().collect();
    let cmake = at(CMAKE);
    Ok(Link {
        brawn: payload.version,
        architecture: payload.architecture.name(),
        profile: payload.profile.name(),
        engine: payload.engine,
        compiler: payload.compiler,
        directory: folder.to_string(),
        archive: has_heap.then(|| at(ARCHIVE)),
        library: has_heap.then_some(LIBRARY),
        memory_library: memory.map(|_| MEMORY_LIBRARY),
        libc_library: families.map(|_| LIBC_LIBRARY),
        families,
        pkg_config: at(PKG_CONFIG),
        flags: Flags {
            cc: line.clone(),
            ld: line,
            rustc: rustc(folder, has_heap, &archives, &pulled),
            // The Static Linux SDK links with lld. lld needs no `-u`: it takes functions from these archives before
            // libc.a, no matter who asks for them.
            swift: [
                &objects[..],
                libc_archive.as_slice(),
                memory_archive.as_slice(),
                supplied_archive.as_slice(),
            ]
            .concat(),
            cmake: words(&[
                &format!("-DCMAKE_PROJECT_INCLUDE={cmake}"),
                "-DBRAWN_EVERYWHERE=ON",
            ]),
        },
        memory_archive,
        libc_archive,
        supplied_archive,
        cmake,
        objects,
    })
}

/// The set of memory functions to add, if they are wanted.
fn memory(payload: &Payload, components: &[Component]) -> Result<Option<&'static Set>> {
    let memory = payload.memory;
    let memory = memory.filter(|_| components.contains(&Component::Memory));
    if let ([Component::Memory], None) = (components, memory) {
        let name = payload.architecture.name();
        return Err(Error::not_applicable(format!(
            "no memory functions for {name} in this brawn"
        )));
    }
    Ok(memory)
}

/// The families of libc's functions to add. Most of them call memory functions by brawn's own names.
fn families(components: &[Component], memory: Option<&Set>) -> Result<Option<Families>> {
    let families = Component::families(components);
    if families.is_some() && !components.contains(&Component::Memory) {
        let both = [Component::Memory, Component::LIBC];
        let why = "libc's functions need brawn's memory functions";
        return Err(Error::usage("`libc` without `memory` on a link line")
            .expected(format!("{}: {why}", Advice::Only(&both))));
    }
    Ok(families.filter(|_| memory.is_some()))
}

/// rustc's flags for the files in `folder`.
fn rustc(folder: &str, has_heap: bool, archives: &[&str], pulled: &[String]) -> Vec<String> {
    // rustc puts a crate's native libraries before libc.a; an object from `link-arg` would come after it.
    // `+whole-archive` does not work: Cargo passes its flags to every crate, so each crate would add the objects
    // again.
    let mut flags = words(&["-L", &format!("native={folder}")]);
    if has_heap {
        flags.extend(words(&["-l", &format!("static:-bundle={LIBRARY}")]));
        flags.extend(words(&["-C", &format!("link-arg=-u{PULL}")]));
    }
    for archive in archives {
        flags.extend(words(&["-l", &format!("static:-bundle={archive}")]));
    }
    for pull in pulled {
        flags.extend(words(&["-C", &format!("link-arg={pull}")]));
    }
    flags
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The files that [`Link`] names.
pub fn files(payload: &Payload, link: &Link) -> Result<Vec<File>> {
    let mut files: Vec<File> = Vec::new();
    let mut file = |name: &str, bytes: Vec<u8>| {
        let name = name.to_string();
        files.push(File { name, bytes });
    };
    if link.archive.is_some() {
        for member in payload.members {
            file(member.name, member.bytes.to_vec());
        }
        file(ARCHIVE, archive_of_all(payload.members.iter())?);
    }
    if let Some(memory) = payload.memory.filter(|_| link.memory_archive.is_some()) {
        file(MEMORY_ARCHIVE, memory_archive(memory)?);
    }
    if let Some(families) = link.families {
        let functions = payload.libc.functions.iter().filter(|f| families.take(f));
        file(LIBC_ARCHIVE, archive_of_all(functions.map(|f| &f.member))?);
    }
    if link.supplied_archive.is_some() {
        let members = Component::Supplied.members(payload);
        file(SUPPLIED_ARCHIVE, archive_of_all(members.into_iter())?);
    }
    file(CMAKE, cmake(link, payload).into_bytes());
    file(PKG_CONFIG, pkg_config(link, payload).into_bytes());
    Ok(files)
}

/// An archive of the memory functions.
pub fn memory_archive(memory: &Set) -> Result<Vec<u8>> {
    archive_of_all(memory.functions.iter().map(|f| &f.member))
}

fn archive_of_all<'m>(members: impl Iterator<Item = &'m Member>) -> Result<Vec<u8>> {
    let members: Vec<_> = members.map(|m| (m.name, m.bytes.get())).collect();
    archive_of(&members)
}

/// The first characters of each text file, by which the next run recognizes brawn's files.
const MARK: &str = "# brawn ";

/// Whether brawn wrote an existing file, so that it may be replaced.
pub fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK.as_bytes())
        || crate::report::inspect::inspect(bytes).is_ok_and(|r| {
            r.memory_note.is_some()
                || r.libc_note.is_some()
                || r.heaps.iter().any(|h| h.note.is_some())
        })
        || Archive::read(bytes).is_ok_and(|archive| {
            let mut objects = archive
                .members()
                .filter_map(|(_, member)| Object::read(archive.data(member), 0).ok().flatten());
            objects.any(|object| object.notes.iter().any(Note::is_supplied))
        })
}

/// What is in the directory, in words.
fn contents(link: &Link) -> String {
    let heap = format!("the heap {}", link.engine);
    match (&link.archive, &link.memory_archive) {
        (Some(_), Some(_)) if link.libc_archive.is_some() => {
            format!("{heap}, memory functions and others of libc")
        }
        (Some(_), Some(_)) => format!("{heap} and memory functions"),
        (Some(_), None) => heap,
        _ => "memory functions".into(),
    }
}

fn title(link: &Link) -> String {
    format!(
        "{MARK}{}: {}, profile {}, {}, for static executables linked with musl",
        link.brawn,
        contents(link),
        link.profile,
        link.architecture
    )
}

/// The file for `include()`.
pub fn cmake(link: &Link, payload: &Payload) -> String {
    let at = |name: &str| format!("${{CMAKE_CURRENT_LIST_DIR}}/{name}");
    let for_executables =
        |what: &str| format!("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:{what}>");
    let members = payload.members.iter().filter(|_| link.archive.is_some());
    let objects: Vec<String> = members.map(|m| at(m.name)).collect();
    let pulled = link.flags.ld.iter().filter(|flag| flag.starts_with("-u"));
    let libc = link.libc_archive.as_ref().map(|_| at(LIBC_ARCHIVE));
    let memory = link.memory_archive.as_ref().map(|_| at(MEMORY_ARCHIVE));
    let archives: Vec<String> = libc.into_iter().chain(memory).collect();
    // Link options come before objects and libraries, whatever the project links, even if it links `c` itself.
    let options: Vec<String> = objects
        .iter()
        .chain(pulled)
        .chain(&archives)
        .map(|option| for_executables(option))
        .collect();
    let target = match link.archive {
        Some(_) => "brawn::heap",
        None => "brawn::memory",
    };
    let mut properties = format!("INTERFACE_LINK_OPTIONS \"{}\"", options.join(";"));
    let mut depends = objects;
    if !archives.is_empty() {
        // The archives again after the objects, which need functions from them.
        let again: Vec<String> = archives.iter().map(|a| for_executables(a)).collect();
        properties += &format!("\n    INTERFACE_LINK_LIBRARIES \"{}\"", again.join(";"));
        depends.extend(archives);
    }
    format!(
        "{}
#
# For single executables:
#   include({})
#   target_link_libraries(app PRIVATE {target})
# For every executable of a project, without a change to it:
#   cmake {}

cmake_minimum_required(VERSION 3.13...3.25)
if(NOT TARGET {target})
  add_library({target} INTERFACE IMPORTED GLOBAL)
  set_target_properties({target} PROPERTIES
    {properties}
    INTERFACE_LINK_DEPENDS \"{}\")
endif()
if(BRAWN_EVERYWHERE)
  link_libraries({target})
endif()
",
        title(link),
        cmake_quoted(&link.cmake),
        shell(&link.flags.cmake),
        depends.join(";"),
    )
}

/// The line that brings [`cmake`] into a project.
pub fn cmake_include(link: &Link) -> String {
    format!("include({})", cmake_quoted(&link.cmake))
}

fn cmake_quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text, &['"', '\\', '$']))
}

/// The text with a backslash before each of the `special` characters.
fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if special.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The element for a Swift package's `linkerSettings`.
pub fn swift(link: &Link) -> String {
    let quoted = |object: &String| format!("\"{}\"", escaped(object, &['"', '\\']));
    let objects: Vec<String> = link.flags.swift.iter().map(quoted).collect();
    format!(".unsafeFlags([{}])", objects.join(", "))
}

/// Arguments quoted for a shell.
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

mod pulled;
pub use pulled::pulls;
#[cfg(test)]
mod tests;
