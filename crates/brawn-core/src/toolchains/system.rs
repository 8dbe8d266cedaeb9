//! Finds the distribution's musl.

use super::folder::Folder;
use super::{Archive, FoundToolchains, Places, ToolchainKind};
use std::path::{Path, PathBuf};

pub(super) fn find(places: &Places, found: &mut FoundToolchains) {
    let root = &places.root;
    let usr = root.join("usr");
    let distribution = distribution(root);
    let mut add = |target: Option<String>, path: PathBuf, certain: bool| {
        found.archives.push(Archive {
            target,
            certain,
            ..Archive::new(ToolchainKind::System, distribution.clone(), path)
        });
    };
    // Debian, by architecture.
    for (target, folder) in Folder::open(&usr.join("lib")).named(is_musl_triple) {
        add(Some(target), folder.join("libc.a"), true);
    }
    // Arch and similar distributions.
    add(None, usr.join("lib/musl/lib/libc.a"), true);
    // Fedora, and Gentoo's crossdev.
    for (target, folder) in Folder::open(&usr).named(is_musl_triple) {
        for lib in ["lib", "lib64", "usr/lib"] {
            add(Some(target.clone()), folder.join(lib).join("libc.a"), true);
        }
    }
    // Here the system's own libc may be musl: Alpine, Void, Chimera. Elsewhere it is glibc.
    let is_alpine = root.join("etc/alpine-release").exists();
    for lib in ["usr/lib", "usr/lib64", "lib"] {
        add(None, root.join(lib).join("libc.a"), is_alpine);
    }
}

/// Whether a directory's name is a target with musl, as in `x86_64-linux-musl`.
pub(super) fn is_musl_triple(name: &str) -> bool {
    name.contains("-linux-musl") && !name.starts_with("wasm")
}

/// The distribution's own name.
fn distribution(root: &Path) -> String {
    let files = ["etc/os-release", "usr/lib/os-release"];
    files
        .iter()
        .filter_map(|file| {
            crate::input::read(&root.join(file))
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok())
        })
        .find_map(|text| {
            let id = text.lines().find_map(|line| line.strip_prefix("ID="))?;
            let id = id.trim().trim_matches(['"', '\'']);
            (!id.is_empty()).then(|| id.to_owned())
        })
        .unwrap_or_else(|| ToolchainKind::System.name().to_owned())
}
