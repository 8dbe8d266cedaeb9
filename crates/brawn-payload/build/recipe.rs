//! What is built: architectures, profiles, flags and symbols, as data.

/// One architecture: its directory under `payload/arch/`, its enum variant, its target for zig.
pub struct Architecture {
    pub name: &'static str,
    pub variant: &'static str,
    pub zig_target: &'static str,
    pub flags: &'static [&'static str],
    /// What there is of it besides the heap in static programs.
    pub parts: &'static [Part],
    /// What its heap needs of libc besides the names of its [`Form`].
    pub needs: &'static [&'static str],
    /// `e_machine`.
    pub machine: u16,
    /// The relocation of a distance of 32 bits, by which `.eh_frame` refers to functions. Without it, nothing is kept of
    /// the unwind information, which only `rewrite` uses.
    pub distance: Option<u32>,
}

/// What an architecture can have besides the heap in static programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The memory functions: `payload/memory/<architecture>/`.
    Memory,
    /// The other functions of libc, which need the memory functions: `payload/libc/`.
    Libc,
    /// The heap in shared objects, which needs `arch_local`: [`SHARED`].
    Shared,
    /// What a rewritten program runs before its own entry point: `payload/attach/<architecture>/`.
    Attach,
    /// Profile `trace`, whose recordings brawn reads by knowing how to unwind.
    Trace,
}

impl Part {
    pub const ALL: &[Self] = &[
        Self::Memory,
        Self::Libc,
        Self::Shared,
        Self::Attach,
        Self::Trace,
    ];
}

impl Architecture {
    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Its profiles, in the order of [`PROFILES`].
    pub fn profiles(&self) -> impl Iterator<Item = &'static str> {
        let all = PROFILES.iter().copied();
        all.filter(|profile| *profile != "trace" || self.has(Part::Trace))
    }
}

pub const ARCHITECTURES: &[Architecture] = &[
    Architecture {
        name: "x86_64",
        variant: "X86_64",
        zig_target: "x86_64-linux-musl",
        flags: &["-fcf-protection=none"],
        parts: Part::ALL,
        needs: &[],
        machine: 62,
        distance: Some(2), // R_X86_64_PC32
    },
    Architecture {
        name: "aarch64",
        variant: "Aarch64",
        zig_target: "aarch64-linux-musl",
        // Calls of `__aarch64_cas8_acq` and the like would need the compiler's own library.
        flags: &["-mno-outline-atomics"],
        parts: Part::ALL,
        needs: &[],
        machine: 183,
        distance: Some(261), // R_AARCH64_PREL32
    },
    Architecture {
        name: "riscv64",
        variant: "Riscv64",
        zig_target: "riscv64-linux-musl",
        // Linkers leave its code as it is: `verify` compares it.
        flags: &["-mno-relax"],
        parts: &[],
        needs: &["__clock_gettime"],
        machine: 243,
        distance: None,
    },
];

/// Directories under `payload/profiles/`.
pub const PROFILES: &[&str] = &["fast", "secure", "lean", "trace"];

pub const MEMBER_NAME: &str = "brawn_heap.o";

/// Every symbol that the payload defines for others: what the members of libc.a that it stands in
/// for defined (musl 1.2.3, src/malloc and src/malloc/mallocng).
pub const SURFACE: &[&str] = &[
    "__libc_calloc",
    "__libc_free",
    "__libc_malloc",
    "__libc_malloc_impl",
    "__libc_realloc",
    "__malloc_allzerop",
    "__malloc_atfork",
    "__malloc_donate",
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "valloc",
];

/// Of these, the first are musl's own ways in, and the rest what ISO C, POSIX and musl's headers declare.
pub const PRIVATE: &[&str] = SURFACE.split_at(8).0;
pub const PUBLIC: &[&str] = SURFACE.split_at(PRIVATE.len()).1;

/// What C23 has beside these, and no musl so far: no program's `free_sized` is musl's, and none has to be ours.
pub const ADDED: &[&str] = &["free_aligned_sized", "free_sized"];

/// What brawn's `__syscall_cp` asks the heap before a thread waits, and calls then: hidden (payload/heap/wait.c).
pub const WAIT: &[&str] = &["brawn_wait_is_due", "brawn_wait_turn"];

