use super::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    Frames::new(bytes, LAYERS).read_to_end(&mut all)?;
    Ok(all)
}

#[test]
fn frames_are_read_to_the_last() {
    let text = b"what is said again and again and again".repeat(9000);
    let frame = |part: &[u8]| compress_to_vec(part, CompressionLevel::Fastest);
    let (first, second) = text.split_at(100_000);
    let skipped = [
        &0x184d_2a57u32.to_le_bytes()[..],
        &3u32.to_le_bytes(),
        b"toc",
    ]
    .concat();
    let all = [
        &skipped[..],
        &frame(first),
        &skipped,
        &frame(second),
        &skipped,
    ]
    .concat();
    assert_eq!(read(&all).unwrap(), text);
    assert_eq!(read(b"").unwrap(), b"");
    // A cut inside a frame is reported as an error, wherever it is.
    let one = frame(&text);
    for end in [1, 4, 7, one.len() / 2, one.len() - 1] {
        assert!(read(&one[..end]).is_err(), "{end} of {}", one.len());
    }
    assert!(read(&skipped[..9]).is_err());
}

#[test]
fn a_frame_that_asks_for_much_memory_is_refused() {
    // A window of 16 MiB: the descriptor's exponent is 14, to which 10 is added.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 14 << 3, 1, 0, 0];
    let error = read(&frame).unwrap_err().to_string();
    assert!(error.contains("zstd"), "{error}");
    let small = [0x28, 0xb5, 0x2f, 0xfd, 0, 13 << 3, 1, 0, 0];
    assert_eq!(read(&small).unwrap(), b"");
    let mut all = Vec::new();
    assert_eq!(
        Frames::new(&frame, PACKAGES).read_to_end(&mut all).unwrap(),
        0
    );
}
