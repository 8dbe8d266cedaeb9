//! All tests use invented roots: none looks at this machine's toolchains.

use super::*;
use std::fs;
use std::os::unix::fs::symlink;

fn root(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "!<arch>\n").unwrap();
    }
    root
}

/// The archives that were found, with name and target, and without the root.
fn listed(root: &Path, kinds: &[ToolchainKind]) -> Vec<String> {
    let found = find(&Places::below(root), kinds);
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    let line = |a: &Archive| {
        let path = a.path.strip_prefix(root).unwrap().display();
        let target = a.target.as_deref().unwrap_or("?");
        format!("{} {target} {path}", a.name)
    };
    found.archives.iter().map(line).collect()
}

#[test]
fn of_rusts_targets_only_those_with_musl_are_found() {
    let lib = "root/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/lib/rustlib";
    let paths = [
        "x86_64-unknown-linux-musl",
        "armv7-unknown-linux-musleabihf",
        "mips64-unknown-linux-muslabi64",
        "wasm32-wasip1",
        "wasm32-wali-linux-musl",
        "x86_64-pc-windows-gnu",
        "x86_64-unknown-linux-gnu",
    ]
    .map(|target| format!("{lib}/{target}/lib/self-contained/libc.a"));
    let root = root(&paths.each_ref().map(String::as_str));
    let name = "stable-x86_64-unknown-linux-gnu";
    let line = |target: &str| format!("{name} {target} {lib}/{target}/lib/self-contained/libc.a");
    assert_eq!(
        listed(root.path(), &[ToolchainKind::Rust]),
        [
            line("armv7-unknown-linux-musleabihf"),
            line("mips64-unknown-linux-muslabi64"),
            line("x86_64-unknown-linux-musl"),
        ]
    );
}

#[test]
fn linked_toolchains_and_the_active_one_are_found_once() {
    let libc = "lib/rustlib/x86_64-unknown-linux-musl/lib/self-contained/libc.a";
    let root = root(&[
        &format!("build/stage2/{libc}"),
        &format!("elsewhere/{libc}"),
    ]);
    let toolchains = root.path().join("home/.rustup/toolchains");
    fs::create_dir_all(&toolchains).unwrap();
    symlink(root.path().join("build/stage2"), toolchains.join("mine")).unwrap();
    symlink("/nowhere", toolchains.join("gone")).unwrap();
    let mut places = Places {
        root: root.path().into(),
        rustup: vec![root.path().join("home/.rustup")],
        active: Some(root.path().join("build/stage2")),
        ..Places::default()
    };
    let names = |places: &Places| {
        let found = find(places, &ToolchainKind::ALL);
        let of = |a: Archive| (a.name.clone(), a.active, a.sysroot());
        let mut active = found.rust.into_iter().filter(|rust| rust.active);
        (
            found.archives.into_iter().map(of).collect::<Vec<_>>(),
            active.next().map(|rust| rust.name),
        )
    };
    let mine = toolchains.join("mine");
    assert_eq!(
        names(&places),
        (
            vec![("mine".into(), true, Some(mine.clone()))],
            Some("mine".into())
        )
    );
    // A rustc that is not rustup's has the name of its directory.
    let elsewhere = root.path().join("elsewhere");
    places.active = Some(elsewhere.clone());
    let name = elsewhere.display().to_string();
    assert_eq!(
        names(&places),
        (
            vec![
                (name.clone(), true, Some(elsewhere)),
                ("mine".into(), false, Some(mine)),
            ],
            Some(name)
        )
    );
}

#[test]
fn toolchains_are_named_as_with_rustup() {
    let folder = tempfile::tempdir().unwrap();
    let is = |asked: &str, name: &str| {
        let (name, sysroot) = (name.to_owned(), folder.path().to_owned());
        let active = false;
        Rust {
            name,
            sysroot,
            active,
        }
        .is_called(asked)
    };
    let stable = "stable-x86_64-unknown-linux-gnu";
    assert!(is(stable, stable) && is("stable", stable));
    assert!(is("1.90.0", "1.90.0-aarch64-apple-darwin") && is("mine", "mine"));
    let dated = "nightly-2026-01-31-x86_64-unknown-linux-gnu";
    assert!(is("nightly-2026-01-31", dated));
    assert!(!is("nightly", dated) && !is("1.9", "1.9.1-x86_64-unknown-linux-gnu"));
    assert!(!is("stab", stable) && !is("mine", "mine-too") && !is("", stable));
    assert!(is(folder.path().to_str().unwrap(), "x") && !is("/nowhere/at/all", "x"));
}

