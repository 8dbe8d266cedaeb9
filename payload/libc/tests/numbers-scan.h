// sscanf and swscanf against musl's: a part of numbers.c.

extern int brawn_sscanf(const char *, const char *, ...);
extern int brawn_vsscanf(const char *, const char *, va_list);
extern int brawn_swscanf(const wchar_t *, const wchar_t *, ...);

// What conversions store to: texts that may be long, all other values, and what is allocated.
typedef struct {
    _Alignas(16) unsigned char room[8][1200];
} Stored;

static int (*const SCANS[])(const char *, const char *, ...) = {brawn_sscanf, sscanf};
static int (*const WIDE_SCANS[])(const wchar_t *, const wchar_t *, ...) = {brawn_swscanf, swscanf};

// Of which kinds a format's arguments are: 'm' is allocated, 'M' wide.
static void scan_by(int is_wide, const char *text, const char *format, const char *kinds) {
    wchar_t wide_text[400], wide_format[400];
    if (is_wide && (mbstowcs(wide_text, text, 400) >= 400 || mbstowcs(wide_format, format, 400) >= 400)) return;
    static Stored stored[2];
    int result[2], error[2];
    for (int i = 0; i < 2; i++) {
        Stored *to = &stored[i];
        memset(to, 0x55, sizeof *to);
        for (int j = 0; kinds[j] && j < 8; j++)
            if (kinds[j] == 'm' || kinds[j] == 'M') memset(to->room[j], 0, sizeof(char *));
        errno = 0;
#define ROOMS to->room[0], to->room[1], to->room[2], to->room[3], to->room[4], to->room[5], to->room[6], to->room[7]
        result[i] = is_wide ? WIDE_SCANS[i](wide_text, wide_format, ROOMS) : SCANS[i](text, format, ROOMS);
        error[i] = errno;
        for (int j = 0; kinds[j] && j < 8; j++) {
            if (kinds[j] != 'm' && kinds[j] != 'M') continue;
            char *made;
            memcpy(&made, to->room[j], sizeof made);
            memset(to->room[j], made ? 1 : 0, sizeof made);
            if (!made) continue;
            // %mc has no end: what is compared is in the formats that end.
            if (kinds[j] == 'm') strcpy((char *)to->room[j] + 8, made);
            else wcscpy((wchar_t *)(void *)(to->room[j] + 8), (wchar_t *)(void *)made);
            free(made);
        }
    }
    if (result[0] != result[1] || error[0] != error[1] || memcmp(&stored[0], &stored[1], sizeof *stored) != 0) {
        int j = 0;
        while (j < 7 && memcmp(stored[0].room[j], stored[1].room[j], sizeof stored->room[j]) == 0) j++;
        printf("numbers: %s of \"%s\" with \"%s\": %d, errno %d, and musl's %d, %d; argument %d: \"%.40s\", and musl's \"%.40s\"\n",
            is_wide ? "swscanf" : "sscanf", text, format, result[0], error[0], result[1], error[1], j, stored[0].room[j], stored[1].room[j]);
        failed();
    }
    trials++;
}

static void scan_one(const char *text, const char *format, const char *kinds) {
    scan_by(0, text, format, kinds);
    scan_by(1, text, format, kinds);
}

