//! Rust and C pass blocks to each other, on several threads, with a C library from crates.io between them.

use std::alloc::{GlobalAlloc as _, Layout, System};
use std::ffi::{CStr, c_char, c_void};

unsafe extern "C" {
    fn own_copy(text: *const c_char) -> *mut c_char;
    fn own_free(block: *mut c_void);
}

fn pass_blocks(round: usize) {
    let layout = Layout::from_size_align(16 + round % 500, 8).expect("a layout");
    // SAFETY: the layout's size is not zero; the pointers are C's or the system allocator's, which are the
    // same heap, and each is freed once.
    unsafe {
        let block = System.alloc(layout);
        assert!(libc::malloc_usable_size(block.cast()) >= layout.size());
        own_free(block.cast());
        let text = own_copy(c"copied".as_ptr());
        assert_eq!(CStr::from_ptr(text), c"copied");
        libc::free(text.cast());
    }
}

fn compress(text: &[u8]) -> Vec<u8> {
    let mut out = vec![0; text.len() + 1000];
    // SAFETY: both buffers are as long as is said.
    let length = unsafe {
        lz4_sys::LZ4_compress_default(
            text.as_ptr().cast(),
            out.as_mut_ptr().cast(),
            text.len() as i32,
            out.len() as i32,
        )
    };
    out.truncate(length as usize);
    out
}

fn main() {
    let threads: Vec<_> = (0..4)
        .map(|number| {
            std::thread::spawn(move || {
                (0..2000).for_each(|round| pass_blocks(round + number));
                compress(&vec![number as u8; 100_000]).len()
            })
        })
        .collect();
    for thread in threads {
        let length = thread.join().expect("a thread");
        assert!((1..10_000).contains(&length), "{length}");
    }
    println!("passed");
}
