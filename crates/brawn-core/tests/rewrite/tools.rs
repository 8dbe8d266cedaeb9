//! What people do to programs: strip and copy them, and look into them.

use crate::build::run;
use crate::programs::output;
use brawn_core::arch::Isa;
use brawn_core::program::headers::Where;
use std::path::Path;
use std::process::Command;

/// Every tool takes `new` as it takes `old`, and what it makes of it prints the same.
pub fn all(architecture: Isa, old: &Path, new: &Path, expected: &[String; 2], place: Where) {
    let prefix = match architecture {
        Isa::X86_64 => "",
        Isa::Aarch64 => "aarch64-linux-gnu-",
    };
    let readelf = format!("{prefix}readelf");
    for tool in [&readelf, "llvm-readelf"] {
        assert_eq!(complaints(tool, new), complaints(tool, old), "{tool}");
    }
    let mut tools = vec![("llvm-strip", &["-o"][..]), ("llvm-objcopy", &[])];
    let [strip, objcopy] = ["strip", "objcopy"].map(|tool| format!("{prefix}{tool}"));
    // GNU's write program headers behind the file header, whatever is there.
    if let Where::InPlace | Where::Below = place {
        tools.extend([
            (&*strip, &["-o"][..]),
            (&strip, &["-d", "-o"]),
            (&objcopy, &[]),
        ]);
    }
    let copy = old.with_file_name("copy");
    for (tool, args) in tools {
        let mut command = Command::new(tool);
        command.args(args);
        match args.last() {
            Some(_) => command.arg(&copy).arg(new),
            None => command.arg(new).arg(&copy),
        };
        let said = run(&mut command).stderr;
        assert_eq!(String::from_utf8_lossy(&said), "", "{tool} {args:?}");
        assert_eq!(&output(architecture, &copy), expected, "{tool} {args:?}");
    }
}

/// What the tool warns of.
fn complaints(tool: &str, path: &Path) -> Vec<String> {
    let output = run(Command::new(tool).arg("-aW").arg(path));
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(text.contains("Program Headers"), "{tool}: {text}");
    let is_complaint = |line: &&str| ["arning", "rror:"].iter().any(|w| line.contains(w));
    text.lines()
        .filter(is_complaint)
        .map(str::to_owned)
        .collect()
}