static const struct {
    const char *text, *format, *kinds;
} SCAN_TEXTS[] = {
    {"17 4711", "%d %d", ""}, {"word 2.5", "%15s %lf", ""}, {"name=value", "%31[^=]=%31s", ""}, {"", "%d", ""}, {"", "", ""}, {"x", "", ""},
    {"  ", "%d", ""}, {"x", "%d", ""}, {"", "x", ""}, {"y", "x", ""}, {" %", "%%", ""}, {"a", "%%", ""}, {"", "%%", ""}, {"12 %34", "%d%%%d", ""},
    {"12", "%n%d%n", ""}, {" 12 x", " %n%d %hhn%c%ln", ""}, {"12", "%*d%n", ""}, {"1 2 3", "%3$d %1$d %2$d", ""}, {"a b", "%2$s %1$s", ""},
    {"0x", "%x", ""}, {"0x", "%i", ""}, {"0xg", "%x", ""}, {"0x1f", "%1x%s", ""}, {"0x1f", "%2x%s", ""}, {"0x1f", "%3x%s", ""}, {"0x1f 0X2 017", "%i %p %o", ""},
    {"-12", "%u", ""}, {"-12", "%1d", ""}, {"-12", "%2d%d", ""}, {"99999999999999999999", "%d", ""}, {"99999999999999999999", "%19lld%d", ""},
    {"-99999999999999999999", "%ld", ""}, {"300 70000", "%hhd %hd", ""}, {"1 2 3 4 5", "%jd %zd %td %Ld %qd", ""}, {"1", "%lk", ""}, {"1", "%l%", ""}, {"1", "%k", ""},
    {"1e", "%f", ""}, {"1e+", "%lf", ""}, {"1ex", "%Lf", ""}, {"1e5e", "%lf%s", ""}, {"inf", "%f", ""}, {"infin", "%f", ""}, {"infinity1", "%lf%d", ""}, {"nan", "%f", ""},
    {"nan(1)2", "%f%d", ""}, {"nan(", "%f", ""}, {"-.5.5", "%lf%lf", ""}, {".", "%f", ""}, {"-", "%f", ""}, {"1.25", "%3lf%d", ""}, {"1.25", "%4lf%d", ""},
    {"1.25e1", "%5lf%s", ""}, {"1.25e1", "%6lf%s", ""}, {"0x1p3", "%lf", ""}, {"0x", "%lf", ""}, {"0xz", "%La", ""}, {"640x480", "%fx%f", ""}, {"0x480", "%d%c%d", ""},
    {"1.5", "%hf", ""}, {"1.5", "%llf", ""}, {"1e999 1e-999", "%lf%lf", ""}, {"abc", "%c%c%c", ""}, {"ab", "%3c", ""}, {"abc", "%2c%n", ""}, {" a", "%c", ""},
    {"ab]c", "%[]ab]%s", ""}, {"ab]c", "%[^]]%s", ""}, {"a-z", "%[a-]%s", ""}, {"-az", "%[-a]%s", ""}, {"hello", "%[a-z", ""}, {"hello1", "%[a-y]%d", ""},
    {"hello", "%[z-a]", ""}, {"xaz-", "%[z-ax]%s", ""}, {"a-c-e", "%[a-c-e]", ""}, {"abc", "%[^a-b]", ""}, {"", "%[a]", ""}, {"b", "%[a]", ""}, {"aab", "%*[a]%s", ""},
    {"text", "%ms", "m"}, {"text more", "%m[a-z] %ms", "mm"}, {" ", "%ms", "m"}, {"1", "%m[a]", "m"}, {"abc", "%m", "m"}, {"12", "%md", ""},
    {"wide w\xc3\xa4 x", "%ls %S %lc", ""}, {"w\xc3", "%ls", ""}, {"\xff", "%ls", ""}, {"w\xc3", "%mls", "M"}, {"w\xc3\xa4z", "%ml[^z]", "M"}, {"ab", "%3lc", ""},
    {"a\xff", "%3lc", ""}, {"a\xc3", "%3C", ""}, {"\xc3\xa4", "%2lc", ""}, {"\xc3\xa4", "%*ls%n", ""}, {"\xff", "%*ls", ""}, {"a\xff", "%d", ""},
    {"a", "a%", ""}, {"a 1", "%s%", ""}, {"1", "%*1$d", ""}, {"12", "%0d", ""}, {"5", "%-d", ""}, {"\xe4\xf6", "%[\xe4-\xf6]", ""}, {"1,2,3", "%d,%d,%d,%d", ""}};

// Longer than what a width has room for.
#define TWENTY_DIGITS "31415926535897932384"
#define LONG_NUMBER TWENTY_DIGITS TWENTY_DIGITS TWENTY_DIGITS "." TWENTY_DIGITS TWENTY_DIGITS TWENTY_DIGITS TWENTY_DIGITS

