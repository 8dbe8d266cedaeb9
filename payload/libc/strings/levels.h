// Includes SOURCE once for each level of the processor, with what payload/memory/<architecture>/vector.h says and what
// words.h adds.  aarch64 has one level.
#pragma once
#ifdef __x86_64__
#include "../../memory/x86_64/levels.h"
#elif defined(__aarch64__)
#include "../../memory/aarch64/vector.h"
#define TARGET
#define AT(name) name##_neon
#define LOADU(p) LOAD(p)
#define JOIN(a, b) OR(a, b)
#define LOOK_UP(p, rest)
#include SOURCE
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
