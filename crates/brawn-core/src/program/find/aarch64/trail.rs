//! Follows the page that `adrp` gives: finds the instructions that complete it, and whether all paths were followed.
//!
//! Compilers write one `adrp` for one object. Later instructions may copy the page to other registers, store it in
//! the function's frame, and add the offset in the page. If a compiler removed the code that used the page, the page
//! stays and nothing reads it. So a page that was followed to the end of every path and never read is not a
//! reference. If something on the way is not understood, [`Trail::is_lost`] is set.
//!
//! Paths of unwinding are not followed. The state of musl's heap has hidden names, which only musl's own members use.
//! They are C and have no code that unwinding lands on.

use super::table::{self, Data};
use super::word::{ARGUMENTS, Access, LOST_BY_CALLS, Op, SP, bit, direct, op};
use std::collections::{BTreeMap, VecDeque};

/// The frame pointer.
const FRAME: u32 = 29;
/// Registers that a call neither preserves nor takes arguments in. They hold a page only if a compiler moved a part
/// of a function into a function of its own.
const CUT: u32 = LOST_BY_CALLS & !ARGUMENTS & !(1 << 30);
/// Searching for a jump's table costs as much as this many instructions.
const TABLE: usize = 256;
/// The page may be in at most this many places of a frame.
const SLOTS: usize = 8;
/// Size of a register, in bytes.
const SIZE: i64 = 8;

/// Where the page may be at one place of the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Held {
    /// One bit for each register that may hold it.
    registers: u32,
    /// Its places in the frame: distances in bytes from the stack pointer at the `adrp`.
    slots: Vec<i64>,
    /// The distance of the stack pointer from its value at the `adrp`, in bytes.
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

    /// Moves the stack pointer. Values below it are lost.
    fn step(&mut self, by: i64) {
        self.depth = self.depth.wrapping_add(by);
        let depth = self.depth;
        self.slots.retain(|slot| *slot >= depth);
    }
}

/// A page that is being followed.
pub struct Trail<'c> {
    code: &'c [[u8; 4]],
    /// The address of the code.
    address: u64,
    data: Data<'c>,
    /// How many instructions may be read.
    most: usize,
    /// How many have been read.
    pub looked_at: usize,
    /// The offsets that instructions add to the page.
    pub completed: Vec<i64>,
    /// Whether the page may have gone somewhere that was not followed: then there may be a reference.
    pub is_lost: bool,
    /// Whether calls are followed too.
    enters: bool,
    /// Whether `x29` points into the frame; `None` until this was looked up.
    has_frame: Option<bool>,
    /// Nearly every page is completed after a few instructions.
    seen: BTreeMap<usize, Held>,
    ways: VecDeque<(usize, Held)>,
}

impl<'c> Trail<'c> {
    /// Follows the page of `adrp` number `number` in the code at `address`, over at most `most` instructions.
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
            seen: BTreeMap::new(),
            ways: VecDeque::new(),
        };
        trail.run(number);
        trail
    }

    /// Follows calls too. A compiler that saves space may move code that several functions have in common into a
    /// function of its own, which then takes values in any register.
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
        // Paths are followed in the order in which they were found, so that near code comes before targets of jumps.
        self.ways.push_back((number + 1, held));
        while let Some((n, held)) = self.ways.pop_front() {
            self.walk(n, held);
        }
    }

    fn word(&self, number: usize) -> Option<u32> {
        self.code.get(number).map(|w| u32::from_le_bytes(*w))
    }

    /// Follows one path to its end.
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
            // Neither calls nor literals.
            let jump = direct(word, 4 * n as u64).filter(|_| word >> 26 != 0x25);
            if let Some(jump) = jump.filter(|r| r.is_branch) {
                self.go(jump.target, &held);
                if jump.is_last {
                    return;
                }
            }
            n += 1;
        }
    }

    /// Goes on at the instruction that is `to` bytes into the code.
    fn go(&mut self, to: u64, held: &Held) {
        match to < 4 * self.code.len() as u64 && to.is_multiple_of(4) {
            true => self.ways.push_back((to as usize / 4, held.clone())),
            false => self.is_lost = true,
        }
    }

    /// Applies the instruction to the page's places. Returns whether the next instruction runs.
    fn apply(&mut self, n: usize, word: u32, held: &mut Held) -> bool {
        match op(word) {
            Op::Add { to, from: SP, by } if to == SP => held.step(by),
            Op::Add { to, from, by } => {
                if held.has(from) {
                    self.completed.push(by);
                }
                // The function leaves its frame at once, or the frame's size is not known.
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
            let to = direct(word, 4 * n as u64).map_or(u64::MAX, |r| r.target);
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
        // Compilers normally reach one place of a frame through only one of its two registers, but they do not have
        // to.
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

    /// Whether `x29` points into the frame of the function with instruction `n`. Functions set it at their start,
    /// where they store the return address.
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
