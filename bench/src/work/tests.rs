use super::*;

#[test]
fn a_folder_of_somebody_else_is_left_as_it_is() {
    let temporary = tempfile::tempdir().expect("a directory");
    let theirs = temporary.path().join("theirs");
    fs::create_dir(&theirs).expect("made");
    fs::write(theirs.join("letter"), "dear").expect("written");
    for refused in [claim(&theirs), empty(&theirs)] {
        let said = refused.expect_err("refused");
        assert!(said.contains("did not make it"), "{said}");
    }
    assert_eq!(fs::read(theirs.join("letter")).expect("there"), b"dear");
    assert!(!theirs.join(MARK).exists());

    let ours = temporary.path().join("a/new/one");
    empty(&ours).expect("made");
    fs::write(ours.join("built"), "x").expect("written");
    claim(&ours).expect("still ours");
    assert!(ours.join("built").exists());
    empty(&ours).expect("emptied");
    assert!(!ours.join("built").exists());
    empty(&ours).expect("again");
}
