use super::*;

#[test]
fn pages_and_figures_agree_with_the_raw_data() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).expect("readable");
    for page in &PAGES {
        let made = page.made().expect("readable raw data, and known markers");
        for (name, new) in made {
            let again = "run `cargo run -p brawn-bench -- readme`";
            assert!(read(&name) == new, "{name} is out of date: {again}");
        }
        let document = read(page.document);
        for (name, _) in page.parts {
            let marker = format!("<!-- {}:{name} -->", page.kind);
            assert_eq!(document.matches(&marker).count(), 1, "{marker}");
        }
    }
}

#[test]
fn an_unknown_marker_is_an_error_that_names_the_known_ones() {
    let page = Page {
        parts: &edges::PAGE.parts[..1],
        ..edges::PAGE
    };
    let error = page.made().expect_err("the document has another one");
    assert_eq!(error, "unknown marker edges:above; known: said");
}
