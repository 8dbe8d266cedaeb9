//! Compares `brawn patch` of a Swift SDK's bundle of 200 MB with unpacking and packing it with tar.
//!
//! The bundle has the layout of Swift's Static Linux SDK. It contains the `libc.a`s of two real musls, and so many of
//! this machine's libraries, objects and headers that the packed bundle has about 200 MB.

use super::{MIB, Raw, Site, line, table};
use crate::progress::Progress;
use crate::show::Table;
use crate::work::{remove, renew};
use crate::{Result, context, file_size, repository};
use brawn_lab::build::checked;
use brawn_lab::run::rounds::Order;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "swift-6.0.3-RELEASE_static-linux-0.0.1";
const MUSLS: [(&str, &str); 2] = [("x86_64", "1.2.5"), ("aarch64", "1.2.5-arm64")];
/// The approximate size of the packed bundle, in bytes.
const PACKED: u64 = 200_000_000;
/// The measured ratio to which gzip packs such files. Files are added until their total size times this is enough.
const SHRINKS: f64 = 0.31;
const ENDINGS: [&str; 5] = ["a", "o", "h", "hpp", "rlib"];

/// Builds the bundle if the directory has none, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, rounds: usize, progress: &Progress) -> Result<Raw> {
    let packed = site.at(&format!("{NAME}.artifactbundle.tar.gz"));
    let mut raw = Raw::new("brawn-bench bundle", &site.brawn);
    progress.step("building the bundle");
    raw.facts = build(site, &packed)?;
    let (out, again, patched) = (
        site.at("out"),
        site.at("tar.tar.gz"),
        site.at("brawn.tar.gz"),
    );
    let tar = Path::new("/usr/bin/tar");
    let bundle = format!("{NAME}.artifactbundle");
    let [out_, packed_, again_, patched_] =
        [&out, &packed, &again, &patched].map(|p| p.as_os_str());
    let word = OsStr::new;
    let unpack = [word("-C"), out_, word("-xzf"), packed_];
    let pack = [word("-C"), out_, word("-czf"), again_, word(&bundle)];
    let patch = [word("patch"), packed_, word("-o"), patched_];
    let steps: [(&str, &Path, &[&OsStr]); 3] = [
        ("unpack", tar, &unpack),
        ("pack", tar, &pack),
        ("brawn", &site.brawn, &patch),
    ];
    let (what, all) = ("tar and brawn", (&steps[..], &[()][..]));
    raw.measure(what, (rounds, Order::Given), all, progress, |turn| {
        let (name, program, arguments) = *turn.thing;
        if name != "pack" {
            renew(&out)?;
        }
        if name == "brawn" {
            remove(&patched)?;
        }
        let mut sample = site.run(program, arguments, &[])?;
        if name == "brawn" {
            sample.insert(
                "size".into(),
                file_size(&patched)? as f64 / file_size(&again)? as f64,
            );
        }
        Ok((name.to_owned(), sample))
    })?;
    Ok(raw)
}

/// The table with the bars.
pub fn show(raw: &Raw) -> Table {
    let tar = |round: &BTreeMap<_, BTreeMap<String, f64>>| {
        Some(round.get("unpack")?["wall_ns"] + round.get("pack")?["wall_ns"])
    };
    let [packed, unpacked] = ["packed", "unpacked"].map(|name| raw.fact(name) / 1e6);
    let files = raw.fact("files");
    let of = format!("{packed:.0} MB ({unpacked:.0} MB unpacked, {files} files)");
    let seconds = |ns: f64| format!("{:.1} s", ns / 1e9);
    let ratio = raw.median_of(|round| Some(round.get("brawn")?["wall_ns"] / tar(round)?));
    let peak = raw.most("brawn", "peak_rss_kb") * 1024.0;
    let is_small = peak <= 64.0 * MIB + raw.fact("largest libc.a");
    let bar = ("≤ 64 MiB and the largest libc.a", is_small);
    let size = raw.median("brawn", "size");
    let time = seconds(raw.median_of(tar));
    let brawn = seconds(raw.median("brawn", "wall_ns"));
    let size = format!("{size:.3}x");
    let times = Some(("≤ 1.2x", ratio <= 1.2));
    let peak = format!("{:.1} MiB", peak / MIB);
    table([
        line(format!("`tar xzf` and `tar czf` of {of}"), time, None),
        line("`brawn patch -o`", brawn, None),
        line("against each other", format!("{ratio:.2}x"), times),
        line("`brawn patch`, peak memory", peak, Some(bar)),
        line("size of the result, against tar's", size, None),
    ])
}

