    .pushsection .rodata.brawn_launcher, "a", @progbits
    .globl brawn_launcher_begin, brawn_launcher_end
    .hidden brawn_launcher_begin, brawn_launcher_end
brawn_launcher_begin:
5:
    .long 0, 0
    mov rbx, rsp
    mov edi, 0x8011 // CLONE_PARENT | SIGCHLD
    xor esi, esi
    xor edx, edx
    xor r10d, r10d
    xor r8d, r8d
    mov eax, 56 // clone
    syscall
    test eax, eax
    jz 2f
    xor ebp, ebp // the exit code
    jmp 4f
2:
    mov edi, 1 // PR_SET_PDEATHSIG: if brawn is killed, the program is killed, too
    mov esi, 9
    mov eax, 157 // prctl
    syscall
3:
    mov edi, dword ptr [rip + 5b]
    lea rsi, [rbx - 16]
    mov edx, 1
    xor eax, eax // read
    syscall
    cmp rax, -4 // EINTR
    je 3b
    mov edi, dword ptr [rip + 5b]
    mov eax, 3 // close
    syscall
    mov edi, dword ptr [rip + 5b + 4]
    mov esi, 2 // F_SETFD
    mov edx, 1 // FD_CLOEXEC
    mov eax, 72 // fcntl
    syscall
    mov rax, qword ptr [rbx] // argc
    mov rdi, qword ptr [rbx + 8]
    lea rsi, [rbx + 16]
    lea rdx, [rbx + rax * 8 + 16]
    mov eax, 59 // execve
    syscall
    neg eax
    mov ebp, 127
4:
    mov dword ptr [rbx - 16], eax
    mov edi, dword ptr [rip + 5b + 4]
    lea rsi, [rbx - 16]
    mov edx, 4
    mov eax, 1 // write
    syscall
    mov edi, ebp
    mov eax, 60 // exit
    syscall
brawn_launcher_end:
    .popsection
