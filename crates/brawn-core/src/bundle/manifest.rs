//! Reads `info.json` and `swift-sdk.json`: they say which directory of a bundle is the root of which target.

use crate::error::{Error, Result, printable};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One variant of one artifact that is an SDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The artifact's name: what `swift sdk list` prints.
    pub artifact: String,
    pub version: String,
    /// Its directory, or its `swift-sdk.json` itself, relative to the directory of `info.json`.
    pub path: String,
}

#[derive(Deserialize)]
struct Info {
    artifacts: BTreeMap<String, Artifact>,
}

#[derive(Deserialize)]
struct Artifact {
    #[serde(default)]
    version: String,
    r#type: String,
    #[serde(default)]
    variants: Vec<VariantPath>,
}

#[derive(Deserialize)]
struct VariantPath {
    path: String,
}

/// The variants that an `info.json` names; none if its artifacts are not SDKs.
pub fn variants(json: &[u8]) -> Result<Vec<Variant>> {
    let info: Info = parse(json, "`artifacts`, as in a bundle for `swift sdk install`")?;
    let sdks = info
        .artifacts
        .into_iter()
        .filter(|(_, artifact)| artifact.r#type == "swiftSDK");
    let mut variants = Vec::new();
    for (name, artifact) in sdks {
        variants.extend(artifact.variants.into_iter().map(|variant| Variant {
            artifact: name.clone(),
            version: artifact.version.clone(),
            path: variant.path,
        }));
    }
    Ok(variants)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sdk {
    // Schema 4.0 has the first name, 3.0 the second.
    #[serde(alias = "runTimeTriples")]
    target_triples: BTreeMap<String, Target>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    sdk_root_path: Option<String>,
}

/// The target triples of a `swift-sdk.json`. Each has its root, if any, relative to that file's directory.
pub fn targets(json: &[u8]) -> Result<Vec<(String, Option<String>)>> {
    let sdk: Sdk = parse(json, "`targetTriples` (schema 3.0 or 4.0)")?;
    let targets = sdk.target_triples.into_iter();
    Ok(targets
        .map(|(triple, t)| (triple, t.sdk_root_path))
        .collect())
}

fn parse<'a, T: Deserialize<'a>>(json: &'a [u8], expected: &str) -> Result<T> {
    serde_json::from_slice(json).map_err(|e| {
        let found = printable(e.to_string().as_bytes());
        Error::malformed(format!("JSON: {found}")).expected(expected)
    })
}

#[cfg(test)]
mod tests;
