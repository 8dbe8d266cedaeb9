use super::*;
use crate::cli::Cli;
use clap::Parser as _;

/// A subcommand or flag that is renamed must not live on in messages.
#[test]
fn what_is_advised_can_be_typed() {
    let parts = [Component::Memory, Component::LIBC];
    for (command, advice, file) in [
        ("patch", Advice::Only(&parts), "libc.a"),
        ("rewrite", Advice::Only(&parts), "program"),
        ("link-args", Advice::Only(&parts), ""),
        ("", Advice::PatchOnly(&parts), "libc.a"),
        ("", Advice::Upgrade, "libc.a"),
        ("image -o image.tar", Advice::RewriteIntoImage, "program"),
        ("", Advice::Inspect, "program"),
        ("", Advice::Patch(None), "libc.a"),
        ("", Advice::Patch(Some("FILE")), ""),
        ("", Advice::Restore(None), "libc.a"),
        ("", Advice::Restore(Some("FILE")), ""),
        ("", Advice::Rewrite(None), "program"),
        ("", Advice::Rewrite(Some("FILE")), ""),
        ("", Advice::Preload(None), "-- program"),
        ("", Advice::Preload(Some("FILE")), ""),
        ("", Advice::Run, "program"),
        ("", Advice::Record, ""),
        ("", Advice::LinkArgs, ""),
        ("", Advice::LearnSignatures, "--name musl-mine libc.a"),
    ] {
        let words = words(advice);
        let typed = words.trim_matches('`').trim_start_matches("brawn ");
        let line = format!("brawn {command} {typed} {file}");
        let parsed = Cli::try_parse_from(line.split_whitespace());
        assert!(parsed.is_ok(), "{line}: {}", parsed.err().unwrap());
    }
}
