//! Small files that make a careless reader do much: what they mean is many times their size.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// Size of a section's header and of a symbol, in bytes.
const SECTION: usize = 64;
const SYMBOL: usize = 24;
const PROGRAM: usize = 56;

/// A symbol that comes into a program.
#[derive(Clone, Copy)]
pub struct Symbol {
    /// Where its name is in [`Names`].
    pub name: usize,
    /// `STT_FUNC`, `STT_OBJECT`.
    pub kind: u8,
    pub address: u64,
    pub size: u64,
}

pub const FUNCTION: u8 = 2;
pub const OBJECT: u8 = 1;

/// `program`, which has symbols, with `more` of them, whose names are in `names`.
pub fn with_symbols(program: &[u8], names: &[u8], more: &[Symbol]) -> Vec<u8> {
    let mut file = program.to_vec();
    let headers = long(&file, 40) as usize;
    let count = short(&file, 60) as usize;
    let at = |n: usize| headers + n * SECTION;
    let table = (0..count).find(|n| word(&file, at(*n) + 4) == 2);
    let table = table.expect("a symbol table");
    let strings = word(&file, at(table) + 40) as usize;
    let contents = |file: &[u8], n: usize| {
        let (from, size) = (
            long(file, at(n) + 24) as usize,
            long(file, at(n) + 32) as usize,
        );
        file[from..from + size].to_vec()
    };
    let mut symbols = contents(&file, table);
    let mut text = contents(&file, strings);
    let base = text.len();
    text.extend_from_slice(names);
    for symbol in more {
        symbols.extend_from_slice(&((base + symbol.name) as u32).to_le_bytes());
        // Global, in a section.
        symbols.extend_from_slice(&[16 | symbol.kind, 0, 1, 0]);
        symbols.extend_from_slice(&symbol.address.to_le_bytes());
        symbols.extend_from_slice(&symbol.size.to_le_bytes());
    }
    debug_assert!(symbols.len() % SYMBOL == 0);
    for (section, bytes) in [(table, symbols), (strings, text)] {
        while !file.len().is_multiple_of(8) {
            file.push(0);
        }
        let from = file.len() as u64;
        file.extend_from_slice(&bytes);
        set_long(&mut file, at(section) + 24, from);
        set_long(&mut file, at(section) + 32, bytes.len() as u64);
    }
    file
}

/// `program` with `count` more program headers of that kind, each of the whole file.
pub fn with_segments(program: &[u8], kind: u32, count: usize) -> Vec<u8> {
    let mut file = program.to_vec();
    while !file.len().is_multiple_of(8) {
        file.push(0);
    }
    let (old, size) = (long(&file, 32) as usize, file.len() as u64);
    let there = short(&file, 56) as usize;
    let mut headers = file[old..old + there * PROGRAM].to_vec();
    for number in 0..count as u64 {
        headers.extend_from_slice(&kind.to_le_bytes());
        headers.extend_from_slice(&5u32.to_le_bytes());
        let address = (1 << 40) + number * (1 << 30);
        for value in [0, address, address, size, size, 8] {
            headers.extend_from_slice(&u64::to_le_bytes(value));
        }
    }
    file.extend_from_slice(&headers);
    set_long(&mut file, 32, size);
    let count = (there + count) as u16;
    file[56..58].copy_from_slice(&count.to_le_bytes());
    file
}

/// `object` with its section headers repeated many times, each of a kind and of the whole file; the name of each is the longest
/// that there is.
pub fn with_sections(object: &[u8], kind: u32, count: usize, name: &[u8]) -> Vec<u8> {
    let mut file = object.to_vec();
    let names_at = file.len() as u64;
    file.extend_from_slice(name);
    file.push(0);
    while !file.len().is_multiple_of(8) {
        file.push(0);
    }
    let size = file.len() as u64;
    let mut headers = vec![0; SECTION];
    for number in 1..count {
        let is_names = number == 1;
        let (kind, from, size) = match is_names {
            true => (3, names_at, name.len() as u64 + 1),
            false => (kind, 0, size),
        };
        headers.extend_from_slice(&0u32.to_le_bytes());
        headers.extend_from_slice(&kind.to_le_bytes());
        for value in [0, 0, from, size] {
            headers.extend_from_slice(&u64::to_le_bytes(value));
        }
        headers.extend_from_slice(&[0; 8]);
        headers.extend_from_slice(&4u64.to_le_bytes());
        headers.extend_from_slice(&0u64.to_le_bytes());
    }
    file.extend_from_slice(&headers);
    set_long(&mut file, 40, size);
    file[60..62].copy_from_slice(&(count as u16).to_le_bytes());
    file[62..64].copy_from_slice(&1u16.to_le_bytes());
    file
}

