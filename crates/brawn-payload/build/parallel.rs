//! Runs one function on many values, with as many threads as Cargo has jobs; each runs a compiler.

use crate::Result;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

/// The results of `work` for `items`, in their order, or the first error.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    // Other types of errors cannot be passed between threads.
    let results: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..jobs().min(items.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item).map_err(|error| error.to_string());
                    if let Ok(mut slot) = results[index].lock() {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    let results = results.into_iter().map(|slot| {
        let result = slot.into_inner().ok().flatten();
        Ok(result.ok_or("a thread of the build ended early")??)
    });
    results.collect()
}

/// The number of threads: what Cargo tells build scripts, otherwise one for each processor.
fn jobs() -> usize {
    let told = env::var("NUM_JOBS").ok().and_then(|text| text.parse().ok());
    let told = told.or_else(|| thread::available_parallelism().ok().map(usize::from));
    told.unwrap_or(1).max(1)
}
