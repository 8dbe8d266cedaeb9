//! Every pattern that the sweep measures. The list is generated from ladders of sizes and from the other dimensions, and is the same each
//! time.

use super::pattern::{Call, K, M, Order, Pattern, Shape, Touch};
use std::collections::{BTreeMap, BTreeSet};

/// Sizes of one block: where heaps change from one way to another, a cliff can be.
const ONE: &str = "16 64 256 1K 2K 4K 8K 16K 24K 32K 48K 64K 96K 100K 128K 160K 192K 256K 320K 384K \
    500K 640K 768K 1M 1280K 1536K 2M 3M 4M 6M 8M 12M 16M 24M 32M 48M 64M";
/// Fewer of them, for the other dimensions.
const SOME: &str = "64 1K 4K 16K 64K 128K 256K 512K 1M 2M 4M 8M 16M 32M 64M";

/// Sizes with blanks between them: `64 4K 1M`.
fn sizes(text: &'static str) -> impl Iterator<Item = u64> {
    text.split_whitespace().map(|word| {
        let unit = match word.trim_start_matches(|c: char| c.is_ascii_digit()) {
            "K" => K,
            "M" => M,
            _ => 1,
        };
        let digits = word.trim_end_matches(['K', 'M']).parse::<u64>();
        digits.unwrap_or_else(|_| panic!("no size: {word}")) * unit
    })
}

/// As many sizes together each time.
fn groups<const N: usize>(text: &'static str) -> impl Iterator<Item = [u64; N]> {
    let all: Vec<u64> = sizes(text).collect();
    all.as_chunks::<N>().0.to_vec().into_iter()
}

const ORDERS: [Order; 4] = [Order::Oldest, Order::Random, Order::Batch, Order::Newest];

/// The list while it grows.
#[derive(Default)]
struct List {
    names: BTreeSet<String>,
    patterns: Vec<Pattern>,
}

