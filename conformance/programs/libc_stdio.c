//# states: streams buffer, seek, end, fail and are shared as C and POSIX say, at every size of their buffers
//# case: files failures shared
//# link: static static-pie
#include "guarded.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <termios.h>
#include <wchar.h>

static FILE *with(const char *text, size_t n) {
    FILE *f = tmpfile();
    NEED(f);
    NEED(fwrite(text, 1, n, f) == n);
    rewind(f);
    return f;
}

/* Lines and pieces around every size that a buffer may have. */
static void pieces(void) {
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 1015, 1023, 1024, 1025, 4087, 4095, 4096, 4097, 8191, 8193};
    static char text[30000], to[10000];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        for (size_t at = 0; at < 3 * (n + 1); at++) text[at] = at % (n + 1) == n ? '\n' : (char)('a' + at % 26);
        FILE *f = with(text, 3 * (n + 1) - 1);
        char *line = NULL;
        size_t room = 0;
        CHECK(getline(&line, &room, f) == (ssize_t)n + 1 && !memcmp(line, text, n + 1) && line[n + 1] == 0, "%zu bytes",
            n);
        CHECK(fgets(to, sizeof to, f) == to && strlen(to) == n + 1 && !memcmp(to, text + n + 1, n + 1), "%zu bytes", n);
        CHECK_SAME(ftell(f), 2 * (n + 1));
        ssize_t last = getline(&line, &room, f);
        CHECK(last == (n ? (ssize_t)n : -1) && feof(f), "%zu bytes: %zd", n, last);
        CHECK(getc(f) == EOF && fgets(to, 9, f) == NULL && !ferror(f), "%zu bytes: more", n);
        free(line);
        rewind(f);
        CHECK(!feof(f), "still at the end");
        /* In one piece, in small ones, and what was put back. */
        CHECK_SAME(fread(to, 1, n + 1, f), n + 1 < 3 * (n + 1) - 1 ? n + 1 : 3 * (n + 1) - 1);
        if (n > 20) {
            CHECK(ungetc('X', f) == 'X' && ftell(f) == (long)n && getc(f) == 'X' && getc(f) == text[n + 1], "%zu bytes",
                n);
            CHECK(fseek(f, -3, SEEK_CUR) == 0 && getc(f) == text[n - 1], "%zu bytes", n);
            CHECK(fseek(f, -(long)n, SEEK_END) == 0 && getc(f) == text[2 * n + 2], "%zu bytes", n);
            CHECK(fread(to, 7, n / 7 + 5, f) == (n - 1) / 7 && feof(f), "%zu bytes", n);
        }
        fclose(f);
    }
    CHECK(fgets(to, 1, with("x", 1)) == to && to[0] == 0, "room for the end alone");
}

