.section .text, "ax"
.globl code
code: .incbin "code"
.data
.globl data
data: .incbin "data"
.section .note.GNU-stack, "", @progbits
