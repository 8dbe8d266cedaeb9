//! What a sampled run gives: plain data, which can be kept and looked at later.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the samples were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// By the kernel, in the program and in the kernel itself.
    #[default]
    Clock,
    /// By the kernel, in the program only.
    UserClock,
    /// By stopping threads that run.
    Stops,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileOffset {
    /// The file: its position in [`Samples::files`].
    pub file: u32,
    /// The offset in the file.
    pub at: u64,
}

/// Samples that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The program's own place: where it ran, or from where it called the kernel. `None` outside of all files.
    pub place: Option<FileOffset>,
    /// Whether the kernel ran.
    pub kernel: bool,
    /// The kernel's function that ran for the program, if the sampling says so.
    pub call: Option<i64>,
    /// Of a function that copies: the class of the length. In the kernel: 1 where the second argument is more than brawn's
    /// heap would keep of a block.
    #[serde(default)]
    pub length: Option<u8>,
    /// Places in code that are on top of the stack, the last call first. Some of them may be old.
    pub callers: Vec<FileOffset>,
    /// How many samples.
    pub count: u64,
}

/// Looks at threads that waited for a futex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    /// The futex's address in the process.
    pub futex: u64,
    /// Where the program called the kernel.
    pub place: Option<FileOffset>,
    /// As in [`Hit`].
    pub callers: Vec<FileOffset>,
    /// The time that threads were seen waiting.
    pub seconds: f64,
}

/// A sampled run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// How they were taken.
    pub mode: Mode,
    /// How many runs it were.
    pub runs: u32,
    /// Why no better way was open, in words.
    pub reason: Option<String>,
    /// The processor time from one sample to the next, in seconds.
    pub period: f64,
    /// Every file that code ran from, as the kernel names it.
    pub files: Vec<PathBuf>,
    /// The samples.
    pub hits: Vec<Hit>,
    /// Waits for futexes.
    pub waits: Vec<Wait>,
    /// Samples that were lost, or that belong to no file.
    pub lost: u64,
    /// Threads that were seen.
    pub threads: u64,
    /// The run's time on the wall, in seconds.
    pub wall: f64,
    /// Processor time in user mode, of the process and of the children that it waited for.
    pub user: f64,
    /// Processor time in the kernel.
    pub system: f64,
    /// The processor time that sampling took in this process, in seconds.
    pub cost: f64,
    /// Page faults that read no disk.
    #[serde(default)]
    pub faults: u64,
    /// The pages that the process had when it had most, added up over the runs.
    #[serde(default)]
    pub pages: u64,
    /// The process's status, as `wait` has it.
    pub status: i32,
}

impl Samples {
    /// Adds another run of the same program, for which the first had too few samples.
    pub fn add(&mut self, other: Self) {
        let position = |files: &mut Vec<PathBuf>, file: &PathBuf| {
            let known = files.iter().position(|f| f == file).unwrap_or_else(|| {
                files.push(file.clone());
                files.len() - 1
            });
            u32::try_from(known).unwrap_or(u32::MAX)
        };
        let files: Vec<u32> = other
            .files
            .iter()
            .map(|f| position(&mut self.files, f))
            .collect();
        let moved = |place: FileOffset| FileOffset {
            file: files.get(place.file as usize).copied().unwrap_or(u32::MAX),
            ..place
        };
        let moved_all = |places: Vec<FileOffset>| places.into_iter().map(moved).collect();
        self.hits.extend(other.hits.into_iter().map(|hit| Hit {
            place: hit.place.map(moved),
            callers: moved_all(hit.callers),
            ..hit
        }));
        self.waits.extend(other.waits.into_iter().map(|wait| Wait {
            place: wait.place.map(moved),
            callers: moved_all(wait.callers),
            ..wait
        }));
        self.runs += other.runs;
        self.lost += other.lost;
        self.threads = self.threads.max(other.threads);
        self.wall += other.wall;
        self.user += other.user;
        self.system += other.system;
        self.cost += other.cost;
        self.faults += other.faults;
        self.pages += other.pages;
        if self.status == 0 {
            self.status = other.status;
        }
    }

    /// How many samples there are.
    pub fn count(&self) -> u64 {
        self.hits.iter().map(|h| h.count).sum()
    }
}
