//! The functions of a file, and to whom each of them belongs.

use brawn_core::arch::Isa;
use brawn_core::elf::ident::Ident;
use brawn_core::elf::program::Program;
use brawn_core::identify::{Libc, MEMORY, is_heap};
use brawn_core::listed::Listed;
use brawn_core::report::inspect::inspect;
use brawn_core::signatures::{self, database, names::Names};
use object::{
    Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _, SegmentFlags,
    SymbolKind,
};
use std::collections::HashSet;
use std::path::Path;

/// Whose a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The heap's.
    Heap,
    /// A memory or string function's that brawn has.
    Memory,
    /// Another one of libc's.
    Libc,
    /// The file's own.
    Own,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its first address.
    pub start: u64,
    /// The address after it.
    pub end: u64,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub whose: Whose,
}

/// A file's code.
#[derive(Debug, Default)]
pub struct Code {
    bytes: Vec<u8>,
    architecture: Option<Isa>,
    /// Where the segments' bytes are in the file, and their addresses.
    segments: Vec<(u64, u64, u64)>,
    /// By address.
    functions: Vec<Function>,
    /// The addresses of libc, if it is one of several parts of the file.
    libc: Option<(u64, u64)>,
    /// Whether the file is a libc.
    pub is_libc: bool,
    /// Whether that is musl.
    is_musl: bool,
    /// Whether `inspect` says that the file is a static program with musl.
    is_with_musl: bool,
}

/// Names that any program has, or that say nothing.
const EVERYONES: [&str; 8] = [
    "main", "_start", "_init", "_fini", "_start_c", "environ", "_dlstart", "",
];

/// A libc of its own in a file: musl's, whose dynamic linker it also is; glibc's.
fn is_libc(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    let starts = [
        "ld-musl-",
        "libc.musl-",
        "libc.so",
        "libc-2",
        "libm.so",
        "libpthread",
    ];
    starts.iter().any(|start| name.starts_with(start))
}

impl Code {
    /// Reads the file; nothing is known of one that is gone or is no program.
    pub fn read(path: &Path) -> Self {
        let bytes = brawn_core::input::read(path).unwrap_or_default();
        let mut code = Self {
            is_libc: is_libc(path),
            is_musl: path.to_string_lossy().contains("musl"),
            ..Self::default()
        };
        code.names(&bytes);
        code.bytes = bytes;
        code
    }