static void modes(void) {
    char name[] = "/tmp/brawn-conformance-XXXXXX", text[64];
    int fd = mkstemp(name);
    NEED(fd >= 0);
    FILE *f = fopen(name, "w+");
    NEED(f);
    CHECK(fputs("0123456789", f) >= 0 && fseek(f, 3, SEEK_SET) == 0 && getc(f) == '3', "written, then read");
    CHECK(fseek(f, 0, SEEK_CUR) == 0 && fputc('X', f) == 'X' && fflush(f) == 0, "read, then written");
    CHECK(pread(fd, text, 64, 0) == 10 && !memcmp(text, "0123X56789", 10), "%.10s", text);
    fclose(f);
    NEED(f = fopen(name, "a+"));
    CHECK(getc(f) == '0' && fseek(f, 0, SEEK_SET) == 0 && fputs("end", f) >= 0 && fclose(f) == 0, "appended");
    CHECK(pread(fd, text, 64, 0) == 13 && !memcmp(text + 10, "end", 3), "%.13s", text);
    CHECK_ERRNO(fopen(name, "wx") == NULL, 1, EEXIST);
    CHECK_ERRNO(fopen(name, "q") == NULL, 1, EINVAL);
    CHECK_ERRNO(fdopen(fd, "q") == NULL, 1, EINVAL);
    NEED(f = fopen(name, "re"));
    CHECK(fcntl(fileno(f), F_GETFD) == FD_CLOEXEC, "not closed by exec");
    /* Who reads on in the file itself goes on where the stream is. */
    CHECK(getc(f) == '0' && fflush(f) == 0 && read(fileno(f), text, 2) == 2 && !memcmp(text, "12", 2), "%.2s", text);
    fclose(f);
    NEED(f = fdopen(dup(fd), "a"));
    CHECK((fcntl(fileno(f), F_GETFL) & O_APPEND) && !__freadable(f) && __fwritable(f), "appends");
    NEED(f = freopen(name, "r", f));
    CHECK(getc(f) == '0' && __freadable(f) && !__fwritable(f), "opened again");
    fclose(f);
    /* Buffers: none, by lines, whole. */
    static const int how[] = {_IONBF, _IOLBF, _IOFBF};
    for (int i = 0; i < 3; i++) {
        int ends[2];
        NEED(pipe2(ends, O_NONBLOCK) == 0 && (f = fdopen(ends[1], "w")) && setvbuf(f, NULL, how[i], 512) == 0);
        fputs("one\ntwo", f);
        ssize_t n = read(ends[0], text, sizeof text);
        CHECK(n == (i == 0 ? 7 : (i == 1 ? 4 : -1)), "kind %d: %zd bytes", i, n);
        CHECK(fclose(f) == 0 && read(ends[0], text, sizeof text) == (i == 0 ? 0 : (i == 1 ? 3 : 7)), "kind %d", i);
        close(ends[0]);
    }
    /* By lines to a terminal. */
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), slave;
    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 &&
        (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) >= 0) {
        struct termios raw;
        NEED(tcgetattr(slave, &raw) == 0);
        raw.c_oflag &= ~(tcflag_t)OPOST;
        NEED(tcsetattr(slave, TCSANOW, &raw) == 0 && (f = fdopen(slave, "w")));
        fputs("line\nrest", f);
        CHECK(read(master, text, sizeof text) == 5, "not by lines");
        fclose(f);
        close(master);
    }
    close(fd);
    unlink(name);
}

static void memory(void) {
    char buffer[8] = "abc", *text;
    FILE *f = fmemopen(buffer, 8, "r+");
    NEED(f);
    CHECK(getc(f) == 'a' && fseek(f, 2, SEEK_SET) == 0 && fputs("XY", f) >= 0 && fflush(f) == 0, "written");
    CHECK_TEXT(buffer, "abXY");
    fclose(f);
    size_t n;
    NEED(f = open_memstream(&text, &n));
    for (int i = 0; i < 2000; i++) fprintf(f, "%d,", i % 10);
    CHECK(fflush(f) == 0 && n == 4000 && text[4000] == 0, "%zu", n);
    CHECK(fseek(f, 1, SEEK_SET) == 0 && fputc('!', f) == '!' && fclose(f) == 0 && text[0] == '0' && text[1] == '!',
        "%.4s", text);
    free(text);
    int ends[2], number;
    char word[8];
    NEED(pipe(ends) == 0);
    CHECK(dprintf(ends[1], "%s %d", "word", 42) == 7 && close(ends[1]) == 0, "dprintf");
    NEED(f = fdopen(ends[0], "r"));
    CHECK(fscanf(f, "%7s%d", word, &number) == 2 && number == 42 && strcmp(word, "word") == 0 &&
            fscanf(f, "%d", &number) == EOF,
        "%s", word);
    fclose(f);
    NEED(f = popen("cat; echo end", "w"));
    CHECK_SAME(pclose(f), 0);
    CHECK(sscanf("  12:0x1f,abc%7", "%d:%i,%[a-c]%%%n%d", &number, (int *)buffer, word, (int *)(buffer + 4), &number) ==
                4 &&
            number == 7,
        "%d", number);
    CHECK(fwide(stdin, 0) == 0 && (f = with("ab", 2)) && fwide(f, 1) < 0, "it stays one of bytes");
    fclose(f);
}

static void files(void) {
    NEED(freopen("/dev/null", "w", stdout));
    pieces();
    modes();
    memory();
}

