//! What `brawn --version` prints.

use brawn_payload::{Architecture, Profile, payload};
use std::fmt::Write as _;

/// Name and version; with `verbose` also the contents, so that two builds can be distinguished.
pub fn text(verbose: bool) -> String {
    let mut text = concat!("brawn ", env!("CARGO_PKG_VERSION"), "\n").to_owned();
    if !verbose {
        return text;
    }
    text += concat!(env!("CARGO_PKG_REPOSITORY"), "\n");
    for architecture in Architecture::ALL {
        add(&mut text, architecture);
    }
    text
}

/// The payload for `architecture`: each part with the SHA-256 of its sources and flags.
fn add(text: &mut String, architecture: Architecture) {
    // To write to a String cannot fail.
    let Some(first) = payload(architecture, Profile::default()) else {
        let _ = writeln!(text, "\n{}: no payload in this build", architecture.name());
        return;
    };
    let name = architecture.name();
    let _ = writeln!(text, "\n{name}: {}, by {}", first.engine, first.compiler);
    for profile in Profile::ALL {
        if let Some(payload) = payload(architecture, profile) {
            let _ = writeln!(text, "  heap {:7} {}", profile.name(), payload.source);
        }
    }
    for (part, set) in [("memory", first.memory), ("libc", Some(first.libc))] {
        if let Some(set) = set {
            let _ = writeln!(text, "  {part:12} {}", set.source);
        }
    }
}

#[cfg(test)]
mod tests;