/// A pattern with the usual value in all dimensions but the sizes.
fn plain(ladder: (&'static str, usize), shape: Shape) -> Pattern {
    Pattern {
        ladder,
        shape,
        live: 0,
        order: Order::Oldest,
        call: Call::Malloc,
        threads: 1,
        touch: Touch::Whole,
    }
}

/// Changes one or more dimensions of a pattern.
type Variation<'a> = &'a dyn Fn(&mut Pattern);

impl List {
    /// Adds each shape of a ladder with each variation, as far as it keeps to the limits and is not there yet.
    fn add(&mut self, ladder: &'static str, shapes: &[Shape], variations: &[Variation]) {
        for vary in variations {
            for (step, shape) in shapes.iter().enumerate() {
                let mut pattern = plain((ladder, step), shape.clone());
                vary(&mut pattern);
                if pattern.fits() && self.names.insert(pattern.to_string()) {
                    self.patterns.push(pattern);
                }
            }
        }
    }

    /// Adds each shape with so many blocks alive, in each of the orders; with the blocks' first pages, where whole ones would be too much.
    fn alive(&mut self, ladder: &'static str, shapes: &[Shape], lives: &[u64], orders: &[Order]) {
        for &live in lives {
            for &order in orders {
                for touch in [Touch::Whole, Touch::Page] {
                    for (step, shape) in shapes.iter().enumerate() {
                        let of = |touch| Pattern {
                            live,
                            order,
                            touch,
                            ..plain((ladder, step), shape.clone())
                        };
                        let pattern = of(touch);
                        let is_asked = touch == Touch::Whole || !of(Touch::Whole).fits();
                        if is_asked && pattern.fits() && self.names.insert(pattern.to_string()) {
                            self.patterns.push(pattern);
                        }
                    }
                }
            }
        }
    }
}

const WHOLE: Variation = &|_| {};
const TENTH: Variation = &|p| p.touch = Touch::Tenth;
const FIRST_PAGE: Variation = &|p| p.touch = Touch::Page;
const CALLOC: Variation = &|p| p.call = Call::Calloc;
const CALLOC_PAGE: Variation = &|p| (p.call, p.touch) = (Call::Calloc, Touch::Page);
const TWO: Variation = &|p| p.threads = 2;
const TWO_PAGE: Variation = &|p| (p.threads, p.touch) = (2, Touch::Page);
const EIGHT: Variation = &|p| p.threads = 8;
const EIGHT_PAGE: Variation = &|p| (p.threads, p.touch) = (8, Touch::Page);

fn turns(sizes: impl Iterator<Item = Vec<u64>>) -> Vec<Shape> {
    sizes.map(Shape::Turn).collect()
}

/// One size: at once, and with others alive.
fn one(list: &mut List) {
    let all = turns(sizes(ONE).map(|size| vec![size]));
    list.add("one", &all, &[WHOLE, TENTH, FIRST_PAGE]);
    let some = turns(sizes(SOME).map(|size| vec![size]));
    list.add(
        "some",
        &some,
        &[CALLOC, CALLOC_PAGE, TWO, TWO_PAGE, EIGHT, EIGHT_PAGE],
    );
    let kept = "16 64 256 1K 4K 16K 64K 256K 1M 4M 16M";
    let kept = turns(sizes(kept).map(|size| vec![size]));
    list.alive("kept", &kept, &[10, 100, 1000, 10_000], &ORDERS);
    for (threads, live) in [(2, 100), (8, 100)] {
        for order in [Order::Random, Order::Newest] {
            let vary = move |p: &mut Pattern| (p.threads, p.live, p.order) = (threads, live, order);
            list.add("kept", &kept, &[&vary]);
        }
    }
}

/// Two, three and six sizes in turn.
fn several(list: &mut List) {
    let up_to = |most: u64| sizes(SOME).filter(move |size| *size <= most);
    let few = |p: &mut Pattern| p.live = 3;
    let doubled = turns(up_to(32 * M).map(|size| vec![size, 2 * size]));
    list.add("twice", &doubled, &[WHOLE, FIRST_PAGE, TWO, &few]);
    let far = turns(up_to(4 * M).map(|size| vec![16 * size, size]));
    list.add("16 times", &far, &[WHOLE, FIRST_PAGE, &few]);
    let small = turns(sizes(SOME).skip(1).map(|size| vec![64, size]));
    list.add("64 and", &small, &[WHOLE, EIGHT]);
    let three = "10K 50K 100K 200K 500K 1M 2M 4M 8M 16M";
    // 500K,100K,2M.
    let three = turns(sizes(three).map(|size| {
        let large = if 4 * size < M {
            4 * size
        } else {
            4 * size / M * M + if 4 * size % M > M / 2 { M } else { 0 }
        };
        vec![size, size / 5 / K * K, large]
    }));
    let some = |p: &mut Pattern| p.live = 5;
    list.add(
        "three",
        &three,
        &[WHOLE, TENTH, FIRST_PAGE, &some, TWO, EIGHT, CALLOC],
    );
    let [a, b, c] = [500 * K, 100 * K, 2 * M];
    let others = [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]];
    list.add(
        "orders of three",
        &turns(others.iter().map(|o| o.to_vec())),
        &[WHOLE],
    );
    let six = [16, 256, 4 * K, 16 * K, 64 * K, 256 * K, M, 2 * M];
    let six = turns(
        six.iter()
            .map(|size| [1, 8, 2, 16, 4, 32].map(|times| times * size).to_vec()),
    );
    let many = |p: &mut Pattern| p.live = 7;
    let hundred = |p: &mut Pattern| (p.live, p.order) = (100, Order::Random);
    list.add(
        "six",
        &six,
        &[WHOLE, FIRST_PAGE, &many, &hundred, TWO, EIGHT, CALLOC],
    );
}

