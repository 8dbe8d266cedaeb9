//! Container images in one tar archive: layouts of OCI images, and the output of `docker save` and `skopeo copy …
//! docker-archive:`. Layers are read in place, the topmost first. So when an older layer is read, it is already known
//! which of its files later layers replaced or removed.
//!
//! Sources: OCI Image Format Specification 1.1, `image-layout.md` and `layer.md` (whiteouts); Moby, `image/spec/v1.2.md`.

use super::unpack::{Budget, Give, Seen, unpack};
use super::zstd;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasher as _;
use std::io::Read;
use std::ops::Range;

/// The largest size of one of an image's own JSON files, in bytes.
const JSON: usize = 1 << 22;
/// How many images an archive may have, and how many layers all its images together.
const IMAGES: usize = 256;
const LAYERS: usize = 4096;
/// How deeply indexes may be nested.
const DEPTH: usize = 4;
/// How many characters of its name identify a layer.
const SHORT: usize = 12;

/// The longest path, in bytes (Linux, `PATH_MAX`).
const PATH: usize = 4096;

/// The prefix of whiteouts: files that remove a file of an older layer, or all older files of a directory.
const WHITEOUT: &[u8] = b".wh.";
const OPAQUE: &[u8] = b".wh..wh..opq";

/// The files of a tar archive, with their places in it.
pub(crate) type Files = BTreeMap<Vec<u8>, Range<usize>>;

#[derive(Deserialize)]
struct Saved {
    #[serde(rename = "Layers", default)]
    layers: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Manifest {
    #[serde(default)]
    manifests: Vec<Descriptor>,
    #[serde(default)]
    layers: Vec<Descriptor>,
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
    #[serde(rename = "mediaType", default)]
    media_type: String,
}

/// Recognizes an image by the names of the archive's files. An image's layers are files of the archive.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    has_manifest: bool,
    has_layer: bool,
    is_layout: bool,
}

impl Signs {
    /// Notes the name of a file.
    pub(crate) fn add(&mut self, name: &[u8]) {
        let name = normal(name);
        self.is_layout |= name == b"oci-layout" || name.ends_with(b"/layer.tar");
        self.has_manifest |= name == b"manifest.json";
        // `skopeo copy … docker-archive:` names them by their digests.
        let digest = name.strip_suffix(b".tar").unwrap_or_default();
        self.has_layer |= digest.len() == 64 && digest.iter().all(u8::is_ascii_hexdigit);
    }

    /// Whether the archive is an image.
    pub(crate) fn is_image(&self) -> bool {
        self.is_layout || self.has_manifest && self.has_layer
    }
}

/// The names of each image's layers, the oldest first; `None` if the archive is not an image.
pub(crate) fn images(package: &[u8], files: &Files) -> Result<Option<Vec<Vec<String>>>> {
    let mut images = Vec::new();
    if files.contains_key(&b"oci-layout"[..]) && files.contains_key(&b"index.json"[..]) {
        let index: Manifest = json(package, files, "index.json")?.unwrap_or_default();
        manifests(package, files, index, DEPTH, &mut images)?;
    } else {
        let is_saved = |range: &Range<usize>| {
            let bytes = package.get(range.clone()).unwrap_or_default();
            memchr::memmem::find(bytes, b"\"Layers\"").is_some()
        };
        if !files.get(&b"manifest.json"[..]).is_some_and(is_saved) {
            return Ok(None);
        }
        let saved: Vec<Saved> = json(package, files, "manifest.json")?.unwrap_or_default();
        images.extend(saved.into_iter().map(|image| image.layers));
    }
    let layers: usize = images.iter().map(Vec::len).sum();
    if images.len() > IMAGES || layers > LAYERS {
        let found = format!("{} images with {layers} layers", images.len());
        return Err(Error::refused(found).expected(format!(
            "at most {IMAGES} images, and {LAYERS} layers in all"
        )));
    }
    Ok(Some(images))
}

/// Adds the images that `index` names. For some platforms the archive may have only the name of the image.
fn manifests(
    package: &[u8],
    files: &Files,
    index: Manifest,
    depth: usize,
    images: &mut Vec<Vec<String>>,
) -> Result<()> {
    for descriptor in index.manifests {
        let Some(manifest) = json::<Manifest>(package, files, &blob(&descriptor.digest))? else {
            continue;
        };
        if manifest.manifests.is_empty() {
            let layers = manifest.layers.iter();
            let layers = layers.filter(|layer| layer.media_type.contains("tar"));
            images.push(layers.map(|layer| blob(&layer.digest)).collect());
        } else if depth > 0 && images.len() <= IMAGES {
            manifests(package, files, manifest, depth - 1, images)?;
        }
        if images.len() > IMAGES {
            break;
        }
    }
    Ok(())
}

fn blob(digest: &str) -> String {
    format!("blobs/{}", digest.replacen(':', "/", 1))
}

fn json<T: DeserializeOwned>(package: &[u8], files: &Files, name: &str) -> Result<Option<T>> {
    let Some(range) = files.get(name.as_bytes()) else {
        return Ok(None);
    };
    if range.len() > JSON {
        let found = format!("{} bytes of JSON", range.len());
        return Err(Error::refused(found)
            .member(name.as_bytes())
            .expected(format!("at most {JSON}")));
    }
    let bytes = package.get(range.clone()).unwrap_or_default();
    serde_json::from_slice(bytes).map(Some).map_err(|e| {
        Error::malformed(e.to_string())
            .member(name.as_bytes())
            .expected("an image's JSON")
    })
}

