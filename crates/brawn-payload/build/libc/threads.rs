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

pub const ROWS: &[Row] = &[
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
        needs: &["__libc"],
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
        needs: &[
            "__errno_location",
            "__timedwait_cp",
            "_pthread_cleanup_pop",
            "_pthread_cleanup_push",
            "pthread_testcancel",
            "sem_post",
            "sem_trywait",
        ],
        ..Row::new("sem_timedwait", &["sem_timedwait"])
    },
];
