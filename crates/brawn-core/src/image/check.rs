//! Reads the finished image again: every digest, every document, every entry of the layer, and the program's bytes.

use super::documents::{
    CONFIG_TYPE, Configuration, Descriptor, IMAGE_NAME, INDEX_TYPE, Index, LAYER_TYPE,
    LayoutVersion, MANIFEST_TYPE, Manifest, REF_NAME, Saved,
};
use super::layer::digest;
use super::layout::{BLOBS, blob};
use super::plan::{Entry, Plan, What};
use super::{Facts, Image};
use crate::content::Content;
use crate::error::{Error, Result};
use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Read};
use tar::{Archive, EntryType};

/// Documents are smaller than this, in bytes; thousands of labels would fit.
const DOCUMENT: u64 = 16 << 20;

/// Compares `image` with what was planned.
pub(super) fn check(
    plan: &Plan,
    program: &Content<'_>,
    image: &Image,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let Image { content, facts } = image;
    holds(content.size() == facts.size, "its size")?;
    let documents = blobs(plan, program, image, progress)?;
    let version: LayoutVersion = document(&documents, "oci-layout")?;
    holds(version.image_layout_version == "1.0.0", "oci-layout")?;
    let index: Index = document(&documents, "index.json")?;
    let [described] = index.manifests.as_slice() else {
        return Err(wrong("index.json has not one manifest"));
    };
    let name = plan.name.as_ref().map(ToString::to_string);
    let tag = plan.name.as_ref().map(|name| &name.tag);
    holds(
        index.schema_version == 2
            && index.media_type == INDEX_TYPE
            && described.platform.as_ref() == Some(&plan.platform)
            && described.annotations.get(IMAGE_NAME) == name.as_ref()
            && described.annotations.get(REF_NAME) == tag
            && described.annotations.len() == 2 * usize::from(tag.is_some()),
        "index.json",
    )?;
    let manifest: Manifest =
        described_document(&documents, described, MANIFEST_TYPE, &facts.manifest)?;
    let configuration: Configuration =
        described_document(&documents, &manifest.config, CONFIG_TYPE, &facts.config)?;
    holds(
        configuration.platform == plan.platform
            && configuration.config == plan.settings
            && configuration.rootfs.diff_ids == [facts.diff_id.as_str()],
        "the configuration",
    )?;
    let [layer] = manifest.layers.as_slice() else {
        return Err(wrong("the manifest has not one layer"));
    };
    holds(
        layer.media_type == LAYER_TYPE
            && layer.digest == facts.layer
            && layer.size == facts.layer_size,
        "the layer's descriptor",
    )?;
    let saved: Vec<Saved> = document(&documents, "manifest.json")?;
    let expected = Saved {
        config: blob(&manifest.config),
        repo_tags: name.into_iter().collect(),
        layers: vec![blob(layer)],
    };
    holds(saved == [expected], "manifest.json")
}

/// Reads the whole tar. Checks each blob against its name, and the layer against the plan. Returns the documents.
fn blobs(
    plan: &Plan,
    program: &Content<'_>,
    image: &Image,
    progress: &mut dyn FnMut(u64),
) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut documents = BTreeMap::new();
    let mut layers = 0;
    let mut tar = Archive::new(image.content.reader());
    for member in tar.entries().map_err(unreadable)? {
        let mut member = member.map_err(unreadable)?;
        let name = String::from_utf8_lossy(&member.path_bytes()).into_owned();
        if member.header().entry_type() == EntryType::Directory {
            continue;
        }
        let mut hashed = Hashed::new(&mut member);
        let hex = name.strip_prefix(BLOBS).map(|hex| format!("sha256:{hex}"));
        if hex.as_deref() == Some(image.facts.layer.as_str()) {
            layers += 1;
            layer(plan, program, &image.facts, &mut hashed, progress)?;
            // Reads what may follow the compressed data.
            io::copy(&mut hashed, &mut io::sink()).map_err(unreadable)?;
            holds(hashed.size == image.facts.layer_size, "the layer's size")?;
        } else {
            let mut bytes = Vec::new();
            let mut some = (&mut hashed).take(DOCUMENT);
            some.read_to_end(&mut bytes).map_err(unreadable)?;
            documents.insert(name.clone(), bytes);
        }
        if let Some(hex) = hex {
            holds(digest(hashed.hash) == hex, &name)?;
        }
    }
    holds(layers == 1, "the number of layers")?;
    Ok(documents)
}

