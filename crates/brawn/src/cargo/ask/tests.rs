use super::*;

fn call(arguments: &str, output: &str) -> Call {
    Call {
        rustc: "/rustc".into(),
        arguments: arguments.split_whitespace().map(str::to_owned).collect(),
        output: output.into(),
        succeeded: true,
        toolchain: None,
    }
}

const HOST: &str = "rustc 1\nhost: aarch64-unknown-linux-musl\n";
const STATIC: &str = "___\n/tool\noff\ntarget_env=\"musl\"\ntarget_feature=\"crt-static\"\n";
const TAIL: &str = "--crate-type bin --crate-type rlib --print=sysroot --print=cfg";

#[test]
fn the_last_flags_of_a_target_count() {
    let first = format!("- --crate-name ___ --print=file-names --cfg a --target t {TAIL}");
    let second = format!("- --crate-name ___ --print=file-names --cfg a --cfg b --target t {TAIL}");
    let host = format!("- --crate-name ___ --print=file-names {TAIL}");
    let calls = [
        call("-vV", HOST),
        call(&host, STATIC),
        call(&first, STATIC),
        call(&second, STATIC),
    ];
    let answers = Answers::read(&calls).unwrap();
    assert_eq!(answers.targets.len(), 1);
    let target = answers.of("t").unwrap();
    assert_eq!(target.flags, ["--cfg", "a", "--cfg", "b"]);
    assert_eq!(target.sysroot, Path::new("/tool"));
    assert!(target.is_static_musl);
}

#[test]
fn without_targets_it_is_the_host() {
    let host = format!("- --crate-name ___ --print=file-names -Cx {TAIL}");
    let calls = [
        call("-vV", HOST),
        call(&host, "___\n/tool\ntarget_env=\"musl\"\n"),
    ];
    let answers = Answers::read(&calls).unwrap();
    let host = answers.of("aarch64-unknown-linux-musl").unwrap();
    assert_eq!((host.target.as_deref(), host.is_static_musl), (None, false));
    assert_eq!(host.flags, ["-Cx"]);
}

#[test]
fn what_failed_or_is_something_else_says_nothing() {
    let mut failed = call(&format!("- --print=file-names --bad {TAIL}"), STATIC);
    failed.succeeded = false;
    assert!(
        Answers::read(&[call("-vV", HOST), failed])
            .unwrap()
            .targets
            .is_empty()
    );
    assert!(Answers::read(&[call("--crate-name x", "")]).is_none());
}

#[test]
fn a_record_is_gone_after_use_and_so_are_those_of_killed_runs() {
    let root = tempfile::tempdir().unwrap();
    let left = std::fs::File::create(root.path().join(".scratch-1")).unwrap();
    let then = std::time::SystemTime::now() - LEFT * 2;
    left.set_modified(then).unwrap();
    let (one, two) = (record(root.path()).unwrap(), record(root.path()).unwrap());
    assert_ne!(one.path(), two.path());
    drop((one, two));
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}
