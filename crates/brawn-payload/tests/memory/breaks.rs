//! Breaks each memory function in turn: the test program has to find it, and to name it.

use super::broken::{copy_files, missed};
use super::{
    AARCH64, CHECKED, Kind, Result, X86_64, folder, link, object, objects, sources, started,
    test_program,
};
use std::fs;

/// A file, what is replaced in it, by what, and the function that has to be named: the first one tested of those that
/// use it.
pub type Break = (&'static str, &'static str, &'static str, &'static str);

/// What the architectures share.
const BROKEN: &[Break] = &[
    (
        "generic/in-parts.h",
        "if (length < n) brawn_memset",
        "if (length > n) brawn_memset",
        "strncpy",
    ),
    (
        "generic/two-way.h",
        "(byte)(size - 1 - i)",
        "(byte)(size - i)",
        "memmem",
    ),
    (
        "generic/in-pieces.h",
        "i < 256 && part[i + 1] ? i : 0",
        "i",
        "strstr",
    ),
    (
        "generic/probes.h",
        "(size - 1) * (i) / 7",
        "size * (i) / 7",
        "memmem",
    ),
    (
        "generic/probes.h",
        "known = size - i;",
        "known = size;",
        "memmem",
    ),
    ("generic/copy-short.h", "d[n / 2] = middle;", "", "memcpy"),
    (
        "generic/compare-short.h",
        "GET64(b + n - 8)",
        "GET64(b + n - 9)",
        "memcmp",
    ),
];

pub const X86_64_ALONE: &[Break] = &[
    // On aarch64 a search comes to this line only after many places that nearly fit, and then seldom where it matters.
    (
        "generic/two-way.h",
        "known = repeats ? size - period : 0;",
        "known = size - period;",
        "memmem",
    ),
    ("memcpy.c", "STOREU(d, head);", "", "memcpy"),
    (
        "memcpy.c",
        "- (uintptr_t)s >= n",
        "- (uintptr_t)s >= n / 2",
        "memcpy",
    ),
    (
        "memset.c",
        "PUT64(d + n - 8, bytes);",
        "PUT64(d + n - 7, bytes);",
        "memset",
    ),
    ("memcmp.c", "i += CTZ(m);", "", "memcmp"),
    ("memcmp.c", "(unsigned)n)", "(unsigned)n + 1)", "memcmp"),
    ("memcmp.c", "<< (n - 32)", "<< 32", "memcmp"),
    ("memchr.c", "if (LIKELY(FITS(s)))", "if (1)", "strncpy"),
    ("memchr.c", "CTZ(m) < n ?", "1 ?", "memchr"),
    ("memrchr.c", "p += TOP(m);", "p += CTZ(m);", "memrchr"),
    ("strlen.c", "if (LIKELY(FITS(s)))", "if (1)", "strcat"),
    ("strnlen.c", "CTZ(m) < n ?", "1 ?", "strnlen"),
    ("strchr.c", "*p != (char)c ? NULL", "0 ? NULL", "strchr"),
    ("strchr.c", "!(is & m & -m) ? NULL", "0 ? NULL", "strchr"),
    ("strcpy.c", "m ^ (m - 1)", "m", "strcpy"),
    ("strcmp.c", "a[at] - b[at]", "0", "strcmp"),
    ("strrchr.c", "m &= end ^ (end - 1);", "", "strrchr"),
    ("strncmp.c", "if (at >= n) return 0;", "", "strncmp"),
    ("strncmp.c", ">> before", ">> 0", "strncmp"),
    ("strncmp.c", " && FITS(b - before)", "", "strncmp"),
    ("strcpy.c", " && FITS(to)", "", "strcpy"),
    ("stpcpy.c", "if (UNLIKELY(!FITS(to)))", "if (0)", "strcpy"),
    ("stpncpy.c", "if (LIKELY(FITS(to)))", "if (1)", "strncpy"),
    ("strncat.c", " && FITS(end)", "", "strncat"),
    ("strcat.c", "end_of(to)", "to", "strcat"),
    ("generic/append.h", "*to = 0;", "", "strncat"),
    ("strncat.c", "end >> 1", "end", "strncat"),
    (
        "stpcpy.c",
        "- (WIDTH - 1), LOADU",
        "- (WIDTH - 2), LOADU",
        "strcpy",
    ),
    ("strstr.c", "LOADU(p - 1), x)", "LOADU(p), x)", "strstr"),
];

