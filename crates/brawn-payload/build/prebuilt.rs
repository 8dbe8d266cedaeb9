//! The results of this script in one file of the published crate: `prebuilt/objects`.
//!
//! Its first line is the hash of what it was made from.  A line follows for each file, with its length and name, and
//! after the files of a frame one with the frame's compressed length and name; then an empty line, then the frames: zstd
//! (RFC 8878).  brawn's release files embed these frames as they are ([`items`]).

use crate::Result;
use crate::recipe;
use crate::source;
use ruzstd::decoding::StreamingDecoder;
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

/// The file's name, below the crate's directory.
pub const FILE: &str = "prebuilt/objects";

/// The table of `embed.rs`, which names every other file.
const TABLE: &str = "payloads.rs";

/// SHA-256, in hex, over all that the files are made from: this script, the payload's sources, the engine's pinned
/// version (in `Cargo.toml`; the registry's checksum holds the bytes), the licences, the version.
pub fn inputs(manifest: &Path, payload: &Path, version: &str) -> Result<String> {
    let mut hash = source::of_words(&[version]);
    source::add_files(&mut hash, "build", &manifest.join("build"), |_| true)?;
    // The crate is published without the payload's tests.
    let is_published = |name: &Path| !name.iter().any(|part| part == "tests");
    source::add_files(&mut hash, "payload", payload, is_published)?;
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        source::add(&mut hash, license, &manifest.join(license))?;
    }
    let text = fs::read_to_string(manifest.join("Cargo.toml"))?;
    Ok(format!("{} {}", source::hex(hash), engine(&text)?))
}

/// The engine's version as a manifest pins it, whether it is the one of the checkout or as cargo rewrites it.
fn engine(manifest: &str) -> Result<&str> {
    let after = manifest.split_once("libmimalloc-sys2");
    let pinned = after.and_then(|(_, rest)| rest.split_once("\"="));
    let version = pinned.and_then(|(_, rest)| rest.split('"').next());
    Ok(version.ok_or("Cargo.toml: found no version of libmimalloc-sys2")?)
}

/// A file that the table names, with the name of the frame that it is in.
struct File {
    name: String,
    length: usize,
    frame: String,
}

/// `prebuilt/objects`, read.
pub struct Prebuilt {
    inputs: String,
    files: Vec<File>,
    /// Each frame's name and its bytes, compressed.
    frames: Vec<(String, Vec<u8>)>,
}

/// The frame of a file, by its name.  A command should need few frames. So for each architecture, there is one for
/// functions, one for heaps, and one for the objects that only the crate `brawn-rt` links.
fn frame(file: &str) -> String {
    let Some((architecture, rest)) = file.split_once('-') else {
        return "table".to_owned();
    };
    let of_profile = recipe::PROFILES.iter().find_map(|profile| {
        rest.strip_prefix(profile)
            .and_then(|rest| rest.strip_prefix('-'))
    });
    match of_profile {
        Some(rest) if rest.starts_with(recipe::SHARED.name) => format!("{architecture}-shared"),
        Some(_) => format!("{architecture}-heaps"),
        None => architecture.to_owned(),
    }
}

/// For each frame, by its name, its files with their contents.
pub type Frames = BTreeMap<String, Vec<(String, Vec<u8>)>>;

