//! Where the address of a page goes that `adrp` makes: what completes it, and whether it was seen all the way.
//!
//! Compilers make one `adrp` for one object.  What follows it may copy the page to other registers, keep it in the
//! function's frame, and complete it with the place in the page.  Where code that completed it was taken out, the page
//! stays behind and nobody reads it: a page that was followed to the end of every way and never read is no reference.
//! Whatever is not understood on the way ends in [`Trail::is_lost`].
//!
//! What unwinding lands on is not followed.  The state of musl's heap has hidden names, which only musl's own members
//! use; they are C, and have nothing for unwinding to land on.

use super::table::{self, Data};
use super::word::{ARGUMENTS, Access, LOST_BY_CALLS, Op, SP, bit, direct, op};
use std::collections::{HashMap, VecDeque};

/// The frame pointer.
const FRAME: u32 = 29;
/// What a call need not keep and has no arguments in: only code that was cut out of a function has a page there.
const CUT: u32 = LOST_BY_CALLS & !ARGUMENTS & !(1 << 30);
/// How many instructions a look for a jump's table is worth.
const TABLE: usize = 256;
/// In how many places of a frame the page may be.
const SLOTS: usize = 8;
/// Size of a register, in bytes.
const SIZE: i64 = 8;

/// What is known of the page at a place in the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Held {
    /// Bits of the registers that may have it.
    registers: u32,
    /// Where in the frame it may be, as distances to where the stack pointer was at the `adrp`, in bytes.
    slots: Vec<i64>,
    /// How far the stack pointer is from there, in bytes.
    depth: i64,
}

impl Held {
    fn has(&self, register: u32) -> bool {
        self.registers & bit(register) != 0
    }

    fn is_empty(&self) -> bool {
        self.registers == 0 && self.slots.is_empty()
    }

    fn set(&mut self, register: u32, is_held: bool) {
        self.registers &= !bit(register);
        self.registers |= if is_held { bit(register) } else { 0 };
    }

    fn put(&mut self, slot: i64) {
        if let Err(place) = self.slots.binary_search(&slot) {
            self.slots.insert(place, slot);
        }
    }

    /// Moves the stack pointer.  What is below it is nobody's.
    fn step(&mut self, by: i64) {
        self.depth = self.depth.wrapping_add(by);
        let depth = self.depth;
        self.slots.retain(|slot| *slot >= depth);
    }
}

/// A page on its way.
pub struct Trail<'c> {
    code: &'c [[u8; 4]],
    /// Where the code is.
    address: u64,
    data: Data<'c>,
    /// How many instructions may be looked at.
    most: usize,
    /// How many were.
    pub looked_at: usize,
    /// What the page is completed by: distances to its beginning.
    pub completed: Vec<i64>,
    /// Whether the page may have gone where it was not followed: a reference may come of it.
    pub is_lost: bool,
    /// Whether calls are followed, too.
    enters: bool,
    /// Whether `x29` points into the frame, once it was asked.
    has_frame: Option<bool>,
    seen: HashMap<usize, Held>,
    ways: VecDeque<(usize, Held)>,
}

impl<'c> Trail<'c> {
    /// Of the `adrp` with this number in the code, which is at `address`, over no more than `most` instructions.
    pub fn follow(
        code: &'c [u8],
        address: u64,
        number: usize,
        most: usize,
        data: Data<'c>,
    ) -> Self {
        let code = code.as_chunks::<4>().0;
        let mut trail = Self {
            code,
            address,
            data,
            most,
            looked_at: 0,
            completed: Vec::new(),
            is_lost: false,
            enters: false,
            has_frame: None,
            seen: HashMap::new(),
            ways: VecDeque::new(),
        };
        trail.run(number);
        trail
    }

    /// Follows calls, too: a compiler that saves room makes functions of what several others have in the middle, and
    /// passes to them whatever register it pleases.
    pub fn enter(&mut self, number: usize) {
        self.enters = true;
        self.seen.clear();
        self.run(number);
    }

    fn run(&mut self, number: usize) {
        let Some(word) = self.word(number) else {
            return;
        };
        let held = Held {
            registers: bit(word & 31),
            ..Held::default()
        };
        // Ways are followed in the order in which they were found: what is near comes before what a jump leads to.
        self.ways.push_back((number + 1, held));
        while let Some((n, held)) = self.ways.pop_front() {
            self.walk(n, held);
        }
    }

    fn word(&self, number: usize) -> Option<u32> {
        self.code.get(number).map(|w| u32::from_le_bytes(*w))
    }

    /// Follows one way to its end.
    fn walk(&mut self, mut n: usize, mut held: Held) {
        while !held.is_empty() {
            let Some(word) = self.word(n).filter(|_| self.looked_at < self.most) else {
                self.is_lost = true;
                return;
            };
            match self.seen.get_mut(&n) {
                Some(old) => {
                    let before = old.clone();
                    self.is_lost |= held.depth != old.depth
                        && (!held.slots.is_empty() || !old.slots.is_empty());
                    old.registers |= held.registers;
                    held.slots.iter().for_each(|slot| old.put(*slot));
                    self.is_lost |= old.slots.len() > SLOTS;
                    old.slots.truncate(SLOTS);
                    if *old == before {
                        return;
                    }
                    held = old.clone();
                }
                None => {
                    self.seen.insert(n, held.clone());
                }
            }
            self.looked_at += 1;
            if !self.apply(n, word, &mut held) {
                return;
            }
            // Not calls, and no literals.
            let jump = direct(word, 4 * n as u64).filter(|_| word >> 26 != 0x25);
            if let Some((to, true, is_last)) = jump {
                self.go(to, &held);
                if is_last {
                    return;
                }
            }
            n += 1;
        }
    }

