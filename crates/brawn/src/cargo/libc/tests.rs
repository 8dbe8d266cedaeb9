use super::*;

fn flags(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn what_brings_another_libc_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libc.a"), "").unwrap();
    let path = folder.path().display();
    for words in [
        format!("-L {path}"),
        format!("-Ca -L native={path}"),
        format!("-Lall={path}"),
        "-C link-self-contained=no".into(),
        "-Clink-self-contained=-libc".into(),
        "--codegen link-self-contained=off".into(),
        "--codegen=link-self-contained=off".into(),
    ] {
        assert!(obstacle(&flags(&words)).is_some(), "{words}");
    }
    for words in [
        String::new(),
        format!("-L dependency={path}"),
        format!("-Lnative={path}/other"),
        "-C link-self-contained=yes -Ctarget-cpu=native".into(),
        "-L".into(),
    ] {
        assert_eq!(obstacle(&flags(&words)), None, "{words}");
    }
}
