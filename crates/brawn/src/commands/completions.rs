//! `brawn completions`: what a shell needs to complete brawn's command lines.

use crate::exit::Exit;
use crate::ui;
use clap::{Arg, Command, ValueEnum};
use clap_complete::{generate, shells};

/// Print a script that completes brawn's command line in a shell.
///
/// For this user: `brawn completions bash > ~/.local/share/bash-completion/completions/brawn`, `brawn completions zsh >
/// ~/.zfunc/_brawn` with that directory in fpath, or `brawn completions fish > ~/.config/fish/completions/brawn.fish`.
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

pub fn run(args: &Args, brawn: fn() -> Command) -> Exit {
    ui::text(&script(args.shell, &brawn()));
    Exit::Success
}

/// Options whose values are names of this machine's toolchains, each a kind of `brawn toolchains`, and what clap writes
/// into a script where these names belong.
const NAMES: [(&str, &str); 2] = [("rust", "@rust@"), ("swift", "@swift@")];

/// The script.  It names options and values, and no files of this machine: for the names of toolchains it asks brawn.
fn script(shell: Shell, brawn: &Command) -> String {
    let mut command = brawn.clone().mut_subcommands(|command| {
        command.mut_args(|argument| {
            let long = argument.get_long().unwrap_or_default();
            let named = NAMES.iter().find(|(kind, _)| *kind == long);
            match named.filter(|_| argument.get_action().takes_values()) {
                Some((_, place)) => argument.value_parser([*place]),
                None => argument,
            }
        })
    });
    let mut bytes = Vec::new();
    let name = "brawn";
    match shell {
        Shell::Bash => generate(shells::Bash, &mut command, name, &mut bytes),
        Shell::Zsh => generate(shells::Zsh, &mut command, name, &mut bytes),
        Shell::Fish => generate(shells::Fish, &mut command, name, &mut bytes),
    }
    let script = String::from_utf8_lossy(&bytes).into_owned();
    match shell {
        Shell::Bash => bash(&script, brawn),
        Shell::Zsh => zsh(&script),
        Shell::Fish => fish(&script, brawn),
    }
}

/// The commands that take a program and its arguments, each with those of its options that have a value, with blanks
/// between them.  Behind the program, nothing is brawn's.
fn of_programs(brawn: &Command) -> Vec<(String, String)> {
    let takes = |command: &&Command| {
        let mut all = command.get_positionals();
        all.any(Arg::is_trailing_var_arg_set)
    };
    let commands = brawn.get_subcommands().filter(takes);
    let values = |command: &Command| -> Vec<String> {
        let all = command.get_arguments();
        let all = all.filter(|option| option.get_action().takes_values());
        let names = |option: &Arg| {
            let long = option.get_long().map(|name| format!("--{name}"));
            let short = option.get_short().map(|name| format!("-{name}"));
            long.into_iter().chain(short)
        };
        all.flat_map(names).collect()
    };
    commands
        .map(|command| (command.get_name().to_owned(), values(command).join(" ")))
        .collect()
}

/// Bash divides `--option=value` at its `=`, which clap's script does not expect.
fn bash(script: &str, brawn: &Command) -> String {
    let head = "    prev=\"$3\"\n";
    let divided = include_str!("completions/divided.bash");
    let mut script = script.replacen(head, &format!("{head}{divided}"), 1);
    for (kind, place) in NAMES {
        let values = format!("COMPREPLY=($(compgen -W \"{}\" -- \"${{cur}}\"))", place);
        let asked = format!("if [[ $joined ]]; then _brawn_names {kind} \"$cur\"; fi");
        script = script.replace(&values, &asked);
    }
    for (name, values) in of_programs(brawn) {
        let block = format!("        brawn__subcmd__{name})\n");
        // A program's own completions are there if bash-completion is.
        let own = match name.as_str() {
            "cargo" => "",
            _ => "declare -F _command_offset >/dev/null && _command_offset $program",
        };
        let stop = format!(
            "            if _brawn_program \"{values}\"; then\n                COMPREPLY=()\n                {own}\n                \
             return 0\n            fi\n"
        );
        script = script.replacen(&block, &format!("{block}{stop}"), 1);
    }
    include_str!("completions/names.bash").to_owned() + &script
}

fn zsh(script: &str) -> String {
    let mut script = script.to_owned();
    let mut functions = String::new();
    for (kind, place) in NAMES {
        let values = format!(":({})'", place);
        script = script.replace(&values, &format!(":_brawn_{kind}'"));
        // The value belongs to the same word.
        script = script.replace(&format!("'--{kind}=["), &format!("'--{kind}=-["));
        functions += &include_str!("completions/names.zsh").replace("KIND", kind);
    }
    // What follows a program is completed as the program's, without brawn's options.
    for (line, action) in [
        ("'*::program -- ", ":_normal'"),
        ("'*::cargo -- ", ":_default'"),
    ] {
        let lines = script
            .split('\n')
            .map(|text| match text.strip_prefix(line) {
                Some(rest) => {
                    let rest = rest.replace(":_default'", action);
                    format!("'(-){}{rest}", &line[1..])
                }
                None => text.to_owned(),
            });
        script = lines.collect::<Vec<_>>().join("\n");
    }
    let before = "(( $+functions[_brawn_commands] )) ||\n";
    script.replacen(before, &format!("{functions}{before}"), 1)
}

fn fish(script: &str, brawn: &Command) -> String {
    let mut script = script.to_owned();
    for (kind, place) in NAMES {
        let values = format!("-r -f -a \"{}\\t''\"", place);
        let asked = format!("-r -f -a \"(__fish_brawn_names {kind})\"");
        script = script.replace(&values, &asked);
    }
    for (name, values) in of_programs(brawn) {
        let always = format!("\"__fish_brawn_using_subcommand {name}\"");
        let before = format!("\"__fish_brawn_before_program {name} {values}\"");
        script = script.replace(&always, &before);
    }
    // clap's script leaves out the values of what is no option.
    for command in brawn.get_subcommands() {
        let values = command
            .get_positionals()
            .flat_map(|a| a.get_possible_values());
        let values: Vec<String> = values.map(|v| v.get_name().to_owned()).collect();
        if !values.is_empty() {
            let (name, values) = (command.get_name(), values.join(" "));
            script += &format!(
                "complete -c brawn -n \"__fish_brawn_using_subcommand {name}\" -f -a \"{values}\"\n"
            );
        }
    }
    include_str!("completions/names.fish").to_owned() + &script
}

#[cfg(test)]
mod tests;