/// Makes the bundle. Returns the sizes of its parts, in bytes.
fn build(site: &Site, packed: &Path) -> Result<BTreeMap<String, f64>> {
    let bundle = site.at(&format!("{NAME}.artifactbundle"));
    renew(&bundle)?;
    let sdk = bundle.join(NAME).join("swift-linux-musl");
    let mut targets = serde_json::Map::new();
    let mut largest = 0;
    for (architecture, musl) in MUSLS {
        let root = sdk.join("musl-1.2.5.sdk").join(architecture);
        let lib = root.join("usr/lib");
        context(fs::create_dir_all(&lib), "create", &lib)?;
        let from = repository().join("target/tools/musls").join(musl);
        let libc = from.join("lib/libc.a");
        context(fs::copy(&libc, lib.join("libc.a")), "copy", &libc)?;
        largest = largest.max(file_size(&libc)?);
        checked(
            Command::new("cp")
                .arg("-r")
                .arg(from.join("include"))
                .arg(root.join("usr/include")),
        )?;
        let path = serde_json::json!({ "sdkRootPath": format!("musl-1.2.5.sdk/{architecture}") });
        targets.insert(format!("{architecture}-swift-linux-musl"), path);
    }
    let variants = serde_json::json!([{ "path": format!("{NAME}/swift-linux-musl") }]);
    let artifact =
        serde_json::json!({ "variants": variants, "version": "0.0.1", "type": "swiftSDK" });
    let info = serde_json::json!({ "schemaVersion": "1.0", "artifacts": { NAME: artifact } });
    crate::raw::write_json(&bundle.join("info.json"), &info)?;
    let described = serde_json::json!({ "schemaVersion": "4.0", "targetTriples": targets });
    crate::raw::write_json(&sdk.join("swift-sdk.json"), &described)?;
    let (mut unpacked, mut files) = (0, 0);
    for path in libraries()? {
        if unpacked as f64 * SHRINKS >= PACKED as f64 {
            break;
        }
        let architecture = MUSLS[files % MUSLS.len()].0;
        let parts = sdk
            .join("musl-1.2.5.sdk")
            .join(architecture)
            .join("usr/lib/parts");
        let folder = parts.join((files / 500).to_string());
        context(fs::create_dir_all(&folder), "create", &folder)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        unpacked += context(
            fs::copy(&path, folder.join(format!("{files}-{name}"))),
            "copy",
            &path,
        )?;
        files += 1;
    }
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(&site.work).arg("-czf").arg(packed);
    checked(tar.arg(format!("{NAME}.artifactbundle")))?;
    context(fs::remove_dir_all(&bundle), "remove", &bundle)?;
    let facts = [
        ("packed", file_size(packed)?),
        ("unpacked", unpacked),
        ("files", files as u64),
        ("largest libc.a", largest),
    ];
    Ok(facts
        .map(|(name, value)| (name.to_owned(), value as f64))
        .into())
}

/// Files such as SDKs have, from this machine's compilers and libraries, in a fixed order.
fn libraries() -> Result<Vec<PathBuf>> {
    let sysroot = checked(Command::new("rustc").args(["--print", "sysroot"]))?;
    let mut found = Vec::new();
    let zig = repository().join("target/tools/zig");
    let lib = Path::new(sysroot.trim()).join("lib");
    for folder in [
        lib.as_path(),
        Path::new("/usr/lib"),
        Path::new("/usr/include"),
        &zig,
    ] {
        walk(folder, &mut found)?;
    }
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = context(fs::read_dir(folder), "list", folder)?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    for path in paths {
        let Ok(kind) = path.symlink_metadata().map(|m| m.file_type()) else {
            continue;
        };
        if kind.is_dir() {
            walk(&path, found)?;
        } else if kind.is_file() {
            let ending = path.extension().unwrap_or_default();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if ENDINGS.iter().any(|e| ending == *e) || name.contains(".so") {
                found.push(path);
            }
        }
    }
    Ok(())
}
