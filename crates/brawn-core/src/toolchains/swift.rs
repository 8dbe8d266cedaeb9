//! Swift's SDKs, as `swift sdk install` unpacks them.

use super::folder::Folder;
use super::{Archive, FoundToolchains, Places, ToolchainKind};
use crate::bundle::folder;
use std::ffi::OsStr;

pub(super) fn find(places: &Places, found: &mut FoundToolchains) {
    for sdks in &places.swift {
        for bundle in Folder::reported(sdks, &mut found.errors).paths() {
            if !folder::is_named(&bundle) {
                continue;
            }
            let unpacked = match folder::read(&bundle) {
                Ok(unpacked) => unpacked,
                Err(error) => {
                    found.errors.push(error.path(&bundle));
                    continue;
                }
            };
            for (path, targets) in unpacked.archives {
                let triples: Vec<&str> = targets.iter().map(|t| t.triple.as_str()).collect();
                let first = targets.first();
                let name = first.map_or_else(String::new, |target| target.artifact.clone());
                found.archives.push(Archive {
                    target: Some(triples.join(", ")),
                    version: first.map(|target| target.version.clone()),
                    certain: true,
                    ..Archive::new(ToolchainKind::Swift, name, path)
                });
            }
        }
    }
}

impl Archive {
    /// Whether `asked` names this archive's SDK: by the name of the artifact, or of the bundle's directory.
    pub fn is_of_sdk(&self, asked: &str) -> bool {
        let mut folders = self.path.ancestors();
        let bundle = folders.find(|folder| folder::is_named(folder));
        let is_folder = |name: &OsStr| name == asked;
        self.kind == ToolchainKind::Swift
            && (self.name == asked
                || bundle.is_some_and(|bundle| {
                    bundle.file_name().is_some_and(is_folder)
                        || bundle.file_stem().is_some_and(is_folder)
                }))
    }
}
