// The provenance note; docs/note.md specifies it.  BRAWN_NOTE comes from the build script.
static const struct {
    uint32_t namesz, descsz, type;
    char name[8];
    char desc[(sizeof(BRAWN_NOTE) - 1 + 3) / 4 * 4];
} brawn_note __attribute__((section(".note.brawn"), used, aligned(4))) = {
    6, sizeof(BRAWN_NOTE) - 1, 1, "brawn", BRAWN_NOTE};

#if BRAWN_SHARED
// By this name the Rust code that it serves reads it.
extern const char brawn_rt_note[sizeof(brawn_note)] __attribute__((alias("brawn_note"), visibility("hidden")));
#endif