    /// The file's contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn names(&mut self, bytes: &[u8]) -> Option<()> {
        let file = object::File::parse(bytes).ok()?;
        let architecture = match object::FileKind::parse(bytes).ok()? {
            object::FileKind::Elf64 => Ident::read(bytes, 0).ok()?.architecture(),
            _ => None,
        };
        let architecture = architecture.and_then(Isa::of)?;
        self.architecture = Some(architecture);
        let code = file.segments().filter(|s| match s.flags() {
            SegmentFlags::Elf { p_flags, .. } => p_flags.0 & 1 != 0,
            _ => false,
        });
        let segments = code.map(|s| (s.file_range().0, s.file_range().1, s.address()));
        self.segments = segments.collect();
        let libcs = libcs(architecture);
        let known = |name: &str| whose(name, &libcs);
        match Program::read(bytes) {
            Ok(program) => {
                self.is_with_musl = inspect(bytes).is_ok_and(|r| r.libc == Libc::Musl);
                let names = of_program(&program);
                let functions = names.functions.iter();
                self.functions = functions
                    .map(|n| (n.address, n.size, n.name.clone(), known(&n.name)))
                    .map(function)
                    .collect();
            }
            Err(_) => {
                let symbols = file.symbols().chain(file.dynamic_symbols());
                let code = symbols.filter(|s| s.kind() == SymbolKind::Text && s.is_definition());
                let is_libc = self.is_libc;
                // Of a library or a dynamic program only libc's own file has libc's functions.
                let whose = |name: &str| match known(name) {
                    Whose::Own if is_libc => Whose::Libc,
                    known if is_libc => known,
                    _ => Whose::Own,
                };
                let name = |s: &object::Symbol<'_, '_>| s.name().unwrap_or_default().to_owned();
                self.functions = code
                    .map(|s| (s.address(), s.size(), name(&s), whose(&name(&s))))
                    .map(function)
                    .collect();
            }
        }
        self.arrange();
        self.of_brawn(&file);
        Some(())
    }

    /// A program without symbols that was rewritten has brawn's functions in one place, and no names of them.
    fn of_brawn(&mut self, file: &object::File<'_>) -> Option<()> {
        let section = file.section_by_name(".brawn.text")?;
        let (start, end) = (section.address(), section.address() + section.size());
        let is_in_it = |f: &Function| (start..end).contains(&f.start);
        if !self.functions.iter().any(is_in_it) {
            let name = "brawn's functions".to_owned();
            let size = section.size();
            self.functions
                .push(function((start, size, name, Whose::Libc)));
            self.functions.sort_by_key(|f| f.start);
        }
        Some(())
    }

    /// Sorts the functions, one at each address, and gives those without a size one.
    fn arrange(&mut self) {
        // aarch64's marks of where code and data begin have no functions' names ("ELF for the Arm 64-bit Isa",
        // mapping symbols).
        let is_mark = |name: &str| name.starts_with("$x") || name.starts_with("$d");
        self.functions.retain(|f| !is_mark(&f.name));
        let rank = |f: &Function| (f.whose == Whose::Own, f.name.starts_with('_'));
        self.functions
            .sort_by_key(|f| (f.start, rank(f).0, rank(f).1, f.name.len()));
        self.functions.dedup_by_key(|f| f.start);
        for at in 0..self.functions.len() {
            let next = self.functions.get(at + 1).map(|f| f.start);
            let function = &mut self.functions[at];
            if function.end == function.start {
                function.end = next.unwrap_or(function.start + 64);
            }
        }
        if !self.is_libc {
            self.own_locals();
            let of_libc = || self.functions.iter().filter(|f| f.whose != Whose::Own);
            self.libc = of_libc().next().map(|first| {
                let end = of_libc().map(|f| f.end).max();
                (first.start, end.unwrap_or(first.end))
            });
        }
    }

    /// A function of another name between two of libc's is libc's: linkers keep together what came from one file.
    fn own_locals(&mut self) {
        let is_libcs: Vec<bool> = self
            .functions
            .iter()
            .map(|f| f.whose != Whose::Own)
            .collect();
        let near = |at: usize, back: bool| {
            let mut steps = 1..=MOST_LOCALS;
            steps.any(|step| {
                let at = if back {
                    at.checked_sub(step)
                } else {
                    at.checked_add(step)
                };
                at.and_then(|at| is_libcs.get(at)).copied().unwrap_or(false)
            })
        };
        for at in 0..self.functions.len() {
            let function = &mut self.functions[at];
            let is_everyones =
                EVERYONES.contains(&function.name.as_str()) || is_mangled(&function.name);
            if function.whose == Whose::Own && !is_everyones && near(at, true) && near(at, false) {
                function.whose = Whose::Libc;
            }
        }
    }

    /// The functions, by address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Whether it is a program with musl in it, or musl itself.
    pub fn has_musl(&self) -> bool {
        let is_start = |f: &Function| ["__libc_start_main", "__init_libc"].contains(&&*f.name);
        let has_start = !self.is_libc && self.functions.iter().any(is_start);
        self.is_libc && self.is_musl || has_start
    }

    /// Whether it is a program with a build of musl that brawn does not know: none of its functions has a name.
    pub fn has_unknown_musl(&self) -> bool {
        self.is_with_musl && !self.has_musl()
    }

    /// The address of a place in the file.
    pub fn address(&self, at: u64) -> Option<u64> {
        let mut segments = self.segments.iter();
        let (offset, _, address) =
            segments.find(|(offset, size, _)| (*offset..offset + size).contains(&at))?;
        Some(at - offset + address)
    }

    /// What the address of the file's byte `offset` would be, if a part of `size` bytes from there on is mapped as code: the
    /// kernel maps whole pages, so that the part may begin before the segment does.
    pub fn address_of_part(&self, offset: u64, size: u64) -> Option<u64> {
        let end = offset.saturating_add(size);
        let mut segments = self.segments.iter();
        let (start, _, address) = segments
            .find(|(start, size, _)| *start < end && start.saturating_add(*size) > offset)?;
        Some(address.wrapping_sub(*start).wrapping_add(offset))
    }

    /// The function at a place in the file.
    pub fn function(&self, at: u64) -> Option<&Function> {
        self.at_address(self.address(at)?)
    }

    /// The function at an address, as the file itself counts them.
    pub fn at_address(&self, address: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|f| f.start <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        (address < function.end).then_some(function)
    }

    /// Whether libc is around a place in the file.
    pub fn is_in_libc(&self, at: u64) -> bool {
        let inside = |(start, end): (u64, u64)| {
            self.address(at)
                .is_some_and(|address| (start..end).contains(&address))
        };
        self.is_libc || self.libc.is_some_and(inside)
    }

    /// The bytes that end at a place in the file.
    fn before<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let end = usize::try_from(at).ok()?;
        let bytes = self.bytes.get(end.checked_sub(N)?..end)?;
        bytes.try_into().ok()
    }

    /// Whether the instruction before that place calls the kernel.
    pub fn calls_the_kernel(&self, at: u64) -> bool {
        match self.architecture {
            Some(Isa::X86_64) => self.before::<2>(at) == Some([0x0f, 0x05]),
            Some(Isa::Aarch64) => self.before::<4>(at).map(u32::from_le_bytes) == Some(0xd400_0001),
            None => false,
        }
    }

    /// The number that the code before that place puts into the register of the kernel's functions, or of a
    /// function's first argument: a constant, the last one within a few instructions.
    pub fn number(&self, at: u64, is_argument: bool) -> Option<i64> {
        const NEAR: usize = 48;
        let bytes = self.before::<NEAR>(at)?;
        match self.architecture? {
            Isa::X86_64 => {
                // `mov` of a number to eax or edi; `xor` of it with itself.
                let (mov, xor) = if is_argument {
                    (0xbf, 0xff)
                } else {
                    (0xb8, 0xc0)
                };
                let starts = (0..NEAR - 5).rev();
                let mut numbers = starts.filter_map(|n| match bytes[n..n + 5] {
                    [first, a, b, 0, 0] if first == mov => Some(i64::from(a) + 256 * i64::from(b)),
                    [0x31, second, ..] if second == xor => Some(0),
                    _ => None,
                });
                numbers.next()
            }
            Isa::Aarch64 => {
                // `mov` of a number to w8/x8 or w0/x0.
                let register = if is_argument { 0 } else { 8 };
                let words = bytes.chunks_exact(4).rev();
                let words = words.filter_map(|w| Some(u32::from_le_bytes(w.try_into().ok()?)));
                let mut numbers = words.filter(|w| w & 0x7fe0_001f == 0x5280_0000 | register);
                numbers.next().map(|w| i64::from(w >> 5 & 0xffff))
            }
        }
    }

    /// Whether the instruction before that place is a call.
    pub fn is_after_call(&self, at: u64) -> bool {
        match self.architecture {
            Some(Isa::X86_64) => {
                // `call` with a distance, or through a register or memory: two, three or six bytes.
                let near = self.before::<5>(at).is_some_and(|b| b[0] == 0xe8);
                let far =
                    |b: Option<[u8; 2]>| b.is_some_and(|b| b[0] == 0xff && b[1] & 0x38 == 0x10);
                let after = |n: u64| far(self.before::<2>(at.saturating_sub(n)));
                near || after(0) || after(1) || after(4)
            }
            Some(Isa::Aarch64) => {
                let word = self.before::<4>(at).map(u32::from_le_bytes);
                word.is_some_and(|w| w >> 26 == 0x25 || w & 0xffff_fc1f == 0xd63f_0000)
            }
            None => false,
        }
    }
}

