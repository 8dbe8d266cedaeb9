use super::*;
use brawn_sample::heap::{Frame, Stack};

/// The fields of a message: of numbers themselves, of others how many bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        if key & 7 == 2 {
            bytes = &bytes[value as usize..];
        }
        all.push((key >> 3, value));
    }
    all
}

#[test]
fn every_message_is_whole() {
    let amount = Amount {
        blocks: 3.2,
        bytes: 4e12,
    };
    let profile = Profile {
        frames: vec![Frame {
            function: "main".into(),
            file: None,
        }],
        stacks: vec![Stack {
            frames: vec![0, 0],
            thread: 9,
            asked: amount,
            at_peak: amount,
            at_end: Amount::default(),
        }],
        samples: 1,
        lost: 0,
        interval: 512 << 10,
        seconds: 1.5,
        peak_at: 1.0,
        peak_doubt: 0.0,
        end_doubt: 0.0,
        over_time: vec![],
        threads_over_time: vec![],
    };
    let fields = fields(&message(&profile).0);
    let count = |of: u64| fields.iter().filter(|(field, _)| *field == of).count();
    // Six names of types, count, bytes, space, thread, main, and the empty text.
    assert_eq!([1, 2, 4, 5, 6].map(count), [6, 1, 1, 1, 12]);
    assert!(fields.contains(&(12, 512 << 10)) && fields.contains(&(10, 1_500_000_000)));
}
