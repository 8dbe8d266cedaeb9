//! `brawn toolchains`: lists the `libc.a`s of toolchains, and what each is.

use crate::exit::Exit;
use crate::{ui, which};
use anstyle::{AnsiColor, Style};
use brawn_core::Result;
use brawn_core::error::printable;
use brawn_core::identify::Memory;
use brawn_core::toolchains::{Archive, State, Toolchain, ToolchainKind, find};
use brawn_lab::show::columns::{Row, columns};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// List the libc.a of every toolchain for musl on this machine, and say what each is.
///
/// It looks for Rust's (rustup's toolchains, linked ones, and that of `rustc` on PATH), the distribution's, those of
/// cross compilers, those in zig's global cache, and those in installed Swift SDKs.  It only reads files.  `brawn patch
/// --rust`, `--system`, `--musl-cross`, `--zig`, `--swift` and `--all` patch them.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("toolchains"))]
pub struct Args {
    /// Only toolchains of these kinds [default: all].
    #[arg(long, value_parser = by_name(), value_delimiter = ',', value_name = "KINDS")]
    kind: Vec<ToolchainKind>,

    /// Take DIR for `/`: an image or chroot.  This machine's environment is not used then.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Print a JSON array with one object for each archive.
    #[arg(long)]
    json: bool,

    /// Print the names alone, a line each, as `brawn patch --rust=NAME` and `--swift=NAME` take them.
    #[arg(long, conflicts_with = "json")]
    names: bool,
}

/// What `--kind` takes: the kinds by their names.
fn by_name() -> impl TypedValueParser<Value = ToolchainKind> {
    PossibleValuesParser::new(ToolchainKind::ALL.map(ToolchainKind::name))
        .try_map(|name| ToolchainKind::from_name(&name).ok_or("no such kind"))
}

pub fn run(args: &Args) -> Result<Exit> {
    let mut kinds = args.kind.clone();
    if kinds.is_empty() {
        kinds.extend(ToolchainKind::ALL);
    }
    let places = match &args.root {
        Some(root) => which::below(root)?,
        None => {
            let (places, error) = which::here(kinds.contains(&ToolchainKind::Rust));
            // The list is whole without it: only the active one is not marked.
            if let Some(error) = error {
                ui::info(&error.to_string());
            }
            places
        }
    };
    let found = find(&places, &kinds);
    let mut exit = Exit::Success;
    for error in &found.errors {
        ui::error(error);
        exit = exit.max(error.kind().into());
    }
    if args.names {
        ui::text(&names(&found.archives).join("\n"));
        return Ok(exit);
    }
    let toolchains = which::surveyed(&found.archives);
    if args.json {
        ui::json(&toolchains);
    } else if toolchains.is_empty() {
        ui::info("no toolchain with musl");
    } else {
        let rows: Vec<_> = toolchains.iter().map(row).collect();
        ui::text(&columns(HEAD, &rows, ui::width()));
    }
    Ok(exit)
}

/// Each name once.  One that no line can hold is left out.
fn names(archives: &[Archive]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for archive in archives {
        let name = archive.name.as_str();
        if !names.contains(&name) && !name.contains(char::is_control) {
            names.push(name);
        }
    }
    names
}

const HEAD: [&str; 6] = ["STATE", "TOOLCHAIN", "TARGET", "MUSL", "HEAP", "PATH"];

fn row(toolchain: &Toolchain) -> Row {
    let archive = &toolchain.archive;
    let active = if archive.active { " (active)" } else { "" };
    let or_unknown = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".into());
    let version = archive.version.iter().map(|version| format!(" {version}"));
    let version: String = version.collect();
    let mut heap = or_unknown(&toolchain.heap);
    if let Some(profile) = &toolchain.profile {
        heap = format!("{heap}, {profile}");
    }
    let cells = [
        toolchain.state.name().to_owned(),
        format!("{} {}{version}{active}", archive.kind.name(), archive.name),
        or_unknown(&archive.target),
        or_unknown(&toolchain.libc_version),
        heap,
    ]
    .map(|cell| printable(cell.as_bytes()));
    let [state, name, target, version, heap] = cells;
    let path = printable(archive.path.as_os_str().as_bytes());
    Row {
        cells: vec![state, name, target, version, heap, path],
        style: colour(toolchain.state),
        details: details(toolchain),
    }
}

/// What the columns do not say.
fn details(toolchain: &Toolchain) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(brawn) = &toolchain.brawn {
        let memory = match toolchain.memory {
            Some(Memory::Brawn) => "memory functions, too",
            Some(Memory::Mixed) => "memory functions, not all",
            _ => "musl's memory functions",
        };
        let heap = match toolchain.profile {
            Some(_) => "heap",
            None => "no heap",
        };
        lines.push(format!("of brawn {brawn}: {heap}; {memory}"));
        if toolchain.record.is_none() {
            lines.push("no record beside it: `brawn restore` cannot undo".into());
        }
    }
    if !matches!(toolchain.state, State::Stock | State::Patched) {
        lines.push(toolchain.why.clone());
    }
    let lines = lines.iter();
    lines.map(|line| printable(line.as_bytes())).collect()
}

fn colour(state: State) -> Style {
    let colour = match state {
        State::Patched => AnsiColor::Green,
        State::Stock | State::OtherBrawn | State::Replaced | State::NoHeap => AnsiColor::Yellow,
        State::Unsupported | State::Refused | State::NotMusl => AnsiColor::Yellow,
        State::Changed | State::Interrupted | State::ForeignHeap => AnsiColor::Red,
        State::Mixed | State::Unreadable => AnsiColor::Red,
    };
    colour.on_default().bold()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args as _;

    #[test]
    fn every_kind_can_be_typed_by_its_name() {
        for kind in ToolchainKind::ALL {
            let line = ["toolchains", "--kind", kind.name()];
            let command = Args::augment_args(clap::Command::new("toolchains"));
            let typed = command.try_get_matches_from(line).unwrap();
            let typed: Vec<&ToolchainKind> = typed.get_many("kind").unwrap().collect();
            assert_eq!(typed, [&kind]);
        }
    }
}
