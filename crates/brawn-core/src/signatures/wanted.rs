//! The names that are worth a signature.

use crate::listed::Listed;
use brawn_payload::Set;
use std::collections::HashSet;
use std::sync::OnceLock;

/// The heap's public functions, the names by which musl itself calls them, and those of mallocng and oldmalloc alone.
const HEAP: Listed = Listed(
    "malloc calloc realloc free aligned_alloc memalign posix_memalign valloc malloc_usable_size \
     reallocarray __libc_malloc __libc_malloc_impl __libc_calloc __libc_realloc __libc_free \
     __libc_memalign __malloc_donate __malloc_atfork __malloc_allzerop __malloc_alloc_meta \
     __memalign __malloc0 __expand_heap __bin_chunk",
);

/// Memory and string functions that brawn has.
const MEMORY: Listed = Listed(
    "bcmp memchr memcmp memcpy memmem memmove mempcpy memrchr memset stpcpy stpncpy strcat strchr \
     strchrnul strcmp strcpy strlen strncat strncmp strncpy strnlen strrchr strstr __memcpy_fwd \
     __memcpy_fwd_alias_1 __memrchr __stpcpy __stpncpy __strchrnul rawmemchr",
);

/// Start, threads, thread-locals, fork, errno; the place where a thread is about to wait, and those by which a program may
/// wait or restrict its system calls.
const HOOKS: Listed = Listed(
    "___errno_location __errno_location __libc_start_main __init_libc __init_tls __init_tp \
     __copy_tls __libc_start_init __libc_exit_fini __pthread_create __block_app_sigs \
     __restore_sigs __unblock_app_sigs __pthread_exit __pthread_tsd_run_dtors \
     __pthread_key_create __pthread_key_delete __tls_get_addr __tls_get_new __reset_tls \
     dl_iterate_phdr fork _Fork __post_Fork pthread_create pthread_exit pthread_key_create \
     pthread_setspecific pthread_getspecific getauxval __getauxval __set_thread_area __unmapself \
     __clone clone exit thrd_create __synccall __syscall_cp prctl syscall",
);

/// Functions that call the heap by its public names in many programs: they show which functions of the heap are
/// which.
const CALLERS: Listed = Listed(
    "__cxa_atexit __fdopen __getdelim __libc_sigaction __strdup strndup closedir fclose fdopendir \
     fopen fopencookie freeaddrinfo getaddrinfo getcwd getdelim glob globfree opendir \
     open_memstream opendir putenv __putenv qsort_r realpath regcomp regexec regfree scandir \
     sem_open setenv __env_rm_add strdup tre_compile vasprintf wordexp __tsearch_balance tsearch \
     __init_ssp freelocale __newlocale newlocale __nscd_query pthread_getattr_np if_nameindex \
     getifaddrs freeifaddrs vfscanf vfprintf __freelocale",
);

/// Names by which musls of some version have what brawn's other functions of libc replace, and what those are made of.
const LIBC: Listed = Listed(
    "__floatscan __shlim __nl_langinfo __nl_langinfo_l nl_langinfo_l __strftime_fmt_1 __qsort_r \
     __lockfile __unlockfile wctomb",
);

/// The names of brawn's other functions of libc that can take the place of musl's in a finished program, and the names
/// of musl's that they need there.
fn replaced() -> &'static HashSet<&'static str> {
    static NAMES: OnceLock<HashSet<&str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let sets = brawn_payload::payloads().iter().map(|p| p.libc);
        let alone = |set: &'static Set| set.functions.iter().filter(|f| set.stands_alone(f));
        let functions = sets.flat_map(alone);
        functions
            .flat_map(|f| f.surface.iter().chain(f.asks))
            .copied()
            .collect()
    })
}

/// Local names, which other functions of a program may have too. They count only together with, or called by, one of
/// the other functions. Some of mallocng's are there only if the compiler did not inline them.
const LOCAL: Listed = Listed(
    "alloc_slot alloc_group try_avail nontrivial_free free_group get_meta enframe donate \
     okay_to_free is_allzero default_malloc __simple_malloc trim unbin alloc_rev alloc_fwd start \
     lock_bin libc_start_main_stage2 static_init_tls static_dl_iterate_phdr adjust_size bin_index \
     rdlock wrlock upgradelock step_seq size_to_class get_stride get_nominal_size queue dequeue \
     queue_tail cgt_init cycle decfloat normalize printf_core scanexp sift sn_write strtox \
     tre_fill_pmatch tre_neg_char_classes_match tre_tag_order trinkle week_num.isra.0 wrapper_cmp",
);

/// Data that shows a heap's state, or that must agree with it.
const OBJECTS: Listed = Listed(
    "__malloc_context __malloc_lock __malloc_size_classes __malloc_replaced \
     __aligned_alloc_replaced __bump_lockptr __libc __environ __thread_list_lock \
     __pthread_tsd_size __pthread_tsd_main __stdout_FILE",
);

/// Whether that function is worth a signature in any case.
pub fn is_function(name: &str) -> bool {
    [HEAP, MEMORY, HOOKS, CALLERS]
        .iter()
        .any(|list| list.has(name))
        || is_libc(name)
}

/// Whether it is a function of libc, but not of the heap or the memory functions. Short ones are like many other
/// functions.
pub fn is_libc(name: &str) -> bool {
    LIBC.has(name) || replaced().contains(name)
}

/// Whether that function is worth a signature together with another one that is.
pub fn is_local(name: &str) -> bool {
    LOCAL.has(name)
}

/// Whether it is musl's function or object: other local symbols mean nothing here.
pub fn is_known(name: &str) -> bool {
    is_function(name) || is_local(name) || OBJECTS.has(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_payload_replaces_is_wanted() {
        for payload in brawn_payload::payloads() {
            let memory = payload.memory.iter().flat_map(|m| m.functions);
            let names = memory.flat_map(|f| f.surface).chain(payload.surface);
            for name in names.filter(|name| {
                !brawn_payload::HEAP_ADDED.contains(name) && !name.starts_with("brawn_")
            }) {
                assert!(is_function(name), "{name}");
            }
        }
    }
}
