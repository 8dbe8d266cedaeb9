use super::*;

#[test]
fn hostile_names_are_escaped() {
    assert_eq!(printable(b"a\x1b[31m\xff\n"), "a\\u{1b}[31m\\xff\\n");
    let name = "a\r\u{7f}\u{85}\u{9b}\u{200e}\u{202e}\u{2028}\u{2067}b\u{feff}é漢";
    assert_eq!(
        shown(name).to_string(),
        "a\\r\\u{7f}\\u{85}\\u{9b}\\u{200e}\\u{202e}\\u{2028}\\u{2067}b\\u{feff}é漢"
    );
    // Text that is already escaped does not change.
    let once = shown(name).to_string();
    assert_eq!(line(&once).to_string(), once);
}

#[test]
fn long_names_are_cut_between_characters() {
    let name = "é".repeat(LONGEST);
    let cut = printable(&name.as_bytes()[1..]);
    assert_eq!(
        cut,
        format!("\\xa9{}… (4096 bytes more)", "é".repeat(LONGEST / 2 - 1))
    );
    assert_eq!(printable(&[b'a'; LONGEST]), "a".repeat(LONGEST));
    assert_eq!(line(&name).to_string(), name);
}

#[test]
fn json_stays_the_same_to_who_parses_it() {
    let name = "\u{9b}\u{202e}\u{2028}\u{e0001}\u{7f}é";
    let text = serde_json::to_string(name).unwrap();
    let safe = json(&text);
    assert!(safe.chars().all(is_plain), "{safe}");
    assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), name);
}

#[test]
fn strings_of_anybodys_json_are_shown() {
    let name = "a\u{7f}\n\r\t\u{8}\u{c}\u{1b}[\u{9b}\u{202e}\u{e0001}\"\\n\\é漢😀/\\u{202e}";
    let value = serde_json::json!({ name: [name, 1.5, null] });
    let shown = serde_json::json!({ line(name).to_string(): [line(name).to_string(), 1.5, null] });
    for text in [value.to_string(), ascii(&value.to_string())] {
        let read: serde_json::Value = serde_json::from_str(&shown_json(&text)).unwrap();
        assert_eq!(read, shown, "{text}");
    }
    // What is plain does not change, and what is no JSON stays none.
    let plain = r#"{"a\\": ["\"", "\u00e9\ud83d\ude00\/"]}"#;
    assert_eq!(shown_json(plain), plain);
    for broken in [
        "\"a\nb\"",
        "\"\\ud83d\"",
        "\"\\u12\"",
        "\"\\u+12a\"",
        "\"\\é\"",
        "\"\\",
        "\u{202e}1",
        "[\u{9b}]",
    ] {
        let read = serde_json::from_str::<serde_json::Value>(&shown_json(broken));
        assert!(read.is_err(), "{broken:?}");
    }
}

/// The same JSON without a character that is not ASCII.
fn ascii(json: &str) -> String {
    let mut units = [0; 2];
    let escaped = |c: char| match c {
        c if c.is_ascii() => c.to_string(),
        c => c
            .encode_utf16(&mut units)
            .iter()
            .fold(String::new(), |text, unit| text + &format!("\\u{unit:04X}")),
    };
    json.chars().map(escaped).collect()
}
