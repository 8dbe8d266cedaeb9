use super::*;
use flate2::read::GzDecoder;
use std::io::Read as _;

fn zipped(bytes: &[u8], threads: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut gzip = Gzip::with_threads(&mut out, threads).unwrap();
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap();
    out
}

/// Text that deflate can compress, but not too much.
fn text(size: usize) -> Vec<u8> {
    let mut state = 1u32;
    let words = ["patch ", "restore ", "libc.a\n", "swift ", "musl "];
    let mut text = Vec::with_capacity(size + 8);
    while text.len() < size {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(words[(state >> 24) as usize % words.len()].as_bytes());
    }
    text.truncate(size);
    text
}

fn noise(size: usize) -> Vec<u8> {
    let mut state = 7u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(size).collect()
}

#[test]
fn it_unpacks_to_what_was_written_whatever_the_threads() {
    for size in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 17] {
        let bytes = text(size);
        let one = zipped(&bytes, 1);
        for threads in [0, 2, 3, 4] {
            assert!(zipped(&bytes, threads) == one, "{size}, {threads} threads");
        }
        let mut back = Vec::new();
        GzDecoder::new(&one[..]).read_to_end(&mut back).unwrap();
        assert!(back == bytes, "{size}");
    }
}

/// Machine code and its tables: in made-up data the difference did not show.
#[test]
fn a_block_does_not_depend_on_the_threads_earlier_ones() {
    let mut bytes = Vec::new();
    let program = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
    program
        .take(48 * BLOCK as u64)
        .read_to_end(&mut bytes)
        .unwrap();
    let one = zipped(&bytes, 1);
    for threads in 2..=3 {
        assert!(zipped(&bytes, threads) == one, "{threads} threads");
    }
}

#[test]
fn blocks_know_what_was_before_them() {
    let page = noise(20_000);
    let many: Vec<u8> = page.iter().copied().cycle().take(4 * BLOCK).collect();
    let size = zipped(&many, 2).len();
    // If blocks could not refer to the previous one, each would contain the page again.
    assert!(size < 70_000, "{size}");
}

#[test]
fn bytes_that_do_not_compress_are_whole() {
    let noise = noise(3 * BLOCK + 5);
    let mut back = Vec::new();
    GzDecoder::new(&zipped(&noise, 3)[..])
        .read_to_end(&mut back)
        .unwrap();
    assert!(back == noise);
}