    /// To the instruction that is so many bytes into the code.
    fn go(&mut self, to: u64, held: &Held) {
        match to < 4 * self.code.len() as u64 && to.is_multiple_of(4) {
            true => self.ways.push_back((to as usize / 4, held.clone())),
            false => self.is_lost = true,
        }
    }

    /// What the instruction does with the page.  Gives whether what follows it is run.
    fn apply(&mut self, n: usize, word: u32, held: &mut Held) -> bool {
        match op(word) {
            Op::Add { to, from: SP, by } if to == SP => held.step(by),
            Op::Add { to, from, by } => {
                if held.has(from) {
                    self.completed.push(by);
                }
                // A frame that is left at once, or one whose size is not known.
                self.is_lost |= to == SP && !held.slots.is_empty();
                held.set(to, false);
            }
            Op::Copy { to, from } => {
                let is_held = from.into_iter().any(|r| held.has(r));
                held.set(to, is_held);
            }
            Op::Access(access) => self.access(n, access, held),
            Op::Call { by } => self.call(n, word, by, held),
            Op::Jump { by } => {
                let to = table::targets(self.code, self.address, n, by, self.data);
                self.is_lost |= to.is_none() || held.has(by);
                self.looked_at += TABLE + to.as_ref().map_or(0, Vec::len);
                for to in to.unwrap_or_default() {
                    self.go(to.wrapping_sub(self.address), held);
                }
                return false;
            }
            Op::Return => {
                self.is_lost |= held.registers & ARGUMENTS != 0;
                return false;
            }
            Op::Stop => return false,
            Op::Other { reads, writes } => {
                self.is_lost |= held.registers & reads != 0;
                held.registers &= !writes;
            }
            Op::Unknown => {
                self.is_lost = true;
                return false;
            }
        }
        true
    }

    fn call(&mut self, n: usize, word: u32, by: Option<u32>, held: &mut Held) {
        self.is_lost |= held.registers & ARGUMENTS != 0 || by.is_some_and(|by| held.has(by));
        let cut = held.registers & CUT;
        if self.enters && by.is_none() && cut != 0 {
            let to = direct(word, 4 * n as u64).map_or(u64::MAX, |(to, ..)| to);
            let inside = Held {
                registers: cut,
                ..Held::default()
            };
            self.go(to, &inside);
        }
        held.registers &= !LOST_BY_CALLS;
    }

    fn access(&mut self, n: usize, access: Access, held: &mut Held) {
        let Access {
            base,
            offset,
            step,
            moved,
            count,
            size,
            is_load,
        } = access;
        if held.has(base) {
            self.completed.push(offset);
        }
        let is_held = |r: &u32| held.has(*r);
        if !is_load && (base != SP || size != SIZE) {
            self.is_lost |= moved.iter().flatten().any(is_held);
        }
        // Compilers reach one place of a frame by one of its two registers, but that is not the law.
        if is_load && base == FRAME && !held.slots.is_empty() {
            self.is_lost |= match self.has_frame {
                Some(has_frame) => has_frame,
                None => {
                    let has = self.sets_frame(n);
                    self.has_frame = Some(has);
                    has
                }
            };
        }
        let mut loaded = [false; 2];
        if base == SP {
            let first = held.depth.wrapping_add(offset);
            for (number, register) in moved.into_iter().take(count).enumerate() {
                let at = first.wrapping_add(size * number as i64);
                let range = at..at.wrapping_add(size);
                match (is_load, register) {
                    (true, Some(_)) if size == SIZE => loaded[number] = held.slots.contains(&at),
                    (true, _) => {
                        let overlaps = |s: &i64| *s < range.end && range.start < *s + SIZE;
                        self.is_lost |= held.slots.iter().any(overlaps);
                    }
                    (false, Some(register)) if held.has(register) && size == SIZE => {
                        held.put(at);
                        self.is_lost |= held.slots.len() > SLOTS;
                        held.slots.truncate(SLOTS);
                    }
                    (false, _) => held
                        .slots
                        .retain(|s| *s < range.start || range.end < *s + SIZE),
                }
            }
            held.step(step);
        } else if step != 0 {
            held.set(base, false);
        }
        for (register, is_held) in moved.into_iter().zip(loaded) {
            if let Some(register) = register.filter(|_| is_load) {
                held.set(register, is_held);
            }
        }
    }

    /// Whether `x29` points into the frame of the function with instruction `n`: it is set where the function begins, which
    /// is where it keeps its return address.
    fn sets_frame(&self, n: usize) -> bool {
        let keeps = |n: usize| {
            let op = self.word(n).map(op);
            matches!(op, Some(Op::Access(a)) if a.base == SP && !a.is_load && a.moved.contains(&Some(30)))
        };
        let Some(start) = (0..n).rev().take(self.most).find(|n| keeps(*n)) else {
            return true;
        };
        let sets = |n: usize| {
            let op = self.word(n).map(op);
            matches!(
                op,
                Some(Op::Add {
                    to: FRAME,
                    from: SP,
                    ..
                })
            )
        };
        (start..start + 16).any(sets)
    }
}
