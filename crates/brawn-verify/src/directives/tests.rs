use super::*;

const TEXT: &str = "//# states: blocks\n//# link: static zig line\n//# case: a b\n\
    //# needs-root: b\n\
    //# fails: glibc/*/b: it is lenient\nint main(void) {}\n";

#[test]
fn directives_are_read() {
    let program = Program::parse(Path::new("programs/x.c"), TEXT).unwrap();
    assert_eq!(program.name, "x");
    assert_eq!(program.cases, ["a", "b"]);
    assert_eq!(program.links_with(Libc::Stock), [Link::Static, Link::Zig]);
    assert_eq!(program.links_with(Libc::Brawn).len(), 3);
    let glibc = Surroundings {
        libcs: vec!["glibc".to_owned()],
        link: Link::Dynamic,
    };
    let exception = |case| program.exception(&glibc, Some(case));
    assert!(exception("a").is_none());
    assert_eq!(exception("b").unwrap().reason, "it is lenient");
    assert!(program.is_roots(Some("b")) && !program.is_roots(Some("a")));
    let program = Program::parse(Path::new("x.c"), "//# states: x\n//# needs-root\n").unwrap();
    assert!(program.is_roots(None) && program.is_roots(Some("a")));
}

#[test]
fn what_is_not_known_is_refused_with_its_line() {
    let error = Program::parse(Path::new("x.c"), "//# states: x\n//# libs: m\n").unwrap_err();
    assert_eq!(error, "x.c:2: unknown directive libs");
    assert!(Program::parse(Path::new("x.c"), "int x;").is_err());
}
