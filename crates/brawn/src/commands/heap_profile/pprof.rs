//! A profile as `pprof` reads it: `profile.proto` of github.com/google/pprof, gzipped.
//!
//! The format is one message of numbers and of messages within it (Protocol Buffers, "Encoding"), so a
//! library that makes code from its description would be larger than what it saves.

use brawn_sample::heap::{Amount, Profile};
use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;
use std::io::Write as _;

/// A message, field by field.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u64, value: u64) {
        if value != 0 {
            self.varint(field << 3);
            self.varint(value);
        }
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
    }

    fn numbers(&mut self, field: u64, values: impl IntoIterator<Item = u64>) {
        let mut packed = Self::default();
        for value in values {
            packed.varint(value);
        }
        self.bytes(field, &packed.0);
    }

    fn message(&mut self, field: u64, value: &Self) {
        self.bytes(field, &value.0);
    }
}

/// Each text once; the first is the empty one.
struct Texts(IndexSet<String>);

impl Texts {
    fn of(&mut self, text: &str) -> u64 {
        self.0.insert_full(text.to_owned()).0 as u64
    }
}

/// What each sample has, the last the one that is shown first: `go tool pprof` calls the first four so.
const TYPES: [(&str, &str); 6] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
    ("peak_objects", "count"),
    ("peak_space", "bytes"),
];

/// The file's bytes.
pub fn encoded(profile: &Profile) -> Vec<u8> {
    let message = message(profile);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    // Into memory: that cannot fail.
    let _ = gzip.write_all(&message.0);
    gzip.finish().unwrap_or_default()
}

fn message(profile: &Profile) -> Message {
    let mut texts = Texts(IndexSet::from([String::new()]));
    let mut all = Message::default();
    let kind = |texts: &mut Texts, (name, unit): (&str, &str)| {
        let mut message = Message::default();
        message.number(1, texts.of(name));
        message.number(2, texts.of(unit));
        message
    };
    for of in TYPES {
        all.message(1, &kind(&mut texts, of));
    }
    let thread = texts.of("thread");
    for stack in &profile.stacks {
        let mut sample = Message::default();
        sample.numbers(1, stack.frames.iter().map(|frame| *frame as u64 + 1));
        let amounts = [stack.asked, stack.at_end, stack.at_peak];
        let values = amounts.map(|Amount { blocks, bytes }| [blocks, bytes]);
        sample.numbers(
            2,
            values
                .as_flattened()
                .iter()
                .map(|value| value.round() as u64),
        );
        let mut label = Message::default();
        label.number(1, thread);
        label.number(3, u64::from(stack.thread));
        sample.message(3, &label);
        all.message(2, &sample);
    }
    for (number, frame) in profile.frames.iter().enumerate() {
        let id = number as u64 + 1;
        let file = frame.file.as_ref().map(|file| file.to_string_lossy());
        let mut line = Message::default();
        line.number(1, id);
        let mut location = Message::default();
        location.number(1, id);
        location.message(4, &line);
        all.message(4, &location);
        let mut function = Message::default();
        function.number(1, id);
        function.number(2, texts.of(&frame.function));
        function.number(3, texts.of(&frame.function));
        function.number(4, texts.of(&file.unwrap_or_default()));
        all.message(5, &function);
    }
    let duration = (profile.seconds * 1e9) as u64;
    let (space, default) = (kind(&mut texts, ("space", "bytes")), texts.of("peak_space"));
    for text in &texts.0 {
        all.bytes(6, text.as_bytes());
    }
    all.number(10, duration);
    all.message(11, &space);
    all.number(12, profile.interval);
    all.number(14, default);
    all
}

#[cfg(test)]
mod tests;
