//! Any bytes are the name of a directory that every file for a build system quotes so that its words are the same again, or an
//! error.

use brawn_core::component::Component;
use brawn_core::link_args::{Link, cmake, cmake_include, is_ours, link, pkg_config, shell, swift};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

pub fn run(bytes: &[u8]) {
    let payload = &brawn_payload::payloads()[0];
    let folder = Path::new("/").join(OsStr::from_bytes(bytes));
    let Ok(link) = link(payload, Component::ALL, &folder) else {
        return;
    };
    let Link { flags, .. } = &link;
    for words in [
        &flags.cc,
        &flags.ld,
        &flags.rustc,
        &flags.swift,
        &flags.cmake,
    ] {
        assert_eq!(&split(&shell(words), true), words);
    }
    let text = pkg_config(&link, payload);
    assert!(is_ours(text.as_bytes()));
    let libs = text.lines().find_map(|line| line.strip_prefix("Libs: "));
    let sorted = |mut words: Vec<String>| {
        words.sort();
        words
    };
    let words = split(libs.expect("a line of flags"), false);
    assert_eq!(sorted(words), sorted(flags.ld.clone()));
    // A name has no control characters, so it cannot end a line.
    let lines = |text: &str| text.lines().count();
    let plain = brawn_core::link_args::link(payload, Component::ALL, Path::new("/x"))
        .expect("a plain name");
    assert_eq!(lines(&text), lines(&pkg_config(&plain, payload)));
    assert_eq!(
        lines(&cmake(&link, payload)),
        lines(&cmake(&plain, payload))
    );
    assert_eq!(lines(&cmake_include(&link)), lines(&cmake_include(&plain)));
    assert_eq!(lines(&swift(&link)), lines(&swift(&plain)));
}

/// Words as a shell reads them, with quotes or only with escapes.
fn split(text: &str, has_quotes: bool) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let word = words.last_mut().expect("there is one");
        match c {
            '\'' if has_quotes => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(rest.next()),
            ' ' if !is_quoted => words.push(String::new()),
            c => word.push(c),
        }
    }
    words
}
