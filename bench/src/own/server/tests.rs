use super::*;

#[test]
fn a_part_of_the_loads_is_chosen_by_how_they_begin() {
    let count = |only: &[&str]| {
        let only: Vec<String> = only.iter().map(ToString::to_string).collect();
        runs(&only).map(|runs| runs.len())
    };
    assert_eq!(count(&[]), Ok(SERVERS.len() * LOADS.len()));
    assert_eq!(count(&["nginx"]), Ok(LOADS.len()));
    assert_eq!(count(&["axum/10K-1"]), Ok(1));
    assert!(count(&["apache"]).is_err());
}

#[test]
fn names_of_loads_are_unique_and_each_connection_has_a_request() {
    for (at, load) in LOADS.iter().enumerate() {
        assert!(LOADS[..at].iter().all(|other| other.name != load.name));
        assert!(load.requests >= load.connections, "{}", load.name);
    }
}
