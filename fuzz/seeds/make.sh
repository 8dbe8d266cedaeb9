#!/usr/bin/env bash
# Makes the payload of the `patch` target (*.o here) and the seeds in fuzz/corpus/.  Needs binutils and llvm.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# object NAME ASSEMBLY...: one statement an argument.
object() {
    local name=$1
    shift
    printf '%s\n' "$@" | as --64 -o "$work/$name" -
    objcopy --remove-section=.data --remove-section=.bss "$work/$name"
}
# symbols DIRECTIVE NAME...: defines each.
symbols() {
    local directive=$1 name
    shift
    for name in "$@"; do
        printf '%s %s\n%s:\n' "$directive" "$name" "$name"
    done
}

public="aligned_alloc calloc free malloc malloc_usable_size memalign posix_memalign realloc reallocarray valloc"
private="__libc_calloc __libc_free __libc_malloc __libc_malloc_impl __libc_realloc __malloc_allzerop __malloc_atfork __malloc_donate"
# note TEXT: a provenance note.
note() {
    printf '%s\n' '.section .note.brawn,"a",@note' '.long 6, 2f-1f, 1' '.asciz "brawn"' '.balign 4' \
        "1: .ascii \"$1\"" '2: .balign 4' .text
}
heap_note=$(note 'brawn=0.0.0\ncomponent=heap\nprofile=fast\n')
# own NAME...: hidden names of the memory functions.
own() {
    symbols .globl "$@"
    printf '.hidden %s\n' "$@"
}

# shellcheck disable=SC2086 # Lists of names.
{
    object payload.o "$heap_note" "$(symbols .weak $public)" "$(symbols .globl $private)" "call __errno_location"
    object start.lo "$(symbols .globl __init_libc)" "call __errno_location"
    object trans.lo "$(symbols .globl __lctrans)"
    object errno.lo "$(symbols .globl __errno_location)"
    object calloc.lo "$(symbols .globl calloc)" "$(symbols .weak __malloc_allzerop)"
    object lite.lo "$(symbols .globl __libc_malloc __bump_lockptr)" "$(symbols .weak malloc __libc_malloc_impl)"
    object free.lo "$(symbols .globl free)" "call __libc_free"
    object malloc.lo "$(symbols .globl __libc_free __libc_malloc_impl __malloc_context __malloc_atfork)"
    object fork.lo "$(symbols .globl fork)" "$(symbols .weak __malloc_atfork __bump_lockptr)"
    object a_member_with_a_long_name.lo "$(symbols .globl strdup)" "call malloc"
    # The memory functions: the payload's, those of a brawn before it, musl's, and one with more in it.
    object brawn_level.o "$(note 'brawn=0.0.0\ncomponent=memory\n')" "$(own brawn_level)"
    object brawn_memcpy.o "$(symbols .weak memcpy memmove)" "$(own brawn_memcpy)" "call brawn_level"
    object brawn_strcat.o "$(symbols .weak strcat)" "$(own brawn_strcat)" "call brawn_strlen" "call brawn_memcpy"
    object brawn_strlen.o "$(symbols .weak strlen)" "$(own brawn_strlen)" "call brawn_level"
    object memcpy.lo "$(symbols .globl memcpy)"
    object memmove.lo "$(symbols .globl memmove)"
    object strcat.lo "$(symbols .globl strcat)" "call strlen"
    object strlen.lo "$(symbols .globl strlen)"
    object strings.lo "$(symbols .globl strlen strange)"
    # mimalloc in musl's place: as one member, as several, with its version in code, and what then is supplied.
    own_names="mi_malloc _mi_page_malloc _Z7_mi_binm"
    overrides="malloc free calloc realloc __libc_malloc __libc_free strdup _Znwm _ZdlPv _ZSt15get_new_handlerv cfree"
    version=$(printf '%s\n' '.globl mi_version' 'mi_version: mov $224, %eax' 'ret' '.size mi_version, .-mi_version')
    object mimalloc.o "$(symbols .globl $own_names $overrides)" "$version"
    object alloc.c.o "$(symbols .globl mi_malloc $overrides)" "call _mi_page_malloc"
    object page.c.o "$(symbols .globl _mi_page_malloc)" "$version"
    object realloc.lo "$(symbols .globl realloc)"
    object user.lo "$(symbols .globl setlocale)" "call strdup"
    object brawn_strdup.o "$(note 'brawn=0.0.0\ncomponent=supplied\nfunction=strdup\n')" "$(symbols .weak strdup)" \
        "call malloc" "call strlen"
    object brawn_nw.o "$(note 'brawn=0.0.0\ncomponent=supplied\nfunction=_Znwm\n')" "$(symbols .weak _Znwm)" \
        "call malloc" "call __cxa_throw"
}
cp "$work"/{payload,brawn_level,brawn_memcpy,brawn_strcat,brawn_strlen,brawn_strdup,brawn_nw}.o .

