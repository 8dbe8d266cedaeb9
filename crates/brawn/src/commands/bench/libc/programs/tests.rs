use super::*;

#[test]
fn zig_has_the_same_unwinder_for_glibc() {
    let gnu = beside("/opt/zig c++ -target x86_64-linux-musl");
    assert_eq!(
        gnu.as_deref(),
        Some("/opt/zig c++ -target x86_64-linux-gnu")
    );
    assert_eq!(beside("x86_64-linux-musl-g++"), None);
}

#[test]
fn compilers_for_cxx_stand_beside_those_for_c() {
    for (c, cxx) in [
        ("musl-gcc", Some("musl-g++")),
        ("gcc-12 -m64", Some("g++-12 -m64")),
        (
            "/opt/gcc/bin/x86_64-linux-musl-gcc",
            Some("/opt/gcc/bin/x86_64-linux-musl-g++"),
        ),
        (
            "zig cc -target x86_64-linux-musl",
            Some("zig c++ -target x86_64-linux-musl"),
        ),
        (
            "clang-19 --target=x86_64-alpine-linux-musl",
            Some("clang++-19 --target=x86_64-alpine-linux-musl"),
        ),
        ("/usr/bin/cc", Some("/usr/bin/c++")),
        ("tcc", None),
    ] {
        assert_eq!(guess(c).as_deref(), cxx, "{c}");
    }
}
