// stdin and stdout with brawn's functions against the same with libc's, and what asks a stream's flags: a part of stdio.c.
#include <sys/wait.h>

size_t brawn___stdio_read_large(FILE *, unsigned char *, size_t);
size_t brawn___stdout_write_large(FILE *, const unsigned char *, size_t);
int brawn_ferror(FILE *), brawn_feof(FILE *);
void brawn_clearerr(FILE *);

// What a stream has that was not used yet: libc's functions, brawn's, or brawn's with large buffers.
static void become(int ours) {
    if (ours) *(void **)(void *)((char *)stdin + READS) = ours > 1 ? (void *)brawn___stdio_read_large : (void *)brawn___stdio_read;
    if (ours > 1) *(void **)(void *)((char *)stdout + WRITES) = (void *)brawn___stdout_write_large;
}

static void standard_child(int ours, int way) {
    static char own[300];
    char line[200];
    become(ours);
    if (way == 1) setvbuf(stdin, own, _IOFBF, sizeof own), setvbuf(stdout, NULL, _IONBF, 0);
    if (way == 2) setvbuf(stdin, NULL, _IONBF, 0), setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    state = 99;
    for (int step = 0; step < 4000; step++) {
        const unsigned what = next() % 8, n = next() % (next() % 8 ? 60 : 190);
        int c = 0;
        memset(line, 0, sizeof line);
        switch (what) {
        case 0: c = getchar(); break;
        case 1: c = getchar(), c = ungetc(c < 0 ? 'q' : c, stdin); break;
        case 2: c = (int)fread(line, 1, n, stdin); break;
        case 3: c = fgets(line, (int)n + 1, stdin) != NULL; break;
        case 4: c = scanf("%9s", line); break;
        case 5: c = putchar('x'); break;
        case 6: c = (int)fwrite("0123456789012345678901234567890123456789", 1, n % 40, stdout); break;
        default:
            if (n % 7 == 0) c = fflush(stdout);
            break;
        }
        printf("%d %d %s %d %d|", step, c, line, !!feof(stdin), !!ferror(stdin));
    }
    exit(0);
}

// How much a child takes of its input for one character, and what is mixed of its two outputs: musl's pieces, of 1 KiB, or of 4.
static void buffers(int ours) {
    char text[16384] = {0};
    const int in = temporary(), out = temporary();
    const size_t large = ours > 1 ? 4096 : 1024;
    if (write(in, text, sizeof text) != sizeof text) FAIL("could not write");
    lseek(in, 0, SEEK_SET);
    const pid_t child = fork();
    if (!child) {
        dup2(in, 0), dup2(out, 1), dup2(out, 2);
        become(ours);
        putchar('1'), fflush(stdout);
        for (int i = 0; i < 5000; i++) putchar('2');
        fputs("3", stderr);
        getchar();
        const int right = lseek(0, 0, SEEK_CUR) == (off_t)large;
        _exit(!right);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status) FAIL("stdin has another buffer than %zu bytes", large);
    const ssize_t all = pread(out, text, sizeof text, 0);
    // The last byte that makes a buffer full is written with it, or not before the next one.
    const char *const three = memchr(text, '3', all > 0 ? (size_t)all : 0);
    if (!three) FAIL("nothing on stderr");
    const size_t before = (size_t)(three - text) - 1, whole = 5000 / large * large;
    if (before < whole || before > whole + 5000 / large) FAIL("stdout has another buffer than %zu bytes: %zu before stderr's", large, before);
    close(in), close(out);
}

// What a child prints, in a file; the same with all.
static void standard(void) {
    for (int way = 0; way < 3; way++)
        for (int from = 0; from < 3; from++) {
            static char said[3][2000000];
            ssize_t length[3];
            for (int ours = 0; ours < 3; ours++) {
                const int in = from == 2 ? open("/", O_RDONLY) : temporary(), out = temporary();
                if (from == 0)
                    for (int i = 0; i < 3000; i++) dprintf(in, "%d:%.*s\n", i, i % 90, "words and words and words and words and words and words and words and words and words");
                lseek(in, 0, SEEK_SET);
                const pid_t child = fork();
                if (!child) {
                    dup2(in, 0), dup2(out, 1);
                    standard_child(ours, way);
                }
                int status;
                if (child < 0 || waitpid(child, &status, 0) != child || status) FAIL("standard streams, way %d: a child failed", way);
                length[ours] = pread(out, said[ours], sizeof said[ours], 0);
                close(in), close(out);
            }
            for (int ours = 1; ours < 3; ours++)
                if (length[0] < 1000 || length[0] != length[ours] || memcmp(said[0], said[ours], (size_t)length[0]))
                    FAIL("standard streams, way %d, from %d: not as libc's", way, from);
        }
    for (int ours = 0; ours < 3; ours++) buffers(ours);
}

static FILE *held;
static volatile int released;
static void *holds(void *ready) {
    flockfile(held);
    *(volatile int *)ready = 1;
    usleep(30000);
    released = 1;
    funlockfile(held);
    return NULL;
}

// The flags, by a stream that was never locked, one that was, and one that another thread holds.
static void asked(void) {
    FILE *const f = fopen("/dev/null", "r");
    for (int turn = 0; turn < 2; turn++) {
        if (brawn_feof(f) || brawn_ferror(f)) FAIL("a flag on a new stream");
        if (getc(f) != EOF || brawn_feof(f) != 1 || brawn_ferror(f)) FAIL("feof after the end");
        if (putc('x', f) != EOF || brawn_ferror(f) != 1 || brawn_feof(f) != 1) FAIL("ferror after an error");
        brawn_clearerr(f);
        flockfile(f);
        if (brawn_feof(f) || brawn_ferror(f)) FAIL("a flag after clearerr");
        funlockfile(f);
        if (*(int *)(void *)((char *)f + LOCK) != 0) FAIL("a lock is left");
    }
    held = f;
    for (int turn = 0; turn < 3; turn++) {
        volatile int ready = 0;
        pthread_t other;
        released = 0;
        pthread_create(&other, NULL, holds, (void *)&ready);
        while (!ready) sched_yield();
        if (turn == 0) brawn_feof(f);
        if (turn == 1) brawn_ferror(f);
        if (turn == 2) brawn_clearerr(f);
        if (!released) FAIL("the flags of a stream that another thread holds: turn %d", turn);
        pthread_join(other, NULL);
    }
    fclose(f);
}
