//! A session of rounds: each of them runs every thing with every side once, in an order that is made anew. Ratios are
//! taken within a round, so a slow hour of the machine is in both of their figures.

use super::schedule::Random;
pub use crate::process::parent::Sample;
use std::collections::BTreeMap;

/// The figures of a round, by what was run.
pub type Round = BTreeMap<String, Sample>;

/// What takes turns.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a, T, S> {
    /// How many rounds there are.
    pub rounds: usize,
    /// What is measured: programs, loads.
    pub things: &'a [T],
    /// What each of them is measured with: heaps, libcs.
    pub sides: &'a [S],
    /// The order within a round.
    pub order: Order,
    /// The number from which the order is computed.
    pub seed: u64,
}

/// The order of the turns of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they stand: each needs what the one before it left.
    Given,
    /// The sides of one thing follow each other, shuffled; things stay in their order.
    Sides,
    /// The same, and the things are shuffled, too.
    Both,
    /// All of them are shuffled together.
    Runs,
}

/// One run that is due.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a, T, S> {
    /// The round's number, from 0.
    pub round: usize,
    /// What is run.
    pub thing: &'a T,
    /// With what.
    pub side: &'a S,
}

impl<'a, T, S> Request<'a, T, S> {
    /// How many runs there are in all rounds.
    pub fn count(&self) -> usize {
        self.rounds * self.things.len() * self.sides.len()
    }

    /// All turns, in the order in which they are to be taken.
    pub fn turns(&self) -> impl Iterator<Item = Turn<'a, T, S>> + use<'a, T, S> {
        let Self { things, sides, .. } = *self;
        let (order, mut random) = (self.order, Random::new(self.seed));
        let round = move |round| {
            let mut all: Vec<usize> = (0..things.len()).collect();
            if order == Order::Both {
                random.shuffle(&mut all);
            }
            let mut pairs = Vec::with_capacity(things.len() * sides.len());
            for thing in all {
                let first = pairs.len();
                pairs.extend((0..sides.len()).map(|side| (thing, side)));
                if matches!(order, Order::Sides | Order::Both) {
                    random.shuffle(&mut pairs[first..]);
                }
            }
            if order == Order::Runs {
                random.shuffle(&mut pairs);
            }
            pairs.into_iter().map(move |(thing, side)| Turn {
                round,
                thing: &things[thing],
                side: &sides[side],
            })
        };
        (0..self.rounds).flat_map(round)
    }
}

/// Takes all turns. `run` gives the name of what was run, and its figures; those of one name are put together.
///
/// # Errors
/// That of the first run that fails.
pub fn session<T, S, E>(
    request: &Request<'_, T, S>,
    mut run: impl FnMut(Turn<'_, T, S>) -> Result<(String, Sample), E>,
) -> Result<Vec<Round>, E> {
    let mut rounds = vec![Round::new(); request.rounds];
    for turn in request.turns() {
        let round = turn.round;
        let (name, sample) = run(turn)?;
        rounds[round].entry(name).or_default().extend(sample);
    }
    Ok(rounds)
}

#[cfg(test)]
mod tests;
