//! Alpine's recipe for images is not run by any test: it has Debian's targets, and the guide says how far it is from
//! them.

use crate::common::root;
use std::fs;

#[test]
fn what_is_said_of_alpines_recipe() {
    let recipes = root().join("packaging/image");
    let read = |name: &str| fs::read_to_string(recipes.join(name)).expect("readable");
    let (debian, alpine) = (read("debian/Containerfile"), read("alpine/Containerfile"));
    let steps = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|l| !l.starts_with('#') && !l.is_empty());
        lines.map(str::to_owned).collect()
    };
    let (debian, alpine) = (steps(&debian), steps(&alpine));
    let same = alpine.iter().filter(|line| debian.contains(line)).count();
    let says = format!("{} of its {} lines are Debian's", same, alpine.len());
    let readme = read("README.md").replace('\n', " ");
    assert!(readme.contains(&says), "README.md does not say: {says}");
    for target in ["AS c\n", "AS rust\n", "AS cpp\n"] {
        assert!(read("alpine/Containerfile").contains(target), "{target}");
        assert!(read("debian/Containerfile").contains(target), "{target}");
    }
}
