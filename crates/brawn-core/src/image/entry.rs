//! What is at a path of an image.

use crate::error::{Error, Kind, Result};
use crate::shown::shown;
use serde::Serialize;
use std::path::PathBuf;

/// The mode of programs and folders, and of other files: nothing of who builds the image, or with which umask.
pub(super) const RUN: u32 = 0o755;
pub(super) const READ: u32 = 0o644;
/// What the names of files that remove others begin with (OCI Image Format Specification 1.1, `layer.md`, "Whiteouts").
const WHITEOUT: &str = ".wh.";

/// Something at a path.  The owner is root, by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its path, without the leading slash.
    pub path: String,
    /// Its permissions; those of links mean nothing.
    #[serde(serialize_with = "octal")]
    pub mode: u32,
    /// Its owner.
    pub uid: u64,
    /// Its group.
    pub gid: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What it is.
    #[serde(flatten)]
    pub what: What,
}

/// What is at a path, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "source")]
pub enum What {
    /// A folder.
    Folder,
    /// The program.
    Program,
    /// The certificates of authorities, from this file.
    Certificates(PathBuf),
    /// This text.
    Text(String),
    /// A copy of this file.
    File(PathBuf),
    /// A symbolic link that leads there.
    Link(String),
}

impl What {
    /// What it is called when two things are at one place.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Folder => "a folder".into(),
            Self::Program => "the program".into(),
            Self::Certificates(_) => "the certificates".into(),
            Self::Text(_) => "a file that `--user` makes".into(),
            Self::File(path) => shown(path).to_string(),
            Self::Link(target) => format!("a link to {target}"),
        }
    }
}

fn octal<S: serde::Serializer>(mode: &u32, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{mode:04o}"))
}

/// A path in the image without slashes at its ends; the root is empty.
pub(super) fn check_place(place: &str) -> Result<String> {
    let bad = |found: &str, expected: &str| {
        Err(usage(format!("{found} in the path `{place}`")).expected(expected))
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

pub(super) fn usage(found: String) -> Error {
    Error::new(Kind::Usage, found)
}
