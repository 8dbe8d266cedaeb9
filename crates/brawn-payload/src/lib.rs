//! The object code that brawn brings ("the payload"), embedded with its provenance.
//!
//! The build script compiles `payload/` for each architecture and profile that it has a compiler
//! for; this crate only holds the resulting bytes.  The format of the note that identifies them in
//! finished files is specified in `docs/note.md`.
#![forbid(unsafe_code)]

mod bytes;

pub use bytes::{Bytes, Frame};

/// A processor architecture that a payload may be built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Architecture {
    /// `x86_64`, little endian, ELF machine 62.
    X86_64,
    /// `aarch64`, little endian, ELF machine 183.
    Aarch64,
    /// `riscv64` with the extensions of `rv64gc`, little endian, ELF machine 243.
    Riscv64,
}

impl Architecture {
    /// Every architecture, in the order in which they are printed.
    pub const ALL: [Self; 3] = [Self::X86_64, Self::Aarch64, Self::Riscv64];

    /// Its name, its `e_machine` and what it is called.
    const fn row(self) -> (&'static str, u16, &'static str) {
        match self {
            Self::X86_64 => ("x86_64", 62, "64-bit x86"),
            Self::Aarch64 => ("aarch64", 183, "64-bit Arm"),
            Self::Riscv64 => ("riscv64", 243, "64-bit RISC-V"),
        }
    }

    /// The name used in triples, notes and on the command line.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The ELF header's `e_machine` (ELF gABI, "Machine Information").
    pub const fn elf_machine(self) -> u16 {
        self.row().1
    }

    /// What people call it.
    pub const fn called(self) -> &'static str {
        self.row().2
    }

    /// All names, as in `x86_64 or aarch64`.
    pub fn names() -> String {
        let names = Self::ALL.map(Self::name);
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// The architecture whose `e_machine` this is.
    pub fn from_elf_machine(machine: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.elf_machine() == machine)
    }
}

/// A variant of the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Profile {
    /// Time first, at a memory cost near musl's.
    #[default]
    Fast,
    /// Double frees, frees of pointers that are not blocks, and writes past a block's end stop the program.
    Secure,
    /// Memory first: free memory goes back to the kernel sooner.
    Lean,
    /// As `Fast`, and records sampled blocks with the stacks that asked for them, where it is told to.
    Trace,
}

impl Profile {
    /// Every profile, the default first.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Secure, Self::Lean, Self::Trace];

    /// The name used in notes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Secure => "secure",
            Self::Lean => "lean",
            Self::Trace => "trace",
        }
    }

    /// The profile with that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }
}

/// One relocatable object of a payload.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// File name, at most 15 bytes, so that every `ar` dialect stores it in the member header.
    pub name: &'static str,
    /// An ELF relocatable object.  Its global definitions are all in [`Payload::surface`], or in its
    /// [`Function`].
    pub bytes: Bytes,
    /// How to unwind from its code; the object itself has no unwind information, as libc's have none.
    pub frames: Frames,
}

/// Unwind information of an object's code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frames {
    /// An `.eh_frame` section (Linux Standard Base Core, "Exception Frames"), not relocated.
    pub bytes: Bytes,
    /// Where in them the distance to a function is, with that function's section and place in it, in bytes.  Entries of
    /// other functions in the bytes are ignored.
    pub functions: &'static [(u32, &'static str, u64)],
}

/// Names for which the member of musl's `pthread_create` has weak fallbacks, for programs that do not need these
/// functions.  brawn's `pthread_create` works without them if they are missing.
pub const DEFAULTS: &[&str] = &[
    "__acquire_ptc",
    "__dl_thread_cleanup",
    "__do_orphaned_stdio_locks",
    "__membarrier_init",
    "__pthread_tsd_main",
    "__pthread_tsd_run_dtors",
    "__pthread_tsd_size",
    "__release_ptc",
    "__stderr_used",
    "__stdin_used",
    "__stdout_used",
];

/// What tells the two functions apart that sort: the order of equal elements is musl's, or the one in which they came.
pub const SORTS: [&str; 2] = ["musl", "stable"];

/// What tells functions of streams apart: the buffers of `stdin` and `stdout` are as small as musl's, or as large as glibc's.
pub const BUFFERS: [&str; 2] = ["small", "large"];

