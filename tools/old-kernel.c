/* Runs a program as on Linux 4.14 (2017): system calls that came later answer ENOSYS.
 *
 *     old-kernel PROGRAM ARGS…
 *
 * x86_64's last one then was statx, 332 (arch/x86/entry/syscalls/syscall_64.tbl of 4.14); from 424 on all architectures count
 * alike.  A call of another architecture's is not told apart: nothing here makes any. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(SYS_statx == 332, "the numbers are x86_64's");

int main(int count, char **words) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYS_statx, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (count < 2) return fputs("usage: old-kernel PROGRAM ARGS\n", stderr), 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return perror("seccomp"), 2;
    /* The filter is at work: close_range came with 5.9. */
    if (syscall(SYS_close_range, 1000, 1000, 0) != -1 || errno != ENOSYS) return fputs("no filter\n", stderr), 2;
    execv(words[1], words + 1);
    return perror(words[1]), 2;
}
