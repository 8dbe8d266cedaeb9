// The first instruction.  The kernel gives the stack pointer, and 0 in x0 and all others (arch/arm64,
// start_thread): the program's own start finds stack pointer, x0, and the frame's x29 and x30 as they came.
__asm__(".section .text.brawn_attach_start,\"ax\",@progbits\n"
        ".globl brawn_attach_start\n"
        ".hidden brawn_attach_start\n"
        ".type brawn_attach_start,%function\n"
        ".balign 16\n"
        "brawn_attach_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined x30\n"  // nothing called it: here backtraces end
        "  mov x19, x0\n"
        "  mov x20, x30\n"
        "  mov x0, sp\n"
        "  bl brawn_attach_begin\n"
        "  mov x0, x19\n"
        "  mov x30, x20\n"
        "  b brawn_host_entry\n"
        ".cfi_endproc\n"
        ".size brawn_attach_start, . - brawn_attach_start\n"
        ".text\n");
