use super::*;

#[test]
fn added_rounds_stand_behind_the_others() {
    let measurement = |variants: &[(Variant, f64)], load| Measurement {
        command: "program".to_owned(),
        load: [load, 1.0],
        order: vec![variants.iter().map(|(v, _)| *v).collect()],
        samples: variants
            .iter()
            .map(|(v, ns)| (*v, BTreeMap::from([("ns".to_owned(), vec![Some(*ns)])])))
            .collect(),
        ..Measurement::empty("m")
    };
    let mut all = measurement(&[(Variant::Stock, 9.0), (Variant::Glibc, 2.0)], 0.5);
    let mut more = measurement(&[(Variant::Glibc, 3.0), (Variant::Brawn, 1.0)], 0.2);
    more.failures.push(Failure {
        variant: Variant::Stock,
        round: 0,
        what: "hung".to_owned(),
    });
    all.append(more).expect("the same command");
    assert_eq!(all.samples[&Variant::Stock]["ns"], [Some(9.0), None]);
    assert_eq!(all.samples[&Variant::Glibc]["ns"], [Some(2.0), Some(3.0)]);
    assert_eq!(all.samples[&Variant::Brawn]["ns"], [None, Some(1.0)]);
    assert_eq!((all.order.len(), all.failures[0].round), (2, 1));
    assert_eq!(all.load, [0.5, 1.0]);
    let other = Measurement {
        command: "program --short".to_owned(),
        ..measurement(&[], 0.0)
    };
    assert!(all.append(other).is_err());
}

#[test]
fn joined_json_holds_the_same_values() {
    let value = serde_json::json!({
        "a": [1.0, null, 3.5], "b": [[1, 2], [3]], "c": {"d": [], "e": ["x [", "y"]}, "f": "["
    });
    let joined = join_scalar_lists(&serde_json::to_string_pretty(&value).expect("plain values"));
    let back: serde_json::Value = serde_json::from_str(&joined).expect("still JSON");
    assert_eq!(back, value);
    assert!(joined.contains("\"a\": [1.0, null, 3.5]"), "{joined}");
}
