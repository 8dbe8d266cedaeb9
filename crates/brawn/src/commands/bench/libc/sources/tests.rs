use super::*;
use brawn_lab::judge::functions::{CXX, START, all, parts};
use std::collections::BTreeSet;

fn small() -> Sources {
    let text = "#include <ftw.h>\n\nPREPARE {\n    begin();\n}\n\
            #define M(f) \\\n    ROW(\"math\", f, #f) { f(1); }\nM(sin)\n\
            static int visited(int x) {\n    return walk(x);\n}\n\
            ROW(\"other\", a, \"one\") { insque(0, 0); }\nROW(\"other\", b, \"two\") {\n    int n = remque(1);\n\n    KEEP(n);\n}\n/* end */";
    let lines = text.lines().map(str::to_owned).collect();
    Sources {
        files: vec![("more.c", lines)],
    }
}

fn left(said: &str) -> Option<String> {
    let mut sources = small();
    assert!(sources.without(said), "{said}");
    sources.files().next().map(|(_, text)| text)
}

#[test]
fn a_row_an_include_and_a_function_can_go() {
    let two = left("/tmp/more.c:14:9: error: no `remque'").expect("the rest stays");
    assert!(!two.contains("two") && !two.contains("KEEP(n)") && two.contains("insque"));
    assert_eq!(two.lines().count(), 18, "{two}");
    let one = left("ld: x.o: undefined reference to `insque'\n").expect("the rest");
    assert!(!one.contains("insque") && one.contains("remque"), "{one}");
    let one = left("ld.lld: error: undefined symbol: sin\n>>> referenced").expect("the rest");
    assert!(!one.contains("M(sin)") && one.contains("M(f)"), "{one}");
    let include = left("In file included from more.c:1:\nx.h:9:1: error").expect("the rest");
    assert!(!include.contains("ftw.h") && include.contains("PREPARE"));
    let said = "In file included from more.c:1:\nmore.c:14:9: error: x\nx.h:9:1: note: in KEEP";
    let row = left(said).expect("the rest");
    assert!(row.contains("ftw.h") && !row.contains("two"), "{row}");
    let shared = left("more.c:10:5: error: walk").expect("the rest");
    assert!(!shared.contains("visited") && shared.contains("insque"));
}

#[test]
fn a_macro_goes_only_with_the_row_that_uses_it_or_with_all() {
    let row = left("more.c:7:5: error: f\nmore.c:8:1: note: in expansion").expect("the rest");
    assert!(!row.contains("M(sin)") && row.contains("M(f)"), "{row}");
    assert_eq!(left("more.c:7:5: error: f"), None);
    assert_eq!(left("undefined reference to `begin'"), None);
}

#[test]
fn what_is_said_of_other_files_takes_out_nothing() {
    for said in [
        "",
        "anymore.c:12:1: error",
        "more.c: error",
        "more.c:99:1: error",
        "more.c:18:1: note",
    ] {
        assert!(!small().without(said), "{said}");
    }
}

/// The families of rows in C.
fn families() -> BTreeSet<&'static str> {
    let families = all().map(|row| parts(row).0);
    families.filter(|f| ![CXX, START].contains(f)).collect()
}

#[test]
fn only_files_with_rows_of_a_family_are_compiled() {
    let names = |families: &[&str]| -> Vec<&str> {
        let sources = Sources::of(families);
        sources.files.iter().map(|(name, _)| *name).collect()
    };
    assert_eq!(names(&["sort"]), ["more.c", "sort.c"]);
    assert_eq!(names(&["environment", "math"]), ["math.c", "times.c"]);
    for family in families() {
        assert!(!names(&[family]).is_empty(), "{family}: no file has a row");
    }
}

#[test]
fn every_row_of_every_file_can_go_alone() {
    let all = Sources::of(&families().into_iter().collect::<Vec<_>>());
    assert_eq!(all.files.len(), ROWS.len());
    for (name, lines) in &all.files {
        let (mut rows, mut at) = (0, 0);
        while at < lines.len() {
            let is_row = lines[at].starts_with(|c: char| c.is_ascii_uppercase());
            if is_row && !lines[at].starts_with("PREPARE") {
                let (from, to) = construct(lines, at).expect("a row");
                let end = &lines[to];
                let is_whole = from == at && end.ends_with(['}', ')']);
                assert!(is_whole, "{name}:{}: {end}", at + 1);
                rows += 1;
                at = to;
            }
            at += 1;
        }
        assert!(rows > 3, "{name}: {rows}");
    }
}