/// Every symbol that the payload may need from libc.  Rust links musl with `-nodefaultlibs`, so one
/// of the compiler's own library (`__popcountdi2`) would already break a link.
pub const NEEDS: &[&str] = &[
    "__environ",
    "__errno_location",
    "getauxval",
    "pthread_key_create",
    "pthread_setspecific",
];

/// What the payload's heap is linked into.
pub struct Form {
    pub name: &'static str,
    /// The file that is compiled, from `payload/heap/`.
    pub file: &'static str,
    /// A directory of `payload/` that it has besides `heap`.
    pub folder: Option<&'static str>,
    /// Besides [`FLAGS`] and the architecture's.
    pub flags: &'static [&'static str],
    /// The same, where the compiler is clang, as zig is.
    pub clang_flags: &'static [&'static str],
    /// The same, for one architecture.
    pub architecture_flags: &'static [(&'static str, &'static str)],
    /// What it defines for others: lists, which together are all.
    pub surface: &'static [&'static [&'static str]],
    pub needs: &'static [&'static str],
    /// What the note says of whose heap it is (docs/note.md), where it is not libc's.
    pub serves: Option<&'static str>,
}

impl Form {
    /// Every flag that only this form has.
    pub fn flags(&self, architecture: &Architecture) -> Vec<&'static str> {
        let own = self.architecture_flags.iter();
        let own = own.filter(|(of, _)| *of == architecture.name);
        let own = own.map(|(_, flag)| *flag);
        self.flags.iter().copied().chain(own).collect()
    }
}

/// In a static program, in the place of libc's.
pub const LIBC: Form = Form {
    name: "heap",
    file: "brawn-heap.c",
    folder: None,
    flags: &[],
    clang_flags: SMALL_CLANG,
    architecture_flags: &[],
    surface: &[SURFACE, ADDED, WAIT],
    needs: NEEDS,
    serves: None,
};

/// In a shared object or dynamic executable, for its Rust code: crates/brawn-rt.
pub const SHARED: Form = Form {
    name: "shared",
    file: "brawn-heap.c",
    folder: None,
    flags: &["-DBRAWN_SHARED=1", "-ftls-model=global-dynamic"],
    clang_flags: &[],
    // payload/arch/x86_64/arch.h: a call that the compiler does not know of.
    architecture_flags: &[("x86_64", "-mno-red-zone")],
    surface: &[SHARED_SURFACE],
    needs: SHARED_NEEDS,
    serves: Some("rust"),
};

/// Every symbol that the payload for shared objects defines for others: all hidden.
pub const SHARED_SURFACE: &[&str] = &[
    "brawn_rt_aligned",
    "brawn_rt_free",
    "brawn_rt_load",
    "brawn_rt_malloc",
    "brawn_rt_note",
    "brawn_rt_realloc",
    "brawn_rt_unload",
    "brawn_rt_zalloc",
];

/// Every symbol that it may need from libc.
pub const SHARED_NEEDS: &[&str] = &[
    "__environ",
    "__errno_location",
    "getauxval",
    "pthread_atfork",
    "pthread_key_create",
    "pthread_key_delete",
    "pthread_setspecific",
];

/// In a shared object of its own, for dynamically linked programs: `LD_PRELOAD`.
pub const PRELOAD: Form = Form {
    name: "preload",
    file: "../preload/preload.c",
    folder: Some("preload"),
    flags: &[],
    clang_flags: &[],
    architecture_flags: &[],
    surface: &[PUBLIC, ADDED, PRELOAD_LOCALE, &[PRELOAD_START]],
    needs: PRELOAD_NEEDS,
    serves: None,
};

/// A function of libc that mixes the two heaps in one version of musl (payload/preload/locale.c).
pub const PRELOAD_LOCALE: &[&str] = &["duplocale"];

/// What runs when the object is loaded: its `DT_INIT`, hidden.
pub const PRELOAD_START: &str = "brawn_preload_load";