/// Calls `give` with the files in the layers of `images` that can be inspected. Returns how many other files there
/// were.
pub(crate) fn members(
    package: &[u8],
    files: &Files,
    images: &[Vec<String>],
    budget: &mut Budget,
    give: &mut Give<'_>,
) -> Result<usize> {
    let hashes = RandomState::new();
    let (mut others, mut done) = (0, HashSet::new());
    for layers in images {
        let mut above = Hidden::new(hashes.clone());
        for layer in layers.iter().rev() {
            let named = |e: Error| e.member(layer.as_bytes());
            let range = files.get(normal(layer.as_bytes())).ok_or_else(|| {
                named(Error::malformed(
                    "a layer that is not a file in the archive",
                ))
            })?;
            let bytes = package.get(range.clone()).unwrap_or_default();
            let Some(stream) = stream(bytes).map_err(named)? else {
                continue;
            };
            let mut here = Hidden::new(hashes.clone());
            // A file of a layer that several images share is reported once.
            let mut is_wanted = |seen: &Seen<'_>| {
                let path = normal(seen.name);
                let is_file = here.add(path, seen.kind);
                is_file && !above.hides(path) && done.insert(hashes.hash_one((layer, path)))
            };
            let mut give = |budget: &mut Budget, name: &[u8], bytes: Result<&[u8]>| {
                let name = [short(layer).as_bytes(), b"!", normal(name)].concat();
                give(budget, &name, bytes)
            };
            others += unpack(stream, budget, &mut is_wanted, &mut give).map_err(named)?;
            above.join(here);
        }
    }
    Ok(others)
}

/// A layer's tar archive; `None` if the layer is empty.
fn stream(layer: &[u8]) -> Result<Option<Box<dyn Read + '_>>> {
    match Format::of(layer) {
        Format::Gzip => Ok(Some(Box::new(flate2::read::MultiGzDecoder::new(layer)))),
        Format::Tar => Ok(Some(Box::new(layer))),
        _ if Format::packed(layer) == Some("zstd") || zstd::is_skipped(layer) => {
            Ok(Some(Box::new(zstd::Frames::new(layer, zstd::LAYERS))))
        }
        _ if layer.iter().all(|b| *b == 0) => Ok(None),
        _ => {
            let found = match Format::packed(layer) {
                Some(packed) => format!("a layer that is compressed by {packed}"),
                None => {
                    let start = printable(&layer[..layer.len().min(8)]);
                    format!("a layer that begins with `{start}`")
                }
            };
            Err(Error::refused(found)
                .expected("tar, plain or compressed by gzip or zstd")
                .next("`skopeo copy --dest-decompress` to `dir:` unpacks it"))
        }
    }
}

/// The part of a layer's file name that identifies the layer.
fn short(layer: &str) -> &str {
    let name = match layer.strip_prefix("blobs/") {
        Some(blob) => blob.split_once('/').map_or(blob, |(_, digest)| digest),
        None => layer,
    };
    let end = name.find(['/', '.']).unwrap_or(name.len());
    let end = name[..end]
        .char_indices()
        .nth(SHORT)
        .map_or(end, |(at, _)| at);
    &name[..end]
}

/// A path without parts like `.`.
pub(crate) fn normal(mut path: &[u8]) -> &[u8] {
    while let Some(rest) = path
        .strip_prefix(b"./")
        .or_else(|| path.strip_prefix(b"/"))
        .or_else(|| path.strip_suffix(b"/"))
    {
        path = rest;
    }
    path
}

/// The paths that layers contain or remove. They are stored as hashes: there may be many, of any length.
struct Hidden {
    hashes: RandomState,
    /// Paths that are hidden together with everything below them.
    paths: HashSet<u64>,
    /// Directories whose contents are hidden.
    folders: HashSet<u64>,
}

impl Hidden {
    fn new(hashes: RandomState) -> Self {
        Self {
            hashes,
            paths: HashSet::new(),
            folders: HashSet::new(),
        }
    }

    /// Notes which paths of older layers an entry hides. Returns whether the entry is a file that is not hidden
    /// itself.
    fn add(&mut self, path: &[u8], kind: tar::EntryType) -> bool {
        let at = path.iter().rposition(|b| *b == b'/');
        let (folder, name) = match at {
            Some(at) => (&path[..at], &path[at + 1..]),
            None => (&b""[..], path),
        };
        if name == OPAQUE {
            self.folders.insert(self.hashes.hash_one(folder));
            return false;
        }
        if let Some(gone) = name.strip_prefix(WHITEOUT) {
            let gone = match at {
                Some(_) => [folder, b"/", gone].concat(),
                None => gone.to_vec(),
            };
            self.paths.insert(self.hashes.hash_one(gone.as_slice()));
            return false;
        }
        if !kind.is_dir() {
            self.paths.insert(self.hashes.hash_one(path));
        }
        kind.is_file()
    }

    fn hides(&self, path: &[u8]) -> bool {
        // The kernel takes no longer path, and each directory in a path costs time.
        if path.len() > PATH {
            return false;
        }
        if self.paths.contains(&self.hashes.hash_one(path)) {
            return true;
        }
        let ends = path.iter().enumerate().filter(|(_, b)| **b == b'/');
        let mut above = ends.map(|(at, _)| &path[..at]).chain([&b""[..]]);
        above.any(|folder| {
            let hash = self.hashes.hash_one(folder);
            self.folders.contains(&hash) || self.paths.contains(&hash)
        })
    }

    fn join(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.folders.extend(other.folders);
    }
}
