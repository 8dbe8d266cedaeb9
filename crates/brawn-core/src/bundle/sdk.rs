//! Finds the `libc.a` of each target triple in a bundle, through `info.json` and `swift-sdk.json`.

use super::manifest;
use super::path::{self, Tree, resolve};
use crate::error::{Error, Result, printable};
use serde::Serialize;

/// How many variants and how many targets a bundle may have: real ones have fewer than ten of each.
const MOST: usize = 1 << 10;

/// Gives access to the files of a bundle.
pub trait Files: Tree {
    /// The bytes of the file at `path`, which has no links in it; `None` if there is no regular file.
    fn json(&self, path: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Whether there is a regular file at `path`, which has no links in it.
    fn has_libc(&self, path: &[u8]) -> Result<bool>;
}

/// A target of an SDK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Target {
    /// The artifact's name in `info.json`.
    pub artifact: String,
    /// The version of the artifact.
    pub version: String,
    /// The target triple, as in `x86_64-swift-linux-musl`.
    pub triple: String,
}

/// A target and its libc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetLibc {
    pub target: Target,
    /// The path of its `libc.a` with links resolved; or why it has none that brawn can patch.
    pub libc: std::result::Result<Vec<u8>, String>,
}

/// The targets of the bundle in the directory `top`, in the order of `info.json`, and for each variant by name.
///
/// # Errors
/// A file that the bundle names is missing or has wrong contents, or a path leads out of the bundle.
pub fn places(files: &dyn Files, top: &[u8]) -> Result<Vec<TargetLibc>> {
    let info = resolve(files, top, top, b"info.json")?;
    let bytes = json(files, &info)?;
    let variants = manifest::variants(&bytes).map_err(|e| e.member(&info))?;
    if variants.len() > MOST {
        return Err(too_many("variants").member(&info));
    }
    let mut places = Vec::new();
    for variant in variants {
        let base =
            resolve(files, top, top, variant.path.as_bytes()).map_err(|e| e.member(&info))?;
        let sdk = match base.ends_with(b".json") {
            true => base,
            false => resolve(files, top, &base, b"swift-sdk.json").map_err(|e| e.member(&info))?,
        };
        let bytes = json(files, &sdk).map_err(|e| match e.part() {
            None => e.member(&info),
            Some(_) => e,
        })?;
        for (triple, root) in manifest::targets(&bytes).map_err(|e| e.member(&sdk))? {
            let target = Target {
                artifact: variant.artifact.clone(),
                version: variant.version.clone(),
                triple,
            };
            let libc = libc(files, top, &sdk, &target.triple, root.as_deref())
                .map_err(|e| e.member(&sdk))?;
            places.push(TargetLibc { target, libc });
            if places.len() > MOST {
                return Err(too_many("targets").member(&sdk));
            }
        }
    }
    Ok(places)
}

fn libc(
    files: &dyn Files,
    top: &[u8],
    sdk: &[u8],
    triple: &str,
    root: Option<&str>,
) -> Result<std::result::Result<Vec<u8>, String>> {
    let Some(root) = root else {
        return Ok(Err("it has no `sdkRootPath`".into()));
    };
    let path = format!("{root}/usr/lib/libc.a");
    let found = resolve(files, top, path::folder(sdk), path.as_bytes())?;
    if files.has_libc(&found)? {
        return Ok(Ok(found));
    }
    if triple.contains("musl") {
        return Err(Error::malformed(format!(
            "target {}: there is no file {}",
            printable(triple.as_bytes()),
            printable(&found)
        ))
        .expected("musl's libc.a"));
    }
    Ok(Err("it is not for musl".into()))
}

fn too_many(what: &str) -> Error {
    Error::refused(format!("too many {what} of SDKs")).expected(format!("at most {MOST}"))
}

fn json(files: &dyn Files, path: &[u8]) -> Result<Vec<u8>> {
    files.json(path)?.ok_or_else(|| {
        Error::malformed(format!("there is no file {}", printable(path)))
            .expected("what a Swift SDK bundle has")
    })
}
