use super::*;

#[test]
fn compilers_are_named() {
    for (text, name) in [
        (
            "GCC: (Alpine 12.2.1_git20220924-r10) 12.2.1 20220924",
            Some("Alpine, gcc 12.2.1"),
        ),
        ("GCC: (GNU) 9.4.0", Some("gcc 9.4.0")),
        (
            "GCC: (Ubuntu 13.2.0-6ubuntu1) 13.2.0",
            Some("Ubuntu, gcc 13.2.0"),
        ),
        (
            "clang version 19.1.7 (https://example.org 1c3c)",
            Some("clang 19.1.7"),
        ),
        ("Linker: LLD 19", None),
        ("GCC: (", None),
    ] {
        assert_eq!(named(text).as_deref(), name);
    }
}