# Those of `signatures` and `image` are made by hand.
rm -rf ../corpus/{archive,patch,elf,note,inspect,package,rewrite,bundle}
mkdir -p ../corpus/{archive,patch,elf,note,inspect,package,rewrite,bundle}
members="start.lo trans.lo calloc.lo lite.lo free.lo malloc.lo fork.lo errno.lo a_member_with_a_long_name.lo"
(
    cd "$work"
    # shellcheck disable=SC2086 # A list of files.
    {
        ar rcsD gnu.a $members
        llvm-ar --format=bsd rcsD bsd.a $members
        SYM64_THRESHOLD=1 llvm-ar --format=gnu rcsD sym64.a $members
        ar rcSD bare.a $members
        ar rcsD older.a start.lo trans.lo errno.lo fork.lo payload.o
        ar rcsDT thin.a start.lo
        ar rcsD empty.a
        printf 'BC\300\336bitcode' > lto.o
        printf 'text' > README
        ar rcSD mixed.a start.lo lto.o README
        ar rcsD memory.a $members memcpy.lo memmove.lo strcat.lo strlen.lo
        ar rcsD stays.a start.lo trans.lo errno.lo fork.lo payload.o strings.lo strcat.lo
        mkdir before
        sed s/brawn=0.0.0/brawn=0.0.9/ brawn_level.o > before/brawn_level.o
        rest="start.lo trans.lo errno.lo fork.lo strlen.lo user.lo"
        ar rcsD mimalloc.a $rest mimalloc.o
        ar rcsD parts.a $rest alloc.c.o page.c.o realloc.lo
        sed s/brawn=0.0.0/brawn=0.0.9/ brawn_strdup.o > before/brawn_strdup.o
        ar rcsD supplied.a $rest payload.o before/brawn_strdup.o brawn_nw.o
        ar rcsD before.a start.lo trans.lo errno.lo fork.lo payload.o before/brawn_level.o brawn_memcpy.o strlen.lo
    }
)
cp "$work"/{bare,bsd,empty,gnu,mixed,older,sym64,thin}.a ../corpus/archive/
cp "$work"/{gnu,bsd,sym64,bare,older,mixed,memory,stays,before,mimalloc,parts,supplied}.a ../corpus/patch/
cp "$work"/{payload.o,lite.lo,fork.lo,free.lo} ../corpus/elf/
objcopy -O binary --only-section=.note.brawn "$work/payload.o" ../corpus/note/brawn
printf '\4\0\0\0\3\0\0\0\3\0\0\0GNU\0abc\0' | cat - ../corpus/note/brawn > ../corpus/note/two

# Small executables of the same objects.
link=(ld -m elf_x86_64 -z max-page-size=4096 -z noseparate-code --build-id=none -e __init_libc)
(
    cd "$work"
    "${link[@]}" -static -o stock start.lo trans.lo errno.lo calloc.lo lite.lo free.lo malloc.lo
    "${link[@]}" -static -o ours start.lo trans.lo errno.lo payload.o
    "${link[@]}" -static -z muldefs -o both start.lo trans.lo errno.lo payload.o malloc.lo
    "${link[@]}" -pie --no-dynamic-linker -o pie start.lo trans.lo errno.lo payload.o
    "${link[@]}" -pie --dynamic-linker=/lib/ld-musl-x86_64.so.1 -o dynamic start.lo errno.lo
    strip -o stripped ours
)
chmod -x "$work"/{stock,ours,both,pie,dynamic,stripped}
cp "$work"/{stock,ours,both,pie,dynamic,stripped,gnu.a,older.a,payload.o,mimalloc.a} ../corpus/inspect/

# Programs with thread-locals, some of them addresses: at fixed addresses and anywhere, for both architectures.
thread_locals=$(printf '%s\n' '.section .tdata,"awT",@progbits' '.quad name, 7' '.section .tbss,"awT",@nobits' '.zero 24' \
    .data 'name: .quad name' '.zero 24' .bss '.zero 5000')
