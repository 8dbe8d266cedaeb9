// strtol and wcstol and their kin against musl's: a part of numbers.c.

#define INTEGERS(Each)                                       \
    Each(long, strtol, wcstol)                               \
        Each(unsigned long, strtoul, wcstoul)                \
            Each(long long, strtoll, wcstoll)                \
                Each(unsigned long long, strtoull, wcstoull) \
                    Each(intmax_t, strtoimax, wcstoimax)     \
                        Each(uintmax_t, strtoumax, wcstoumax)

#define DECLARE(Type, of_text, of_wide)                      \
    extern Type brawn_##of_text(const char *, char **, int); \
    extern Type brawn_##of_wide(const wchar_t *, wchar_t **, int);
INTEGERS(DECLARE)

#define INTEGER(Type, function, Char, text)                                                                           \
    {                                                                                                                 \
        Char *our_end = 0, *musls_end = 0;                                                                            \
        errno = 0;                                                                                                    \
        Type ours = brawn_##function(text, &our_end, base);                                                           \
        int our_error = errno;                                                                                        \
        errno = 0;                                                                                                    \
        Type musls = function(text, &musls_end, base);                                                                \
        if (ours != musls || our_end != musls_end || our_error != errno || brawn_##function(text, 0, base) != ours) { \
            printf("numbers: " #function " of \"%s\", base %d: %lld, end %td, errno %d, and musl's %lld, %td, %d\n",  \
                s, base, (long long)ours, our_end - text, our_error, (long long)musls, musls_end - text, errno);      \
            failed();                                                                                                 \
        }                                                                                                             \
        trials++;                                                                                                     \
    }

static const char *const INTEGER_TEXTS[] = {
    "", " ", "-", "+", "0", "-0", "00", "0x", "0X", "-0x", "0xg", "0x0", "0xfF", " \t\n\v\f\r-17 ", "08", "07", "0b1", "+-1", "1 2",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999", "-99999999999999999999999",
    "0xffffffffffffffff", "0x10000000000000000", "-0x8000000000000000", "0x7fffffffffffffff", "0x8000000000000000",
    "3w5e11264sgsf", "3w5e11264sgsg", "1y2p0ij32e8e7", "1y2p0ij32e8e8", "zzzzzzzzzzzzz", "@", "[", "`", "{", "/", ":", "\xb2", "1\xb3",
    "10000000000000000000", "1844674407370955161", "000000000000000000000000000000000017", "0x", "0x ", "0xx1"};

static void integer_text(const char *s, int base) {
    const wchar_t *wide = widened(s);
#define BOTH(Type, of_text, of_wide) INTEGER(Type, of_text, char, s) INTEGER(Type, of_wide, wchar_t, wide)
    INTEGERS(BOTH)
}

static void integers(void) {
    char text[100];
    for (size_t i = 0; i < sizeof INTEGER_TEXTS / sizeof *INTEGER_TEXTS; i++)
        for (int base = -1; base < 40; base++) integer_text(INTEGER_TEXTS[i], base);
    for (long i = 0; i < rounds; i++) {
        uint64_t bits = random_bits();
        int base = bits & 1 ? 10 : (bits & 2 ? 0 : (bits & 4 ? 16 : (int)(bits >> 8) % 37)), n = 0;
        for (; bits >> (n + 20) & 1 && n < 4; n++) text[n] = " \t+-0"[(bits >> (n * 4 + 30)) % 5];
        if (bits >> 60 & 1) text[n++] = '0', text[n++] = 'x';
        int most = n + (int)(bits >> 50) % 80 / (bits >> 48 & 1 ? 4 : 1);
        for (; n < most; n++)
            text[n] = base <= 10 && random_bits() % 20 ? (char)('0' + random_bits() % 10)
                                                       : "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+ x"[random_bits() % 66];
        text[n] = 0;
        integer_text(text, base);
    }
}
