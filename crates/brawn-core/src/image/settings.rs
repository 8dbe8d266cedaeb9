//! A program's settings in an image, in the form in which users type them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The largest numbers of users and groups that Docker takes.
const LARGEST: u32 = i32::MAX as u32;

/// The user and group that a program runs as: `UID` or `UID:GID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct User {
    /// The user.
    pub uid: u32,
    /// The group; if none is given, the same number as the user's.
    pub gid: u32,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.uid, self.gid)
    }
}

impl FromStr for User {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            let number = text.parse().ok().filter(|n| is_number && *n <= LARGEST);
            number.ok_or_else(|| format!("`{text}`: expected a number of up to {LARGEST}"))
        };
        let (uid, gid) = text.split_once(':').unwrap_or((text, text));
        Ok(Self {
            uid: number(uid)?,
            gid: number(gid)?,
        })
    }
}

/// `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The key; not empty.
    pub key: String,
    /// The value; may be empty.
    pub value: String,
}

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok(Self {
                key: key.into(),
                value: value.into(),
            }),
            _ => Err("expected KEY=VALUE".into()),
        }
    }
}

/// A port that a program listens on: `PORT`, `PORT/tcp` or `PORT/udp`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port(String);

impl Port {
    /// Its name with the protocol.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (port, protocol) = text.split_once('/').unwrap_or((text, "tcp"));
        let is_number = port.bytes().all(|b| b.is_ascii_digit());
        match port.parse::<u16>() {
            Ok(port) if port > 0 && is_number && matches!(protocol, "tcp" | "udp") => {
                Ok(Self(format!("{port}/{protocol}")))
            }
            _ => Err("expected PORT, PORT/tcp or PORT/udp, from 1 to 65535".into()),
        }
    }
}

/// A further file or directory for the image: `SOURCE:/PLACE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The file or directory to copy.
    pub source: PathBuf,
    /// Its place in the image. If it ends with a slash, the source goes into that directory.
    pub place: String,
}

impl FromStr for Addition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.rsplit_once(":/") {
            Some((source, place)) if !source.is_empty() => Ok(Self {
                source: source.into(),
                place: format!("/{place}"),
            }),
            _ => Err("expected SOURCE:/PLACE, the place in the image from its root".into()),
        }
    }
}

/// How a program is started: the object `config` of an image's configuration, without the fields that brawn never
/// sets.
///
/// Source: OCI Image Format Specification 1.1, `config.md`, "Properties".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Settings {
    /// `UID:GID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// `PORT/PROTOCOL`, each with an empty object.
    #[serde(default, skip_serializing_if = "Ports::is_empty")]
    pub exposed_ports: Ports,
    /// `KEY=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// The program.
    pub entrypoint: Vec<String>,
    /// Its arguments if the user gives none at its start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cmd: Vec<String>,
    /// The directory that it starts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// The image's labels.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
}

/// Ports by name; each value is an empty object.
pub type Ports = std::collections::BTreeMap<String, Nothing>;
/// Labels by key.
pub type Labels = std::collections::BTreeMap<String, String>;

/// The empty object: the specification has sets as objects with such values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nothing {}

#[cfg(test)]
mod tests;
