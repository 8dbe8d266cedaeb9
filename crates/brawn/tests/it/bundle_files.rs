//! Bundles of the layout that Swift's static Linux SDK has, around real musls, written by GNU tar.

use crate::common::{MUSL, ok, read, tools};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The artifact, which names the bundle.
pub const NAME: &str = "swift-6.0.3-RELEASE_static-linux-0.0.1";
const SDK: &str = "swift-linux-musl/musl-1.2.5.sdk";

/// A directory with an unpacked bundle in it, that becomes an archive on demand.
pub struct Made {
    folder: TempDir,
}

impl Made {
    /// With these architectures' libcs.
    pub fn new(libcs: &[(&str, &[u8])]) -> Self {
        let made = Self {
            folder: tempfile::tempdir().expect("a temporary directory"),
        };
        made.put(
            "info.json",
            format!(
                r#"{{"schemaVersion":"1.0","artifacts":{{"{NAME}":{{"variants":[{{"path":"{NAME}/swift-linux-musl"}}],"version":"0.0.1","type":"swiftSDK"}}}}}}"#
            )
            .as_bytes(),
        );
        let targets = libcs.iter().map(|(architecture, _)| {
            let root = format!("musl-1.2.5.sdk/{architecture}");
            format!(
                r#""{architecture}-swift-linux-musl":{{"toolsetPaths":["toolset.json"],"sdkRootPath":"{root}","swiftResourcesPath":"{root}/usr/lib/swift_static"}}"#
            )
        });
        let targets: Vec<String> = targets.collect();
        let sdk = format!(
            r#"{{"schemaVersion":"4.0","targetTriples":{{{}}}}}"#,
            targets.join(",")
        );
        made.put(
            &format!("{NAME}/swift-linux-musl/swift-sdk.json"),
            sdk.as_bytes(),
        );
        made.put("sbom.spdx.json", b"{}");
        for (architecture, libc) in libcs {
            let root = format!("{NAME}/{SDK}/{architecture}");
            made.put(&format!("{root}/usr/lib/libc.a"), libc);
            made.put(&format!("{root}/usr/lib/crt1.o"), &[7; 1234]);
            // Names that take a header of their own.
            let long = format!("{root}/usr/include/{}/{}.h", "d".repeat(60), "h".repeat(90));
            made.put(&long, b"#pragma once\n");
            let lib = made.bundle().join(&root).join("usr/lib");
            fs::create_dir_all(lib.join("swift/clang/include")).expect("a directory");
            fs::create_dir_all(lib.join("swift_static")).expect("a directory");
            symlink("../swift/clang", lib.join("swift_static/clang")).expect("a link");
            symlink("x".repeat(120), lib.join("dangling")).expect("a link");
            fs::hard_link(lib.join("crt1.o"), lib.join("Scrt1.o")).expect("a link");
        }
        made
    }

    /// With musl 1.2.5 for both architectures.
    pub fn real() -> Self {
        Self::new(&[
            ("x86_64", &musl("1.2.5")),
            ("aarch64", &musl("1.2.5-arm64")),
        ])
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// The unpacked bundle.
    pub fn bundle(&self) -> PathBuf {
        self.path(&format!("{NAME}.artifactbundle"))
    }

    /// Writes a file of the bundle.
    pub fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.bundle().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, bytes).expect("written");
    }

    pub fn libc(&self, architecture: &str) -> PathBuf {
        let sdk = self.bundle().join(NAME).join(SDK);
        sdk.join(architecture).join("usr/lib/libc.a")
    }

    /// The bundle as an archive; `options` are GNU tar's.
    pub fn tar(&self, name: &str, options: &[&str]) -> PathBuf {
        let out = self.path(name);
        let folder = format!("{NAME}.artifactbundle");
        let mut arguments = vec!["-C", text(self.folder.path()), "--sort=name"];
        arguments.extend(options);
        arguments.extend(["-cf", text(&out), &folder]);
        ok("tar", &arguments);
        out
    }

    /// The bundle as it is downloaded.
    pub fn packed(&self) -> PathBuf {
        self.tar(&format!("{NAME}.artifactbundle.tar.gz"), &["-z"])
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A musl of tools/musls.sh.
pub fn musl(version: &str) -> Vec<u8> {
    read(&tools().join(format!("musls/{version}/lib/libc.a")))
}

/// Debian's musl, for tests that need one architecture alone.
pub fn debian() -> Vec<u8> {
    read(Path::new(MUSL))
}
