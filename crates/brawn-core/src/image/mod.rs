//! A container image around one static executable: an OCI image layout in one tar.
//!
//! ```text
//! bytes ─ program ─> Program ─ plan ─> Plan ─ layer, layout ─> Content ─ check ─> published
//! ```
//!
//! Whatever goes in decides every byte that comes out: no clock, no user, no order of a folder.
//!
//! Sources: OCI Image Format Specification 1.1 (`config.md`, `manifest.md`, `image-index.md`, `image-layout.md`,
//! `layer.md`, `annotations.md`).

mod additions;
pub mod certificates;
mod check;
mod documents;
mod entry;
mod layer;
mod layout;
pub mod plan;
pub mod program;
pub mod reference;
pub mod settings;

use crate::content::Content;
use crate::error::Result;
use plan::Plan;

/// A whole image, checked.
#[derive(Clone, Debug)]
pub struct Image {
    /// The file.
    pub content: Content<'static>,
    /// What it is made of, by digest.
    pub facts: Facts,
}

/// Digests and sizes of an image.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Facts {
    /// The manifest's digest: what registries know the image by.
    pub manifest: String,
    /// The configuration's digest: the image's ID.
    pub config: String,
    /// The layer's digest, compressed.
    pub layer: String,
    /// The layer's digest, unpacked: the same whatever compressed it.
    pub diff_id: String,
    /// The layer's size in bytes, compressed.
    pub layer_size: u64,
    /// The layer's size in bytes, unpacked.
    pub unpacked_size: u64,
    /// The size of the whole tar in bytes.
    pub size: u64,
}

/// Makes the image that `plan` describes around `program`, and reads it again.
///
/// `certificates` are the bytes that the plan's entry for them is of.  `progress` is told of the bytes of the layer,
/// unpacked, as they are done: each of them twice, when it is written and when it is checked.
///
/// # Errors
/// A file that is added cannot be read, or is not the one that was planned for; what was made is not what was planned.
pub fn image(
    plan: &Plan,
    program: &Content<'_>,
    certificates: &[u8],
    progress: &mut dyn FnMut(u64),
) -> Result<Image> {
    let layer = layer::layer(plan, program, certificates, progress)?;
    let image = layout::layout(plan, layer);
    check::check(plan, program, &image, progress)?;
    Ok(image)
}

#[cfg(test)]
mod tests;
