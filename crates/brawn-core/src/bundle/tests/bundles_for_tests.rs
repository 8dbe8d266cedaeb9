//! Builds bundles for tests, and edits them.

use super::*;
use flate2::read::{GzDecoder, GzEncoder};
use std::io::Cursor;

pub(super) const TOP: &str = "s.artifactbundle";
pub(super) const INFO: &str = r#"{"schemaVersion": "1.0", "artifacts": {"s": {"type": "swiftSDK", "version": "0.0.1",
    "variants": [{"path": "s/swift-linux-musl"}]}}}"#;

/// One entry, as a test writes it.
#[derive(Clone, Debug)]
pub(super) enum Item {
    File(String, Vec<u8>),
    Symlink(String, String),
    Hard(String, String),
    Folder(String),
    /// A file whose size is in a pax record.
    Pax(String, Vec<u8>),
    /// Blocks as they are.
    Raw(Vec<u8>),
}
pub(super) use Item::{File, Folder, Hard, Pax, Raw, Symlink};

pub(super) fn file(path: &str, bytes: impl AsRef<[u8]>) -> Item {
    File(format!("{TOP}/{path}"), bytes.as_ref().to_vec())
}

pub(super) fn sdk(targets: &[(&str, &str)]) -> Item {
    let targets: Vec<_> = targets
        .iter()
        .map(|(triple, root)| format!(r#""{triple}": {{"sdkRootPath": "{root}"}}"#))
        .collect();
    let json = format!(
        r#"{{"schemaVersion": "4.0", "targetTriples": {{{}}}}}"#,
        targets.join(", ")
    );
    file("s/swift-linux-musl/swift-sdk.json", json)
}

pub(super) const LIBC: &str = "s/swift-linux-musl/musl.sdk/x86_64/usr/lib/libc.a";
pub(super) const TRIPLE: &str = "x86_64-swift-linux-musl";

/// The first files of a bundle with one target.
pub(super) fn small() -> Vec<Item> {
    vec![
        Folder(format!("{TOP}/")),
        file("info.json", INFO),
        sdk(&[(TRIPLE, "musl.sdk/x86_64")]),
    ]
}

pub(super) fn with(more: impl IntoIterator<Item = Item>) -> Vec<Item> {
    let mut items = small();
    items.extend(more);
    items
}

pub(super) fn header(kind: tar::EntryType, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o640);
    header.set_uid(1000);
    header.set_mtime(1_700_000_000);
    header
}

pub(super) fn tar(items: &[Item]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for item in items {
        use tar::EntryType;
        match item {
            File(path, bytes) => {
                let mut header = header(EntryType::Regular, bytes.len() as u64);
                builder.append_data(&mut header, path, &bytes[..]).unwrap();
            }
            Symlink(path, to) => {
                let mut header = header(EntryType::Symlink, 0);
                builder.append_link(&mut header, path, to).unwrap();
            }
            Hard(path, to) => {
                let mut header = header(EntryType::Link, 0);
                builder.append_link(&mut header, path, to).unwrap();
            }
            Folder(path) => {
                let mut header = header(EntryType::Directory, 0);
                builder.append_data(&mut header, path, &[][..]).unwrap();
            }
            Pax(path, bytes) => {
                let size = bytes.len().to_string();
                let records = [
                    ("mtime", &b"1700000000.25"[..]),
                    ("size", size.as_bytes()),
                    ("SCHILY.xattr.user.x", b"a=\n\0b"),
                ];
                builder.append_pax_extensions(records).unwrap();
                let mut header = header(EntryType::Regular, bytes.len() as u64);
                header.set_path(path).unwrap();
                header.set_cksum();
                builder.append(&header, &bytes[..]).unwrap();
            }
            Raw(blocks) => {
                use std::io::Write as _;
                builder.get_mut().write_all(blocks).unwrap();
            }
        }
    }
    builder.into_inner().unwrap()
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let level = flate2::Compression::fast();
    GzEncoder::new(bytes, level).read_to_end(&mut out).unwrap();
    out
}

pub(super) fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut out).unwrap();
    out
}

/// Reverses data that begins with `old`, leaves data that begins with `new` alone, and refuses the rest.
pub(super) fn editor(bytes: &[u8]) -> Result<Edit> {
    let plan = |action| Plan {
        action,
        architecture: "x86_64".into(),
        ..Plan::default()
    };
    if bytes.starts_with(b"old") {
        let new = edited(bytes);
        return Ok(Edit {
            plan: plan(Action::Patch),
            bytes: Some(new),
        });
    }
    if bytes.starts_with(b"new") {
        return Ok(Edit {
            plan: plan(Action::Nothing),
            bytes: None,
        });
    }
    if bytes.starts_with(b"armv7") {
        return Err(Error::not_applicable("no payload for armv7"));
    }
    Err(Error::refused("a strange shape").at(7).member(b"free.lo"))
}

pub(super) fn edited(old: &[u8]) -> Vec<u8> {
    let mut new = b"new, and more of it: ".to_vec();
    new.extend(old.iter().rev());
    new
}

pub(super) const LIMITS: Limits = Limits {
    header: 1 << 14,
    json: 1 << 12,
    member: 1 << 20,
    total: 1 << 22,
    links: 1 << 14,
    candidates: 8,
};

/// The new bundle, checked; `None` if there is nothing to do.
pub(super) fn patched(bundle: &[u8]) -> Result<Option<Vec<u8>>> {
    let bundle = bundle.to_vec();
    let open = move || Ok(Box::new(Cursor::new(bundle.clone())) as Box<dyn Read>);
    let planned = plan(&open, &editor, LIMITS, &|_| ())?;
    if planned.action() == Action::Nothing {
        return Ok(None);
    }
    let mut repack = planned.repack(&open, &editor, LIMITS, &|_| ());
    let mut new = Vec::new();
    repack.write(&mut new)?;
    repack.check(&mut &new[..])?;
    Ok(Some(new))
}

pub(super) fn error(items: &[Item]) -> String {
    patched(&tar(items)).unwrap_err().to_string()
}

/// The items after their libc has been patched.
pub(super) fn after(items: &[Item]) -> Vec<Item> {
    let is_libc = |path: &str, bytes: &[u8]| path.ends_with("/libc.a") && bytes.starts_with(b"old");
    let change = |item: &Item| match item {
        File(path, bytes) if is_libc(path, bytes) => File(path.clone(), edited(bytes)),
        Pax(path, bytes) if is_libc(path, bytes) => Pax(path.clone(), edited(bytes)),
        item => item.clone(),
    };
    items.iter().map(change).collect()
}

pub(super) fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,12}",
        "[a-z]{1,60}/[a-z]{30,99}",
        "([a-z]{20}/){6,9}[a-z]{1,30}",
    ]
}

pub(super) fn item() -> impl Strategy<Value = Item> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..1500);
    let top = |name: String| format!("{TOP}/other-{name}");
    prop_oneof![
        (name(), bytes()).prop_map(move |(name, bytes)| File(top(name), bytes)),
        ("[a-z]{1,50}", bytes()).prop_map(move |(name, bytes)| Pax(top(name), bytes)),
        (name(), name()).prop_map(move |(name, to)| Symlink(top(name), to)),
        (name(), name()).prop_map(move |(name, to)| Hard(top(name), top(to))),
        name().prop_map(move |name| Folder(top(name))),
    ]
}
