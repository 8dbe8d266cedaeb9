// Copies of locales, for LD_PRELOAD.
//
// musl 1.2.2 allocates the copy by the public malloc, which is ours, and frees it by its own heap's free, which ends
// the program (src/locale/duplocale.c, freelocale.c).  It is the only such pair in 1.2.2 to 1.2.6: in each of libc.a's
// members that names an internal function of the heap, all of them are internal.
//
// So the copy's memory comes from newlocale, whose blocks freelocale takes in every version.  With musl, nothing here
// asks which version it is.

#define BRAWN_LOCALE_PARTS 6  // LC_CTYPE to LC_MESSAGES, in the order of their numbers.
#define BRAWN_LOCALE_NAMED 5  // LC_MESSAGES: musl takes any name for it.

typedef struct {
    const void *part[BRAWN_LOCALE_PARTS];
} brawn_locale_t;

#define BRAWN_LOCALE_GLOBAL ((brawn_locale_t *)-1)

brawn_locale_t *newlocale(int parts, const char *name, brawn_locale_t *base) __attribute__((weak));
char *setlocale(int part, const char *name) __attribute__((weak));
// glibc has both of these, musl only the first.
brawn_locale_t *__duplocale(brawn_locale_t *old) __attribute__((weak));
const char *gnu_get_libc_version(void) __attribute__((weak));

EXPORT brawn_locale_t *duplocale(brawn_locale_t *old) {
    if (gnu_get_libc_version != NULL) return __duplocale(old);
    // A locale without a name of its own would be one of libc's constants.
    brawn_locale_t *const copy = newlocale(1 << BRAWN_LOCALE_NAMED, "brawn", NULL);
    if (copy == NULL) return NULL;
    if (old != BRAWN_LOCALE_GLOBAL) {
        *copy = *old;
        return copy;
    }
    // The global one is inside libc: each part by its name.  What it has is loaded, so this finds it, and changes the
    // copy where it is.
    for (int part = 0; part < BRAWN_LOCALE_PARTS; part++) newlocale(1 << part, setlocale(part, NULL), copy);
    return copy;
}