program=$(printf '%s\n' .text '.globl _start' '_start: .zero 96' "$thread_locals")
(
    cd "$work"
    for machine in x86_64 aarch64; do
        printf '%s\n' "$program" | llvm-mc --triple=$machine-linux --filetype=obj -o $machine.o -
        for way in -static '-pie -z text --no-dynamic-linker' '-pie --no-dynamic-linker --pack-dyn-relocs=relr'; do
            # shellcheck disable=SC2086 # Several options.
            ld.lld $way -z max-page-size=4096 -o "$machine-${way##*[= -]}" $machine.o
        done
    done
    ld -m elf_x86_64 -static -z max-page-size=4096 -z separate-code -o separate x86_64.o
    ld -m elf_x86_64 -pie --no-dynamic-linker -z max-page-size=4096 -z noseparate-code -o bfd-pie x86_64.o
)
chmod -x "$work"/{x86_64,aarch64}-{static,linker,relr} "$work"/{separate,bfd-pie}
cp "$work"/{x86_64,aarch64}-{static,linker,relr} "$work"/{separate,bfd-pie,stock,stripped,pie} ../corpus/rewrite/

# Files that say one thing many times.
mkdir -p ../corpus/find ../corpus/names
cp "$work"/{stock,both,pie} ../corpus/find/
python3 - ../corpus <<'PYTHON'
import gzip, io, struct, sys, tarfile

folder = sys.argv[1]
stock = open(f"{folder}/inspect/stock", "rb").read()

def put(file, at, form, *values):
    file[at:at + struct.calcsize(form)] = struct.pack(form, *values)

def save(name, data, *targets):
    for target in targets:
        with open(f"{folder}/{target}/{name}", "wb") as file:
            file.write(data)

# Symbols with one name, which has all there is.
at, = struct.unpack_from("<Q", stock, 40)
count, = struct.unpack_from("<H", stock, 60)
sections = [list(struct.unpack_from("<IIQQQQIIQQ", stock, at + 64 * n)) for n in range(count)]
table = next(n for n, s in enumerate(sections) if s[1] == 2)
for name, text in ("shared", b"n" * 4000), ("same", b"malloc"):
    file = bytearray(stock)
    strings = sections[table][6]
    old = stock[sections[strings][4]:][:sections[strings][5]]
    symbols = stock[sections[table][4]:][:sections[table][5]]
    symbols += struct.pack("<IBBHQQ", len(old), 0x12, 0, 1, 0x401000, 1 << 20) * 500
    for section, data in (table, symbols), (strings, old + text + b"\0"):
        put(file, at + 64 * section + 24, "<QQ", len(file), len(data))
        file += data
    save(name, file, "inspect", "find", "signatures", "image")

# Sections and segments that are the whole file.
for name, kind in ("sections", 1), ("notes", 7):
    file = bytearray(stock)
    put(file, 40, "<Q", len(file))
    put(file, 60, "<HH", 200, 0)
    file += struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, 0, len(stock), 0, 0, 4, 0) * 200
    save(name, file, "inspect", "find")
for name, kind in ("loads", 1), ("thread-locals", 7):
    file = bytearray(stock)
    put(file, 32, "<Q", len(file))
    put(file, 56, "<H", 150)
    for n in range(150):
        file += struct.pack("<IIQQQQQQ", kind, 5, 0, 0x400000 + n * (1 << 20), 0, len(stock), len(stock), 8)
    save(name, file, "inspect", "find")

def member(name, data):
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)

archive = b"!<arch>\n" + member("//", b"m" * 8000 + b"/\n") + member("/0", b"") * 300
save("long.a", archive, "archive", "inspect", "patch")
index = struct.pack("<I", 8 * 1000) + struct.pack("<II", 0, 8 + 60 + 8 * 1000 + 8 + 4002) * 1000
index += struct.pack("<I", 4002) + b"i" * 4001 + b"\0"
save("index.a", b"!<arch>\n" + member("__.SYMDEF", index) + member("a.o", b""), "archive", "inspect", "patch")

for name, kind, size in ("records.tgz", tarfile.XHDTYPE, 1 << 24), ("name.tgz", tarfile.GNUTYPE_LONGNAME, 1 << 24), \
        ("zeros.tgz", tarfile.REGTYPE, 1 << 24):
    entry = tarfile.TarInfo("a")
    entry.type, entry.size = kind, size
    save(name, gzip.compress(entry.tobuf() + bytes(size), mtime=0), "package", "bundle")
for name, text in ("terminal", "\x1b[31m\x7f\x85\u202e\u2028\n"), ("mangled", "_ZN3foo3barIiEEvT_"), ("plain", "free.lo"):
    save(name, text.encode(), "names")
PYTHON

# Wheels and tarballs, with long names in both ways.
python3 - ../corpus/package <<'PYTHON'
import gzip, io, sys, tarfile, zipfile