/// How many local functions of libc may follow one another.
const MOST_LOCALS: usize = 8;

/// Whether it is a name of C++ or Rust.
fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("_R")
}

fn function((start, size, name, whose): (u64, u64, String, Whose)) -> Function {
    Function {
        start,
        end: start.saturating_add(size),
        name,
        whose,
    }
}

/// The names of a static program, from its symbols or from musl's code.
fn of_program(program: &Program<'_>) -> Names {
    let names = Names::of_symbols(program);
    if names.function("__libc_start_main").is_some() {
        return names;
    }
    let found = signatures::name(program).unwrap_or_default();
    names.with(found)
}

/// The names of libc that brawn knows.
fn libcs(architecture: Isa) -> HashSet<String> {
    let builds = database::builds(architecture).unwrap_or_default();
    let names = builds.iter().flat_map(|b| &b.names).cloned();
    let payload = brawn_payload::payload(architecture.architecture(), brawn_payload::Profile::Fast);
    let own = payload.iter().flat_map(|p| p.libc.functions);
    let own = own.flat_map(|f| f.surface).map(|n| (*n).to_owned());
    let mut all: HashSet<String> = names.chain(own).collect();
    for name in EVERYONES {
        all.remove(name);
    }
    all
}

fn whose(name: &str, libcs: &HashSet<String>) -> Whose {
    if is_heap(name.as_bytes()) || HEAPS_OWN.has(name) {
        Whose::Heap
    } else if MEMORY.contains(&name) {
        Whose::Memory
    } else if libcs.contains(name) {
        Whose::Libc
    } else {
        Whose::Own
    }
}

/// Local functions of musl's two heaps, as their symbols name them.
const HEAPS_OWN: Listed = Listed(
    "alloc_group alloc_slot free_group nontrivial_free get_meta try_avail unbin bin_chunk \
     __bin_chunk alloc_fwd alloc_rev trim __expand_heap malloc_usable_size queue dequeue step_seq \
     is_bouncing __malloc_allzerop __malloc_alloc_meta simple_malloc __simple_malloc",
);