pub const AARCH64_ALONE: &[Break] = &[
    (
        "generic/strncat.c",
        "to + brawn_strlen(to)",
        "to",
        "strncat",
    ),
    ("memcpy.c", "STORE(d, head);", "", "memcpy"),
    ("memcpy.c", "apart >= n", "apart >= n / 2", "memcpy"),
    ("memcpy.c", "p > s + 64", "p > s + 128", "memcpy"),
    (
        "memset.c",
        "PUT64(d + n - 8, bytes);",
        "PUT64(d + n - 7, bytes);",
        "memset",
    ),
    (
        "memset.c",
        "p <= last; p += BLOCK",
        "p < d + n; p += BLOCK",
        "memset",
    ),
    ("memset.c", "STORE(p + 32, x);", "", "memset"),
    ("memcmp.c", "i += CTZ(m);", "", "memcmp"),
    ("memchr.c", "if (LIKELY(FITS(s)))", "if (1)", "strncpy"),
    ("memchr.c", "CTZ(m) < n ?", "1 ?", "memchr"),
    ("memrchr.c", "p += TOP(m);", "p += CTZ(m);", "memrchr"),
    (
        "memrchr.c",
        "& SKIP(ALL, WIDTH - (end - p))",
        "& ALL",
        "memrchr",
    ),
    ("strlen.c", "if (LIKELY(FITS(s)))", "if (1)", "strcat"),
    ("strlen.c", "p += 16, m", "m", "strcat"),
    ("strnlen.c", "return i < n ? i : n;", "return i;", "strnlen"),
    ("strchr.c", "*p == (char)c ?", "1 ?", "strchr"),
    ("strchrnul.c", "vcgeq_u8(is, a)", "is", "strchr"),
    ("strrchr.c", "m &= UP_TO(end);", "", "strrchr"),
    ("strrchr.c", "block + 48", "block + 32", "strrchr"),
    ("strncmp.c", "if (at >= n) return 0;", "", "strncmp"),
    ("strncmp.c", "if (some > n) some = n;", "", "strncmp"),
    ("strncmp.c", "AND(cd, ef)", "cd", "strncmp"),
    (
        "stpcpy.c",
        "- (WIDTH - 1), LOAD",
        "- (WIDTH - 2), LOAD",
        "strcpy",
    ),
    ("memmem.c", "m = SKIP(", "m = (", "memmem"),
    ("strstr.c", "vextq_u8(before,", "vextq_u8(zero,", "strstr"),
];

/// Breaks each function in turn; every one has to be found, and named.
fn breaks(kind: &Kind) -> Result<()> {
    let work = tempfile::tempdir()?;
    let whole = objects("gcc", kind, work.path(), CHECKED)?;
    let test = test_program(kind, work.path())?;
    let architecture = kind.architecture.name;
    let quiet = [CHECKED, &["-Wno-unused", "-Wno-error"]].concat();
    let mut unseen = Vec::new();
    for (file, from, to, function) in BROKEN.iter().chain(kind.broken) {
        let broken = tempfile::tempdir()?;
        let members = broken.path().join(architecture);
        copy_files(&folder().join("generic"), &broken.path().join("generic"))?;
        copy_files(&folder().join(architecture), &members)?;
        let shared = file.starts_with("generic/");
        let path = if shared {
            broken.path().join(file)
        } else {
            members.join(file)
        };
        let text = fs::read_to_string(&path)?;
        assert!(text.contains(from), "{file} has no {from:?} to break");
        fs::write(&path, text.replace(from, to))?;
        // What is shared is in the members that include it.
        let includes = format!("#include \"../{file}\"");
        let mut parts = whole.clone();
        let mut again = 0;
        for source in sources(&members)? {
            if shared && fs::read_to_string(&source)?.contains(&includes) || source == path {
                again += 1;
                parts.retain(|part| part.file_stem() != source.file_stem());
                parts.push(object("gcc", kind, &source, broken.path(), &quiet)?);
            }
        }
        assert!(again > 0, "no member of {architecture} has {file}");
        let ways: &[_] = if kind.emulator.is_empty() {
            &["glance", "sparse", "without-giants"]
        } else {
            &["glance", "sparse"]
        };
        let program = link(kind, &test, &parts, broken.path())?;
        let named = format!("memory: {function} at level");
        let what = format!("{file}: {from:?}");
        unseen.extend(missed(
            || started(kind.emulator, &program),
            ways,
            &named,
            &what,
        )?);
    }
    assert!(
        unseen.is_empty(),
        "not found, or not named:\n{}",
        unseen.join("\n")
    );
    Ok(())
}

#[test]
fn a_broken_function_is_found_and_named() -> Result<()> {
    breaks(&X86_64)
}

#[test]
fn a_broken_function_is_found_and_named_on_aarch64() -> Result<()> {
    breaks(&AARCH64)
}
