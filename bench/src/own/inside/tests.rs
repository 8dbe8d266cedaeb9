use super::*;

const TEXT: &str =
    "resident 8192\nrow 4096 2 large blocks\nrow 0 0 nothing\nsize 48 96 4000\nsize 64 64 0\n";

#[test]
fn what_the_heap_saw_is_shown_with_the_rest() {
    let peak = read(TEXT).expect("read");
    let text = show("it", &peak).markdown().replace('\u{a0}', " ");
    assert!(text.contains("| large blocks | 4 | 50.0 % | 2 |"), "{text}");
    assert!(text.contains("threads' heaps | 4 | 50.0 % |"), "{text}");
    assert!(text.contains("blocks of 48 B | 4 |"), "{text}");
    assert!(
        !text.contains("nothing") && !text.contains("64 B"),
        "{text}"
    );
}

#[test]
fn what_is_cut_off_is_an_error() {
    for text in [
        "",
        "resident\n",
        "resident 1\nrow 3 4\n",
        "size 1 2\n",
        "other\n",
    ] {
        assert!(read(text).is_err(), "{text:?}");
    }
}
