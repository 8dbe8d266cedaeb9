// System calls, for code that is not the heap's: the heap has its arch.h.
#pragma once

#if defined(__x86_64__)
#include "../arch/x86_64/syscall.h"
#elif defined(__aarch64__)
#include "../arch/aarch64/syscall.h"
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
