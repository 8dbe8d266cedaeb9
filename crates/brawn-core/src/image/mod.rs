//! A container image around one static executable: an OCI image layout in one tar.
//!
//! ```text
//! bytes ─ program ─> Program ─ plan ─> Plan ─ layer, layout ─> Content ─ check ─> published
//! ```
//!
//! Only the input decides the output's bytes: not the time, not the user, not the order of a directory's entries.
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

/// A whole image that has been checked.
#[derive(Clone, Debug)]
pub struct Image {
    /// The file.
    pub content: Content<'static>,
    /// Its digests and sizes.
    pub facts: Facts,
}

/// Digests and sizes of an image.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Facts {
    /// The manifest's digest, by which registries identify the image.
    pub manifest: String,
    /// The configuration's digest: the image's ID.
    pub config: String,
    /// The digest of the compressed layer.
    pub layer: String,
    /// The digest of the unpacked layer, which does not depend on the compression.
    pub diff_id: String,
    /// The size of the compressed layer in bytes.
    pub layer_size: u64,
    /// The size of the unpacked layer in bytes.
    pub unpacked_size: u64,
    /// The size of the whole tar in bytes.
    pub size: u64,
}

/// Makes the image that `plan` describes around `program`, then reads it again to check it.
///
/// `certificates` are the bytes of the plan's entry for certificates. `progress` is told how many of the layer's
/// unpacked bytes are done; each byte counts twice, when it is written and when it is checked.
///
/// # Errors
/// An added file cannot be read or has changed since the plan was made; or the image is not as planned.
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
