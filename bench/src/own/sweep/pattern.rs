//! A pattern: one way of using blocks, as plain data, with its name, its limits and the arguments of the program.

use std::fmt;

pub(super) const K: u64 = 1 << 10;
pub(super) const M: u64 = 1 << 20;

/// What sizes the blocks have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// These in turn.
    Turn(Vec<u64>),
    /// Random ones, each as likely as the others.
    Even(u64, u64),
    /// Random ones, each octave as likely as the others: powers of two.
    Octaves(u64, u64),
    /// One that grows by `realloc`, so many bytes at a time.
    Add(u64, u64, u64),
    /// The same, by so many percent of what it has.
    Multiply(u64, u64, u64),
}

/// Which block goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// The oldest, when a new one comes.
    Oldest,
    /// A random one, when a new one comes.
    Random,
    /// All are taken, then all go, from the first on.
    Batch,
    /// All are taken, then all go, from the last on.
    Newest,
}

/// How blocks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// `malloc`.
    Malloc,
    /// `calloc`.
    Calloc,
}

/// How much of a block is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touch {
    /// All of it.
    Whole,
    /// A tenth.
    Tenth,
    /// Its first page; of a growing block, the page of its end.
    Page,
}

/// One way of using blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern {
    /// The ladder that its sizes come from, and their place in it: the next place is one step away.
    pub ladder: (&'static str, usize),
    /// The sizes.
    pub shape: Shape,
    /// Blocks that each thread has at a time; 0: each goes before the next one comes. Of growing blocks, how many grow side by side.
    pub live: u64,
    /// Which block goes first.
    pub order: Order,
    /// How blocks are taken.
    pub call: Call,
    /// How many threads do the same.
    pub threads: u64,
    /// How much is written to.
    pub touch: Touch,
}

/// A size as people write it.
fn size(bytes: u64) -> String {
    match bytes {
        b if b >= M && b % M == 0 => format!("{}M", b / M),
        b if b >= K && b % K == 0 => format!("{}K", b / K),
        b => b.to_string(),
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Turn(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(|s| size(*s)).collect();
                f.write_str(&sizes.join(","))
            }
            Self::Even(low, high) => write!(f, "{}..{}", size(*low), size(*high)),
            Self::Octaves(low, high) => write!(f, "{}~{}", size(*low), size(*high)),
            Self::Add(low, high, step) => {
                write!(f, "grow {}..{} +{}", size(*low), size(*high), size(*step))
            }
            Self::Multiply(low, high, percent) => {
                write!(f, "grow {}..{} +{percent}%", size(*low), size(*high))
            }
        }
    }
}

/// The pattern's name, which stays the same: `4K..100K x300 random calloc 2t tenth`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.shape)?;
        if self.live > 0 {
            write!(f, " x{}", self.live)?;
        }
        match self.order {
            _ if self.live == 0 || self.grows() => {}
            Order::Oldest => f.write_str(" oldest")?,
            Order::Random => f.write_str(" random")?,
            Order::Batch => f.write_str(" batch")?,
            Order::Newest => f.write_str(" newest")?,
        }
        if self.call == Call::Calloc {
            f.write_str(" calloc")?;
        }
        if self.threads > 1 {
            write!(f, " {}t", self.threads)?;
        }
        f.write_str(match self.touch {
            Touch::Whole => "",
            Touch::Tenth => " tenth",
            Touch::Page => " page",
        })
    }
}

/// The most bytes that are alive in all threads together, and the most that are written to: the kernel takes a microsecond for a page of them, and a
/// pattern should not take much longer than its neighbours.
const MOST_ALIVE: u64 = 256 * M;
const MOST_TOUCHED: u64 = 72 * M;
const PAGE: u64 = 4 * K;
/// Nanoseconds that glibc has for a pattern.
const BUDGET: u64 = 10_000_000;
/// Nanoseconds for a page that the heap has kept, that it has given back sometimes, and that the kernel must give.
const KEPT: u64 = 12;
const SOMETIMES: u64 = 60;
const FRESH: u64 = 1000;
/// Nanoseconds for a block that is mapped apart.
const MAPPING: u64 = 5000;
/// The size from which glibc maps blocks at first.
const LARGE: u64 = 128 * K;

