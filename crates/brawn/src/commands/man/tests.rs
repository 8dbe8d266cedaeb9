use super::*;
use crate::cli::Cli;
use clap::CommandFactory as _;

#[test]
fn every_command_has_a_page_with_all_its_options_and_values() {
    let pages = pages(Cli::command());
    for command in &pages {
        let name = name_of(command).to_owned();
        let text = page(std::slice::from_ref(&name), &pages).expect("it is listed");
        // As roff writes what is typed.
        let text = text.replace("\\-", "-").replace("\\*(Aq", "'");
        assert!(text.is_ascii(), "{name}");
        let text = text.replace("\\[u2026]", "…");
        assert!(text.contains(&format!("{name} - ")), "{name}: no name");
        for heading in ["SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"] {
            assert!(text.contains(heading), "{name}: no {heading}");
        }
        for (line, _) in help::examples(name.trim_start_matches("brawn").trim_start_matches('-')) {
            let line = line.replace('\\', "\\\\");
            assert!(text.contains(&line), "{name}: {line}");
        }
        for argument in command.get_arguments().filter(|a| !a.is_hide_set()) {
            let long = argument.get_long();
            let shown = long.is_none_or(|long| text.contains(&format!("--{long}")));
            assert!(shown, "{name}: --{long:?}");
            for value in argument.get_possible_values() {
                assert!(text.contains(value.get_name()), "{name}: {value:?}");
            }
        }
    }
}

#[test]
fn what_a_page_refers_to_is_there() {
    let pages = pages(Cli::command());
    let names = names(&pages);
    for (of, others) in RELATED {
        for name in others.iter().chain([of]) {
            assert!(names.contains(&format!("brawn-{name}")), "{name}");
        }
    }
    let text = page(&["patch".to_owned()], &pages).expect("there is one");
    assert!(text.contains("\\fBbrawn\\-restore\\fR(1)"), "{text}");
}

#[test]
fn a_page_has_the_names_that_are_typed_for_it() {
    let pages = pages(Cli::command());
    let say = |words: &[&str]| {
        page(
            &words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>(),
            &pages,
        )
    };
    let own = say(&["brawn-signatures-find"]).expect("there is one");
    assert_eq!(say(&["signatures", "find"]).expect("the same"), own);
    assert_eq!(say(&["signatures-find"]).expect("the same"), own);
    let whole = say(&[]).expect("brawn has one");
    assert_eq!(say(&["brawn"]).expect("the same"), whole);
    assert!(say(&["nothing"]).is_err());
    for name in names(&pages)
        .iter()
        .skip(1)
        .filter(|n| n.matches('-').count() == 1)
    {
        assert!(
            whole.replace("\\-", "-").contains(&format!("{name}(1)")),
            "{name}"
        );
    }
}
