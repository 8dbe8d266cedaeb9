// A stand-in for the payload: enough to show that what is attached runs, and finds what it has.  Its start applies the
// table of relocations and goes on to the program's; `brawn_probe` counts in a thread-local, in data and in zeros.
// BRAWN_TLS is the thread-local's place from the thread pointer.
    .text
    .globl brawn_attach_start, brawn_probe
#if defined(__x86_64__)
brawn_attach_start:
    lea brawn_attach_table(%rip), %rax
    mov (%rax), %rcx
    lea 8(%rax), %rsi
1:  test %rcx, %rcx
    jz 2f
    mov (%rsi), %rdi
    mov 8(%rsi), %r8
    add %rax, %r8
    mov %r8, (%rdi,%rax)
    add $16, %rsi
    dec %rcx
    jmp 1b
2:  jmp brawn_host_entry
    .balign 64
brawn_probe:
    addq $1, %fs:BRAWN_TLS
    mov %fs:BRAWN_TLS, %rax
    lock addq $100, brawn_data(%rip)
    add brawn_data(%rip), %rax
    lock addq $10000, brawn_zero(%rip)
    add brawn_zero(%rip), %rax
    ret
#elif defined(__aarch64__)
brawn_attach_start:
    adrp x9, brawn_attach_table
    add x9, x9, #:lo12:brawn_attach_table
    ldr x10, [x9]
    add x11, x9, #8
1:  cbz x10, 2f
    ldp x12, x13, [x11], #16
    add x13, x13, x9
    str x13, [x9, x12]
    sub x10, x10, #1
    b 1b
2:  b brawn_host_entry
    .balign 64
brawn_probe:
    mrs x1, tpidr_el0
    mov x2, #(BRAWN_TLS & 0xffff)
    add x1, x1, x2
    ldr x0, [x1]
    add x0, x0, #1
    str x0, [x1]
    adrp x3, brawn_data
    add x3, x3, #:lo12:brawn_data
    ldr x4, [x3]
    add x4, x4, #100
    str x4, [x3]
    add x0, x0, x4
    adrp x3, brawn_zero
    add x3, x3, #:lo12:brawn_zero
    ldr x4, [x3]
    mov x5, #10000
    add x4, x4, x5
    str x4, [x3]
    add x0, x0, x4
    ret
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    .balign 4
brawn_note:
    .long 6, 12, 1
    .asciz "brawn"
    .balign 4
    .ascii "brawn=0.0.0\n"
brawn_note_end:
    .balign 64