/// One of the functions of a [`Set`], with its other names.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its object.
    pub member: Member,
    /// `memory`, or one of [`LIBC_FAMILIES`].
    pub family: &'static str,
    /// Functions that look at each other's state have the same name here, and are replaced together or not at all;
    /// empty for a single function.
    pub group: &'static str,
    /// Which of two functions of the same names it is, between which an option chooses: one of [`SORTS`] or
    /// [`BUFFERS`]; empty for all others.
    pub choice: &'static str,
    /// Whether its results are musl's to the bit.
    pub exact: bool,
    /// The public names that it defines, musl's internal ones among them, sorted.  All are weak.
    pub surface: &'static [&'static str],
    /// Whether some of these are data, such as `tzname`, or functions for which a finished program has its own state.
    pub has_data: bool,
    /// The hidden names by which the others call it, sorted.
    pub own: &'static [&'static str],
    /// The hidden names of others that it needs, of the memory functions or of its own set, sorted.
    pub needs: &'static [&'static str],
    /// The names of libc that it needs, sorted.  It needs nothing else.
    pub asks: &'static [&'static str],
}

impl Function {
    /// A memory function.
    pub const fn memory(
        member: Member,
        surface: &'static [&'static str],
        own: &'static [&'static str],
        needs: &'static [&'static str],
    ) -> Self {
        Self {
            member,
            family: "memory",
            group: "",
            choice: "",
            exact: true,
            surface,
            has_data: false,
            own,
            needs,
            asks: &[],
        }
    }
}

/// Functions of libc for one architecture, whatever the profile: the memory functions, or all others.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Version of brawn that they were built from.
    pub version: &'static str,
    /// The compiler that made the bytes.
    pub compiler: &'static str,
    /// SHA-256, in hex, over every source file and flag that went into the bytes.
    pub source: &'static str,
    /// The functions, sorted by name within a family.
    pub functions: &'static [Function],
}

impl Set {
    /// One without functions.
    pub const EMPTY: Self = Self {
        version: "",
        compiler: "",
        source: "",
        functions: &[],
    };

    /// The public names of all its functions; one twice, where an option chooses between two functions.
    pub fn surface(&self) -> impl Iterator<Item = &'static str> + use<> {
        let functions = self.functions.iter();
        functions.flat_map(|f| f.surface).copied()
    }

    /// That function, and all functions of the set that it needs, directly or through others.
    pub fn with_needs(&self, function: &'static Function) -> Vec<&'static Function> {
        let mut all = vec![function];
        let mut next = 0;
        while let Some(function) = all.get(next) {
            next += 1;
            for need in function.needs {
                let own = self.functions.iter().find(|f| f.own.contains(need));
                let is_new = |own: &&Function| all.iter().all(|f| f.member.name != own.member.name);
                all.extend(own.filter(is_new));
            }
        }
        all
    }

    /// Whether the function, with everything that it needs, can replace musl's in a finished program.  Public data
    /// cannot be replaced there: other functions of the program use the program's own data, for example the time zone.
    pub fn stands_alone(&self, function: &'static Function) -> bool {
        !self.with_needs(function).iter().any(|f| f.has_data)
    }
}

/// A function that an archive may lack after another heap's members were removed.
#[derive(Clone, Copy, Debug)]
pub struct Supply {
    /// Its symbol, which is weak, and the only one that its object exports.
    pub name: &'static str,
    /// Its object, with its note.
    pub member: Member,
    /// Every symbol that it needs, sorted: of libc or, if it is an operator, of the C++ runtime.
    pub needs: &'static [&'static str],
}

impl Supply {
    /// Whether it is one of C++'s operators `new` and `delete`, by its mangled name (Itanium C++ ABI, "Mangling").
    pub fn is_operator(&self) -> bool {
        self.name.starts_with("_Z")
    }
}

/// The functions for one architecture; all profiles use the same.
#[derive(Clone, Copy, Debug)]
pub struct Supplies {
    /// Version of brawn that they were built from.
    pub version: &'static str,
    /// The compiler that made the bytes.
    pub compiler: &'static str,
    /// SHA-256, in hex, over every source file and flag that went into the bytes.
    pub source: &'static str,
    /// The functions, in the order in which they come.
    pub functions: &'static [Supply],
}

