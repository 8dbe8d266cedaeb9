use super::*;

#[test]
fn a_kind_takes_its_own_options_and_values() {
    for kind in &KINDS {
        kind.command().debug_assert();
        let known = |id: &&&str| OPTIONAL.contains(*id);
        assert_eq!(kind.takes.iter().filter(known).count(), kind.takes.len());
    }
    let parsed = |kind: &str, words: &[&str]| {
        let kind = Kind::named(kind).expect("a kind");
        let words = std::iter::once(&kind.name).chain(words);
        kind.command().try_get_matches_from(words)
    };
    let matches = parsed("rss", &["--only", "waves,hour", "--heaps", "glibc-2"]);
    let options = Options::from_arg_matches(&matches.expect("well")).expect("well");
    assert_eq!(options.choice.only, ["waves", "hour"]);
    assert!(parsed("rss", &["--only", "storm"]).is_err());
    let matches = parsed("sweep", &["--only", "500K,100K,2M"]).expect("any text");
    let options = Options::from_arg_matches(&matches).expect("well");
    assert_eq!(options.choice.only, ["500K,100K,2M"]);
    let matches = parsed("rewrite", &["--quick"]).expect("it is only hidden");
    let refused = Kind::named("rewrite").expect("a kind").run(&matches);
    assert_eq!(refused, Err("`rewrite` has no option quick".to_owned()));
}
