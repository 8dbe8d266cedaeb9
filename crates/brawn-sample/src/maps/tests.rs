use super::*;

#[test]
fn a_line_has_a_range_rights_and_a_file() {
    let line = "7f00-8f10 r-xp 00002000 fe:00 123       /usr/lib/a file.so";
    let expected = Line {
        start: 0x7f00,
        size: 0x1010,
        is_code: true,
        offset: 0x2000,
        path: Path::new("/usr/lib/a file.so"),
    };
    assert_eq!(Line::parse(line), Some(expected));
    let heap = Line::parse("10-20 rw-p 0 00:00 0 ").unwrap();
    assert_eq!((heap.is_code, heap.path), (false, Path::new("")));
    // A recording may say anything: an end before the start, too few words, no numbers.
    for broken in [
        "20-10 r-xp 0 00:00 0 /a",
        "10-20 r-xp 0",
        "x-20 r-xp 0 00:00 0 /a",
        "",
    ] {
        assert_eq!(Line::parse(broken), None, "{broken}");
    }
}

#[test]
fn what_is_mapped_over_another_leaves_the_rest_of_it() {
    let mut maps = Maps::default();
    let (one, two) = (Path::new("one"), Path::new("two"));
    maps.add(1, 0x1000, 0x9000, 0x100, one);
    maps.add(1, 0x4000, 0x1000, 0x70, two);
    let at = |address| maps.place(1, address).map(|p| (p.file, p.at));
    assert_eq!(at(0x0fff), None);
    assert_eq!(at(0x1001), Some((0, 0x101)));
    assert_eq!(at(0x3fff), Some((0, 0x30ff)));
    assert_eq!(at(0x4000), Some((1, 0x70)));
    assert_eq!(at(0x5000), Some((0, 0x4100)));
    assert_eq!(at(0xa000), None);
    maps.add(1, 0x0, 0x10000, 0, two);
    assert_eq!(maps.place(1, 0x1001).map(|p| p.file), Some(1));
}
