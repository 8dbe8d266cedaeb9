//! Which file is at an address of a process.

use crate::samples::FileOffset;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Code of a file in a process's memory.
#[derive(Clone, Copy, Debug)]
struct Map {
    start: u64,
    end: u64,
    offset: u64,
    file: u32,
}

/// A line of `/proc/PID/maps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub start: u64,
    pub size: u64,
    pub is_code: bool,
    pub offset: u64,
    /// Empty if it is no file.
    pub path: &'a Path,
}

impl<'a> Line<'a> {
    /// `start-end rights offset device inode path`
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let rights = words.next()?;
        let offset = words.next()?;
        let path = words.nth(2)?.trim_start();
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (start, end) = (number(start)?, number(end)?);
        Some(Self {
            start,
            size: end.checked_sub(start)?,
            is_code: rights.contains('x'),
            offset: number(offset)?,
            path: Path::new(path),
        })
    }
}

/// The mapped code of every process.
#[derive(Debug, Default)]
pub struct Maps {
    files: Vec<PathBuf>,
    known: HashMap<PathBuf, u32>,
    processes: HashMap<u32, Vec<Map>>,
}

impl Maps {
    fn file(&mut self, path: &Path) -> u32 {
        if let Some(file) = self.known.get(path) {
            return *file;
        }
        let file = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        self.files.push(path.to_owned());
        self.known.insert(path.to_owned(), file);
        file
    }

    /// `length` bytes of a file from `offset` on are at `start` now.
    pub fn add(&mut self, process: u32, start: u64, length: u64, offset: u64, path: &Path) {
        let map = Map {
            start,
            end: start.saturating_add(length),
            offset,
            file: self.file(path),
        };
        let maps = self.processes.entry(process).or_default();
        // The kernel maps a program's first part as large as the whole program, and the others over its end.
        let rests = maps.iter().flat_map(|old| {
            let before = Map {
                end: old.end.min(map.start),
                ..*old
            };
            let start = old.start.max(map.end);
            let after = Map {
                start,
                offset: old.offset + (start - old.start),
                ..*old
            };
            [before, after].into_iter().filter(|m| m.start < m.end)
        });
        *maps = rests.collect();
        maps.push(map);
    }

    /// The process has a new program.
    pub fn clear(&mut self, process: u32) {
        self.processes.remove(&process);
    }

    /// The process `child` begins as a copy of `parent`.
    pub fn fork(&mut self, parent: u32, child: u32) {
        if parent != child
            && let Some(maps) = self.processes.get(&parent)
        {
            self.processes.insert(child, maps.clone());
        }
    }

    /// Reads what the kernel says of a process; the old knowledge stays if it says nothing.
    pub fn read(&mut self, process: u32) {
        let Ok(text) = std::fs::read_to_string(format!("/proc/{process}/maps")) else {
            return;
        };
        if !text.is_empty() {
            self.clear(process);
        }
        for line in text.lines().filter_map(Line::parse) {
            if line.is_code {
                self.add(process, line.start, line.size, line.offset, line.path);
            }
        }
    }

    /// Whether anything is known of the process.
    pub fn knows(&self, process: u32) -> bool {
        self.processes.contains_key(&process)
    }

    /// The place of an address.
    pub fn place(&self, process: u32, address: u64) -> Option<FileOffset> {
        let maps = self.processes.get(&process)?;
        let map = maps.iter().find(|m| (m.start..m.end).contains(&address))?;
        Some(FileOffset {
            file: map.file,
            at: address - map.start + map.offset,
        })
    }

    /// The places among the words on top of a stack.
    pub fn callers(&self, process: u32, stack: &[u64]) -> Vec<FileOffset> {
        let places = stack.iter().filter_map(|word| self.place(process, *word));
        places.take(MOST_CALLERS).collect()
    }

    /// The files that were seen.
    pub fn into_files(self) -> Vec<PathBuf> {
        self.files
    }
}

/// How many places of a stack are kept.
const MOST_CALLERS: usize = 6;

#[cfg(test)]
mod tests;
