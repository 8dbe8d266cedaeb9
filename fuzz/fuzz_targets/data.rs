//! Any bytes are the data of a comparison, about which everything that is said is said without a panic, or no data.

use brawn_core::shown::shown_json;
use brawn_lab::data::Comparison;
use brawn_lab::judge::verdict;
use brawn_lab::run::beside::beside;

pub fn run(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let Ok(mut data) = serde_json::from_str::<Comparison>(&shown_json(text)) else {
        return;
    };
    if data.check().is_err() {
        return;
    }
    data.verdicts = verdict::all(&data);
    let written = serde_json::to_string(&data).expect("it is data");
    let again: Comparison = serde_json::from_str(&written).expect("what is written is read");
    assert!(again.check().is_ok());
    if let Ok(both) = beside(data, again) {
        let _ = verdict::all(&both);
    }
}