/// Random sizes.
fn ranges(list: &mut List) {
    let even = "16 256 64 1K 256 4K 1K 16K 4K 100K 16K 256K 64K 1M 100K 500K 256K 4M 1M 16M 4M 64M";
    let octaves = "16 4K 16 64K 16 1M 16 64M 1K 4M 64K 16M";
    let even = groups(even).map(|[low, high]| Shape::Even(low, high));
    let octaves = groups(octaves).map(|[low, high]| Shape::Octaves(low, high));
    let shapes: Vec<Shape> = even.chain(octaves).collect();
    let alive = |live: u64, order: Order, call: Call, threads: u64| {
        move |p: &mut Pattern| (p.live, p.order, p.call, p.threads) = (live, order, call, threads)
    };
    list.add("range", &shapes, &[WHOLE, FIRST_PAGE, CALLOC, TWO, EIGHT]);
    list.alive(
        "range",
        &shapes,
        &[10, 100, 300, 1000, 10_000],
        &[Order::Random],
    );
    list.alive("range", &shapes, &[100], &ORDERS);
    let more: [Variation; 4] = [
        &alive(300, Order::Random, Call::Calloc, 1),
        &alive(10, Order::Random, Call::Malloc, 2),
        &alive(10, Order::Random, Call::Malloc, 8),
        &alive(100, Order::Newest, Call::Calloc, 2),
    ];
    list.add("range", &shapes, &more);
    let mixed = |p: &mut Pattern| {
        (p.live, p.order, p.call, p.threads, p.touch) =
            (300, Order::Random, Call::Calloc, 2, Touch::Tenth)
    };
    list.add("range", &shapes, &[&mixed]);
}

/// Blocks that grow.
fn growing(list: &mut List) {
    let add = "16 4K 16 100 10000 100 64 64K 256 16K 300K 4K 4K 1M 4K 64K 2M 64K 64K 8M 64K 100K 16M 500K 1M 32M 1M 1M 64M 4M";
    let add = groups(add).map(|[low, high, step]| Shape::Add(low, high, step));
    let add: Vec<Shape> = add.collect();
    let ends = [4 * K, 64 * K, M, 8 * M, 64 * M];
    let percent = [12, 50, 100].map(|percent| ends.map(|high| Shape::Multiply(16, high, percent)));
    let late = ends[2..]
        .iter()
        .map(|high| Shape::Multiply(64 * K, *high, 25));
    let late: Vec<Shape> = late.collect();
    let ladders = [
        ("added", &add[..]),
        ("12%", &percent[0][..]),
        ("50%", &percent[1][..]),
        ("100%", &percent[2][..]),
        ("late", &late[..]),
    ];
    for (ladder, shapes) in ladders {
        list.add(ladder, shapes, &[WHOLE, FIRST_PAGE, TWO, EIGHT]);
        for live in [10, 100, 1000] {
            list.add(ladder, shapes, &[&move |p: &mut Pattern| p.live = live]);
        }
    }
    list.add("added", &add, &[TENTH]);
}

/// Every pattern.
pub fn patterns() -> Vec<Pattern> {
    let mut list = List::default();
    one(&mut list);
    several(&mut list);
    ranges(&mut list);
    growing(&mut list);
    list.patterns
}

/// Pairs of patterns, by their places in the list, that differ in one dimension by one step.
pub fn neighbours(patterns: &[Pattern]) -> BTreeSet<[usize; 2]> {
    let nowhere = ("", 0);
    // What stays the same, and where in the dimension that changes a pattern lies.
    type Dimension = fn(&mut Pattern) -> usize;
    let dimensions: [Dimension; 5] = [
        |p| std::mem::take(&mut p.live) as usize,
        |p| std::mem::replace(&mut p.order, Order::Oldest) as usize,
        |p| std::mem::replace(&mut p.call, Call::Malloc) as usize,
        |p| std::mem::take(&mut p.threads) as usize,
        |p| std::mem::replace(&mut p.touch, Touch::Whole) as usize,
    ];
    let mut pairs = BTreeSet::new();
    for dimension in dimensions {
        let mut lines: BTreeMap<Pattern, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, pattern) in patterns.iter().enumerate() {
            let mut same = pattern.clone();
            same.ladder = nowhere;
            let place = dimension(&mut same);
            lines.entry(same).or_default().push((place, at));
        }
        for mut line in lines.into_values() {
            line.sort_unstable();
            pairs.extend(line.windows(2).map(|pair| [pair[0].1, pair[1].1]));
        }
    }
    let sizes = patterns.iter().enumerate().map(|(at, pattern)| {
        let shape = Shape::Turn(Vec::new());
        (
            Pattern {
                shape,
                ..pattern.clone()
            },
            at,
        )
    });
    let sizes: BTreeMap<Pattern, usize> = sizes.collect();
    for (pattern, at) in &sizes {
        let mut next = pattern.clone();
        next.ladder.1 += 1;
        pairs.extend(sizes.get(&next).map(|next| [*at, *next]));
    }
    pairs
}