static void generated_scan(void) {
    static const char *const PIECES[] = {"%d", "%u", "%x", "%i", "%o", "%p", "%ld", "%hhu", "%lf", "%f", "%Lf", "%3d", "%5x", "%4lf", "%2f", "%s", "%7s", "%c", "%4c",
        "%[a-f0-9]", "%3[^ ,]", "%*d", "%*s", "%n", "%*[^,]", "%%", " ", ",", "a", "-", "%ls", "%12lf", "%e", "%g", "%1Lf", "%127lf", "%130lf"};
    static const char *const WORDS[] = {"1", "-17", "0x", "0x1F", "007", "3.25", "1e5", "1e", "-1.5e-3", "inf", "nan", "a", "word", " ", "  ", ",", "-", "+", "%",
        "99999999999999999999", "0", ".", "e5", "ab\xc3\xa4", "5e-324", "\n", "x", "0x1p-2", "nan(a_1)", "infinity", LONG_NUMBER};
    char text[300] = "", format[300] = "";
    for (int i = (int)(random_bits() % 6); i >= 0; i--) strcat(format, PIECES[random_bits() % (sizeof PIECES / sizeof *PIECES)]);
    for (int i = (int)(random_bits() % 8); i > 0; i--) {
        const char *const word = WORDS[random_bits() % (sizeof WORDS / sizeof *WORDS)];
        // As wide text, there is room for so many.
        if (strlen(text) + strlen(word) < sizeof text - 4) strcat(text, word);
    }
    scan_one(text, format, "");
}

static int digit_ends(const char *number) {
    return (unsigned)number[strlen(number) - 1] - '0' < 10;
}

// Numbers with more text behind them than musl's stream looks at, and no end that could be read: who looks for it does too
// much for each number of a long text.
static void far_ends(void) {
    static const char *const NUMBERS[] = {"0x1.8p3 ", "inf ", "-nan(a_1) ", "1e ", "1.25 ", "123456789", "0x123456789abcdef", "infinite", "1.5e+30", ".", "- "};
    static const char *const FORMATS[] = {"%lf%n", "%3lf%n", "%1lf%n", "%7Lf%n", "%5f%n"};
    enum { PAGE_SIZE = 4096 };
    char *const page = mmap(0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + PAGE_SIZE, PAGE_SIZE, PROT_NONE)) printf("numbers: no page\n"), failed();
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS * (sizeof FORMATS / sizeof *FORMATS); i++) {
        const char *const number = NUMBERS[i / (sizeof FORMATS / sizeof *FORMATS)], *const format = FORMATS[i % (sizeof FORMATS / sizeof *FORMATS)];
        // Some digits behind it belong to it where no width says how many.
        const int digits = format[1] != 'l' && digit_ends(number);
        char *const at = page + PAGE_SIZE - 600;
        memset(at, digits ? '9' : 'z', 600);
        memcpy(at, number, strlen(number));
        Stored stored[2];
        int result[2], taken[2] = {-1, -1}, error[2];
        memset(stored, 0x55, sizeof stored);
        for (int j = 0; j < 2; j++) {
            errno = 0;
            result[j] = SCANS[j](at, format, stored[j].room[0], &taken[j]);
            error[j] = errno;
        }
        if (result[0] != result[1] || taken[0] != taken[1] || error[0] != error[1] || memcmp(&stored[0], &stored[1], sizeof *stored) != 0)
            printf("numbers: sscanf of a long text that begins with \"%s\", with \"%s\": %d, and musl's %d\n", number, format, result[0], result[1]), failed();
        trials++;
    }
    munmap(page, 2 * PAGE_SIZE);
}

static void scans(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    for (size_t i = 0; i < sizeof SCAN_TEXTS / sizeof *SCAN_TEXTS; i++) scan_one(SCAN_TEXTS[i].text, SCAN_TEXTS[i].format, SCAN_TEXTS[i].kinds);
    for (long i = 0; i < rounds; i++) generated_scan();
    far_ends();
    // The text may be what is written to.
    char ours[] = "one two three", musls[] = "one two three";
    int a = brawn_sscanf(ours, "%*s %s %s", ours, ours + 8), b = sscanf(musls, "%*s %s %s", musls, musls + 8);
    if (a != b || memcmp(ours, musls, sizeof ours) != 0) printf("numbers: sscanf into its own text: %d \"%s\", and musl's %d \"%s\"\n", a, ours, b, musls), failed();
    if (brawn_swscanf(0, L"%d", &a) != swscanf(0, L"%d", &a)) printf("numbers: swscanf of nothing\n"), failed();
    if (brawn_sscanf(0, "%d", &a) != sscanf(0, "%d", &a)) printf("numbers: sscanf of nothing\n"), failed();
    setlocale(LC_CTYPE, "C");
}
