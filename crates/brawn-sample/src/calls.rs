//! Names of the kernel's functions that programs spend time in.

use libc::c_long;

/// The name of the kernel's function of that number.
pub fn name(number: i64) -> Option<&'static str> {
    let mut names = NAMES.iter().chain(OLD);
    names.find(|(n, _)| *n == number).map(|(_, name)| *name)
}

/// Whether it is the name of one.
pub fn is_name(name: &str) -> bool {
    NAMES.iter().chain(OLD).any(|(_, known)| *known == name)
}

const NAMES: &[(c_long, &str)] = &[
    (libc::SYS_accept4, "accept4"),
    (libc::SYS_brk, "brk"),
    (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    (libc::SYS_clone, "clone"),
    (libc::SYS_close, "close"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_epoll_ctl, "epoll_ctl"),
    (libc::SYS_epoll_pwait, "epoll_pwait"),
    (libc::SYS_execve, "execve"),
    (libc::SYS_exit_group, "exit_group"),
    (libc::SYS_fdatasync, "fdatasync"),
    (libc::SYS_fsync, "fsync"),
    (libc::SYS_fstat, "fstat"),
    (libc::SYS_ftruncate, "ftruncate"),
    (libc::SYS_futex, "futex"),
    (libc::SYS_getdents64, "getdents64"),
    (libc::SYS_ioctl, "ioctl"),
    (libc::SYS_lseek, "lseek"),
    (libc::SYS_madvise, "madvise"),
    (libc::SYS_mmap, "mmap"),
    (libc::SYS_mprotect, "mprotect"),
    (libc::SYS_mremap, "mremap"),
    (libc::SYS_munmap, "munmap"),
    (libc::SYS_nanosleep, "nanosleep"),
    (libc::SYS_newfstatat, "fstatat"),
    (libc::SYS_openat, "openat"),
    (libc::SYS_pread64, "pread"),
    (libc::SYS_preadv, "preadv"),
    (libc::SYS_ppoll, "ppoll"),
    (libc::SYS_pwrite64, "pwrite"),
    (libc::SYS_pwritev, "pwritev"),
    (libc::SYS_read, "read"),
    (libc::SYS_readlinkat, "readlinkat"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_recvfrom, "recvfrom"),
    (libc::SYS_recvmsg, "recvmsg"),
    (libc::SYS_rt_sigaction, "sigaction"),
    (libc::SYS_rt_sigprocmask, "sigprocmask"),
    (libc::SYS_sched_yield, "sched_yield"),
    (libc::SYS_sendfile, "sendfile"),
    (libc::SYS_sendmsg, "sendmsg"),
    (libc::SYS_sendto, "sendto"),
    (libc::SYS_socket, "socket"),
    (libc::SYS_statx, "statx"),
    (libc::SYS_unlinkat, "unlinkat"),
    (libc::SYS_wait4, "wait4"),
    (libc::SYS_write, "write"),
    (libc::SYS_writev, "writev"),
];

/// Those that newer architectures lack.
#[cfg(target_arch = "x86_64")]
const OLD: &[(c_long, &str)] = &[
    (libc::SYS_open, "open"),
    (libc::SYS_stat, "stat"),
    (libc::SYS_lstat, "lstat"),
    (libc::SYS_poll, "poll"),
    (libc::SYS_select, "select"),
    (libc::SYS_epoll_wait, "epoll_wait"),
    (libc::SYS_access, "access"),
    (libc::SYS_unlink, "unlink"),
    (libc::SYS_readlink, "readlink"),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[(c_long, &str)] = &[];
