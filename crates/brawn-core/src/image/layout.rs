//! The image layout in one tar, which every version of `docker load` can read too.
//!
//! Sources: OCI Image Format Specification 1.1, `image-layout.md`; containerd, for the annotation with the name.

use super::documents::{
    Annotations, CONFIG_TYPE, Configuration, Descriptor, History, IMAGE_NAME, INDEX_TYPE, Index,
    LAYER_TYPE, LayoutVersion, MANIFEST_TYPE, Manifest, REF_NAME, RootFs, Saved,
};
use super::entry::{READ, RUN};
use super::layer::{Layer, digest};
use super::plan::Plan;
use super::{Facts, Image};
use crate::content::{Content, Piece};
use sha2::{Digest as _, Sha256};
use std::time::{Duration, UNIX_EPOCH};
use tar::{EntryType, Header};

/// The directory of blobs; the names in it are the digests' hexadecimal digits.
pub(super) const BLOBS: &str = "blobs/sha256/";
/// The size of a tar's block in bytes: a tar consists of whole blocks.
const BLOCK: u64 = 512;

/// Makes the tar of `layer` and the documents of `plan`.
pub(super) fn layout(plan: &Plan, layer: Layer) -> Image {
    let packed = described(LAYER_TYPE, layer.digest, layer.size);
    let created = UNIX_EPOCH + Duration::from_secs(plan.time);
    let created = humantime::format_rfc3339_seconds(created).to_string();
    let configuration = json(&Configuration {
        created: created.clone(),
        platform: plan.platform.clone(),
        config: plan.settings.clone(),
        rootfs: RootFs {
            kind: "layers".into(),
            diff_ids: vec![layer.diff_id.clone()],
        },
        history: vec![History {
            created,
            created_by: "brawn image".into(),
        }],
    });
    let config = describe(CONFIG_TYPE, &configuration);
    let manifest = json(&Manifest {
        schema_version: 2,
        media_type: MANIFEST_TYPE.into(),
        config: config.clone(),
        layers: vec![packed.clone()],
    });
    let whole = Descriptor {
        platform: Some(plan.platform.clone()),
        annotations: annotations(plan),
        ..describe(MANIFEST_TYPE, &manifest)
    };
    let facts = Facts {
        manifest: whole.digest.clone(),
        config: config.digest.clone(),
        layer: packed.digest.clone(),
        diff_id: layer.diff_id,
        layer_size: packed.size,
        unpacked_size: layer.unpacked,
        size: 0,
    };
    let saved = json(&[Saved {
        config: blob(&config),
        repo_tags: plan.name.iter().map(ToString::to_string).collect(),
        layers: vec![blob(&packed)],
    }]);
    let version = json(&LayoutVersion {
        image_layout_version: "1.0.0".into(),
    });
    let manifest_blob = blob(&whole);
    let index = json(&Index {
        schema_version: 2,
        media_type: INDEX_TYPE.into(),
        manifests: vec![whole],
    });
    // Small documents that describe the file come first, large blobs last.
    let mut tar = Tar::new(plan.time);
    tar.file("oci-layout", version);
    tar.file("index.json", index);
    tar.file("manifest.json", saved);
    tar.folder("blobs/");
    tar.folder(BLOBS);
    tar.file(&manifest_blob, manifest);
    tar.file(&blob(&config), configuration);
    tar.pieces(&blob(&packed), packed.size, layer.pieces);
    let content = tar.finish();
    Image {
        facts: Facts {
            size: content.size(),
            ..facts
        },
        content,
    }
}

fn annotations(plan: &Plan) -> Annotations {
    let names = plan.name.iter().flat_map(|name| {
        [
            (IMAGE_NAME.to_owned(), name.to_string()),
            (REF_NAME.to_owned(), name.tag.clone()),
        ]
    });
    names.collect()
}

fn describe(media_type: &str, bytes: &[u8]) -> Descriptor {
    let digest = digest(Sha256::new_with_prefix(bytes));
    described(media_type, digest, bytes.len() as u64)
}

fn described(media_type: &str, digest: String, size: u64) -> Descriptor {
    Descriptor {
        media_type: media_type.into(),
        digest,
        size,
        platform: None,
        annotations: Annotations::new(),
    }
}

/// The place of a blob in the layout.
pub(super) fn blob(described: &Descriptor) -> String {
    described.digest.replacen("sha256:", BLOBS, 1)
}

/// The document's JSON: its fields are always in the same order.
fn json(document: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(document).expect("keys are strings, and nothing else can fail")
}

/// A tar in pieces, so that large blobs are not copied.
struct Tar {
    time: u64,
    pieces: Vec<Piece<'static>>,
}

impl Tar {
    fn new(time: u64) -> Self {
        Self {
            time,
            pieces: Vec::new(),
        }
    }

    fn folder(&mut self, name: &str) {
        self.header(name, EntryType::Directory, RUN, 0);
    }

    fn file(&mut self, name: &str, bytes: Vec<u8>) {
        let size = bytes.len() as u64;
        self.pieces(name, size, vec![Piece::Bytes(bytes.into())]);
    }

    fn pieces(&mut self, name: &str, size: u64, pieces: Vec<Piece<'static>>) {
        self.header(name, EntryType::Regular, READ, size);
        self.pieces.extend(pieces);
        let padding = size.next_multiple_of(BLOCK) - size;
        self.pieces
            .push(Piece::Bytes(vec![0; padding as usize].into()));
    }

    fn header(&mut self, name: &str, kind: EntryType, mode: u32, size: u64) {
        let mut header = Header::new_ustar();
        header
            .set_path(name)
            .expect("names of blobs have fewer than 100 bytes");
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(self.time);
        header.set_size(size);
        header.set_cksum();
        let bytes = header.as_bytes().to_vec();
        self.pieces.push(Piece::Bytes(bytes.into()));
    }

    fn finish(mut self) -> Content<'static> {
        // Two empty blocks mark the end of a tar.
        let end = vec![0; 2 * BLOCK as usize];
        self.pieces.push(Piece::Bytes(end.into()));
        Content(self.pieces)
    }
}
