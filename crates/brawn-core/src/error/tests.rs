use super::*;

#[test]
fn every_part_is_printed_in_order() {
    let error = Error::malformed("size field `12x`")
        .expected("decimal digits")
        .next("download it again")
        .at(0x1a2)
        .member(b"free.lo")
        .path(Path::new("/lib/libc.a"));
    assert_eq!(
        error.to_string(),
        "/lib/libc.a: size field `12x`; expected decimal digits; download it again \
             (member free.lo, at 0x1a2)"
    );
    assert!(
        error
            .without_path()
            .to_string()
            .starts_with("size field `12x`")
    );
    let error = error.held_by(b"sdk/libc.a").to_string();
    assert!(
        error.ends_with("(member free.lo, at 0x1a2, of sdk/libc.a)"),
        "{error}"
    );
}

#[test]
fn what_is_said_of_a_whole_file_has_no_place_in_it() {
    let error = Error::not_applicable("a script").at(18).segment(1);
    assert_eq!(error.to_string(), "a script");
    assert_eq!(Error::malformed("torn").at(0).to_string(), "torn");
    let error = Error::io("cannot read it", io::Error::from_raw_os_error(2));
    assert_eq!(
        error.to_string(),
        "cannot read it: No such file or directory"
    );
}

#[test]
fn the_innermost_place_stays() {
    let error = Error::refused("x").at(1).member(b"a").at(2).member(b"b");
    assert_eq!(error.offset(), Some(1));
    assert_eq!(error.part(), Some(&Piece::Member("a".into())));
}

#[test]
fn no_part_brings_more_than_text() {
    let bad = "a\n\u{9b}\u{202e}b";
    let error = Error::io(bad, io::Error::other(bad))
        .expected(bad)
        .next(bad)
        .member(bad.as_bytes())
        .path(Path::new(bad));
    let text = error.to_string();
    assert!(text.chars().all(crate::shown::is_plain), "{text}");
    assert_eq!(text.matches("a\\n\\u{9b}\\u{202e}b").count(), 6);
}
