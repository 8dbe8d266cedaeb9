// What Debian's build of Swift's runtime asks of glibc and musl 1.2.5 does not have.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

char __libc_single_threaded;

void arc4random_buf(void *to, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = getrandom((char *)to + done, size - done, 0);
        if (got > 0) done += got;
    }
}

unsigned arc4random(void) {
    unsigned number;
    arc4random_buf(&number, sizeof number);
    return number;
}

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int found = vsscanf(text, format, arguments);
    va_end(arguments);
    return found;
}

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }

// Stacks for error messages: none.
int backtrace(void **to, int most) { return 0; }
char **backtrace_symbols(void *const *of, int count) { return NULL; }