/// Unpacks the layer and compares each entry with the plan.
fn layer(
    plan: &Plan,
    program: &Content<'_>,
    facts: &Facts,
    packed: &mut impl Read,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let mut unpacked = Hashed::new(GzDecoder::new(packed));
    let mut tar = Archive::new(&mut unpacked);
    let mut planned = plan.entries.iter();
    let mut done = 0;
    for member in tar.entries().map_err(unreadable)? {
        let mut member = member.map_err(unreadable)?;
        let entry = planned.next();
        let entry = entry.ok_or_else(|| wrong("the layer has more than was planned"))?;
        let is_same = is_as_planned(plan, entry, &member).map_err(unreadable)?;
        holds(is_same, &format!("/{}", entry.path))?;
        if entry.what == What::Program {
            let is_same = is_same_file(&mut program.reader(), &mut member).map_err(unreadable)?;
            holds(is_same, "the program's bytes")?;
        }
        if let What::Text(text) = &entry.what {
            let is_same = is_same_file(&mut text.as_bytes(), &mut member).map_err(unreadable)?;
            holds(is_same, &format!("/{}", entry.path))?;
        }
        progress(entry.size);
        done += entry.size;
    }
    holds(planned.next().is_none(), "the number of its entries")?;
    io::copy(&mut unpacked, &mut io::sink()).map_err(unreadable)?;
    holds(
        unpacked.size == facts.unpacked_size,
        "the layer's unpacked size",
    )?;
    // The rest of the unpacked bytes are headers.
    progress(facts.unpacked_size - done);
    holds(
        digest(unpacked.hash) == facts.diff_id,
        "the layer's contents",
    )
}

fn is_as_planned(
    plan: &Plan,
    entry: &Entry,
    member: &tar::Entry<'_, impl Read>,
) -> io::Result<bool> {
    let header = member.header();
    let (kind, target) = match &entry.what {
        What::Folder => (EntryType::Directory, None),
        What::Link(target) => (EntryType::Symlink, Some(target.as_bytes())),
        _ => (EntryType::Regular, None),
    };
    let path = member.path_bytes();
    let path = path.strip_suffix(b"/").unwrap_or(&path);
    Ok(path == entry.path.as_bytes()
        && header.entry_type() == kind
        && member.link_name_bytes().as_deref() == target
        && header.mode()? == entry.mode
        && header.uid()? == entry.uid
        && header.gid()? == entry.gid
        && header.mtime()? == plan.time
        && header.size()? == entry.size)
}

/// Whether both readers give the same bytes up to their ends.
fn is_same_file(one: &mut impl Read, other: &mut impl Read) -> io::Result<bool> {
    let mut buffers = [vec![0; 1 << 16], vec![0; 1 << 16]];
    loop {
        let [a, b] = &mut buffers;
        let read = fill(one, a)?;
        if fill(other, b)? != read || a[..read] != b[..read] {
            return Ok(false);
        }
        if read < a.len() {
            return Ok(true);
        }
    }
}

/// Reads until `to` is full or the data ends.
fn fill(from: &mut impl Read, to: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < to.len() {
        match from.read(&mut to[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

fn described_document<T: DeserializeOwned>(
    documents: &BTreeMap<String, Vec<u8>>,
    described: &Descriptor,
    kind: &str,
    digest: &str,
) -> Result<T> {
    let name = blob(described);
    let size = documents.get(&name).map(|bytes| bytes.len() as u64);
    holds(
        described.media_type == kind && described.digest == digest && size == Some(described.size),
        &name,
    )?;
    document(documents, &name)
}

fn document<T: DeserializeOwned>(documents: &BTreeMap<String, Vec<u8>>, name: &str) -> Result<T> {
    let bytes = documents.get(name).map_or(&[][..], Vec::as_slice);
    serde_json::from_slice(bytes).map_err(|e| wrong(&format!("{name}: {e}")))
}

fn holds(is: bool, what: &str) -> Result<()> {
    if is { Ok(()) } else { Err(wrong(what)) }
}

fn unreadable(error: io::Error) -> Error {
    wrong(&error.to_string())
}

fn wrong(found: &str) -> Error {
    Error::refused(format!("the image is not as planned: {found}"))
        .next("nothing was written; this is a fault of brawn's: please report it with the program")
}

/// Hashes and counts the bytes that are read through it.
struct Hashed<R> {
    inner: R,
    hash: Sha256,
    size: u64,
}

impl<R> Hashed<R> {
    fn new(inner: R) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            size: 0,
        }
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(to)?;
        self.hash.update(&to[..read]);
        self.size += read as u64;
        Ok(read)
    }
}
