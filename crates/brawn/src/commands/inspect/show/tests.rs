use super::*;

#[test]
fn columns_go_before_a_path_is_cut_to_less_than_a_third() {
    let widths = [9, 11, 10, 25, 6, 100];
    assert_eq!(fit(&widths, None), ([true; 6], usize::MAX));
    for width in 20..200 {
        let (is_shown, room) = fit(&widths, Some(width));
        let before: usize = (0..PATH)
            .filter(|n| is_shown[*n])
            .map(|n| widths[n] + GAP)
            .sum();
        assert!(before + room <= width && room >= LEAST, "{width}");
        assert!(room >= width / 3 || !is_shown[3], "{width}");
    }
    let short = [9, 11, 6, 13, 6, 4];
    assert_eq!(fit(&short, Some(80)), ([true; 6], 25));
    // All that it needs is enough.
    assert_eq!(fit(&short, Some(60)), ([true; 6], LEAST));
}

#[test]
fn a_path_that_is_cut_has_its_beginning_and_its_end() {
    assert_eq!(bounded("tool", 4), "tool");
    assert_eq!(bounded("a/folder/tool", 10), "a/f…r/tool");
    assert_eq!(bounded("a/x.whl!scripts/tool", 18), "x.whl!scripts/tool");
    assert_eq!(bounded("a/x.whl!scripts/tool", 13), "x.whl!…s/tool");
    assert_eq!(bounded("a/package-2.tgz!tool", 13), "package…!tool");
    assert_eq!(bounded("a/package.tgz!scripts/tool", 13), "packa…!…/tool");
    for room in LEAST..40 {
        let long = bounded("a/package-1.tgz!package/scripts/tool", room);
        assert!(long.chars().count() <= room, "{room}: {long}");
    }
    assert_eq!(bounded("äöüäöüäöü", 4), "ä…öü");
}
