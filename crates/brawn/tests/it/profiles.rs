//! `--profile`: what it puts there, what it does to programs, and that it stays.

use crate::build::inspect;
use crate::common::{Folder, brawn, fail, ok, read, run, succeed};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

fn patch(folder: &Folder, profile: Option<&str>) -> String {
    let mut command = brawn();
    command.arg("patch").arg(folder.libc());
    command.args(
        profile
            .map(|name| ["--profile", name])
            .into_iter()
            .flatten(),
    );
    succeed(&mut command)
}

fn profile_of(folder: &Folder) -> String {
    let report = inspect(folder.libc().to_str().expect("UTF-8"));
    let notes = report["heaps"].as_array().expect("heaps").iter();
    let profile = notes.filter_map(|heap| heap["note"]["profile"].as_str());
    profile.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_profile_stays_until_another_is_asked_for() {
    let folder = Folder::small();
    patch(&folder, None);
    assert_eq!(profile_of(&folder), "fast");
    for name in ["secure", "lean"] {
        let text = patch(&folder, Some(name));
        assert!(text.contains(&format!("heap (profile {name})")), "{text}");
        assert_eq!(profile_of(&folder), name);
        let with = read(&folder.libc());
        assert!(patch(&folder, None).contains("nothing to do"));
        assert!(read(&folder.libc()) == with, "{name} is not kept");
    }
    patch(&folder, Some("fast"));
    assert_eq!(profile_of(&folder), "fast");
    folder.restore();
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn unknown_profiles_are_refused_with_those_that_there_are() {
    let folder = Folder::small();
    let mut command = brawn();
    command
        .arg("patch")
        .arg(folder.libc())
        .args(["--profile", "safe"]);
    let error = fail(&mut command, 2);
    for name in ["fast", "secure", "lean"] {
        assert!(error.contains(name), "{error}");
    }
    assert!(read(&folder.libc()) == folder.old());
}

/// Frees a block twice; the second time ends it with profile `secure` alone.
const TWICE: &str = "#include <stdlib.h>\n\
    int main(void) { void *volatile p = malloc(100), *volatile q = malloc(100); free(p); free(p); return q == 0; }\n";

#[test]
fn secure_ends_a_program_that_frees_twice() {
    let work = tempfile::tempdir().expect("a temporary directory");
    let source = work.path().join("twice.c");
    std::fs::write(&source, TWICE).expect("written");
    let path = |p: &Path| p.to_str().expect("UTF-8").to_owned();
    for (profile, ended) in [("fast", false), ("secure", true), ("lean", false)] {
        let program = work.path().join(profile);
        let flags = succeed(
            brawn()
                .args(["link-args", "--profile", profile, "--dir"])
                .arg(work.path().join("args")),
        );
        let (source, output) = (path(&source), path(&program));
        let mut arguments = vec!["-static", "-w", source.as_str()];
        arguments.extend(flags.split_whitespace());
        arguments.extend(["-o", output.as_str()]);
        ok("musl-gcc", &arguments);
        let status = run(&output, &[]).status;
        assert_eq!(status.signal().is_some(), ended, "{profile}: {status}");
    }
}
