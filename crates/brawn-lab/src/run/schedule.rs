//! The order in which candidates run: each round runs every one of them once, and every second round runs in the
//! opposite order (ABBA). So if the machine gets slower or faster, this affects all candidates alike.

/// A generator of random numbers: Marsaglia's xorshift with shifts of 13, 7 and 17.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same numbers for the same `seed`.
    pub fn new(seed: u64) -> Self {
        // Similar seeds would give similar first numbers, and zero would give only zeros. So the seed is mixed first.
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next_u64();
        }
        random
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Fisher and Yates's shuffle.
    pub fn shuffle<T>(&mut self, order: &mut [T]) {
        for i in (1..order.len()).rev() {
            let j = (self.next_u64() >> 32) as usize % (i + 1);
            order.swap(i, j);
        }
    }
}

/// A seed that differs from run to run.  Seeds are shown and typed, so they are short.
pub fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut random = Random::new(now.map_or(1, |d| d.as_nanos() as u64));
    random.next_u64() >> 40
}

/// `rounds` rounds of `candidates`, by their numbers.
pub fn rounds(candidates: usize, rounds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = Random::new(seed);
    let mut order: Vec<usize> = (0..candidates).collect();
    let mut all = Vec::with_capacity(rounds);
    for round in 0..rounds {
        match round % 2 {
            0 => random.shuffle(&mut order),
            _ => order.reverse(),
        }
        all.push(order.clone());
    }
    all
}

#[cfg(test)]
mod tests;
