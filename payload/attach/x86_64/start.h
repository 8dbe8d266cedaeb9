// The first instruction.  By the psABI (3.4.1), the stack pointer and rdx have a meaning, rbp must be 0, and the other
// registers are unspecified: the program's own start finds them as the kernel left them.
__asm__(".section .text.brawn_attach_start,\"ax\",@progbits\n"
        ".globl brawn_attach_start\n"
        ".hidden brawn_attach_start\n"
        ".type brawn_attach_start,@function\n"
        ".balign 16\n"
        "brawn_attach_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"  // nothing called it: here backtraces end
        "  movq %rsp, %rbx\n"
        "  movq %rdx, %r12\n"
        "  movq %rsp, %rdi\n"
        "  xorl %ebp, %ebp\n"
        "  andq $-16, %rsp\n"
        "  call brawn_attach_begin\n"
        "  movq %rbx, %rsp\n"
        "  movq %r12, %rdx\n"
        "  jmp brawn_host_entry\n"
        ".cfi_endproc\n"
        ".size brawn_attach_start, . - brawn_attach_start\n"
        ".text\n");
