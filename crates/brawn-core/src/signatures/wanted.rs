//! The names that are worth a signature.

/// The heap's public functions, and musl's own ways into it.
const HEAP: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "valloc",
    "malloc_usable_size",
    "reallocarray",
    "__libc_malloc",
    "__libc_malloc_impl",
    "__libc_calloc",
    "__libc_realloc",
    "__libc_free",
    "__libc_memalign",
    "__malloc_donate",
    "__malloc_atfork",
    "__malloc_allzerop",
    // mallocng's own; oldmalloc's own.
    "__malloc_alloc_meta",
    "__memalign",
    "__malloc0",
    "__expand_heap",
    "__bin_chunk",
];

/// Memory and string functions that brawn has.
const MEMORY: &[&str] = &[
    "bcmp",
    "memchr",
    "memcmp",
    "memcpy",
    "memmem",
    "memmove",
    "mempcpy",
    "memrchr",
    "memset",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcpy",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strrchr",
    "strstr",
    "__memcpy_fwd",
    "__memcpy_fwd_alias_1",
    "__memrchr",
    "__stpcpy",
    "__stpncpy",
    "__strchrnul",
    "rawmemchr",
];

/// Start, threads, thread-locals, fork, errno.
const HOOKS: &[&str] = &[
    "___errno_location",
    "__errno_location",
    "__libc_start_main",
    "__init_libc",
    "__init_tls",
    "__init_tp",
    "__copy_tls",
    "__libc_start_init",
    "__libc_exit_fini",
    "__pthread_create",
    "__block_app_sigs",
    "__restore_sigs",
    "__unblock_app_sigs",
    "__pthread_exit",
    "__pthread_tsd_run_dtors",
    "__pthread_key_create",
    "__pthread_key_delete",
    "__tls_get_addr",
    "__tls_get_new",
    "__reset_tls",
    "dl_iterate_phdr",
    "fork",
    "_Fork",
    "__post_Fork",
    "pthread_create",
    "pthread_exit",
    "pthread_key_create",
    "pthread_setspecific",
    "pthread_getspecific",
    "getauxval",
    "__getauxval",
    "__set_thread_area",
    "__unmapself",
    "__clone",
    "exit",
    "thrd_create",
    "__synccall",
];

/// What calls the heap by its public names in many programs: it tells which function these are.
const CALLERS: &[&str] = &[
    "__cxa_atexit",
    "__fdopen",
    "__getdelim",
    "__libc_sigaction",
    "__strdup",
    "strndup",
    "closedir",
    "fclose",
    "fdopendir",
    "fopen",
    "fopencookie",
    "freeaddrinfo",
    "getaddrinfo",
    "getcwd",
    "getdelim",
    "glob",
    "globfree",
    "opendir",
    "open_memstream",
    "opendir",
    "putenv",
    "__putenv",
    "qsort_r",
    "realpath",
    "regcomp",
    "regexec",
    "regfree",
    "scandir",
    "sem_open",
    "setenv",
    "__env_rm_add",
    "strdup",
    "tre_compile",
    "vasprintf",
    "wordexp",
    "__tsearch_balance",
    "tsearch",
    "__init_ssp",
    "freelocale",
    "__newlocale",
    "newlocale",
    "__nscd_query",
    "pthread_getattr_np",
    "if_nameindex",
    "getifaddrs",
    "freeifaddrs",
    "vfscanf",
    "vfprintf",
    "__freelocale",
];

