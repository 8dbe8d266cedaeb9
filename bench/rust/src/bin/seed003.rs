//! A thread per processor fills vectors that grow by one byte from 0 to 100,000.

// As its article has it, but that musl is not the only libc that it can stand beside.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let num_threads = std::thread::available_parallelism().map_or(8, |x| x.get());

    let mut handles = vec![];
    for _ in 0..num_threads {
        let handle = std::thread::spawn(move || {
            let mut counter = 0;
            for _ in 0..100000 {
                let data = vec![1u8; counter];
                counter += usize::from(data.get(100).copied().unwrap_or(1));
            }
            println!("counter: {}", counter);
        });
        handles.push(handle);
    }

    for handle in handles {
        handle.join().unwrap();
    }
}
