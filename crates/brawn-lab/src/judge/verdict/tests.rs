use super::*;
use crate::run::schedule::Random;

/// Roughly normal noise: the sum of twelve uniform random numbers.
fn normal(random: &mut Random) -> f64 {
    let one = |random: &mut Random| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    (0..12).map(|_| one(random)).sum::<f64>() - 6.0
}

/// Pairs of a program that takes 1 and one that takes `other`: noise of `sigma` in each run, a drift that both share,
/// and one run of twenty that takes half as long again.
fn pairs(random: &mut Random, rounds: usize, other: f64, sigma: f64) -> Vec<(f64, f64)> {
    let mut drift = 0.0;
    let mut all = Vec::new();
    for _ in 0..rounds {
        drift += normal(random) * sigma / 2.0;
        let mut run = |time: f64| {
            let late = if random.next_u64() >> 32 < (1 << 32) / 20 {
                0.4
            } else {
                0.0
            };
            time * (drift + normal(random) * sigma + late).exp()
        };
        all.push((run(1.0), run(other)));
    }
    all
}

/// How many of 200 comparisons have this outcome.
fn count(rounds: usize, other: f64, sigma: [f64; 2], outcome: Outcome) -> usize {
    let mut random = Random::new(17);
    let trials = (0..200).filter(|_| {
        let time = ratio(&pairs(&mut random, rounds, other, sigma[0]));
        let cpu = ratio(&pairs(&mut random, rounds, other, sigma[1]));
        super::outcome(time.as_ref(), cpu.as_ref()) == outcome
    });
    trials.count()
}

#[test]
fn a_program_is_neither_faster_nor_slower_than_itself() {
    for (rounds, sigma) in [(10, [0.01, 0.01]), (40, [0.1, 0.02]), (20, [0.3, 0.3])] {
        let faster = count(rounds, 1.0, sigma, Outcome::Faster);
        let slower = count(rounds, 1.0, sigma, Outcome::Slower);
        assert!(
            faster + slower <= 4,
            "{rounds} {sigma:?}: {faster} and {slower} of 200"
        );
    }
}

#[test]
fn on_a_busy_machine_there_is_no_difference() {
    let same = count(60, 1.0, [0.1, 0.02], Outcome::Same);
    assert!(same >= 190, "{same} of 200");
}

#[test]
fn three_percent_are_found_on_an_idle_machine() {
    let found = count(40, 1.03, [0.015, 0.015], Outcome::Slower);
    assert!(found >= 180, "{found} of 200");
}

#[test]
fn three_percent_of_processor_time_are_found_on_a_busy_machine() {
    let found = count(60, 1.03, [0.1, 0.01], Outcome::Slower);
    assert!(
        found >= 120,
        "{found} of 200: half have the other sign by time"
    );
    let wrong = count(60, 1.03, [0.1, 0.01], Outcome::Faster);
    assert!(wrong <= 2, "{wrong} of 200");
}

#[test]
fn nobody_is_asked_for_runs_of_an_hour() {
    let time = |width: f64| Ratio {
        ratio: 1.0,
        low: 1.0 / (1.0 + width),
        high: 1.0 + width,
        pairs: 10,
        is_certain: true,
    };
    let runs = |width, ms: f64| reasonable(&time(width), &[(ms * 1e6, ms * 1e6); 10]);
    assert_eq!(runs(0.059, 20.0), Some(40));
    assert_eq!(runs(0.88, 20.0), None, "8610 runs");
    assert_eq!(runs(0.2, 20.0), Some(450));
    assert_eq!(runs(0.2, 9_000.0), None, "two hours");
    assert_eq!(runs(0.02, 20.0), Some(20), "more than there were");
}

#[test]
fn words_are_as_documented() {
    let time = Ratio {
        ratio: 1.424,
        low: 1.38,
        high: 1.47,
        pairs: 10,
        is_certain: true,
    };
    let mut verdict = Verdict {
        candidate: 1,
        outcome: Outcome::Faster,
        time: Some(time),
        cpu: None,
        memory: -12.2e6,
        is_memory_told: true,
        runs_needed: None,
        words: String::new(),
    };
    assert_eq!(words(&verdict), "1.42x as fast (1.38–1.47), −12 MB");
    verdict.outcome = Outcome::Slower;
    verdict.is_memory_told = false;
    verdict.time = Some(Ratio {
        ratio: 1.0 / 1.03,
        low: 1.0 / 1.05,
        high: 1.0 / 1.01,
        ..time
    });
    assert_eq!(words(&verdict), "slower by 3.0 % (1.0–5.0)");
    let slower = verdict.time;
    let wide = Ratio {
        ratio: 0.98,
        low: 0.9,
        high: 1.05,
        ..time
    };
    (verdict.time, verdict.cpu) = (Some(wide), slower);
    assert_eq!(outcome(Some(&wide), slower.as_ref()), Outcome::Slower);
    assert_eq!(
        words(&verdict),
        "slower by 3.0 % (1.0–5.0) by processor time; time is too noisy"
    );
    let other = Ratio {
        ratio: 1.02,
        ..wide
    };
    assert_eq!(outcome(Some(&other), slower.as_ref()), Outcome::Noisy);
    verdict.cpu = None;
    verdict.outcome = Outcome::Noisy;
    verdict.runs_needed = Some(40);
    verdict.time = Some(Ratio {
        ratio: 1.0,
        low: 0.95,
        high: 1.06,
        ..time
    });
    let noisy = "too noisy to tell a difference of less than 6.0 %; `--runs 40` would";
    assert_eq!(words(&verdict), noisy);
    verdict.runs_needed = None;
    let noisy =
        "too noisy to tell a difference of less than 6.0 %; no reasonable number of runs would";
    assert_eq!(words(&verdict), noisy);
    verdict.time = Some(Ratio {
        ratio: 0.8,
        low: 0.05,
        high: 10.0,
        ..time
    });
    let noisy = "too noisy to tell a difference; no reasonable number of runs would";
    assert_eq!(words(&verdict), noisy);
}
