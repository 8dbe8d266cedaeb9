//! The entries of an image: what is at a path.

use crate::error::{Error, Result};
use crate::shown::shown;
use serde::Serialize;
use std::path::PathBuf;

/// The modes of programs and directories, and of other files. They do not depend on who builds the image, or on the
/// umask.
pub(super) const RUN: u32 = 0o755;
pub(super) const READ: u32 = 0o644;
/// The prefix of files that remove others (OCI Image Format Specification 1.1, `layer.md`, "Whiteouts").
const WHITEOUT: &str = ".wh.";

/// An entry at a path. Its owner is root, by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its path, without the leading slash.
    pub path: String,
    /// Its permissions. A link's permissions have no meaning.
    #[serde(serialize_with = "octal")]
    pub mode: u32,
    /// Its owner.
    pub uid: u64,
    /// Its group.
    pub gid: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its kind and contents.
    #[serde(flatten)]
    pub what: What,
}

/// The kind of an entry, and where its contents come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "source")]
pub enum What {
    /// A directory.
    Folder,
    /// The program.
    Program,
    /// The root certificates, from this file.
    Certificates(PathBuf),
    /// A file with this text.
    Text(String),
    /// A copy of this file.
    File(PathBuf),
    /// A symbolic link with this target.
    Link(String),
}

impl What {
    /// The entry in words, for the error about two entries at one place.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Folder => "a directory".into(),
            Self::Program => "the program".into(),
            Self::Certificates(_) => "the certificates".into(),
            Self::Text(_) => "the file with the user's name or group".into(),
            Self::File(path) => shown(path).to_string(),
            Self::Link(target) => format!("a link to {target}"),
        }
    }
}

fn octal<S: serde::Serializer>(mode: &u32, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{mode:04o}"))
}

/// Checks a path in the image and removes slashes at its ends; the root becomes empty.
pub(super) fn check_place(place: &str) -> Result<String> {
    let bad = |found: &str, expected: &str| {
        Err(Error::usage(format!("{found} in the path `{place}`")).expected(expected))
    };
    if !place.starts_with('/') {
        return bad("no slash at the beginning", "a path from the image's root");
    }
    let parts: Vec<&str> = place.split('/').filter(|part| !part.is_empty()).collect();
    if let Some(part) = parts.iter().find(|part| matches!(**part, "." | "..")) {
        return bad(&format!("`{part}`"), "a path without it");
    }
    if let Some(part) = parts.iter().find(|part| part.starts_with(WHITEOUT)) {
        let expected = "another name: in images this one removes a file";
        return bad(&format!("`{part}`"), expected);
    }
    Ok(parts.join("/"))
}
