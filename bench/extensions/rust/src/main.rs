//! Encodes the same batch again and again, and prints the time of each call and the resident set.

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

extensions_core::heap!();

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let [_, vocabulary, merges, text, calls] = arguments.as_slice() else {
        return Err("arguments: VOCABULARY MERGES TEXT CALLS".into());
    };
    let tokenizer = extensions_core::tokenizer(vocabulary, merges)?;
    let documents = documents(&fs::read_to_string(text)?);
    let mut seconds = Vec::new();
    let mut tokens = 0;
    for _ in 0..calls.parse::<usize>()? {
        let start = Instant::now();
        let encoded = extensions_core::encode_batch(&tokenizer, documents.clone())?;
        seconds.push(start.elapsed().as_secs_f64());
        tokens = encoded.iter().map(|e| e.get_ids().len()).sum();
    }
    println!(
        "{{\"heap\": {:?}, \"tokens\": {tokens}, \"seconds\": {seconds:?}, \"rss_kib\": {}}}",
        heap_name(),
        resident()?
    );
    Ok(())
}

/// Pieces of 6,500 characters, as the merge request cuts its text.
fn documents(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(6500).map(|piece| piece.iter().collect()).collect()
}

fn resident() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    Ok(number.ok_or("no VmRSS in /proc/self/status")?.parse()?)
}
