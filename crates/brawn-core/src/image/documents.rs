//! The JSON documents of an image, without the fields that brawn never writes.
//!
//! Sources: OCI Image Format Specification 1.1 (each type names its file); `manifest.json` is from `docker save`.

use super::program::Platform;
use super::settings::Settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub const CONFIG_TYPE: &str = "application/vnd.oci.image.config.v1+json";
pub const INDEX_TYPE: &str = "application/vnd.oci.image.index.v1+json";
pub const LAYER_TYPE: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
pub const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";

/// The annotation with the tag inside a layout (`annotations.md`).
pub const REF_NAME: &str = "org.opencontainers.image.ref.name";
/// The annotation with the whole name: containerd's, which Docker and Podman read.
pub const IMAGE_NAME: &str = "io.containerd.image.name";

/// Annotations by key.
pub type Annotations = BTreeMap<String, String>;

/// `oci-layout` (`image-layout.md`).
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LayoutVersion {
    pub image_layout_version: String,
}

/// Describes a blob (`descriptor.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    pub media_type: String,
    pub digest: String,
    pub size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
    #[serde(default, skip_serializing_if = "Annotations::is_empty")]
    pub annotations: Annotations,
}

/// `index.json` (`image-index.md`).
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    pub schema_version: u32,
    pub media_type: String,
    pub manifests: Vec<Descriptor>,
}

/// An image's parts (`manifest.md`).
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub schema_version: u32,
    pub media_type: String,
    pub config: Descriptor,
    pub layers: Vec<Descriptor>,
}

/// An image's configuration (`config.md`).
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    pub created: String,
    #[serde(flatten)]
    pub platform: Platform,
    pub config: Settings,
    pub rootfs: RootFs,
    pub history: Vec<History>,
}

/// The unpacked layers.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootFs {
    #[serde(rename = "type")]
    pub kind: String,
    pub diff_ids: Vec<String>,
}

/// How a layer was made.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    pub created: String,
    pub created_by: String,
}

/// An element of `manifest.json`, which every version of `docker load` reads.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Saved {
    pub config: String,
    pub repo_tags: Vec<String>,
    pub layers: Vec<String>,
}
