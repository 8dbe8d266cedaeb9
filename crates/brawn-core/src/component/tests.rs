use super::*;

#[test]
fn what_was_chosen_is_read_again() {
    let less = Families::ALL.without("threads").exact_math().stable_sort();
    let choices: [&[Component]; 5] = [
        Component::ALL,
        &[Component::Heap],
        &[Component::Memory, Component::Libc(less)],
        &[Component::Libc(Families::ALL.large_buffers())],
        &[],
    ];
    for components in choices {
        let text = serde_json::to_string(&Chosen::of(components)).unwrap();
        let again: Chosen = serde_json::from_str(&text).unwrap();
        assert_eq!(again.components(), components, "{text}");
    }
}

#[test]
fn names_of_a_newer_brawn_are_no_choice() {
    let text = r#"{"parts":["heap","sockets"],"without":["later"],"exact_math":false,"stable_sort":false,
                   "large_buffers":false}"#;
    let chosen: Chosen = serde_json::from_str(text).unwrap();
    assert_eq!(chosen.components(), [Component::Heap]);
}
