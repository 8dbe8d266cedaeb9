use super::*;
use std::process::Command;

#[test]
fn what_the_kernel_does_not_take_goes_to_no_shell() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text");
    // By a shell: what this process has open for writing, a child of another test may have, too, and then the kernel
    // says that the file is busy.
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", "echo exit 7 >\"$0\" && chmod 755 \"$0\""]);
    assert!(shell.arg(&path).status().unwrap().success());
    for variable in [None, Some(("LD_PRELOAD", OsStr::new("x")))] {
        let error = execute(&path, &[OsString::from("text")], variable);
        assert_eq!(error.raw_os_error(), Some(libc::ENOEXEC));
        assert!(
            failed(&path, error)
                .to_string()
                .starts_with("not a program")
        );
    }
    let error = execute(&folder.path().join("none"), &[], None);
    let text = failed(Path::new("none"), error).to_string();
    assert_eq!(text, "cannot run it: No such file or directory");
}
