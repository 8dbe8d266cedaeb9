use super::*;

fn record(kind: u32, fields: &[u64], rest: &[u8]) -> Vec<u8> {
    let length = HEAD + 8 * fields.len() + rest.len().next_multiple_of(8);
    let mut bytes = Vec::new();
    for word in [length as u32, kind, 70, 71] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(5_u64.to_le_bytes());
    for field in fields {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(rest);
    bytes.resize(length, 0);
    bytes
}

fn file(records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(62_u32.to_le_bytes());
    for word in [1_u64, 2, 3, 512 << 10] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.resize(HEADER, 0);
    let records = records.concat();
    bytes.extend((records.len() as u64 + 8).to_le_bytes());
    bytes.extend(records);
    bytes
}

fn sample() -> Vec<u8> {
    let maps = b"400000-401000 r-xp 0 0:0 1 /x\n500000-501000 rw-p 0 0:0 1 /x\n";
    let image = record(1, &[0x400000, maps.len() as u64], maps);
    let taken = record(2, &[0x1000, 24, 4096, 0x400010, 0x7000, 0, 16], &[7; 16]);
    file(&[
        image,
        record(4, &[5, 900], &[]),
        taken,
        record(0, &[1], &[]),
        record(3, &[0x1000], &[]),
    ])
}

#[test]
fn a_block_s_beginning_and_end_are_read() {
    let recording = Recording::parse(sample()).unwrap();
    assert_eq!((recording.lost, recording.interval), (3, 512 << 10));
    assert_eq!(recording.images, ["400000-401000 r-xp 0 0:0 1 /x\n"]);
    let [taken, given] = &recording.events[..] else {
        panic!("{:?}", recording.events)
    };
    assert_eq!((taken.process, taken.thread, taken.block), (70, 71, 0x1000));
    let of = taken.taken.as_ref().unwrap();
    assert_eq!((of.size, of.registers), (24, [0x400010, 0x7000, 0]));
    assert_eq!(recording.word(&of.stack, 8), Some(0x0707_0707_0707_0707));
    assert_eq!(recording.word(&of.stack, 16), None);
    assert!(given.taken.is_none() && given.block == 0x1000);
    assert_eq!((taken.time, given.time), (900, 900));
}

#[test]
fn times_are_between_those_that_are_known() {
    let mut clock = Clock::default();
    assert_eq!(clock.nanoseconds(7), 0);
    clock.points = vec![(1000, 500_000)];
    assert_eq!(clock.nanoseconds(7), 500_000);
    // Two of them would have time go back.
    let strange = [(2500, 400_000), (1500, 900_000)];
    let right = [(3000, 501_000), (2000, 500_500), (5000, 501_500)];
    clock.points.extend(right.into_iter().chain(strange));
    clock.sort();
    let times = [900, 1000, 2000, 3000, 4000, 5000, 6000].map(|c| clock.nanoseconds(c));
    assert_eq!(times[1..6], [500_000, 500_500, 501_000, 501_250, 501_500]);
    // Outside by the mean: 1,500 ns in 4,000.
    assert_eq!((times[0], times[6]), (499_963, 501_875));
    assert!(clock.nanoseconds(u64::MAX) > times[6] && clock.nanoseconds(0) < times[0]);
}

#[test]
fn what_is_cut_or_changed_is_no_panic() {
    let whole = sample();
    for length in 0..whole.len() {
        let _ = Recording::parse(whole[..length].to_vec());
    }
    for at in (0..64).chain(HEADER..whole.len()) {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut changed = whole.clone();
            changed[at] = byte;
            if let Ok(recording) = Recording::parse(changed) {
                for event in &recording.events {
                    let stack = event.taken.as_ref().map(|t| t.stack.clone());
                    let _ = stack.map(|stack| recording.word(&stack, u64::MAX - 3));
                }
            }
        }
    }
}
