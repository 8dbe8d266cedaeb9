// What every function here is written with: the memory functions' words, and what musl's functions share.
//
// Each file is one member in musl's libc.a, or a few that go together, and defines every name that those define:
// code is brawn_NAME, hidden, and public names are weak aliases of it (NAME).  Nothing here runs at start, has
// thread-locals, or needs an address in data that a program would have to relocate.  No header of libc is there:
// what of libc is called is declared where it is called, with the musl header and the versions that it is from.
#pragma once
#include "../memory/generic/memory.h"

// errno, by what musl's header makes of it since 0.5 (include/errno.h).
int *__errno_location(void);
#define ERRNO (*__errno_location())

// What brawn_libc_note is in every object for: whoever has one of these functions carries their note.
extern HIDDEN const char brawn_libc_note[];
