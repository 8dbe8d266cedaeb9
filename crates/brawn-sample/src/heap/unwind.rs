//! From the stack that a program recorded to the functions that are on it.

use super::recording::{Event, Recording, Taken};
use crate::code::Code;
use crate::maps::Line;
use brawn_core::arch::Isa;
use framehop::aarch64::{CacheAarch64, UnwindRegsAarch64, UnwinderAarch64};
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder};
use gimli::{BaseAddresses, CieOrFde, EhFrame, NativeEndian, UnwindSection as _};
use object::{Object as _, ObjectSection as _};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// At most so many frames of a stack are told.
const MOST_FRAMES: usize = 256;
/// At most so many files are read: a recording may name any.
const MOST_FILES: usize = 1000;

/// Code of a file in memory.
struct Mapped {
    start: u64,
    end: u64,
    /// What to take from an address in memory for one in the file.
    bias: u64,
    file: usize,
}

/// A file whose code was in memory.
struct File {
    path: PathBuf,
    code: Code,
    /// Where functions begin, of which there may be no names, by what unwinds from them.
    starts: Vec<u64>,
    sections: Sections,
}

/// A file's parts that unwinding needs.
type Sections = ExplicitModuleSectionInfo<Rc<[u8]>>;

/// Reads a word of a stack.
type ReadWord<'r> = dyn FnMut(u64) -> Result<u64, ()> + 'r;

/// Gives the frames of a stack, from where the program counter, the stack pointer and the frame pointer are these.
type Walker = Box<dyn FnMut([u64; 3], &mut ReadWord<'_>) -> Vec<u64>>;

/// The stacks of a recording.
pub struct Stacks {
    images: Vec<(Vec<Mapped>, Walker)>,
    files: Vec<File>,
}

/// What a frame's address is in: a file and an address in it where a function begins, or the address alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    file: Option<usize>,
    start: u64,
}

impl Stacks {
    /// Reads the files whose code the recording's processes had in memory.
    pub fn new(recording: &Recording) -> Self {
        let mut stacks = Self {
            images: Vec::new(),
            files: Vec::new(),
        };
        let mut known = HashMap::new();
        for image in &recording.images {
            let mapped: Vec<Mapped> = image
                .lines()
                .filter_map(|line| stacks.mapped(line, &recording.root, &mut known))
                .collect();
            let walker = stacks.walker(recording.architecture, &mapped);
            stacks.images.push((mapped, walker));
        }
        stacks
    }

    fn mapped(
        &mut self,
        line: &str,
        root: &Path,
        known: &mut HashMap<PathBuf, usize>,
    ) -> Option<Mapped> {
        let line = Line::parse(line)?;
        let is_known = known.contains_key(line.path);
        if !line.path.is_absolute() || (known.len() == MOST_FILES && !is_known) {
            return None;
        }
        let file = *known
            .entry(line.path.to_owned())
            .or_insert_with_key(|path| {
                self.files.push(File::read(path, root));
                self.files.len() - 1
            });
        let code = &self.files[file].code;
        let address = code.address_of_part(line.offset, line.size)?;
        Some(Mapped {
            start: line.start,
            end: line.start + line.size,
            bias: line.start.wrapping_sub(address),
            file,
        })
    }

    fn walker(&self, architecture: Isa, mapped: &[Mapped]) -> Walker {
        let modules = mapped.iter().map(|map| {
            let sections = self.files[map.file].sections.clone();
            Module::new(String::new(), map.start..map.end, map.bias, sections)
        });
        match architecture {
            Isa::X86_64 => {
                let (unwinder, cache) = (UnwinderX86_64::new(), CacheX86_64::new());
                walker(unwinder, cache, modules, UnwindRegsX86_64::new)
            }
            Isa::Aarch64 => {
                let (unwinder, cache) = (UnwinderAarch64::new(), CacheAarch64::new());
                walker(unwinder, cache, modules, UnwindRegsAarch64::new)
            }
        }
    }

    /// The frames from who asked for the block outwards.
    pub fn of(&mut self, recording: &Recording, event: &Event, taken: &Taken) -> Vec<Site> {
        let [pc, sp, _] = taken.registers;
        let mut read = |address: u64| {
            let word = address.checked_sub(sp);
            word.and_then(|offset| recording.word(&taken.stack, offset))
                .ok_or(())
        };
        let addresses = match self.images.get_mut(event.image) {
            Some((_, walk)) => walk(taken.registers, &mut read),
            None => vec![pc],
        };
        let sites = addresses
            .into_iter()
            .map(|address| self.site(event.image, address));
        sites.collect()
    }