folder = sys.argv[1]
elf = b"\x7fELF\x02\x01\x01" + bytes(60)
for name, method in ("stored.whl", zipfile.ZIP_STORED), ("deflated.whl", zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(f"{folder}/{name}", "w") as package:
        for path, data in ("a/x.so", elf), ("a/__init__.py", b"pass\n"), ("l.a", b"!<arch>\n"):
            package.writestr(zipfile.ZipInfo(path), data, method)
for name, format in ("gnu.tgz", tarfile.GNU_FORMAT), ("pax.tgz", tarfile.PAX_FORMAT):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=format) as package:
        for path, data in ("d" * 110 + "/x.node", elf), ("index.js", b"0"), ("l.a", b"!<arch>\n"):
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size = len(data)
            package.addfile(entry, io.BytesIO(data))
    with open(f"{folder}/{name}", "wb") as file:
        file.write(gzip.compress(raw.getvalue(), mtime=0))
PYTHON

# Every compression, of a tar archive and of one file; Debian packages; packages in packages; what is not opened.
python3 - ../corpus/package <<'PYTHON'
import bz2, gzip, io, lzma, subprocess, sys, tarfile

folder = sys.argv[1]
elf = b"\x7fELF\x02\x01\x01" + bytes(60)

def tar(*files):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as package:
        for path, data in files:
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            package.addfile(entry, io.BytesIO(data))
    data = raw.getvalue().rstrip(b"\0")
    return data + bytes(-len(data) % 512 + 1024)

def member(name, data):
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)

def deb(data):
    control = gzip.compress(tar(("./control", b"Package: p\n")), mtime=0)
    return b"!<arch>\n" + member("debian-binary", b"2.0\n") + member("control.tar.gz", control) + member("data.tar", data)

def zstd(data):
    return subprocess.run(["zstd", "-c", "-"], input=data, stdout=subprocess.PIPE, check=True).stdout

def save(name, data):
    with open(f"{folder}/{name}", "wb") as file:
        file.write(data)

packers = {"gz": lambda data: gzip.compress(data, mtime=0), "xz": lzma.compress, "zst": zstd, "bz2": bz2.compress}
files = tar(("./bin/x", elf), ("./text", b"words"))
for name, pack in packers.items():
    save(f"files.tar.{name}", pack(files))
    save(f"file.{name}", pack(elf))
    save(f"{name}.deb", deb(pack(files)))
save("nested.tar", tar(("p.deb", deb(files)), ("q.tar.gz", packers["gz"](files)), ("r.7z", b"7z\xbc\xaf\x27\x1c\0\4")))
save("filters.xz", lzma.compress(elf, filters=[{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 0}]))
PYTHON

# Bundles of a Swift SDK: names of every kind, links to the libc, a size in a record of pax.
python3 - ../corpus/bundle <<'PYTHON'
import gzip, io, json, sys, tarfile

folder = sys.argv[1]
INFO = {"artifacts": {"s": {"type": "swiftSDK", "version": "1", "variants": [{"path": "v"}]}}}
SDK = {"targetTriples": {"x-linux-musl": {"sdkRootPath": "r"}, "y": {}}}
LONG = "d" * 110 + "/x"

def bundle(name, format, *entries):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=format) as package:
        files = ("info.json", json.dumps(INFO)), ("v/swift-sdk.json", json.dumps(SDK))
        for path, data, *more in (*files, *entries):
            entry = tarfile.TarInfo(f"s.artifactbundle/{path}")
            if more:
                entry.type, entry.linkname = more[0], data
                package.addfile(entry)
                continue
            entry.size = len(data)
            if path.startswith("v/p"):
                entry.pax_headers = {"size": str(len(data)), "mtime": "1.5"}
            package.addfile(entry, io.BytesIO(data.encode()))
    raw = raw.getvalue().rstrip(bytes(512)) + bytes(1024)
    raw += bytes(-len(raw) % 512)
    with open(f"{folder}/{name}", "wb") as file:
        file.write(raw)
    with open(f"{folder}/{name}.gz", "wb") as file:
        file.write(gzip.compress(raw, mtime=0))

libc = "v/r/usr/lib/libc.a"
bundle("plain.tar", tarfile.GNU_FORMAT, (libc, "old one"), (LONG, "x"))
bundle("pax.tar", tarfile.PAX_FORMAT, (LONG, "x"), ("v/p/libc.a", "old one"), (libc, "../../../p/libc.a", tarfile.SYMTYPE))
bundle("hard.tar", tarfile.USTAR_FORMAT, ("v/l", "old one"), (libc, "s.artifactbundle/v/l", tarfile.LNKTYPE))
bundle("out.tar", tarfile.GNU_FORMAT, ("v/r", "../../..", tarfile.SYMTYPE), (LONG, LONG, tarfile.SYMTYPE))
bundle("done.tar", tarfile.GNU_FORMAT, (libc, "new one"))
PYTHON
