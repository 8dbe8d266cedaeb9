use super::*;

#[test]
fn whole_names_select_no_others() {
    let names = |text: &str| {
        let all: Vec<Program> = embedded::files()
            .filter(|(name, _)| ["realloc.c", "own_realloc.c", "limit_as.c"].contains(name))
            .map(|(name, text)| Program::parse(Path::new(name), text).unwrap())
            .collect();
        let filters = filters(&[text.to_owned()], &all);
        let mut found = Vec::new();
        for program in &all {
            let wanted = trials::cases(program).filter(|c| is_wanted(&filters, program, *c));
            found.extend(wanted.map(|case| trials::name(program, case)));
        }
        found
    };
    assert_eq!(names("limit_as/1024"), ["limit_as/1024"]);
    assert_eq!(names("own_realloc"), ["own_realloc"]);
    let of_realloc = names("realloc");
    assert!(of_realloc.len() > 1, "{of_realloc:?}");
    assert!(
        of_realloc.iter().all(|name| name.starts_with("realloc/")),
        "{of_realloc:?}"
    );
    assert_eq!(names("as/1024").len(), 2);
    assert_eq!(names("none"), Vec::<String>::new());
}
