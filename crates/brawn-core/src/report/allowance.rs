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
mod tests;
