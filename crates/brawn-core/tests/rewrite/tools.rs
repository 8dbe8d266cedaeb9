//! What people do to programs: strip and copy them, and look into them.

use crate::build::run;
use crate::programs::output;
use brawn_payload::Architecture;
use std::path::Path;
use std::process::Command;

/// Every tool takes `new` as it takes `old`, and what it makes of it prints `expected`.
pub fn all(
    architecture: Architecture,
    folder: &Path,
    old: &Path,
    new: &Path,
    expected: &(String, String),
    what: &str,
) {
    let prefix = match architecture {
        Architecture::X86_64 => "",
        Architecture::Aarch64 => "aarch64-linux-gnu-",
    };
    for tool in [&format!("{prefix}readelf"), "llvm-readelf"] {
        let before = complaints(tool, old);
        assert_eq!(complaints(tool, new), before, "{tool}: {what}");
    }
    let copy = folder.join("copy");
    let strip = format!("{prefix}strip");
    let objcopy = format!("{prefix}objcopy");
    let tools: [(&str, &[&str]); 5] = [
        (&strip, &["-o"]),
        (&strip, &["-d", "-o"]),
        (&objcopy, &[]),
        ("llvm-strip", &["-o"]),
        ("llvm-objcopy", &[]),
    ];
    for (tool, args) in tools {
        let mut command = Command::new(tool);
        command.args(args);
        match args.last() {
            Some(_) => command.arg(&copy).arg(new),
            None => command.arg(new).arg(&copy),
        };
        let said = command.output().unwrap();
        if !said.status.success() {
            eprintln!(
                "FAILED {tool} {args:?} {what}: {}",
                String::from_utf8_lossy(&said.stderr)
            );
            continue;
        }
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        if tool.ends_with("strip") && !tool.starts_with("llvm") && !said.is_empty() {
            eprintln!("GNU {tool}: {said} {what}");
            continue;
        }
        assert_eq!(said, "", "{tool} {args:?}: {what}");
        assert_eq!(
            &output(architecture, &copy),
            expected,
            "{tool} {args:?}: {what}"
        );
    }
}

/// What the tool warns of.
fn complaints(tool: &str, path: &Path) -> Vec<String> {
    let output = run(Command::new(tool).arg("-aW").arg(path));
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let is_complaint = |line: &&str| ["arning", "rror:"].iter().any(|w| line.contains(w));
    text.lines()
        .filter(is_complaint)
        .map(str::to_owned)
        .collect()
}
