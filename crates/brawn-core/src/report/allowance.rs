//! Memory that threads share for unpacked data: if too much is in use, a thread waits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A limit of bytes that may be in use at the same time.
#[derive(Debug)]
pub struct Allowance {
    most: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// Bytes of an [`Allowance`] that are in use until this is dropped.
#[derive(Debug)]
pub struct Taken<'r> {
    allowance: &'r Allowance,
    size: u64,
}

impl Allowance {
    /// An allowance of `most` bytes.
    pub const fn new(most: u64) -> Self {
        Self {
            most,
            used: Mutex::new(0),
            freed: Condvar::new(),
        }
    }

    /// Waits until `size` bytes are free. A thread that already has some must not call this: two threads would wait
    /// for each other. If `size` is larger than the allowance, this waits until nothing is in use.
    pub fn take(&self, size: u64) -> Taken<'_> {
        let mut used = self.used();
        while *used > 0 && used.saturating_add(size) > self.most {
            used = self
                .freed
                .wait(used)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *used = used.saturating_add(size);
        Taken {
            allowance: self,
            size,
        }
    }

    // The number is valid even if another thread panicked.
    fn used(&self) -> MutexGuard<'_, u64> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut used = self.allowance.used();
        *used = used.saturating_sub(self.size);
        self.allowance.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn no_more_is_taken_than_there_is() {
        let allowance = Allowance::new(100);
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for size in [40, 1, 100, 60, 0] {
                        let taken = allowance.take(size);
                        let sum = now.fetch_add(size, Ordering::SeqCst) + size;
                        most.fetch_max(sum, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(size, Ordering::SeqCst);
                        drop(taken);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 100);
        // A size above the limit must have the allowance alone.
        drop(allowance.take(1000));
        assert_eq!(*allowance.used(), 0);
    }
}
