    .pushsection .rodata.brawn_launcher, "a", @progbits
    .balign 8
    .globl brawn_launcher_begin, brawn_launcher_end
    .hidden brawn_launcher_begin, brawn_launcher_end
brawn_launcher_begin:
5:
    .word 0, 0
    adr x19, 5b
    ldp w20, w21, [x19]
    mov x22, sp
    mov x0, #0x8011 // CLONE_PARENT | SIGCHLD
    mov x1, #0
    mov x2, #0
    mov x3, #0
    mov x4, #0
    mov x8, #220 // clone
    svc #0
    mov w23, #0 // the exit code
    cbnz w0, 4f
    mov x0, #1 // PR_SET_PDEATHSIG: if brawn is killed, the program is killed, too
    mov x1, #9
    mov x8, #167 // prctl
    svc #0
3:
    mov w0, w20
    sub x1, x22, #16
    mov x2, #1
    mov x8, #63 // read
    svc #0
    cmn x0, #4 // EINTR
    b.eq 3b
    mov w0, w20
    mov x8, #57 // close
    svc #0
    mov w0, w21
    mov x1, #2 // F_SETFD
    mov x2, #1 // FD_CLOEXEC
    mov x8, #25 // fcntl
    svc #0
    ldr x3, [x22] // argc
    ldr x0, [x22, #8]
    add x1, x22, #16
    add x2, x1, x3, lsl #3
    mov x8, #221 // execve
    svc #0
    neg w0, w0
    mov w23, #127
4:
    sub x1, x22, #16
    str w0, [x1]
    mov w0, w21
    mov x2, #4
    mov x8, #64 // write
    svc #0
    mov w0, w23
    mov x8, #93 // exit
    svc #0
brawn_launcher_end:
    .popsection
