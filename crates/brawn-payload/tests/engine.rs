//! The patches of `payload/engine/`, and how strictly they are applied.

#![allow(dead_code, missing_docs)] // the module is the build script's; these tests call some of it

use std::error::Error;
use std::fs;
use std::path::Path;

mod common;
#[path = "../build/engine/mod.rs"]
mod engine;

use common::root;
use engine::series;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const HOME: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_patch_changes_the_engine() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let payload = root().join("payload");
    let found = engine::find(Path::new(HOME))?;
    let patched = engine::patched(Path::new(HOME), &payload, folder.path())?;
    assert_eq!(patched.version, found.version);
    let names = series::names(&payload.join("engine"))?;
    assert!(names.len() > 10, "{names:?}");
    // What a patch adds is there in the end: no later one takes it back.
    let text = |folder: &Path| -> Result<String> {
        let mut all = String::new();
        for file in [
            "src/alloc.c",
            "src/free.c",
            "src/heap.c",
            "src/page-queue.c",
            "src/page.c",
            "src/random.c",
            "src/segment.c",
            "include/mimalloc-stats.h",
            "include/mimalloc/atomic.h",
            "include/mimalloc/internal.h",
            "include/mimalloc/types.h",
        ] {
            all += &fs::read_to_string(folder.join(file))?;
        }
        Ok(all)
    };
    let whole = text(&patched.folder)?;
    for name in &names {
        let patch = fs::read_to_string(payload.join("engine").join(name))?;
        let added = patch.lines().filter_map(|line| line.strip_prefix('+'));
        let added: Vec<&str> = added.filter(|line| !line.starts_with("++ ")).collect();
        assert!(!added.is_empty(), "{name}");
        for line in added {
            assert!(whole.contains(line), "{name}: {line}");
        }
    }
    Ok(())
}

const SOURCE: &str = "\
static int first(int x) {
  x = 1;
  return x;
}

static int second(int x) {
  x = 2;
  return x;
}
";

/// `--- a.c` and one hunk, with a reason above it.
fn patch(hunk: &str) -> String {
    format!("It says two.\n\nWhy: it is more.\nUpstream: no.\n\n--- a.c\n+++ a.c\n{hunk}")
}

const HUNK: &str = "\
@@ -2,2 +2,2 @@ static int first(int x) {
-  x = 1;
+  x = 3;
   return x;
";

/// What becomes of `source` with the patches of a series, or what is wrong with them.
fn applied(source: &str, series: &str, patches: &[(&str, &str)]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let (patched, sources) = (folder.path().join("patches"), folder.path().join("sources"));
    fs::create_dir(&patched)?;
    fs::create_dir(&sources)?;
    fs::write(sources.join("a.c"), source)?;
    fs::write(patched.join("series"), series)?;
    for (name, text) in patches {
        fs::write(patched.join(name), text)?;
    }
    series::apply(&patched, &sources)?;
    Ok(fs::read_to_string(sources.join("a.c"))?)
}

fn one(source: &str, hunk: &str) -> Result<String> {
    applied(source, "one.patch\n", &[("one.patch", &patch(hunk))])
}

/// Asserts that it is refused, and that the message has all of `words`.
fn assert_refused(result: Result<String>, words: &[&str]) {
    let error = result.expect_err("it was applied").to_string();
    for word in words {
        assert!(error.contains(word), "{error}\n\nhas no {word:?}");
    }
}

#[test]
fn a_patch_changes_the_lines_that_it_names() -> Result<()> {
    assert_eq!(one(SOURCE, HUNK)?, SOURCE.replace("x = 1", "x = 3"));
    Ok(())
}

#[test]
fn lines_may_have_moved_within_their_function() -> Result<()> {
    let longer = format!("// one\n// line\n\n{SOURCE}");
    assert_eq!(one(&longer, HUNK)?, longer.replace("x = 1", "x = 3"));
    Ok(())
}

