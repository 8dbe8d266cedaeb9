// The environment variable BRAWN_OPTIONS, and the engine's options, which are constants here: the
// compiler folds them, so that what they switch off is not in the object.

extern char **__environ;
unsigned long getauxval(unsigned long type);

// <elf.h>, AT_PAGESZ, AT_SECURE, AT_RANDOM (the address of 16 bytes at the top of the first stack), AT_SYSINFO_EHDR
enum {
    AUXV_PAGESZ = 6,
    AUXV_SECURE = 23,
    AUXV_RANDOM = 25,
    AUXV_SYSINFO_EHDR = 33,
};

int *__errno_location(void) __attribute__((const));

// An entry of the auxiliary vector; 0 where there is none.  getauxval says that by errno, too, which a
// program's malloc and free that work must leave alone.
static NOINLINE unsigned long brawn_auxiliary(unsigned long type) {
    int *const error = __errno_location();
    const int before = *error;
    const unsigned long value = getauxval(type);
    *error = before;
    return value;
}

static struct {
    int64_t keep_free;  // in percent of what was in use lately; negative: all
    int64_t rest_delay;  // units of arch_clock; negative: never
    bool huge_pages;  // for large blocks
#if BRAWN_TRACE
    const char *heap_profile;  // a path, 0 behind it; NULL: none
    uint64_t heap_interval;  // bytes
#endif
} brawn_options = {
    .keep_free = BRAWN_KEEP_FREE,
    .rest_delay = BRAWN_REST_DELAY,
#if BRAWN_TRACE
    .heap_interval = 512 << 10,
#endif
};

static inline __attribute__((always_inline)) long brawn_engine_option(mi_option_t option) {
    switch (option) {
    case mi_option_eager_commit: return 1;
    case mi_option_purge_decommits: return 1;
    case mi_option_max_segment_reclaim: return 10;
    case mi_option_generic_collect: return 10000;
    case mi_option_purge_delay: return -1;  // never: purge.c
    default: return 0;
    }
}

// What the engine asks of its options.c.
inline __attribute__((always_inline)) long mi_option_get(mi_option_t option) { return brawn_engine_option(option); }
inline __attribute__((always_inline)) long _mi_option_get_fast(mi_option_t option) { return brawn_engine_option(option); }
inline __attribute__((always_inline)) bool mi_option_is_enabled(mi_option_t option) { return brawn_engine_option(option) != 0; }
inline __attribute__((always_inline)) long mi_option_get_clamp(mi_option_t option, long min, long max) {
    const long value = brawn_engine_option(option);
    if (value < min) return min;
    return value > max ? max : value;
}

// Whether `text` begins with `word`; on success moves `text` behind it.
static bool brawn_take(const char **text, const char *word) {
    const char *t = *text;
    while (*word != 0) {
        if (*t++ != *word++) return false;
    }
    *text = t;
    return true;
}

// The number at *text, of which no more than INT32_MAX is told from infinity; -1 for what is below 0.
static int64_t brawn_take_number(const char **text) {
    const bool negative = brawn_take(text, "-");
    int64_t value = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        if (value < INT32_MAX) value = value * 10 + (**text - '0');
    return negative ? -1 : value;
}

// BRAWN_OPTIONS="name=value,...".  Names that are not known are passed over.
//   keep_free=N     how much of what was in use lately may stay free, in percent; 0: nothing; -1: no limit
//   rest_delay=N    milliseconds (about) at least between two times that a thread that is about to wait gives back what
//                   is free; -1: it never does
//   huge_pages=1    large blocks ask for huge pages, where the kernel gives them to who asks
//   heap_profile=PATH   only in profile `trace`: the file that it writes; to the end of the variable
//   heap_interval=N     only there: bytes between two samples, on average
// A privileged process (AT_SECURE) ignores it.
static SELDOM NOINLINE void brawn_options_read(void) {
    if (__environ == NULL) return;
    for (char **entry = __environ; *entry != NULL; entry++) {
        const char *text = *entry;
        if (!brawn_take(&text, "BRAWN_OPTIONS=")) continue;
        if (brawn_auxiliary(AUXV_SECURE) != 0) return;
        while (*text != 0) {
            if (brawn_take(&text, "keep_free=")) brawn_options.keep_free = brawn_take_number(&text);
            else if (brawn_take(&text, "rest_delay=")) brawn_options.rest_delay = brawn_take_number(&text);
            else if (brawn_take(&text, "huge_pages=")) brawn_options.huge_pages = brawn_take_number(&text) > 0;
#if BRAWN_TRACE
            else if (brawn_take(&text, "heap_interval=")) {
                const int64_t bytes = brawn_take_number(&text);
                if (bytes > 0) brawn_options.heap_interval = (uint64_t)bytes;
            } else if (brawn_take(&text, "heap_profile=")) {
                if (*text != 0) brawn_options.heap_profile = text;
                return;
            }
#endif
            while (*text != 0 && *text++ != ',') {}
        }
        return;
    }
}
