//! `brawn completions`: what a shell needs to complete brawn's command lines.

use crate::cli::Cli;
use crate::exit::Exit;
use crate::ui;
use clap::{CommandFactory as _, ValueEnum};
use clap_complete::{generate, shells};

/// Print a script that completes brawn's command line in a shell.
///
/// For this user: `brawn completions bash > ~/.local/share/bash-completion/completions/brawn`, `brawn completions zsh >
/// ~/.zfunc/_brawn` with that folder in fpath, or `brawn completions fish > ~/.config/fish/completions/brawn.fish`.
/// brawn's packages contain these files.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("completions"))]
pub struct Args {
    /// The shell of the script.
    shell: Shell,
}

/// A shell with completions that are scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

pub fn run(args: &Args) -> Exit {
    ui::text(&script(args.shell));
    Exit::Success
}

/// The script; it names options and values only, no files of this machine.
fn script(shell: Shell) -> String {
    let (mut command, mut bytes) = (Cli::command(), Vec::new());
    let name = "brawn";
    match shell {
        Shell::Bash => generate(shells::Bash, &mut command, name, &mut bytes),
        Shell::Zsh => generate(shells::Zsh, &mut command, name, &mut bytes),
        Shell::Fish => generate(shells::Fish, &mut command, name, &mut bytes),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_knows_every_subcommand_and_its_long_options() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for command in Cli::command().get_subcommands() {
                let name = command.get_name();
                assert!(script.contains(name), "{shell:?}: {name}");
                for option in command.get_arguments().filter_map(|a| a.get_long()) {
                    assert!(script.contains(option), "{shell:?}: {name} --{option}");
                }
            }
            for profile in brawn_payload::Profile::ALL {
                assert!(script.contains(profile.name()), "{shell:?}: {profile:?}");
            }
        }
    }
}
