//! A thread per processor fills vectors of 1 to 1000 bytes, 100,000 times.

use std::time::Instant;

// As its article has it, but that musl is not the only libc that it can stand beside.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    println!("=== Memory Allocator Benchmark ===");
    let num_threads = std::thread::available_parallelism().map_or(8, |x| x.get());
    let iterations = 100000;
    println!(
        "Threads: {}, Iterations per thread: {}",
        num_threads, iterations
    );
    let start = Instant::now();
    let mut handles = vec![];
    for _ in 0..num_threads {
        let handle = std::thread::spawn(move || {
            let mut counter = 0;
            for _ in 0..iterations {
                let data = vec![1u8; counter % 1000 + 1];
                counter += usize::from(data.get(100).copied().unwrap_or(1));
            }
            counter
        });
        handles.push(handle);
    }
    let mut total_counter = 0;
    for handle in handles {
        total_counter += handle.join().unwrap();
    }
    let duration = start.elapsed();
    println!("Total counter: {}", total_counter);
    println!("Time elapsed: {:.2?}", duration);
    println!(
        "Throughput: {:.2} operations/sec",
        (num_threads * iterations) as f64 / duration.as_secs_f64()
    );
}
