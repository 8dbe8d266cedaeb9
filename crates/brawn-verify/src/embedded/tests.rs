use super::*;

#[test]
fn they_are_the_checkouts() {
    let folder = tempfile::tempdir().unwrap();
    let embedded = programs(folder.path()).unwrap();
    let names = |all: &[Program]| all.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/programs");
    let checkout = Program::all(Path::new(checkout)).unwrap();
    assert_eq!(names(&embedded), names(&checkout));
    for (ours, theirs) in embedded.iter().zip(&checkout) {
        let mut sources = vec![(&ours.path, &theirs.path)];
        sources.extend(ours.objects.iter().zip(&theirs.objects));
        sources.extend(ours.archives.iter().zip(&theirs.archives));
        for (a, b) in sources {
            let read = |path: &Path| std::fs::read_to_string(path).unwrap();
            assert_eq!(read(a), read(b), "{}", b.display());
        }
    }
}
