/* Streams. */
#include "bench.h"
#include <unistd.h>

static FILE *in, *null, *bytes;
static char *line;
static size_t room;
static char block[65536];

PREPARE {
    in = fdopen(open_temporary(), "w+");
    uint64_t state = 5;
    for (int i = 0; i < 2000; i++) {
        int n = 20 + (int)(draw(&state) % 80);
        for (int j = 0; j < n; j++) putc('a' + j % 26, in);
        putc('\n', in);
    }
    null = fopen("/dev/null", "w");
    bytes = fopen("/dev/zero", "r");
}

/* All of the file, so that reading it from the kernel counts, too. */
ROW("stdio", getline_all, "getline, 2,000 lines") {
    rewind(in);
    while (getline(&line, &room, in) > 0) KEEP(line);
}
ROW("stdio", fgets_all, "fgets, 2,000 lines") {
    rewind(in);
    while (fgets(block, 256, in)) KEEP(block);
}
ROW("stdio", getc_all, "getc, 120 KB") {
    rewind(in);
    int c;
    while ((c = getc(in)) != EOF) KEEP(c);
}
ROW("stdio", getc_unlocked_all, "getc_unlocked, 120 KB") {
    rewind(in);
    int c;
    while ((c = getc_unlocked(in)) != EOF) KEEP(c);
}
ROW("stdio", fread16, "fread, 16 B") { KEEP(fread(block, 1, 16, bytes)); }
ROW("stdio", fread1k, "fread, 1 KiB") { KEEP(fread(block, 1, 1024, bytes)); }
ROW("stdio", fread64k, "fread, 64 KiB") { KEEP(fread(block, 1, 65536, bytes)); }
ROW("stdio", putc1, "putc") { KEEP(putc('x', null)); }
ROW("stdio", fputs16, "fputs, 16 B") { KEEP(fputs("sixteen letters.", null)); }
ROW("stdio", fwrite16, "fwrite, 16 B") { KEEP(fwrite(block, 1, 16, null)); }
ROW("stdio", fwrite1k, "fwrite, 1 KiB") { KEEP(fwrite(block, 1, 1024, null)); }
ROW("stdio", fprintf1, "fprintf %s %d") { KEEP(fprintf(null, "%s %d\n", "word", 4711)); }
ROW("stdio", memstream, "open_memstream, 64 B, fclose") {
    char *p;
    size_t n;
    FILE *f = open_memstream(&p, &n);
    fwrite(block, 1, 64, f);
    fclose(f);
    free(p);
}
ROW("stdio", fmem, "fmemopen, 64 B, fclose") {
    FILE *f = fmemopen(block, 64, "r");
    KEEP(getc(f));
    fclose(f);
}
ROW("stdio", open_close, "fopen and fclose") {
    FILE *f = fopen("/dev/null", "r");
    KEEP(f);
    fclose(f);
}
ROW("stdio", seek, "fseek and ftell") {
    fseek(in, 1000, SEEK_SET);
    KEEP(ftell(in));
}
