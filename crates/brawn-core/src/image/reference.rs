//! The name of an image: `[REGISTRY/]PATH[:TAG]`.
//!
//! Source: OCI Distribution Specification 1.1, "Pulling manifests", for paths and tags. The meaning of a name without
//! a registry is Docker's convention.

use std::fmt;
use std::str::FromStr;

/// The registry of a name that has none.
const REGISTRY: &str = "docker.io";
/// The user of a name without a user, in that registry.
const USER: &str = "library/";
const TAG: &str = "latest";
/// The longest name that Docker takes, in bytes: registry and path together.
const LONGEST: usize = 255;

/// A full name. Printed as `docker.io/library/tool:latest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The registry's host, with its port if it has one.
    pub registry: String,
    /// The path in it.
    pub path: String,
    /// The tag.
    pub tag: String,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}:{}", self.registry, self.path, self.tag)
    }
}

impl serde::Serialize for Reference {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('@') {
            return Err("a digest in a name: an image that is being made has none yet".into());
        }
        let (rest, tag) = match text.rsplit_once(':') {
            // If a slash follows the colon, the colon belongs to a port.
            Some((rest, tag)) if !tag.contains('/') => (rest, tag),
            _ => (text, TAG),
        };
        let is_registry = |first: &str| first == "localhost" || first.contains(['.', ':']);
        let (registry, path) = match rest.split_once('/') {
            Some((REGISTRY, path)) if !path.contains('/') => (REGISTRY, format!("{USER}{path}")),
            Some((first, path)) if is_registry(first) => (first, path.to_owned()),
            Some(_) => (REGISTRY, rest.to_owned()),
            None => (REGISTRY, format!("{USER}{rest}")),
        };
        if !is_host(registry) {
            return Err(format!(
                "`{registry}` is no registry: expected HOST or HOST:PORT"
            ));
        }
        if let Some(wrong) = path.split('/').find(|part| !is_component(part)) {
            return Err(format!(
                "`{wrong}`: expected lowercase letters and digits, separated by `.`, `_`, `__` or `-`"
            ));
        }
        if !is_tag(tag) {
            return Err(format!(
                "tag `{tag}`: expected up to 128 letters, digits, `_`, `.` and `-`"
            ));
        }
        if registry.len() + 1 + path.len() > LONGEST {
            return Err(format!("longer than {LONGEST} bytes"));
        }
        Ok(Self {
            registry: registry.into(),
            path,
            tag: tag.into(),
        })
    }
}

fn is_host(text: &str) -> bool {
    let (host, port) = text.rsplit_once(':').unwrap_or((text, "0"));
    let is_label = |label: &str| {
        label
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.split('.').all(is_label) && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())
}

fn is_component(text: &str) -> bool {
    let is_alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut separators = text.split(is_alphanumeric).filter(|s| !s.is_empty());
    let is_separator = |s: &str| matches!(s, "." | "_" | "__") || s.bytes().all(|b| b == b'-');
    text.starts_with(is_alphanumeric)
        && text.ends_with(is_alphanumeric)
        && separators.all(is_separator)
}

fn is_tag(text: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    text.len() <= 128
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().all(|b| is_word(b) || b == b'.' || b == b'-')
}

#[cfg(test)]
mod tests;