/// An archive of GNU's with a table of long names, and `count` members whose names all begin where `name_of` says.
pub fn archive(
    names: &[u8],
    count: usize,
    name_of: impl Fn(usize) -> usize,
    data: &[u8],
) -> Vec<u8> {
    let mut file = b"!<arch>\n".to_vec();
    member(&mut file, "//", names);
    for number in 0..count {
        member(&mut file, &format!("/{}", name_of(number)), data);
    }
    file
}

/// An archive of BSD's whose index has `count` lines with the one name `name`, for its one member.
pub fn indexed(name: &[u8], count: usize, data: &[u8]) -> Vec<u8> {
    let mut index = ((count * 8) as u32).to_le_bytes().to_vec();
    let size = count * 8 + 8 + name.len() + 1;
    let size = size + size % 2;
    let first = 8 + 60 + size as u32;
    for _ in 0..count {
        index.extend_from_slice(&0u32.to_le_bytes());
        index.extend_from_slice(&first.to_le_bytes());
    }
    index.extend_from_slice(&(name.len() as u32 + 1).to_le_bytes());
    index.extend_from_slice(name);
    index.resize(size, 0);
    let mut file = b"!<arch>\n".to_vec();
    member(&mut file, "__.SYMDEF", &index);
    member(&mut file, "a.o", data);
    file
}

/// An archive with that one member.
pub fn archive_of(data: &[u8]) -> Vec<u8> {
    let mut file = b"!<arch>\n".to_vec();
    member(&mut file, "a.o/", data);
    file
}

fn member(file: &mut Vec<u8>, name: &str, data: &[u8]) {
    let size = data.len();
    file.extend_from_slice(
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).as_bytes(),
    );
    file.extend_from_slice(data);
    file.extend_from_slice(&b"\n"[..size % 2]);
}

/// A wheel with that one member.
pub fn wheel(data: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("a.so", options).expect("begun");
    zip.write_all(data).expect("written");
    zip.finish().expect("ended").into_inner()
}

/// A wheel whose list has the one member that it holds `count` times.
pub fn overlapping(data: &[u8], count: u16) -> Vec<u8> {
    let one = wheel(data);
    let end = one.len() - 22;
    let list = long(&one, end + 12) as u32;
    let from = word(&one, end + 16) as usize;
    let entry = &one[from..end];
    let mut file = one[..from].to_vec();
    for number in 0..count {
        let at = file.len();
        file.extend_from_slice(entry);
        // Names have to differ: the first byte of `a.so` and the one behind.
        let name = at + 46;
        file[name] = b'a' + (number % 26) as u8;
        file[name + 1] = b'a' + (number / 26 % 26) as u8;
        file[name + 2] = b'a' + (number / 676) as u8;
    }
    let mut last = one[end..].to_vec();
    last[8..10].copy_from_slice(&count.to_le_bytes());
    last[10..12].copy_from_slice(&count.to_le_bytes());
    last[12..16].copy_from_slice(&(list * u32::from(count)).to_le_bytes());
    file.extend_from_slice(&last);
    file
}

/// A gzipped tarball: one entry of that type, which says to have `size` bytes and has as many zeros behind `start`.
pub fn tarball(kind: tar::EntryType, start: &[u8], size: u64) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.set_path("package/a").expect("short");
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_cksum();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(header.as_bytes()).expect("written");
    gzip.write_all(start).expect("written");
    let zeros = vec![0; 1 << 20];
    let mut left = size - start.len() as u64;
    while left > 0 {
        let now = left.min(zeros.len() as u64);
        gzip.write_all(&zeros[..now as usize]).expect("written");
        left -= now;
    }
    gzip.finish().expect("ended")
}

fn short(file: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(*file[at..].first_chunk().expect("within"))
}

fn word(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*file[at..].first_chunk().expect("within"))
}

fn long(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*file[at..].first_chunk().expect("within"))
}

fn set_long(file: &mut [u8], at: usize, value: u64) {
    file[at..at + 8].copy_from_slice(&value.to_le_bytes());
}