#[test]
fn a_toolchain_with_two_names_is_meant_by_both() {
    let toolchains = "root/.rustup/toolchains";
    let libc = "lib/rustlib/x86_64-unknown-linux-musl/lib/self-contained/libc.a";
    let root = root(&[&format!(
        "{toolchains}/1.95.0-x86_64-unknown-linux-gnu/{libc}"
    )]);
    let link = root
        .path()
        .join(toolchains)
        .join("stable-x86_64-unknown-linux-gnu");
    symlink("1.95.0-x86_64-unknown-linux-gnu", link).unwrap();
    let found = find(&Places::below(root.path()), &[ToolchainKind::Rust]);
    assert_eq!(found.archives.len(), 1);
    for name in ["stable", "1.95.0"] {
        let mut meant = found.rust.iter().filter(|rust| rust.is_called(name));
        assert!(meant.next().unwrap().has(&found.archives[0]), "{name}");
        assert!(meant.next().is_none());
    }
}

#[test]
fn distributions_have_their_own_places() {
    let debian = root(&[
        "usr/lib/x86_64-linux-musl/libc.a",
        "usr/lib/arm-linux-musleabihf/libc.a",
        "usr/lib/x86_64-linux-gnu/libc.a",
    ]);
    fs::create_dir(debian.path().join("etc")).unwrap();
    fs::write(
        debian.path().join("etc/os-release"),
        "NAME=D\nID=\"debian\"\n",
    )
    .unwrap();
    assert_eq!(
        listed(debian.path(), &[ToolchainKind::System]),
        [
            "debian arm-linux-musleabihf usr/lib/arm-linux-musleabihf/libc.a",
            "debian x86_64-linux-musl usr/lib/x86_64-linux-musl/libc.a",
        ]
    );
    let others = root(&[
        "usr/lib/musl/lib/libc.a",
        "usr/aarch64-linux-musl/lib64/libc.a",
        "usr/x86_64-gentoo-linux-musl/usr/lib/libc.a",
    ]);
    assert_eq!(
        listed(others.path(), &[ToolchainKind::System]),
        [
            "system ? usr/lib/musl/lib/libc.a",
            "system aarch64-linux-musl usr/aarch64-linux-musl/lib64/libc.a",
            "system x86_64-gentoo-linux-musl usr/x86_64-gentoo-linux-musl/usr/lib/libc.a",
        ]
    );
}

#[test]
fn an_archive_of_the_systems_own_libc_counts_where_the_system_is_musls() {
    let files = ["usr/lib/libc.a"];
    let survey = |root: &Path| {
        let found = find(&Places::below(root), &[ToolchainKind::System]);
        let surveyed = found.archives.iter().map(|a| survey(a, &[]));
        surveyed.map(|t| t.map(|t| t.state)).collect::<Vec<_>>()
    };
    // The same file without anything of musl's, at both places.
    let glibc = root(&files);
    assert_eq!(survey(glibc.path()), [None]);
    let alpine = root(&["usr/lib/libc.a", "etc/alpine-release"]);
    assert_eq!(survey(alpine.path()), [Some(State::NotMusl)]);
}

