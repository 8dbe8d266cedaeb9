use super::*;

/// Runs the programs that need no downloaded sources, with short jobs and both libcs.
#[test]
fn own_programs_say_the_same_with_musl_and_glibc() {
    let folder = repository().join("target/tmp/acid");
    fs::create_dir_all(&folder).expect("a directory");
    let own = PROGRAMS.iter().filter(|p| p.sources.starts_with("own/"));
    let mut count = 0;
    for program in own {
        let said = ["musl-gcc", "gcc"].map(|compiler| {
            let out = folder.join(format!("{}-{compiler}", program.name));
            let mut command = Command::new(compiler);
            command
                .args(["-O2", "-Wall", "-Werror", "-pthread", "-o"])
                .arg(&out);
            command
                .args(sources(program, &folder).expect("sources"))
                .arg("-lm");
            checked(&mut command).expect("compiles without a warning");
            let written = folder.join("out").display().to_string();
            let arguments = program
                .quick
                .split_whitespace()
                .map(|a| a.replace("$OUT", &written));
            checked(Command::new(&out).args(arguments)).expect("runs")
        });
        assert_eq!(said[0], said[1], "{}", program.name);
        assert!(!said[0].is_empty(), "{}", program.name);
        count += 1;
    }
    assert!(count >= 6, "only {count}");
}

#[test]
fn the_text_is_the_same_each_time() {
    assert_eq!(text(1000), text(1000));
    assert_eq!(text(1000).len(), 1000);
}
