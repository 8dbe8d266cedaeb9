//! Several threads where they can be had. One is enough: a user's limit of processes may allow no second one.

use rayon::ThreadPoolBuilder;

/// Does `work`, which shares itself out, with as many threads as there are processors, or as few as can be had.
pub fn with<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // 0 stands for rayon's own choice, which its users can set.
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let fewer = std::iter::successors(Some(all / 2), |threads| Some(threads / 2));
    for threads in std::iter::once(0).chain(fewer.take_while(|threads| *threads > 0)) {
        if let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() {
            return pool.install(work);
        }
    }
    // The thread itself is the pool, as long as this lives.
    let _own = ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build();
    work()
}
