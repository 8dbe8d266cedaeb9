use super::*;

#[test]
fn the_beginnings_of_names_choose() {
    let words = ["rust".to_owned(), "python/2".to_owned()];
    assert!(is_chosen("rust/1/fast", &words));
    assert!(is_chosen("python/2/lean", &words));
    assert!(!is_chosen("python/1/lean", &words));
    assert!(is_chosen("node/1/system", &[]));
}

#[test]
fn what_is_stored_is_read_and_nothing_is_lost() {
    let text = std::fs::read_to_string(results()).expect("raw data");
    let before: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let after = stored().expect("read");
    assert!(!before.is_empty());
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        let after = serde_json::to_value(after).expect("written");
        for (key, value) in before.as_object().expect("an object") {
            let is_same = match value.as_f64() {
                // An earlier program wrote 0 for 0.0.
                Some(number) => after[key].as_f64() == Some(number),
                None => after[key] == *value,
            };
            assert!(is_same, "{key} of round {}", before["round"]);
        }
    }
}
