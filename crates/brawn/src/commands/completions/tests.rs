use super::*;
use crate::cli::Cli;
use clap::CommandFactory as _;

#[test]
fn every_script_knows_every_subcommand_and_its_long_options() {
    let brawn = Cli::command();
    for shell in Shell::value_variants() {
        let script = script(*shell, &brawn);
        for command in brawn.get_subcommands() {
            let name = command.get_name();
            assert!(script.contains(name), "{shell:?}: {name}");
            for option in command.get_arguments().filter_map(|a| a.get_long()) {
                assert!(script.contains(option), "{shell:?}: {name} --{option}");
            }
        }
        for profile in brawn_payload::Profile::ALL {
            assert!(script.contains(profile.name()), "{shell:?}: {profile:?}");
        }
        for (_, place) in NAMES {
            assert!(!script.contains(place), "{shell:?}: {place}");
        }
    }
}