/// Other functions of libc that brawn has, and what those ask libc for.
const LIBC: &[&str] = &[
    // Strings.
    "getenv",
    "memccpy",
    "strcspn",
    "strlcat",
    "strlcpy",
    "strspn",
    "strcasecmp",
    "__strcasecmp_l",
    "strcasecmp_l",
    "strcasestr",
    "strncasecmp",
    "__strncasecmp_l",
    "strncasecmp_l",
    "strpbrk",
    "wcscat",
    "wcschr",
    "wcscmp",
    "wcscpy",
    "wcslen",
    "wcsncmp",
    "wcsnlen",
    "wcsrchr",
    "wcsstr",
    "wmemchr",
    "wmemcmp",
    "wmemcpy",
    "wmemmove",
    "wmemset",
    // Numbers.
    "atof",
    "inet_ntop",
    "strtod",
    "strtof",
    "strtold",
    "strtod_l",
    "strtof_l",
    "strtold_l",
    "__strtod_l",
    "__strtof_l",
    "__strtold_l",
    "__floatscan",
    "__shlim",
    // Sorting.
    "qsort",
    "__qsort_r",
    // Streams.
    "__ofl_add",
    "__stdio_close",
    "__stdio_read",
    "__stdio_seek",
    "__stdio_write",
    // Time.
    "strftime",
    "strftime_l",
    "__strftime_l",
    "__strftime_fmt_1",
    "__tm_to_secs",
    "__tm_to_tzname",
    "nl_langinfo",
    "nl_langinfo_l",
    "__nl_langinfo",
    "__nl_langinfo_l",
    "time",
    "__clock_gettime",
    "clock_gettime",
    // Mathematics.
    "ceil",
    "ceilf",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "llround",
    "llroundf",
    "lround",
    "lroundf",
    "nearbyint",
    "nearbyintf",
    "rint",
    "rintf",
    "round",
    "roundf",
    "trunc",
    "truncf",
    "cosf",
    "exp2f",
    "expf",
    "log2f",
    "logf",
    "powf",
    "sinf",
];

/// Local names, which other functions of a program may have too: only beside or called by one of the others.
const LOCAL: &[&str] = &[
    "alloc_slot",
    "alloc_group",
    "try_avail",
    "nontrivial_free",
    "free_group",
    "get_meta",
    "enframe",
    "donate",
    "okay_to_free",
    "is_allzero",
    "default_malloc",
    "__simple_malloc",
    "trim",
    "unbin",
    "alloc_rev",
    "alloc_fwd",
    "start",
    "lock_bin",
    "libc_start_main_stage2",
    "static_init_tls",
    "static_dl_iterate_phdr",
    "adjust_size",
    "bin_index",
    // Of mallocng's, where the compiler has them apart.
    "rdlock",
    "wrlock",
    "upgradelock",
    "step_seq",
    "size_to_class",
    "get_stride",
    "get_nominal_size",
    "queue",
    "dequeue",
    "queue_tail",
    // Of other functions of libc.
    "cgt_init",
    "cycle",
    "decfloat",
    "normalize",
    "scanexp",
    "sift",
    "strtox",
    "trinkle",
    "week_num.isra.0",
    "wrapper_cmp",
];

/// Data that tells one heap's state, and what agrees on it.
const OBJECTS: &[&str] = &[
    "__malloc_context",
    "__malloc_lock",
    "__malloc_size_classes",
    "__malloc_replaced",
    "__aligned_alloc_replaced",
    "__bump_lockptr",
    "__libc",
    "__environ",
    "__thread_list_lock",
    "__pthread_tsd_size",
    "__pthread_tsd_main",
];

/// Whether that function is worth a signature wherever it is.
pub fn is_function(name: &str) -> bool {
    [HEAP, MEMORY, HOOKS, CALLERS, LIBC]
        .iter()
        .any(|list| list.contains(&name))
}

/// Whether it is of libc and neither of the heap nor of the memory functions: short ones are like many others.
pub fn is_libc(name: &str) -> bool {
    LIBC.contains(&name)
}

/// Whether that function is worth a signature if it belongs to one that is.
pub fn is_local(name: &str) -> bool {
    LOCAL.contains(&name)
}

/// Whether it is musl's, function or object: a local symbol of another name says nothing.
pub fn is_known(name: &str) -> bool {
    is_function(name) || is_local(name) || OBJECTS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_payload_replaces_is_wanted() {
        for payload in brawn_payload::payloads() {
            let memory = payload.memory.iter().flat_map(|m| m.functions);
            let names = memory.flat_map(|f| f.surface).chain(payload.surface);
            for name in names {
                assert!(is_function(name), "{name}");
            }
        }
    }
}
