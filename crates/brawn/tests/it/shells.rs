//! Completions in the shells that read them, each on a terminal of its own, and manual pages as `man` shows them.

use crate::common::{brawn, brawn_path, ok, root, succeed};
use crate::toolchains::Machine;
use std::fs;
use std::path::Path;
use std::process::Command;

const STABLE: &str = "stable-x86_64-unknown-linux-gnu";
const NIGHTLY: &str = "nightly-x86_64-unknown-linux-gnu";

/// What a shell reads first: its prompt, the script, and a function that shows the words that were typed.  The script
/// itself calls the program.
const BASH: &str = "PS1='READY> '\nsource completions\nbrawn() { printf '<%s>' \"$@\"; echo; }\n";
const ZSH: &str = "PS1='READY> '\nfpath=($PWD $fpath)\nautoload -U compinit\ncompinit -u -D
brawn() { printf '<%s>' \"$@\"; echo; }\n";
const FISH: &str = "function fish_prompt; printf 'READY> '; end\nsource completions
function brawn; printf '<%s>' $argv; echo; end\n";

/// What completes everywhere, and the words that the shell passes then.
const COMPLETED: [(&str, &str); 14] = [
    ("brawn pat\t\r", "<patch>"),
    (
        "brawn patch --rust=nig\t\r",
        "<patch><--rust=nightly-x86_64-unknown-linux-gnu>",
    ),
    (
        "brawn restore --rust=st\t\r",
        "<restore><--rust=stable-x86_64-unknown-linux-gnu>",
    ),
    ("brawn patch --profile s\t\r", "<patch><--profile><secure>"),
    ("brawn run --profile=l\t\r", "<run><--profile=lean>"),
    ("brawn patch --upg\t\r", "<patch><--upgrade>"),
    ("brawn patch libc\t\r", "<patch><libc.a>"),
    ("brawn completions z\t\r", "<completions><zsh>"),
    // Behind a program, nothing is brawn's.
    ("brawn run libc.a --prof\t\r", "<run><libc.a><--prof>"),
    (
        "brawn run --profile lean -v libc.a --or\t\r",
        "<run><--profile><lean><-v><libc.a><--or>",
    ),
    (
        "brawn run --profile lean --or\t\r",
        "<run><--profile><lean><--or-plain>",
    ),
    (
        "brawn compare -- libc.a --verb\t\r",
        "<compare><--><libc.a><--verb>",
    ),
    ("brawn cargo build --prof\t\r", "<cargo><build><--prof>"),
    ("brawn preload ./x libc\t\r", "<preload><./x><libc.a>"),
];

/// A machine with two toolchains, and a directory with the shell's script of that name in it.
fn machine(shell: &str, script: &str) -> Machine {
    let machine = Machine::new();
    for toolchain in [STABLE, NIGHTLY] {
        machine.rust(toolchain, "x86_64-unknown-linux-musl", b"!<arch>\n");
    }
    // One without a target of musl's is nothing for `--rust=`.
    fs::create_dir_all(machine.path("home/.rustup/toolchains/bare-x/lib/rustlib")).expect("made");
    machine.put("work/libc.a", b"!<arch>\n");
    let script = machine.path("work").join(script);
    fs::write(script, succeed(brawn().args(["completions", shell]))).expect("written");
    machine
}

/// Types the steps into the shell; gives what it showed.
fn type_into(machine: &Machine, command: &[&str], steps: &[(&str, &str)]) -> String {
    let brawn = Path::new(brawn_path()).parent().expect("a directory");
    let output = Command::new("python3")
        .arg(root().join("crates/brawn/tests/it/shells/type.py"))
        .arg(serde_json::to_string(steps).expect("JSON"))
        .args(command)
        .current_dir(machine.path("work"))
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", brawn.display()))
        .env("HOME", machine.path("home"))
        .env("ZDOTDIR", machine.path("work"))
        .env("TERM", "dumb")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("python3");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("JSON")
}

/// All names, once `keys` have the shell show them.
fn shows_every_name(machine: &Machine, command: &[&str], keys: &str) {
    let said = type_into(
        machine,
        command,
        &[(keys, STABLE), ("\u{15}echo e''nd\r", "end")],
    );
    assert!(said.contains(NIGHTLY) && said.contains("all"), "{said}");
    assert!(!said.contains("bare"), "{said}");
}

#[test]
fn bash_completes_commands_options_and_toolchains() {
    let machine = machine("bash", "completions");
    machine.put("work/rc", BASH.as_bytes());
    let bash = ["bash", "--noprofile", "--rcfile", "rc", "-i"];
    type_into(&machine, &bash, &COMPLETED);
    shows_every_name(&machine, &bash, "brawn patch --rust=\t\t");
    // A name is no word of a script.
    let odd = "odd$(touch owned)";
    machine.rust(odd, "x86_64-unknown-linux-musl", b"!<arch>\n");
    let quoted = format!("<patch><--rust={odd}>");
    type_into(&machine, &bash, &[("brawn patch --rust=od\t\r", &quoted)]);
    assert!(!machine.path("work/owned").exists());
}

#[test]
fn zsh_completes_commands_options_and_toolchains() {
    let machine = machine("zsh", "_brawn");
    machine.put("work/.zshrc", ZSH.as_bytes());
    let zsh = ["zsh", "-d", "-i"];
    type_into(&machine, &zsh, &COMPLETED);
    shows_every_name(&machine, &zsh, "brawn patch --rust=\t");
}

#[test]
fn fish_completes_commands_options_and_toolchains() {
    let machine = machine("fish", "completions");
    machine.put("work/init.fish", FISH.as_bytes());
    let fish = ["fish", "--no-config", "-i", "-C", "source init.fish"];
    type_into(&machine, &fish, &COMPLETED);
    shows_every_name(&machine, &fish, "complete -C 'brawn patch --rust='\r");
}

/// Through `man`, as whoever reads them; warnings of groff's are failures.
#[test]
fn manual_pages_fit_into_80_columns() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for name in ok(brawn_path(), &["man", "--list"]).lines() {
        let page = folder.path().join(format!("{name}.1"));
        fs::write(&page, ok(brawn_path(), &["man", name])).expect("written");
        let output = Command::new("man")
            .args(["--warnings", "-P", "cat", "-l"])
            .arg(&page)
            .env("MANWIDTH", "80")
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("man");
        assert!(output.status.success(), "{output:?}");
        let warnings = String::from_utf8_lossy(&output.stderr);
        assert_eq!(warnings, "", "{name}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
            // No word is torn, and no macro is left.
            assert!(
                !line.ends_with('\u{2010}') && !line.starts_with('.'),
                "{name}: {line}"
            );
        }
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"] {
            assert!(
                text.lines().any(|line| line == heading),
                "{name}: no {heading}:\n{text}"
            );
        }
    }
}
