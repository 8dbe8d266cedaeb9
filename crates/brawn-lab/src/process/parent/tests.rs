use super::*;

#[test]
fn figures_of_program_and_launcher_are_read_together() {
    let sample = parse("counter: 7\nresult ns=12.5 threads=2\nlaunch wall_ns=9 status=0\n");
    assert_eq!(sample["ns"], 12.5);
    assert_eq!(sample["wall_ns"], 9.0);
    assert_eq!(sample.len(), 4);
}

#[test]
fn statuses_are_told_in_words() {
    assert_eq!(meaning(3 << 8), "exit code 3");
    assert_eq!(meaning(127 << 8), "did not start");
    assert_eq!(meaning(11), "killed by signal 11");
    assert_eq!(meaning(139), "killed by signal 11");
}