#[test]
fn cross_compilers_are_found_by_their_layouts() {
    let root = root(&[
        "opt/x86_64-linux-musl-cross/x86_64-linux-musl/lib/libc.a",
        "opt/riscv64-linux-musl-native/lib/libc.a",
        "usr/local/musl/lib/libc.a",
        "usr/local/musl/aarch64-unknown-linux-musl/lib/libc.a",
        "usr/local/i686-linux-musl/lib/libc.a",
        "opt/homebrew/opt/musl-cross/libexec/arm-linux-musleabihf/lib/libc.a",
        "opt/homebrew/opt/x/toolchain/none/lib/libc.a",
        "root/x-tools/x86_64-multilib-linux-musl/x86_64-multilib-linux-musl/sysroot/usr/lib/libc.a",
        "srv/bl/bin/x86_64-buildroot-linux-musl-gcc",
        "srv/bl/x86_64-buildroot-linux-musl/sysroot/usr/lib/libc.a",
        "srv/own/bin/musl-gcc",
        "srv/own/lib/musl-gcc.specs",
        "srv/own/lib/libc.a",
        // Debian's wrapper, whose specs are elsewhere.
        "usr/bin/musl-gcc",
        "usr/lib/libc.a",
    ]);
    let bin = root.path().join("usr/local/bin");
    fs::create_dir(&bin).unwrap();
    symlink("../../../srv/own/bin/musl-gcc", bin.join("musl-gcc")).unwrap();
    symlink(
        root.path()
            .join("srv/bl/bin/x86_64-buildroot-linux-musl-gcc"),
        bin.join("x86_64-buildroot-linux-musl-gcc"),
    )
    .unwrap();
    assert_eq!(
        listed(root.path(), &[ToolchainKind::MuslCross]),
        [
            "bl x86_64-buildroot-linux-musl srv/bl/x86_64-buildroot-linux-musl/sysroot/usr/lib/libc.a",
            "i686-linux-musl i686-linux-musl usr/local/i686-linux-musl/lib/libc.a",
            "musl ? usr/local/musl/lib/libc.a",
            "musl aarch64-unknown-linux-musl usr/local/musl/aarch64-unknown-linux-musl/lib/libc.a",
            "musl-cross arm-linux-musleabihf opt/homebrew/opt/musl-cross/libexec/arm-linux-musleabihf/lib/libc.a",
            "own ? srv/own/lib/libc.a",
            "riscv64-linux-musl-native riscv64-linux-musl opt/riscv64-linux-musl-native/lib/libc.a",
            "x86_64-linux-musl-cross x86_64-linux-musl opt/x86_64-linux-musl-cross/x86_64-linux-musl/lib/libc.a",
            "x86_64-multilib-linux-musl x86_64-multilib-linux-musl root/x-tools/x86_64-multilib-linux-musl/x86_64-multilib-linux-musl/sysroot/usr/lib/libc.a",
        ]
    );
}

#[test]
fn every_archive_in_zigs_cache_is_looked_at() {
    let root = root(&[
        "root/.cache/zig/o/1f/libc.a",
        "home/u/.cache/zig/o/2f/libc.a",
        "home/u/.cache/zig/o/3f/libm.a",
    ]);
    assert_eq!(
        listed(root.path(), &[ToolchainKind::Zig]),
        [
            "1f ? root/.cache/zig/o/1f/libc.a",
            "2f ? home/u/.cache/zig/o/2f/libc.a",
        ]
    );
}

#[test]
fn nothing_is_taken_from_outside_of_the_root() {
    let root = root(&["usr/lib/x86_64-linux-musl/crt1.o"]);
    let outside = tempfile::NamedTempFile::new().unwrap();
    let link = root.path().join("usr/lib/x86_64-linux-musl/libc.a");
    symlink(outside.path(), &link).unwrap();
    let found = find(&Places::below(root.path()), &ToolchainKind::ALL);
    assert!(found.archives.is_empty());
    let [error] = found.errors.as_slice() else {
        panic!("{:?}", found.errors);
    };
    assert_eq!(error.file(), Some(link.as_path()));
    assert_eq!(error.kind(), crate::error::Kind::Refused);
    // A link that stays inside the root is a further name of its file.
    fs::remove_file(&link).unwrap();
    fs::write(root.path().join("usr/lib/real.a"), "").unwrap();
    symlink("../real.a", &link).unwrap();
    assert_eq!(
        find(&Places::below(root.path()), &ToolchainKind::ALL)
            .archives
            .len(),
        1
    );
}