/// The files that the table in `out` names, with their contents, frame by frame.
pub fn built(out: &Path) -> Result<Frames> {
    let table = fs::read_to_string(out.join(TABLE))?;
    let mut names: Vec<&str> = table
        .split("built!(\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    names.push(TABLE);
    names.sort_unstable();
    names.dedup();
    let mut frames = BTreeMap::<_, Vec<_>>::new();
    for name in names {
        let bytes = fs::read(out.join(name))?;
        frames
            .entry(frame(name))
            .or_default()
            .push((name.to_owned(), bytes));
    }
    Ok(frames)
}

impl Prebuilt {
    /// The file in the crate; `None` if there is none.
    pub fn read(manifest: &Path) -> Result<Option<Self>> {
        match fs::read(manifest.join(FILE)) {
            Ok(all) => Self::parse(&all).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{FILE}: {error}").into()),
        }
    }

    fn parse(all: &[u8]) -> Result<Self> {
        let end = all.windows(2).position(|two| two == b"\n\n");
        let (text, mut bytes) = all.split_at(end.ok_or_else(broken)? + 2);
        let mut lines = std::str::from_utf8(text)?.lines();
        let inputs = lines.next().ok_or_else(broken)?.to_owned();
        let (mut files, mut frames) = (Vec::<File>::new(), Vec::new());
        for line in lines.filter(|line| !line.is_empty()) {
            let (first, rest) = line.split_once(' ').ok_or_else(broken)?;
            if first != "frame" {
                files.push(File {
                    name: rest.to_owned(),
                    length: first.parse()?,
                    frame: String::new(),
                });
                continue;
            }
            let (length, name) = rest.split_once(' ').ok_or_else(broken)?;
            let taken = bytes.split_at_checked(length.parse()?);
            let (frame, after) = taken.ok_or_else(broken)?;
            frames.push((name.to_owned(), frame.to_vec()));
            bytes = after;
            for file in files.iter_mut().filter(|file| file.frame.is_empty()) {
                file.frame = name.to_owned();
            }
        }
        Ok(Self {
            inputs,
            files,
            frames,
        })
    }

    /// What it was made from: [`inputs`].
    pub fn inputs(&self) -> &str {
        &self.inputs
    }

    /// Each file's name and contents.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let mut all = Vec::new();
        for (name, packed) in &self.frames {
            let mut whole = Vec::new();
            let mut decoder = StreamingDecoder::new(packed.as_slice())
                .map_err(|error| format!("{FILE}: frame {name}: {error}"))?;
            decoder
                .read_to_end(&mut whole)
                .map_err(|error| format!("{FILE}: frame {name}: {error}"))?;
            // The decoder does not check this.
            let frame = &decoder.decoder;
            if frame.get_checksum_from_data() != frame.get_calculated_checksum() {
                return Err(format!("{FILE}: frame {name}: its checksum is another").into());
            }
            let mut rest = whole.as_slice();
            for file in self.files.iter().filter(|file| file.frame == *name) {
                let taken = rest.split_at_checked(file.length);
                let (bytes, after) = taken.ok_or_else(broken)?;
                all.push((file.name.clone(), bytes.to_vec()));
                rest = after;
            }
            if !rest.is_empty() {
                return Err(broken().into());
            }
        }
        Ok(all)
    }

    /// Writes the files into `out`.
    pub fn unpack(&self, out: &Path) -> Result<()> {
        for (name, bytes) in self.files()? {
            fs::write(out.join(name), bytes)?;
        }
        Ok(())
    }
}

/// The Rust items by which the table's `built!("NAME")` is the file's bytes: as they are in `out`, or from the frames of
/// `packed`, if these hold the same.
pub fn items(out: &Path, packed: Option<&Prebuilt>) -> Result<String> {
    let frames = built(out)?;
    let embedded = frames.iter().filter(|(frame, _)| *frame != "table");
    let (mut arms, mut statics) = (String::new(), String::new());
    let packed = match packed {
        Some(packed) if holds(packed, &frames)? => Some(packed),
        _ => None,
    };
    for (frame, files) in embedded {
        let item = frame.to_uppercase().replace('-', "_");
        let length: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let compressed = packed.and_then(|p| p.frames.iter().find(|(name, _)| name == frame));
        if let Some((_, bytes)) = compressed {
            let file = format!("{frame}.zst");
            fs::write(out.join(&file), bytes)?;
            statics += &format!(
                "static {item}: Frame = Frame::new({}, {length});\n",
                include(&file)
            );
        }
        let mut at = 0;
        for (name, bytes) in files {
            let value = match compressed {
                Some(_) => format!("Bytes::packed(&{item}, {at}, {})", bytes.len()),
                None => format!("Bytes::plain({})", include(name)),
            };
            arms += &format!("    ({name:?}) => {{ {value} }};\n");
            at += bytes.len();
        }
    }
    Ok(format!("macro_rules! built {{\n{arms}}}\n{statics}"))
}

/// Whether its frames hold what was built, byte for byte.
fn holds(packed: &Prebuilt, frames: &Frames) -> Result<bool> {
    let built = frames.values().flatten();
    Ok(packed.files()?.iter().eq(built))
}

fn include(file: &str) -> String {
    format!(
        "include_bytes!(concat!(env!(\"OUT_DIR\"), {:?}))",
        format!("/{file}")
    )
}

fn broken() -> String {
    format!("{FILE}: cut short")
}