/// A payload for one architecture and profile.
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    /// What it runs on.
    pub architecture: Architecture,
    /// Which variant it is.
    pub profile: Profile,
    /// Version of brawn that it was built from.
    pub version: &'static str,
    /// The heap's engine and its version, as in `mimalloc 2.5.2`.
    pub engine: &'static str,
    /// The compiler that made the bytes, as in `zig 0.15.2`.
    pub compiler: &'static str,
    /// SHA-256, in hex, over every source file and flag that went into the bytes.
    pub source: &'static str,
    /// The heap's objects.
    pub members: &'static [Member],
    /// Every global symbol that the members define, sorted.
    pub surface: &'static [&'static str],
    /// Every symbol that the members need from libc, sorted.
    pub needs: &'static [&'static str],
    /// The memory functions; `None` for an architecture that has none yet.
    pub memory: Option<&'static Set>,
    /// The functions of libc other than heap and memory functions.
    pub libc: &'static Set,
    /// Functions that an archive may lack after another heap's members were removed.
    pub supplied: &'static Supplies,
}

impl Payload {
    /// The memory functions: none for an architecture that has none yet.
    pub fn memory_functions(&self) -> &'static [Function] {
        self.memory.map_or(&[], |memory| memory.functions)
    }

    /// The memory functions, and then the other functions of libc.
    pub fn functions(&self) -> impl Iterator<Item = &'static Function> {
        self.memory_functions().iter().chain(self.libc.functions)
    }
}

/// The code that a rewritten program runs before its own entry point and at the end of a thread; all profiles use the
/// same.
#[derive(Clone, Copy, Debug)]
pub struct Attach {
    /// What it runs on.
    pub architecture: Architecture,
    /// SHA-256, in hex, over every source file and flag that went into the bytes.
    pub source: &'static str,
    /// Every symbol that it defines, sorted: ways in for the program, and what a heap needs from libc.
    pub surface: &'static [&'static str],
    /// Every symbol that it needs, sorted: `brawn_host_*` are places in the program.
    pub needs: &'static [&'static str],
    /// Its object.
    pub member: Member,
}

/// The heap for the Rust code of one shared object or dynamic executable: what the crate `brawn-rt` links.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// What it runs on.
    pub architecture: Architecture,
    /// Which variant it is.
    pub profile: Profile,
    /// An ELF relocatable object.  Its global names are hidden and begin with `brawn_rt_`.
    pub bytes: Bytes,
}

/// Heap and memory functions as a shared object for dynamically linked programs: `LD_PRELOAD`.
#[derive(Clone, Copy, Debug)]
pub struct Preload {
    /// What it runs on.
    pub architecture: Architecture,
    /// Which variant its heap is.
    pub profile: Profile,
    /// Version of brawn that it was built from.
    pub version: &'static str,
    /// The heap's engine and its version, as in `mimalloc 2.5.2`.
    pub engine: &'static str,
    /// The compiler that made the bytes, as in `zig 0.15.2`.
    pub compiler: &'static str,
    /// SHA-256, in hex, over every source file and flag that went into its heap.
    pub source: &'static str,
    /// An ELF shared object.  It needs no other, defines [`PRELOAD_NAMES`], and takes what it needs from the libc
    /// that is loaded already.
    pub bytes: Bytes,
}

// The bytes of the files that the table names.
include!(concat!(env!("OUT_DIR"), "/files.rs"));
include!(concat!(env!("OUT_DIR"), "/payloads.rs"));

/// Every payload that this build embeds.
pub fn payloads() -> &'static [Payload] {
    PAYLOADS
}

/// The payload for `architecture` and `profile`, if this build embeds it.
pub fn payload(architecture: Architecture, profile: Profile) -> Option<&'static Payload> {
    PAYLOADS
        .iter()
        .find(|p| p.architecture == architecture && p.profile == profile)
}

/// The heap for shared objects on every architecture and in every profile that this build embeds.
pub fn shared() -> &'static [Shared] {
    SHARED
}

/// The object for `LD_PRELOAD` for `architecture` and `profile`, if this build embeds it.
pub fn preload(architecture: Architecture, profile: Profile) -> Option<&'static Preload> {
    PRELOADS
        .iter()
        .find(|p| p.architecture == architecture && p.profile == profile)
}

/// The code that rewritten programs of `architecture` run, if this build embeds it.
pub fn attach(architecture: Architecture) -> Option<&'static Attach> {
    ATTACH.iter().find(|a| a.architecture == architecture)
}

/// Licence texts of everything that ends up in users' programs, as one printable text.
pub fn licenses() -> &'static str {
    LICENSES
}

#[cfg(test)]
mod tests;
