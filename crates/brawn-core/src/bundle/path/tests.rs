use super::*;
use std::collections::HashMap;

impl Tree for HashMap<&str, Link> {
    fn link(&self, path: &[u8]) -> Result<Option<Link>> {
        Ok(self.get(std::str::from_utf8(path).unwrap()).cloned())
    }
}

fn link(target: &str) -> Link {
    Link::Symbolic(target.into())
}

#[test]
fn links_are_followed_inside_of_the_bundle() {
    let tree = HashMap::from([
        ("b/a/link", link("../c")),
        ("b/c/d", link("e/f")),
        ("b/hard", Link::Hard(b"./b/c/real".to_vec())),
        ("b/up", link("..")),
        ("b/out", link("../x")),
        ("b/absolute", link("/etc")),
        ("b/else", Link::Hard(b"x/real".to_vec())),
        ("b/loop", link("loop")),
        ("b/two", Link::Several),
        ("b/long", link(&"a/".repeat(LONGEST))),
    ]);
    let to = |path: &str| {
        let found = resolve(&tree, b"b", b"b", path.as_bytes());
        found.map(|found| String::from_utf8(found).unwrap())
    };
    assert_eq!(to("a/link/d/g").unwrap(), "b/c/e/f/g");
    assert_eq!(to("./a//x/../y").unwrap(), "b/a/y");
    assert_eq!(to("hard").unwrap(), "b/c/real");
    for (path, why) in [
        ("..", "`..` leads out"),
        ("a/../../x", "leads out"),
        ("/etc/passwd", "absolute"),
        ("up", "leads out"),
        ("out", "leads out"),
        ("absolute/passwd", "by the link b/absolute to `/etc`"),
        ("else", "by the link b/else to `x/real`"),
        ("loop", "more than 40 links, b/loop among them"),
        ("two", "b/two is there more than once"),
        (
            "long",
            "the link b/long with 8192 bytes; expected at most 4096",
        ),
        (&"a/".repeat(LONGEST), "a path of 8192 bytes"),
    ] {
        let error = to(path).unwrap_err().to_string();
        assert!(error.contains(why), "{path}: {error}");
    }
}

#[test]
fn names_are_compared_without_what_means_nothing() {
    assert_eq!(normal(b"./a//b/./c/").unwrap(), b"a/b/c");
    assert_eq!(normal(b"a/../b"), None);
    assert_eq!(normal(b"/a"), None);
    assert_eq!(last(b"a/b"), b"b");
    assert_eq!(folder(b"a/b/c"), b"a/b");
    assert_eq!(folder(b"a"), b"");
}