/// Every symbol that it may need from libc, where those of threads are weak (payload/preload/preload.c), and
/// [`PRELOAD_LINKERS`].
pub const PRELOAD_NEEDS: &[&str] = &[
    "_DYNAMIC",
    "__duplocale",
    "__ehdr_start",
    "__environ",
    "__errno_location",
    "__register_atfork",
    "getauxval",
    "gnu_get_libc_version",
    "newlocale",
    "pthread_atfork",
    "pthread_key_create",
    "pthread_setspecific",
    "setlocale",
];

/// What it needs from the linker.
pub const PRELOAD_LINKERS: &[&str] = &["_DYNAMIC", "__ehdr_start"];

/// The name by which the dynamic linker knows it, and the usual one of its file.
pub const PRELOAD_NAME: &str = "brawn-preload.so";

/// For the linker, whichever it is.  The order of segments, relocations and symbols is the linker's own; nothing of
/// the result depends on a path or a time.  No `DT_NEEDED`: libc has another file name on every distribution, and is
/// there already.
pub const PRELOAD_LINK: &[&str] = &[
    "-shared",
    "-soname=brawn-preload.so",
    "-init=brawn_preload_load",
    "--version-script=preload.map",
    "--hash-style=gnu",
    "--build-id=none",
    "--no-undefined-version",
    "--strip-all",
    // Pages that only relocation writes to; libc's functions are looked for once, as musl does anyway.
    "-z",
    "relro",
    "-z",
    "now",
    "-z",
    "noexecstack",
    // Its code is reached from libc's lists of handlers and keys, whoever closes it.
    "-z",
    "nodelete",
];

/// The names that it has for others: the family's, the memory functions' and `duplocale`, and none of musl's internal ones.
pub fn preload_names() -> Vec<&'static str> {
    let mut names: Vec<_> = PUBLIC
        .iter()
        .chain(ADDED)
        .chain(PRELOAD_LOCALE)
        .copied()
        .chain(memory_names())
        .collect();
    names.sort_unstable();
    names
}

/// Flags for every architecture, profile and compiler.
pub const FLAGS: &[&str] = &[
    "-std=gnu11",
    "-O2",
    "-g0",
    "-DNDEBUG",
    // Links into static, static-pie and shared objects alike; see payload/heap/include/platform.h.
    "-fPIC",
    "-ftls-model=initial-exec",
    "-fvisibility=hidden",
    // finish.rs drops the sections that the surface does not reach.
    "-ffunction-sections",
    "-fdata-sections",
    "-fomit-frame-pointer",
    // For `brawn rewrite`: finish.rs takes it out of the objects, which have none, as musl's own members.
    "-fasynchronous-unwind-tables",
    // Runs before the stack protector's canary is set up, and must not need its symbols.
    "-fno-stack-protector",
    // A loop in memcpy must not become a call of memcpy.
    "-fno-builtin",
    "-fno-ident",
    "-Wall",
    "-Wno-unused-variable",
    "-Wno-unused-function",
];

/// Besides [`FLAGS`], for the heap in static programs, each of which has all of it: few copies of functions and loops.  clang's
/// own limit is higher.  What is taken often is inlined whatever the limit is (payload/heap/brawn-heap.c), and `malloc` and
/// `free` come out the same: loads take as many instructions as with a limit of 25, to 0.2 %, for 1.3 KiB less.  Without copies
/// of loops it is 0.9 KiB less, for 1 % more instructions where pages come and go (bench/workloads/shuffled.c), in the same time.
/// Loops over the few words of a mask are not made vectors of: 0.6 KiB less, in the same time.
pub const SMALL_CLANG: &[&str] = &[
    "-mllvm",
    "-inline-threshold=10",
    "-fno-unroll-loops",
    "-fno-vectorize",
    "-fno-slp-vectorize",
];

/// Besides [`FLAGS`], for the memory functions: clang would make three copies of what is written once.
pub const MEMORY_FLAGS: &[&str] = &["-fno-unroll-loops"];

/// In the place of C's standard, for C++'s operators.
pub const CXX_FLAGS: &[&str] = &["-x", "c++", "-std=gnu++17", "-nostdinc++", "-fexceptions"];

/// The member's name of what a rewritten program runs before its own entry point.
pub const ATTACH_NAME: &str = "brawn_attach.o";

/// Besides [`FLAGS`], for it: it leaves every vector register as the program has it.
pub const ATTACH_FLAGS: &[&str] = &["-mgeneral-regs-only", "-fno-unroll-loops"];

