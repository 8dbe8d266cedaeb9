use super::*;
use std::path::Path;

fn raw() -> Raw {
    let round = |stock: f64, brawn: f64, glibc: f64| {
        [(STOCK, stock), (BRAWN, brawn), (GLIBC, glibc)]
            .map(|(side, ns)| {
                (
                    side.to_owned(),
                    Sample::from([("strings: strlen".to_owned(), ns)]),
                )
            })
            .into()
    };
    Raw {
        rounds: vec![
            round(30.0, 12.0, 10.0),
            round(60.0, 16.0, 20.0),
            round(30.0, 11.0, 10.0),
        ],
        ..Raw::new("test", Path::new("brawn"))
    }
}

#[test]
fn a_row_that_is_behind_counts() {
    let said = summary(&raw());
    assert!(said.contains("stock musl 1, brawn 1"), "{said}");
}