#[test]
fn a_line_that_is_another_is_named() {
    let other = SOURCE.replace("x = 1;", "x = 10;");
    assert_refused(
        one(&other, HUNK),
        &[
            "payload/engine/one.patch:8: a.c: line 2: found \"  x = 10;\", expected \"  x = 1;\"",
            "1 of 2 lines are as they should be from line 2 on",
            "payload/DESIGN.md",
        ],
    );
}

#[test]
fn a_line_that_is_another_is_named_where_the_others_are() {
    let longer = "\
@@ -1,4 +1,4 @@
 static int first(int x) {
-  x = 1;
+  x = 3;
   return x;
 }
";
    let moved = format!("// a\n\n// b\n{}", SOURCE.replace("x = 1;", "x = 10;"));
    assert_refused(
        one(&moved, longer),
        &[
            "line 5: found \"  x = 10;\"",
            "3 of 4 lines",
            "from line 4 on",
        ],
    );
}

#[test]
fn the_same_lines_in_another_function_are_not_taken() {
    let other = SOURCE
        .replace("x = 1;", "x = 0;")
        .replace("x = 2;", "x = 1;");
    assert_refused(
        one(&other, HUNK),
        &[
            "found the lines at line 7 in \"static int second(int x) {\"",
            "expected them in \"static int first(int x) {\"",
        ],
    );
    // Nor where they are at the line that the patch has, and the function has another name.
    let renamed = SOURCE.replace("first", "another");
    assert_refused(
        one(&renamed, HUNK),
        &["at line 2 in \"static int another(int x) {\""],
    );
}

#[test]
fn lines_that_are_there_twice_are_not_taken() {
    let twice = SOURCE.replace("  x = 1;\n", "  x = 1;\n  return x;\n  x = 1;\n");
    assert_refused(one(&twice, HUNK), &["twice", "lines 2 and 4"]);
}

#[test]
fn a_patch_says_why() {
    let without = patch(HUNK).replace("Why: it is more.\n", "");
    let result = applied(SOURCE, "one.patch\n", &[("one.patch", &without)]);
    assert_refused(result, &["payload/engine/one.patch:1: found no \"Why:\""]);
}

#[test]
fn a_patch_that_is_no_diff_is_refused() {
    for (hunk, word) in [
        ("", "the end"),
        (
            "@@ -2,3 +2,2 @@ static int first(int x) {\n-  x = 1;\n+  x = 3;\n   return x;\n",
            "3 old and 2 new",
        ),
        ("@@ 2 @@\n", "@@ -LINE,COUNT"),
        (
            "@@ -2,0 +2,1 @@ static int first(int x) {\n+  x = 3;\n",
            "at least one old",
        ),
    ] {
        assert_refused(one(SOURCE, hunk), &["payload/engine/one.patch:", word]);
    }
    let other = patch(HUNK).replace("+++ a.c", "+++ b.c");
    let result = applied(SOURCE, "one.patch\n", &[("one.patch", &other)]);
    assert_refused(result, &["one.patch:7: found \"+++ b.c\"", "the same file"]);
    let missing = patch(HUNK).replace("a.c", "b.c");
    let result = applied(SOURCE, "one.patch\n", &[("one.patch", &missing)]);
    assert_refused(result, &["one.patch:", "b.c"]);
}

#[test]
fn the_series_has_each_patch_once() -> Result<()> {
    let text = patch(HUNK);
    let files = [("one.patch", text.as_str())];
    assert_refused(
        applied(SOURCE, "# none\n", &files),
        &["one.patch is not in it"],
    );
    assert_refused(
        applied(SOURCE, "one.patch\none.patch\n", &files),
        &["twice"],
    );
    assert_refused(
        applied(SOURCE, "one.patch\ntwo.patch\n", &files),
        &["two.patch"],
    );
    // In the order of the series, each on what the one before it left.
    let next = patch(&HUNK.replace("x = 3", "x = 4").replace("x = 1", "x = 3"));
    let files = [("a.patch", next.as_str()), ("b.patch", text.as_str())];
    let both = applied(SOURCE, "b.patch\na.patch\n", &files)?;
    assert_eq!(both, SOURCE.replace("x = 1", "x = 4"));
    Ok(())
}
