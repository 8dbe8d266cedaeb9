use super::*;

#[test]
fn they_are_the_checkouts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/signatures");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    files.sort();
    let files = files
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap());
    let files: Vec<String> = files.collect();
    let mut count = 0;
    for architecture in Isa::ALL {
        let line = format!("architecture {}", architecture.name());
        let of_it = files.iter().filter(|text| text.lines().any(|l| l == line));
        let found = texts(architecture).unwrap();
        assert!(of_it.eq(&found), "{line}");
        count += found.len();
    }
    assert_eq!(count, files.len());
}
