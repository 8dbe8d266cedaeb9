use super::*;

fn line(words: &str) -> Line {
    let words: Vec<OsString> = words.split_whitespace().map(Into::into).collect();
    Line::parse(&words)
}

#[test]
fn pieces_make_up_the_whole() {
    for words in [
        "",
        "build",
        "+nightly -Zbuild-std --config a=1 build --target x -- --target y",
        "--version",
        "-C there run",
    ] {
        let line = line(words);
        let all = line.toolchain.iter().chain(&line.before);
        let all: Vec<_> = all.chain(&line.command).chain(&line.rest).collect();
        assert_eq!(all, words.split_whitespace().collect::<Vec<_>>());
    }
}

#[test]
fn the_command_is_found_behind_options_with_values() {
    for words in [
        "+x --config build run",
        "-C build run",
        "-q --color never run",
    ] {
        assert_eq!(line(words).command, Some("run".into()), "{words}");
    }
}

#[test]
fn what_links() {
    for words in [
        "build",
        "+x t",
        "-q zigbuild",
        "musl-alias",
        "run -- -h",
        "run -r --target x word --help",
        "r --bin=a word -h",
    ] {
        assert!(line(words).links(), "{words}");
    }
    for words in [
        "",
        "fmt",
        "--version",
        "--list",
        "-V build",
        "check --target x",
        "build -r --help",
        "run -p package --help",
        "test word --help",
    ] {
        assert!(!line(words).links(), "{words}");
    }
}

#[test]
fn an_alias_has_its_words_in_its_place() {
    for (words, may) in [
        ("c", true),
        ("+x ship -r", true),
        ("build", false),
        ("check", false),
    ] {
        assert_eq!(line(words).may_be_alias(), may, "{words}");
    }
    let meant = ["--locked", "build", "-q"].map(str::to_owned);
    assert_eq!(
        line("+x -v ship -r -- a").with_alias(&meant),
        line("+x -v --locked build -q -r -- a")
    );
}

#[test]
fn values_are_cargos_own() {
    let here = line("--config a -Zx -Z y build --target x --target=y -- --target z --config z");
    assert_eq!(here.values("--target"), ["x", "y"]);
    assert_eq!(here.values("--config"), ["a"]);
    assert_eq!(here.values("-Z"), ["x", "y"]);
    // These are for the program that runs.
    let here = line("run --target x word --target y --config z");
    assert_eq!(here.values("--target"), ["x"]);
    assert_eq!(here.values("--config"), [""; 0]);
    // For that command, it may mean something else.
    assert_eq!(
        line("--config a zigbuild --config b").values("--config"),
        ["a"]
    );
}

#[test]
fn configuration_goes_where_the_users_is() {
    let ours = ["c".to_owned()];
    let with = |words: &str| line(words).with(&ours);
    assert_eq!(with("-q build -r"), ["--config", "c", "-q", "build", "-r"]);
    assert_eq!(
        with("--config a build --config=b"),
        ["--config", "a", "build", "--config", "c", "--config=b"]
    );
    assert_eq!(
        line("--config a build --config=b").values("--config"),
        ["b"]
    );
}
