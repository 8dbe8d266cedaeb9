use super::*;

#[test]
fn names_are_unique_and_sources_exist() {
    for (i, e) in CATALOGUE.iter().enumerate() {
        assert!(
            CATALOGUE[..i].iter().all(|other| other.id != e.id),
            "{} twice",
            e.id
        );
        let path = match e.workload.strip_prefix("rust-") {
            Some(number) => format!("bench/rust/src/bin/seed{number}.rs"),
            None => format!("bench/workloads/{}.c", e.workload),
        };
        let source = crate::repository().join(path);
        assert!(
            e.kind == Kind::Patch || e.workload == WASMTIME || source.is_file(),
            "{}",
            source.display()
        );
    }
}
