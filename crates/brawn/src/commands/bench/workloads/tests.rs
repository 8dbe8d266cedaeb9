use super::*;

#[test]
fn every_workload_has_its_source() {
    for processors in [0, 1, 2, 3, 64, 5000] {
        let all = all(processors);
        for one in &all {
            let file = format!("{}.c", one.source);
            assert!(FILES.iter().any(|(name, _)| *name == file), "{file}");
            let same = all.iter().filter(|other| other.name == one.name);
            assert_eq!(same.count(), 1, "{}", one.name);
        }
    }
}

#[test]
fn threads_go_up_to_the_processors() {
    assert_eq!(threads(0), [1]);
    assert_eq!(threads(1), [1]);
    assert_eq!(threads(2), [1, 2]);
    assert_eq!(threads(6), [1, 2, 4, 6]);
    assert_eq!(threads(5000).last(), Some(&1024));
}
