use super::*;

#[test]
fn the_users_own_options_end_before_a_files_name() {
    for (options, kept) in [
        ("", ""),
        ("purge=1", "purge=1"),
        ("heap_profile=/a,b", ""),
        ("a=1,b,heap_profile=/x,heap_interval=3", "a=1,b"),
    ] {
        assert_eq!(without_file(OsStr::new(options)), kept);
    }
}

#[test]
fn the_page_stands_beside_the_profile() {
    let of = |given: &str| {
        let (pprof, page) = files(Path::new(given));
        (
            pprof.to_string_lossy().into_owned(),
            page.to_string_lossy().into_owned(),
        )
    };
    let both = ("a/heap.pb.gz".into(), "a/heap.html".into());
    assert_eq!(of("a/heap.pb.gz"), both);
    assert_eq!(of("a/heap.html"), both);
    assert_eq!(of("heap"), ("heap".into(), "heap.html".into()));
    assert_eq!(
        of("v1.2/heap"),
        ("v1.2/heap".into(), "v1.2/heap.html".into())
    );
}
