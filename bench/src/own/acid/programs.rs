//! The programs and their jobs, as data.

/// A program and its job.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub title: &'static str,
    /// Source files, with blanks between them, below `target/tools/acid`, or below `bench/acid` for this repository's own programs. `*` in a
    /// file's name stands for any letters.
    pub(super) sources: &'static str,
    /// Files that `sources` matches, but that are left out.
    pub(super) without: &'static str,
    pub(super) flags: &'static str,
    /// `$IN` is a copy of the text to work on, `$OUT` a file to write.
    pub(super) arguments: &'static str,
    /// A shorter job, for tests.
    pub quick: &'static str,
    /// Whether its output depends only on its input.
    pub(super) is_exact: bool,
}

const OWN: Program = Program {
    name: "",
    title: "",
    sources: "",
    without: "",
    flags: "",
    arguments: "",
    quick: "",
    is_exact: true,
};

/// All of them.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "weblog",
        title: "log lines written and analysed: strftime, localtime_r, regexec, strtod",
        sources: "own/weblog.c",
        arguments: "150000",
        quick: "2000",
        ..OWN
    },
    Program {
        name: "resp",
        title: "Redis' protocol parsed and answered",
        sources: "own/resp.c",
        arguments: "1000000",
        quick: "5000",
        ..OWN
    },
    Program {
        name: "lines",
        title: "300,000 lines written, read, sorted twice",
        sources: "own/lines.c",
        arguments: "$OUT 300000",
        quick: "$OUT 2000",
        ..OWN
    },
    Program {
        name: "json",
        title: "JSON parsed into a tree: strtod, small blocks",
        sources: "own/json.c",
        arguments: "60",
        quick: "1",
        ..OWN
    },
    Program {
        name: "server",
        title: "requests to a pool of threads, and to a thread each",
        sources: "own/server.c",
        arguments: "200000",
        quick: "500",
        ..OWN
    },
    Program {
        name: "signal",
        title: "a codec's arithmetic: sin, pow, log10, floor, lrint",
        sources: "own/signal.c",
        arguments: "4000",
        quick: "20",
        ..OWN
    },
    Program {
        name: "lua",
        title: "Lua 5.4: strings, tables, numbers",
        sources: "lua/src/*.c",
        without: "luac.c",
        flags: "-DLUA_USE_POSIX",
        arguments: "$ACID/work.lua",
        quick: "-v",
        ..OWN
    },
    Program {
        name: "sqlite",
        title: "SQLite's speedtest1, in memory",
        sources: "sqlite/sqlite3.c sqlite/test/speedtest1.c",
        flags: "-Isqlite -DSQLITE_OMIT_LOAD_EXTENSION",
        arguments: "--memdb --size 15",
        quick: "--memdb --size 1",
        // It prints times.
        is_exact: false,
        ..OWN
    },
    Program {
        name: "zstd",
        title: "zstd -6 of 8 MB of text",
        sources: "zstd/lib/common/*.c zstd/lib/compress/*.c zstd/lib/decompress/*.c \
            zstd/lib/dictBuilder/*.c zstd/lib/decompress/*.S zstd/programs/*.c",
        flags: "-Izstd/lib -Izstd/lib/common -DZSTD_MULTITHREAD -DZSTD_LEGACY_SUPPORT=0 \
            -DXXH_NAMESPACE=ZSTD_",
        arguments: "-q -f -6 --single-thread $IN -o $OUT",
        quick: "-q -f -1 $IN -o $OUT",
        ..OWN
    },
    Program {
        name: "bzip2",
        title: "bzip2 of 8 MB of text",
        sources: "bzip2/*.c",
        without: "bzip2recover.c dlltest.c mk251.c spewG.c unzcrash.c",
        flags: "-D_FILE_OFFSET_BITS=64",
        arguments: "-k -f $IN",
        quick: "-k -f $IN",
        ..OWN
    },
    Program {
        name: "opus",
        title: "Opus' encoder and decoder, two minutes of sound",
        sources: "opus/src/*.c opus/celt/*.c opus/silk/*.c opus/silk/float/*.c",
        without: "opus_compare.c opus_custom_demo.c repacketizer_demo.c qext_compare.c",
        flags: "-DOPUS_BUILD -DUSE_ALLOCA -DHAVE_LRINT -DHAVE_LRINTF -Iopus/include -Iopus/celt \
            -Iopus/silk -Iopus/silk/float -Iopus/src",
        arguments: "audio 48000 1 48000 $IN $OUT",
        quick: "audio 48000 1 48000 $IN $OUT",
        // The last bits of results differ between libms.
        is_exact: false,
    },
];
