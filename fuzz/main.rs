//! The fuzz targets in one program, which is a tenth of sixteen of them: `BRAWN_FUZZ` names the target.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

#[path = "fuzz_targets/archive.rs"]
mod archive;
#[path = "fuzz_targets/bundle.rs"]
mod bundle;
#[path = "fuzz_targets/data.rs"]
mod data;
#[path = "fuzz_targets/elf.rs"]
mod elf;
#[path = "fuzz_targets/find.rs"]
mod find;
#[path = "fuzz_targets/image.rs"]
mod image;
#[path = "fuzz_targets/inspect.rs"]
mod inspect;
#[path = "fuzz_targets/links.rs"]
mod links;
#[path = "fuzz_targets/names.rs"]
mod names;
#[path = "fuzz_targets/note.rs"]
mod note;
#[path = "fuzz_targets/package.rs"]
mod package;
#[path = "fuzz_targets/patch.rs"]
mod patch;
#[path = "fuzz_targets/record.rs"]
mod record;
#[path = "fuzz_targets/recording.rs"]
mod recording;
#[path = "fuzz_targets/rewrite.rs"]
mod rewrite;
#[path = "fuzz_targets/signatures.rs"]
mod signatures;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("BRAWN_FUZZ").unwrap_or_default();
    match name.as_str() {
        "archive" => archive::run,
        "bundle" => bundle::run,
        "data" => data::run,
        "elf" => elf::run,
        "find" => find::run,
        "image" => image::run,
        "inspect" => inspect::run,
        "links" => links::run,
        "names" => names::run,
        "note" => note::run,
        "package" => package::run,
        "patch" => patch::run,
        "record" => record::run,
        "recording" => recording::run,
        "rewrite" => rewrite::run,
        "signatures" => signatures::run,
        _ => panic!(
            "BRAWN_FUZZ is {name:?}, expected the name of a file in fuzz_targets, without its ending"
        ),
    }
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