static void failures(void) {
    FILE *f = fopen("/dev/full", "w");
    NEED(f);
    CHECK(fputs("text", f) >= 0 && !ferror(f), "it is in the buffer");
    CHECK_ERRNO(fflush(f), EOF, ENOSPC);
    CHECK(ferror(f), "no sign of the error");
    clearerr(f);
    CHECK(!ferror(f) && fputc('x', f) == 'x', "cleared");
    CHECK_ERRNO(fclose(f), EOF, ENOSPC);
    NEED(f = fopen("/dev/null", "r"));
    CHECK_SAME(fputc('x', f), EOF);
    CHECK(ferror(f) && fprintf(f, "%d", 1) < 0, "written to what is read");
    clearerr(f);
    CHECK(getc(f) == EOF && feof(f) && !ferror(f), "the end");
    fclose(f);
    f = with("abc", 3);
    CHECK_ERRNO(fseek(f, -1, SEEK_SET), -1, EINVAL);
    CHECK_ERRNO(fseek(f, 0, 99), -1, EINVAL);
    CHECK(getc(f) == 'a' && ftell(f) == 1, "it went elsewhere");
    fclose(f);
    NEED(f = fopen("/", "r"));
    CHECK_ERRNO(getc(f), EOF, EISDIR);
    CHECK(ferror(f) && !feof(f), "an error is no end");
    fclose(f);
    CHECK_ERRNO(fopen("/no/such/file", "r") == NULL, 1, ENOENT);
    CHECK_ERRNO(fdopen(-1, "q") == NULL, 1, EINVAL);
    int ends[2];
    char text[8];
    NEED(pipe(ends) == 0 && (f = fdopen(ends[0], "r")));
    CHECK_ERRNO(fseek(f, 0, SEEK_SET), -1, ESPIPE);
    CHECK_ERRNO(ftell(f), -1, ESPIPE);
    NEED(write(ends[1], "ab", 2) == 2);
    /* What is there is given, and more is only asked for by who wants it. */
    CHECK(getc(f) == 'a' && getc(f) == 'b', "not what was written");
    close(ends[1]);
    CHECK(fread(text, 1, 8, f) == 0 && feof(f), "the end of a pipe");
    fclose(f);
}

static FILE *all;
static char line[4][64];
static void *writes_lines(void *number) {
    const char *mine = line[(intptr_t)number];
    for (int i = 0; i < 1000; i++) {
        if (i % 3) {
            fputs(mine, all);
        } else {
            flockfile(all);
            flockfile(all);
            for (const char *p = mine; *p; p++) putc_unlocked(*p, all);
            funlockfile(all);
            funlockfile(all);
        }
    }
    return NULL;
}
static void *finds_locked(void *unused) {
    CHECK(ftrylockfile(all) != 0, "another has it");
    return unused;
}

static void leaves_text(void) {
    fputs("and from a child", all);
    exit(check_result());
}

static void shared(void) {
    NEED(all = tmpfile());
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        memset(line[i], 'a' + i, 40 + i);
        line[i][40 + i] = '\n';
        NEED(pthread_create(&threads[i], NULL, writes_lines, (void *)(intptr_t)i) == 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    rewind(all);
    char found[64];
    int count = 0;
    for (; fgets(found, sizeof found, all); count++)
        CHECK(strcmp(found, line[(found[0] - 'a') & 3]) == 0, "torn: %s", found);
    CHECK_SAME(count, 4000);
    flockfile(all);
    NEED(pthread_create(&threads[0], NULL, finds_locked, NULL) == 0 && pthread_join(threads[0], NULL) == 0);
    CHECK(ftrylockfile(all) == 0, "it is this thread's");
    funlockfile(all);
    funlockfile(all);
    /* What is in a buffer at a fork is both processes', and is written at their ends. */
    fseek(all, 0, SEEK_END);
    fflush(all);
    long before = ftell(all);
    CHECK_SAME(in_child(leaves_text), 0);
    struct stat after;
    NEED(fstat(fileno(all), &after) == 0);
    CHECK_SAME(after.st_size, before + 16);
    fclose(all);
}

RUN_CASES({"files", files}, {"failures", failures}, {"shared", shared})