impl Pattern {
    /// Whether its blocks grow.
    pub const fn grows(&self) -> bool {
        matches!(self.shape, Shape::Add(..) | Shape::Multiply(..))
    }

    /// The mean size of a block, or the last one of a block that grows.
    pub(super) fn size(&self) -> u64 {
        match &self.shape {
            Shape::Turn(sizes) => sizes.iter().sum::<u64>() / sizes.len() as u64,
            Shape::Even(low, high) => (low + high) / 2,
            // The mean of an octave is 1.5 times its lower end; the octaves' lower ends add up to high - low.
            Shape::Octaves(low, high) => (high - low) * 3 / 2 / u64::from((high / low).ilog2()),
            Shape::Add(_, high, _) | Shape::Multiply(_, high, _) => *high,
        }
    }

    pub(super) fn largest(&self) -> u64 {
        match &self.shape {
            Shape::Turn(sizes) => sizes.iter().copied().max().unwrap_or(0),
            Shape::Even(_, high)
            | Shape::Octaves(_, high)
            | Shape::Add(_, high, _)
            | Shape::Multiply(_, high, _) => *high,
        }
    }

    /// Pages of a block of this size that are written to.
    fn pages(&self, size: u64) -> u64 {
        match self.touch {
            Touch::Whole => size.div_ceil(PAGE),
            Touch::Tenth => (size / 10).div_ceil(PAGE),
            Touch::Page => 1,
        }
        .max(1)
    }

    /// The sizes that a growing block has, one after another.
    fn steps(&self) -> Vec<u64> {
        let (low, high, next): (_, _, Box<dyn Fn(u64) -> u64>) = match self.shape {
            Shape::Add(low, high, step) => (low, high, Box::new(move |size| size + step)),
            Shape::Multiply(low, high, percent) => (
                low,
                high,
                Box::new(move |size| size + size * percent / 100 + 1),
            ),
            _ => return Vec::new(),
        };
        std::iter::successors(Some(low), |size| {
            Some(next(*size)).filter(|size| *size <= high)
        })
        .collect()
    }

    /// Whether it stays below the limits, and differs from the same pattern with less touched.
    pub(super) fn fits(&self) -> bool {
        let blocks = self.live.max(1) * self.threads;
        // Blocks of random sizes may be the largest ones for some time.
        let mean = if self.live < 10 {
            self.largest()
        } else {
            self.size()
        };
        let touched = match self.touch {
            _ if mean < PAGE => mean * blocks,
            _ => self.pages(mean) * PAGE * blocks,
        };
        let differs = match self.touch {
            Touch::Whole => true,
            Touch::Tenth => self.largest() / 10 > PAGE,
            Touch::Page => self.largest() > PAGE,
        };
        let is_short = self.copied() * blocks <= 2 << 30;
        differs && is_short && mean * blocks <= MOST_ALIVE && touched <= MOST_TOUCHED
    }

