use super::*;
use brawn_core::Kind;

fn names(only: &[&str]) -> Vec<&'static str> {
    let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
    chosen(&only).expect("known names")
}

#[test]
fn families_and_beginnings_of_names_choose_rows() {
    assert_eq!(names(&[]).len(), functions::all().count());
    let math = names(&["math"]);
    assert!(math.iter().all(|row| row.starts_with("math: ")));
    let some = names(&["strtod", "sort: insque"]);
    assert!(some.contains(&"sort: insque and remque") && some.len() > 3);
    for unknown in ["nothing", "", "mat"] {
        let error = chosen(&["math".to_owned(), unknown.to_owned()]).expect_err(unknown);
        assert_eq!(error.kind(), Kind::Usage);
    }
    assert_eq!(names(&[functions::LIFE]), [functions::LIFE]);
}
