//! The files of `payload/libc/threads/`.

use super::Row;

/// musl's pthread_mutex_trylock stays: what it does where nobody waits is right for both.
const MUTEX: Row = Row {
    group: "mutex",
    ..Row::new("", &[])
};

/// A private lock has states that musl's own functions do not know.
const RWLOCK: Row = Row {
    group: "rwlock",
    ..Row::new("", &[])
};

/// Who ends a thread and who joins it agree on what the kernel writes.  In a finished program the end of threads is
/// where `rewrite` puts the heap's.
const CREATE: Row = Row {
    group: "create",
    linked: true,
    ..Row::new("", &[])
};

pub const ROWS: &[Row] = &[
    Row {
        needs: &["__libc", "__munmap"],
        linked: true,
        ..Row::new("stacks", &[])
    },
    Row {
        file: "pthread_create",
        names: &[
            "pthread_create",
            "__do_cleanup_pop",
            "__do_cleanup_push",
            "__pthread_create",
            "__pthread_exit",
            "__tl_lock",
            "__tl_sync",
            "__tl_unlock",
            "pthread_exit",
        ],
        needs: &[
            "__acquire_ptc",
            "__block_all_sigs",
            "__block_app_sigs",
            "__clone",
            "__copy_tls",
            "__default_guardsize",
            "__default_stacksize",
            "__dl_thread_cleanup",
            "__do_orphaned_stdio_locks",
            "__libc",
            "__lock",
            "__membarrier_init",
            "__mmap",
            "__munmap",
            "__ofl_lock",
            "__ofl_unlock",
            "__pthread_tsd_main",
            "__pthread_tsd_run_dtors",
            "__pthread_tsd_size",
            "__release_ptc",
            "__restore_sigs",
            "__stderr_used",
            "__stdin_used",
            "__stdout_used",
            "__thread_list_lock",
            "__unlock",
            "__unmapself",
            "__vm_lock",
            "__vm_unlock",
            "__vm_wait",
            "__wait",
            "exit",
            "pthread_self",
        ],
        ..CREATE
    },
    Row {
        file: "pthread_join",
        names: &[
            "pthread_join",
            "__pthread_join",
            "pthread_timedjoin_np",
            "pthread_tryjoin_np",
        ],
        needs: &[
            "__munmap",
            "__timedwait_cp",
            "pthread_setcancelstate",
            "pthread_testcancel",
        ],
        ..CREATE
    },
    // Whether a program ever had a handler, and whether it may restrict its system calls, only one that is being linked says.
    Row {
        needs: &[
            "__get_handler_set",
            "__syscall_cp_c",
            "brawn_wait_is_due",
            "brawn_wait_turn",
            "prctl",
            "pthread_self",
            "syscall",
        ],
        linked: true,
        ..Row::new("__syscall_cp", &["__syscall_cp", "__syscall_cp_c"])
    },
    // _DYNAMIC is the linker's.
    Row {
        needs: &["_DYNAMIC", "__tls_get_addr", "getauxval"],
        linked: true,
        ..Row::new("dl_iterate_phdr", &["dl_iterate_phdr"])
    },
    Row {
        needs: &["__default_guardsize", "__default_stacksize"],
        ..Row::new("pthread_attr_init", &["pthread_attr_init"])
    },
    Row::new("pthread_spin_unlock", &["pthread_spin_unlock"]),
    Row {
        needs: &["__private_cond_signal"],
        ..Row::new("pthread_cond_signal", &["pthread_cond_signal"])
    },
    Row {
        needs: &["__private_cond_signal"],
        ..Row::new("pthread_cond_broadcast", &["pthread_cond_broadcast"])
    },
    Row {
        file: "pthread_mutex_lock",
        names: &["pthread_mutex_lock", "__pthread_mutex_lock"],
        needs: &["__libc", "pthread_self"],
        ..MUTEX
    },
    Row {
        file: "pthread_mutex_timedlock",
        names: &["pthread_mutex_timedlock", "__pthread_mutex_timedlock"],
        needs: &["__pthread_mutex_trylock", "__timedwait", "pthread_self"],
        ..MUTEX
    },
    Row {
        file: "pthread_mutex_unlock",
        names: &["pthread_mutex_unlock", "__pthread_mutex_unlock"],
        needs: &["__libc", "__vm_lock", "__vm_unlock", "pthread_self"],
        ..MUTEX
    },
    Row {
        file: "pthread_rwlock_rdlock",
        names: &["pthread_rwlock_rdlock", "__pthread_rwlock_rdlock"],
        ..RWLOCK
    },
    Row {
        file: "pthread_rwlock_tryrdlock",
        names: &["pthread_rwlock_tryrdlock", "__pthread_rwlock_tryrdlock"],
        ..RWLOCK
    },
    Row {
        file: "pthread_rwlock_timedrdlock",
        names: &["pthread_rwlock_timedrdlock", "__pthread_rwlock_timedrdlock"],
        needs: &["__timedwait"],
        ..RWLOCK
    },
    Row {
        file: "pthread_rwlock_wrlock",
        names: &["pthread_rwlock_wrlock", "__pthread_rwlock_wrlock"],
        ..RWLOCK
    },
    Row {
        file: "pthread_rwlock_trywrlock",
        names: &["pthread_rwlock_trywrlock", "__pthread_rwlock_trywrlock"],
        ..RWLOCK
    },
    Row {
        file: "pthread_rwlock_timedwrlock",
        names: &["pthread_rwlock_timedwrlock", "__pthread_rwlock_timedwrlock"],
        needs: &["__timedwait"],
        ..RWLOCK
    },
    Row {
        file: "pthread_rwlock_unlock",
        names: &["pthread_rwlock_unlock", "__pthread_rwlock_unlock"],
        ..RWLOCK
    },
    Row {
        needs: &["__timedwait", "__vm_lock", "__vm_unlock", "__wait"],
        ..Row::new("pthread_barrier_wait", &["pthread_barrier_wait"])
    },
    // What the two that follow do where somebody waits.  A finished program need not have sem_getvalue, which tells the
    // states of its musl.
    Row {
        needs: &["pthread_self", "sem_getvalue"],
        linked: true,
        ..Row::new("semaphore", &[])
    },
    Row {
        needs: &["__libc", "pthread_self"],
        linked: true,
        ..Row::new("sem_post", &["sem_post"])
    },
    Row {
        needs: &["__libc", "pthread_self"],
        linked: true,
        ..Row::new("sem_trywait", &["sem_trywait"])
    },
    Row {
        needs: &[
            "__errno_location",
            "__timedwait_cp",
            "_pthread_cleanup_pop",
            "_pthread_cleanup_push",
            "pthread_self",
            "pthread_testcancel",
            "sem_post",
            "sem_trywait",
        ],
        ..Row::new("sem_timedwait", &["sem_timedwait"])
    },
];
