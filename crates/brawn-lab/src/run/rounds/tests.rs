use super::*;

fn request(order: Order, seed: u64) -> Request<'static, &'static str, char> {
    Request {
        rounds: 9,
        things: &["math", "sort", "time"],
        sides: &['a', 'b', 'c', 'd'],
        order,
        seed,
    }
}

/// The turns as words, a round a line.
fn said(order: Order, seed: u64) -> Vec<Vec<String>> {
    let mut rounds = vec![Vec::new(); 9];
    for turn in request(order, seed).turns() {
        rounds[turn.round].push(format!("{} {}", turn.thing, turn.side));
    }
    rounds
}

#[test]
fn every_round_has_every_turn_once_whatever_the_order() {
    let mut given = said(Order::Given, 1);
    assert!(given.iter().all(|round| *round == given[0]));
    given.iter_mut().for_each(|round| round.sort_unstable());
    for order in [Order::Sides, Order::Both, Order::Runs] {
        let shuffled = said(order, 1);
        assert_eq!(shuffled, said(order, 1), "the same seed, the same order");
        assert_ne!(shuffled, said(order, 2));
        let mut sorted = shuffled.clone();
        sorted.iter_mut().for_each(|round| round.sort_unstable());
        assert_eq!(sorted, given, "{order:?}");
    }
}

#[test]
fn the_sides_of_a_thing_follow_each_other_where_the_order_says_so() {
    let things = |order| -> Vec<Vec<String>> {
        let names = |round: Vec<String>| {
            let words = round.iter().map(|turn| turn[..4].to_owned());
            let mut words: Vec<String> = words.collect();
            words.dedup();
            words
        };
        said(order, 7).into_iter().map(names).collect()
    };
    let in_order = |names: &Vec<String>| *names == ["math", "sort", "time"];
    assert!(things(Order::Sides).iter().all(in_order));
    let both = things(Order::Both);
    assert!(both.iter().all(|names| names.len() == 3));
    assert!(!both.iter().all(in_order));
    assert!(things(Order::Runs).iter().any(|names| names.len() > 3));
}

#[test]
fn a_session_keeps_the_figures_by_round_and_name_and_ends_with_the_first_error() {
    let request = request(Order::Both, 3);
    let all = session(&request, |turn| {
        let figure = (turn.thing.to_string(), turn.round as f64);
        Ok::<_, ()>((turn.side.to_string(), Sample::from([figure])))
    });
    for (number, round) in all.expect("no failure").iter().enumerate() {
        assert_eq!(round.len(), 4);
        assert_eq!(round["c"]["sort"], number as f64);
        assert_eq!(round["c"].len(), 3);
    }
    let mut runs = 0;
    let failed = session(&request, |_| {
        runs += 1;
        Err::<(String, Sample), _>("no")
    });
    assert_eq!((failed, runs), (Err("no"), 1));
}