/// Every symbol that it defines: those by which `rewrite` makes a program come, and what the heap needs.
pub const ATTACH_SURFACE: &[&str] = &[
    "__environ",
    "brawn_attach_start",
    "brawn_attach_thread_exit",
    "getauxval",
    "pthread_key_create",
    "pthread_setspecific",
];

/// Every symbol that it may need: what has an address in the program that `rewrite` knows.
pub const ATTACH_NEEDS: &[&str] = &[
    "brawn_attach_table",
    "brawn_host_entry",
    "brawn_host_tsd_run_dtors",
];

/// A file of `payload/memory/<architecture>/`, without its ending, and the public names that its object
/// may define.  Its hidden ones begin with [`MEMORY_PREFIX`].
pub const MEMORY: &[(&str, &[&str])] = &[
    ("level", &[]),
    ("memchr", &["memchr"]),
    ("memcmp", &["bcmp", "memcmp"]),
    (
        "memcpy",
        &["__memcpy_fwd", "__memcpy_fwd_alias_1", "memcpy", "memmove"],
    ),
    ("memmem", &["memmem"]),
    ("memrchr", &["__memrchr", "memrchr"]),
    ("memset", &["memset"]),
    ("stpcpy", &["__stpcpy", "stpcpy"]),
    ("stpncpy", &["__stpncpy", "stpncpy"]),
    ("strcat", &["strcat"]),
    ("strchr", &["strchr"]),
    ("strchrnul", &["__strchrnul", "strchrnul"]),
    ("strcmp", &["strcmp"]),
    ("strcpy", &["strcpy"]),
    ("strlen", &["strlen"]),
    ("strncat", &["strncat"]),
    ("strncmp", &["strncmp"]),
    ("strncpy", &["strncpy"]),
    ("strnlen", &["strnlen"]),
    ("strrchr", &["strrchr"]),
    ("strstr", &["strstr"]),
];

/// What hidden names of the memory functions begin with: by these they call each other.
pub const MEMORY_PREFIX: &str = "brawn_";

/// The public names of [`MEMORY`] that are not musl's internal ones, sorted.
pub fn memory_names() -> Vec<&'static str> {
    let all = MEMORY.iter().flat_map(|(_, names)| names.iter().copied());
    let mut names: Vec<_> = all.filter(|name| !name.starts_with("__")).collect();
    names.sort_unstable();
    names
}

/// Files whose object carries the note of the memory functions, the first that there is: the others
/// need them.
pub const MEMORY_NOTED: &[&str] = &["level", "memcpy"];

/// The member's name, of which every `ar` keeps 15 bytes.
pub fn memory_member(file: &str) -> String {
    let room = 15 - MEMORY_PREFIX.len() - ".o".len();
    format!("{MEMORY_PREFIX}{}.o", &file[..file.len().min(room)])
}

/// The text of the heap's provenance note (docs/note.md).
pub fn note(
    version: &str,
    engine: &str,
    form: &Form,
    profile: &str,
    architecture: &Architecture,
    compiler: &str,
    source: &str,
) -> String {
    let serves = form.serves.map(|who| format!("serves={who}\n"));
    format!(
        "brawn={version}\ncomponent=heap\n{}engine={engine}\nprofile={profile}\narchitecture={}\ncompiler={compiler}\nsource={source}\n",
        serves.unwrap_or_default(),
        architecture.name
    )
}

/// The text of the memory functions' provenance note.
pub fn memory_note(
    version: &str,
    architecture: &Architecture,
    compiler: &str,
    source: &str,
) -> String {
    format!(
        "brawn={version}\ncomponent=memory\narchitecture={}\ncompiler={compiler}\nsource={source}\n",
        architecture.name
    )
}

/// The text of the note of one of the functions in `supplied.rs`.
pub fn supplied_note(
    version: &str,
    function: &str,
    architecture: &Architecture,
    compiler: &str,
    source: &str,
) -> String {
    format!(
        "brawn={version}\ncomponent=supplied\nfunction={function}\narchitecture={}\ncompiler={compiler}\nsource={source}\n",
        architecture.name
    )
}
