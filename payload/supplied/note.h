// The provenance note (docs/note.md) in C++, which does not accept a text without its NUL as an array, as C does
// (payload/heap/note.c).  BRAWN_NOTE comes from the build script.
namespace {
struct Note {
    unsigned namesz, descsz, type;
    char name[8];
    char desc[(sizeof(BRAWN_NOTE) - 1 + 3) / 4 * 4];
};

constexpr Note make_note() {
    Note note = {6, sizeof(BRAWN_NOTE) - 1, 1, "brawn", {}};
    for (unsigned at = 0; at < note.descsz; at++) note.desc[at] = BRAWN_NOTE[at];
    return note;
}

[[gnu::section(".note.brawn"), gnu::used, gnu::aligned(4)]] constexpr Note brawn_note = make_note();
}  // namespace
