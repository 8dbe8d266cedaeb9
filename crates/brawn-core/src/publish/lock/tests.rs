use super::*;

#[test]
fn a_lock_is_waited_for_and_not_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (File::open(&folder).unwrap(), File::open(&folder).unwrap());
    let patience = Duration::from_millis(100);
    lock(&one, patience, || panic!("nobody has it")).unwrap();
    let mut waited = 0;
    let error = lock(&two, patience, || waited += 1).unwrap_err();
    assert!(error.to_string().contains("lock"), "{error}");
    assert_eq!((error.kind(), waited), (Kind::Io, 1));
    drop(one);
    // Another test may just start a process, which has a copy of the handle until its program begins.
    lock(&two, PATIENCE, || {}).unwrap();
}