    /// Where a return address leads back to: it may be the first one after a function that ends with a call.
    fn site(&self, image: usize, address: u64) -> Site {
        let before = address.saturating_sub(1);
        let maps = self
            .images
            .get(image)
            .into_iter()
            .flat_map(|(maps, _)| maps);
        let found = maps
            .into_iter()
            .find(|m| (m.start..m.end).contains(&before));
        let Some(map) = found else {
            return Site {
                file: None,
                start: address,
            };
        };
        let at = before.wrapping_sub(map.bias);
        Site {
            file: Some(map.file),
            start: self.files[map.file].start(at),
        }
    }

    /// What to call a frame, and the file that it is in.
    pub fn name(&self, site: Site) -> (String, Option<&Path>) {
        let Some(file) = site.file.map(|file| &self.files[file]) else {
            return (format!("{:#x}", site.start), None);
        };
        let name = file.code.at_address(site.start).map(|f| f.name.clone());
        let name = name.filter(|name| !name.is_empty());
        let unnamed = || format!("function at {:#x}", site.start);
        (name.unwrap_or_else(unnamed), Some(&file.path))
    }
}

/// Unwinds one architecture's stacks.
fn walker<U: Unwinder + 'static>(
    mut unwinder: U,
    mut cache: U::Cache,
    modules: impl Iterator<Item = U::Module>,
    registers: fn(u64, u64, u64) -> U::UnwindRegs,
) -> Walker {
    modules.for_each(|module| unwinder.add_module(module));
    Box::new(move |[pc, sp, fp], read| {
        let (mut frames, mut registers) = (vec![pc], registers(pc, sp, fp));
        while frames.len() < MOST_FRAMES {
            let last = frames[frames.len() - 1];
            let Some(address) = FrameAddress::from_return_address(last) else {
                break;
            };
            // What was not copied of the stack ends it, and so does the program's first function.
            match unwinder.unwind_frame(address, &mut registers, &mut cache, &mut |at| read(at)) {
                Ok(Some(next)) if next != 0 => frames.push(next),
                _ => break,
            }
        }
        frames
    })
}

impl File {
    fn read(path: &Path, root: &Path) -> Self {
        let code = Code::read(&root.join(path.strip_prefix("/").unwrap_or(path)));
        let (starts, sections) = unwind_info(code.bytes());
        Self {
            path: path.to_owned(),
            code,
            starts,
            sections,
        }
    }

    /// Where the function begins that an address is in, as far as that is known.
    fn start(&self, address: u64) -> u64 {
        if let Some(function) = self.code.at_address(address) {
            return function.start;
        }
        let after = self.starts.partition_point(|start| *start <= address);
        after.checked_sub(1).map_or(address, |at| self.starts[at])
    }
}

/// Where a file's functions begin, and what unwinds from them.
fn unwind_info(bytes: &[u8]) -> (Vec<u64>, Sections) {
    let object = object::File::parse(bytes).ok();
    let section = |name: &str| {
        let section = object.as_ref()?.section_by_name(name)?;
        let range = section.address()..section.address() + section.size();
        Some((range, Rc::from(section.data().ok()?)))
    };
    let (eh_frame, header, text) = (
        section(".eh_frame"),
        section(".eh_frame_hdr"),
        section(".text"),
    );
    let starts = eh_frame.as_ref().map_or_else(Vec::new, |(range, data)| {
        let text = text
            .as_ref()
            .map_or(0, |(range, _): &(_, Rc<[u8]>)| range.start);
        starts(data, range.start, text)
    });
    let parts = |part: Option<(std::ops::Range<u64>, Rc<[u8]>)>| part.unzip();
    let (eh_frame_svma, eh_frame) = parts(eh_frame);
    let (eh_frame_hdr_svma, eh_frame_hdr) = parts(header);
    let (text_svma, text) = parts(text);
    let debug_frame = section(".debug_frame").map(|(_, data)| data);
    let sections = ExplicitModuleSectionInfo {
        base_svma: 0,
        text_svma,
        text,
        got_svma: section(".got").map(|(range, _)| range),
        eh_frame_svma,
        eh_frame,
        eh_frame_hdr_svma,
        eh_frame_hdr,
        debug_frame,
        ..ExplicitModuleSectionInfo::default()
    };
    (starts, sections)
}

/// Where functions begin, as an `.eh_frame` tells, sorted.
fn starts(data: &[u8], address: u64, text: u64) -> Vec<u64> {
    let section = EhFrame::new(data, NativeEndian);
    let bases = BaseAddresses::default()
        .set_eh_frame(address)
        .set_text(text);
    let mut entries = section.entries(&bases);
    let mut starts = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let Ok(fde) = partial.parse(EhFrame::cie_from_offset) else {
            continue;
        };
        starts.push(fde.initial_address());
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}
