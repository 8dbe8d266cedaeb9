use super::*;

#[test]
fn words_are_dropped_and_added_behind_the_command() {
    let words = ["a.o", "-L/x", "a.o", "-s"].map(String::from);
    let toolchain = Toolchain::new(&words);
    assert_eq!(
        toolchain.without(|word| word == "a.o").typed(),
        "a.o -L/x -s"
    );
    assert_eq!(
        toolchain.before("-L", "-L/y").typed(),
        "a.o -L/y -L/x a.o -s"
    );
    assert_eq!(toolchain.before("-q", "-L/y").typed(), toolchain.typed());
    let with = toolchain.with(vec!["b c.o".to_owned()]);
    assert_eq!(with.line(&with.objects), "a.o -L/x a.o -s 'b c.o'");
}
