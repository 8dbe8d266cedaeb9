//! Images of containers, each in one tar archive: layouts of OCI images, and what `docker save` and `skopeo copy …
//! docker-archive:` write.  Layers are read in place, the topmost first, so that what a later one replaced or removed is
//! known before the older ones are looked at.
//!
//! Sources: OCI Image Format Specification 1.1, `image-layout.md` and `layer.md` (whiteouts); Moby, `image/spec/v1.2.md`.

use super::unpack::{Budget, Seen, unpack};
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

/// How large one of an image's own JSON files may be, in bytes.
const JSON: usize = 1 << 22;
/// How many images one archive may have, and how many layers all of them.
const IMAGES: usize = 256;
const LAYERS: usize = 4096;
/// How many indexes may be in each other.
const DEPTH: usize = 4;
/// How many characters tell a layer.
const SHORT: usize = 12;

/// The longest path, in bytes (Linux, `PATH_MAX`).
const PATH: usize = 4096;

/// Before the name of what a layer removes, and for all that older layers have in a folder.
const WHITEOUT: &[u8] = b".wh.";
const OPAQUE: &[u8] = b".wh..wh..opq";

/// Where the files of a tar archive are in it.
pub(crate) type Files = BTreeMap<Vec<u8>, Range<usize>>;

#[derive(Deserialize)]
struct Saved {
    #[serde(rename = "Layers", default)]
    layers: Vec<String>,
}

#[derive(Deserialize)]
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

/// What tells by the names of its files that an archive is an image, whose layers are files in it.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    has_manifest: bool,
    has_layer: bool,
    is_layout: bool,
}

impl Signs {
    /// One file more.
    pub(crate) fn add(&mut self, name: &[u8]) {
        let name = normal(name);
        self.is_layout |= name == b"oci-layout" || name.ends_with(b"/layer.tar");
        self.has_manifest |= name == b"manifest.json";
        // As `skopeo copy … docker-archive:` writes them: by their digests.
        let digest = name.strip_suffix(b".tar").unwrap_or_default();
        self.has_layer |= digest.len() == 64 && digest.iter().all(u8::is_ascii_hexdigit);
    }

    /// Whether it is one.
    pub(crate) fn is_image(&self) -> bool {
        self.is_layout || self.has_manifest && self.has_layer
    }
}

/// The names of each image's layers, the oldest first; none if the archive is no image.
pub(crate) fn images(package: &[u8], files: &Files) -> Result<Option<Vec<Vec<String>>>> {
    let mut images = Vec::new();
    if files.contains_key(&b"oci-layout"[..]) && files.contains_key(&b"index.json"[..]) {
        let index: Manifest = json(package, files, "index.json")?.unwrap_or(Manifest {
            manifests: Vec::new(),
            layers: Vec::new(),
        });
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

/// Adds the images that `index` names: of some platforms there may be nothing but the name.
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

/// Calls `take` with what can be inspected in the layers of `images`, and gives how many files there were of others.
pub(crate) fn members(
    package: &[u8],
    files: &Files,
    images: &[Vec<String>],
    budget: &mut Budget,
    take: &mut dyn FnMut(&[u8], &[u8]),
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
            // Of a layer that images share a file is told once.
            let mut is_wanted = |seen: &Seen<'_>| {
                let path = normal(seen.name);
                let is_file = here.add(path, seen.kind);
                is_file && !above.hides(path) && done.insert(hashes.hash_one((layer, path)))
            };
            let mut take = |name: &[u8], bytes: &[u8]| {
                let name = [short(layer).as_bytes(), b"!", normal(name)].concat();
                take(&name, bytes);
            };
            others += unpack(stream, budget, &mut is_wanted, &mut take).map_err(named)?;
            above.join(here);
        }
    }
    Ok(others)
}

/// A layer's tar archive; none if it is empty.
fn stream(layer: &[u8]) -> Result<Option<Box<dyn Read + '_>>> {
    match Format::of(layer) {
        Format::Gzip => Ok(Some(Box::new(flate2::read::MultiGzDecoder::new(layer)))),
        Format::Tar => Ok(Some(Box::new(layer))),
        _ if Format::packed(layer) == Some("zstd") || zstd::is_skipped(layer) => {
            Ok(Some(Box::new(zstd::Frames::new(layer))))
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

/// What tells a layer, of the name of its file.
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

/// A path without what means nothing in it.
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

/// Paths that layers have or remove, as hashes: names are anybody's, and many.
struct Hidden {
    hashes: RandomState,
    /// What hides the same path, and all below it.
    paths: HashSet<u64>,
    /// Folders that hide what is below them.
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

    /// Notes what an entry of a layer hides in older ones, and tells whether it is a file's.
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
        // A kernel takes no longer ones, and each of their folders costs time.
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