    /// How many blocks each thread takes (of growing blocks: how many times they grow), so that glibc takes 5 to 30 ms in most patterns. It depends
    /// on nothing but the pattern, so that raw data of all machines are of the same work.
    pub fn count(&self) -> u64 {
        let budget = BUDGET / self.threads;
        let blocks = self.live.max(1);
        if self.grows() {
            let steps = self.steps();
            let call = if self.is_mapped() { MAPPING } else { 20 };
            let pages = self.page_ns(self.largest());
            let copied = if blocks > 1 { self.copied() / 10 } else { 0 };
            let one = steps.len() as u64 * call + pages + copied;
            return rounded((budget / (one * blocks)).max(1));
        }
        let clearing = match self.call {
            Call::Calloc if !self.is_mapped() => self.size() * 40 / K,
            _ => 0,
        };
        let call = match self.live {
            0 if self.is_mapped() => MAPPING,
            1.. if self.largest() >= LARGE && self.is_mixed() => 500,
            _ => 30,
        };
        let one = call + clearing + self.page_ns(self.size());
        // What replaced blocks need at first.
        let first = if self.is_batch() {
            0
        } else {
            self.live * self.pages(self.size()) * self.size().min(PAGE) / PAGE * FRESH
        };
        let wanted = budget.saturating_sub(first) / one;
        let least = 2 * self.live.max(self.turns());
        rounded(wanted.max(least)).next_multiple_of(blocks)
    }

    /// How many blocks all threads take, or how many times one of them grows.
    pub fn blocks(&self) -> u64 {
        let side_by_side = if self.grows() { self.live.max(1) } else { 1 };
        self.count() * self.threads * side_by_side
    }

    /// The bytes that a growing block has had, if it has moved each time.
    pub(super) fn copied(&self) -> u64 {
        self.steps().iter().sum()
    }

    const fn is_batch(&self) -> bool {
        matches!(self.order, Order::Batch | Order::Newest)
    }

    /// Whether glibc maps each block apart and never keeps its memory.
    fn is_mapped(&self) -> bool {
        self.largest() >= 32 * M
    }

    /// What glibc takes for the pages of a block that are written to, in nanoseconds, depending on how often it has given them back to the
    /// kernel before.
    fn page_ns(&self, size: u64) -> u64 {
        // It keeps at the end of its heap twice the size of the largest block that was freed.
        let kept = if self.largest() < LARGE {
            LARGE
        } else {
            2 * self.largest()
        };
        let page = match self.live {
            0 if self.is_mapped() => FRESH,
            0 => KEPT,
            live if (self.is_batch() || self.grows()) && live * self.size() > kept => FRESH,
            _ if self.is_batch() || self.largest() < LARGE / 2 => KEPT,
            _ if self.is_mixed() => SOMETIMES,
            _ => KEPT,
        };
        self.pages(size) * page * size.min(PAGE) / PAGE
    }

    const fn turns(&self) -> u64 {
        match &self.shape {
            Shape::Turn(sizes) => sizes.len() as u64,
            _ => 4,
        }
    }

    /// Whether blocks of other sizes take the places of freed ones.
    const fn is_mixed(&self) -> bool {
        !self.grows() && self.turns() > 1
    }

    /// The arguments of the program.
    pub fn arguments(&self) -> [String; 7] {
        let shape = match &self.shape {
            Shape::Turn(sizes) => sizes
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(","),
            Shape::Even(low, high) => format!("{low}-{high}"),
            Shape::Octaves(low, high) => format!("{low}~{high}"),
            Shape::Add(low, high, step) => format!("{low}-{high}+{step}"),
            Shape::Multiply(low, high, percent) => format!("{low}-{high}*{percent}"),
        };
        let order = match self.order {
            Order::Oldest => "oldest",
            Order::Random => "random",
            Order::Batch => "first",
            Order::Newest => "last",
        };
        let call = match self.call {
            Call::Malloc => "malloc",
            Call::Calloc => "calloc",
        };
        let touch = match self.touch {
            Touch::Whole => "whole",
            Touch::Tenth => "tenth",
            Touch::Page => "page",
        };
        let number = |n: u64| n.to_string();
        [
            shape,
            number(self.live),
            order.into(),
            call.into(),
            number(self.threads),
            touch.into(),
            number(self.count()),
        ]
    }
}

/// Two digits, and zeros.
fn rounded(value: u64) -> u64 {
    let unit = 10u64.pow(value.max(1).ilog10().saturating_sub(1));
    value / unit * unit
}
