// The provenance note of all functions here (docs/note.md).  Every other object asks for it by this name.
#include "libc.h"
#include "../heap/note.c"

extern HIDDEN const char brawn_libc_note[sizeof(brawn_note)] __attribute__((alias("brawn_note")));
