#!/usr/bin/env bash
# Builds a peer: a copy of musl's libc.a with another heap in it, as people do it by hand today.
#
#     bench/peers/build.sh v2|v3|jemalloc|rpmalloc|snmalloc LIBC_A OUT_DIR
#
# Writes OUT_DIR/libc.a, and the heap's version beside it (v2 and v3 are mimalloc's).  All heaps have their default
# settings, are compiled once as a release build without position-independent code, and become one object: musl's own
# members are deleted by name with `ar`, and the object is added.
#
# mimalloc follows the recipe that circulates: a release build that overrides malloc, without the C++ operators.  Where
# the published recipes differ, this is what is done here, and why:
#
# - Sources: those in the crate libmimalloc-sys2, at the version that Cargo.lock pins, so that peer
#   and payload have the same engine and only the integration differs.  LIBMIMALLOC_SYS names
#   that crate's folder where `cargo metadata` is not to be asked.
# - One object from src/static.c.  (CMake's libmimalloc.a has one object a source file; one object
#   is the other published way, and the faster one.)
# - Flags: CMake's release flags, -O3 -DNDEBUG -DMI_BUILD_RELEASE -fvisibility=hidden,
#   -DMI_MALLOC_OVERRIDE and -fno-builtin-malloc for overriding, -DMI_LIBC_MUSL=1 as its option for
#   musl sets it, -ftls-model=initial-exec.  No -march and no -mpopcnt: with them the result would
#   not run everywhere.  gcc then calls __popcountdi2, which musl-gcc's links find in libgcc; a
#   link by rustc with -nodefaultlibs would not.
# - mimalloc's sources use __DATE__; gcc accepts that, a compiler with -Werror=date-time does not,
#   hence -Wno-error=date-time as the crate itself passes.
# - The C++ operators new and delete are cut out of alloc-override.c with the published patch's
#   condition.  Its other parts (names with __libc_, no -fPIC) are the engine's default by now.
# - strdup.lo and strndup.lo are deleted too, as in the recipe for Swift: mimalloc defines both
#   names, and a program that uses one of them would not link otherwise.
# - free.lo and realloc.lo are deleted twice: the names occur twice in musl's archive, and `ar d`
#   takes the first only.
#
# The sources of the others are in crates that bench/peers/Cargo.lock pins; PEERS_SOURCES names a folder with these
# crates (NAME-VERSION) where `cargo metadata` is not to be asked.  names.c is linked to them, since they do not define
# musl's inner names.
#
# - jemalloc: its own configure and make, with what they choose for musl.  No C++ operators, no documentation.  It takes a
#   minute of processor time, so the object is kept in PEERS_KEPT (target/tools/peers; empty: nowhere), named after what it
#   was made from.
# - rpmalloc: one C file, with the two macros of its own library `rpmallocwrap`, which override malloc and take part in
#   each thread's start and end.  It finds musl's pthread_create with dlsym, which finds nothing in a static program;
#   so it is given musl's inner name of that function.
# - snmalloc: one C++ file, compiled by the pinned zig (ZIG names another), since gcc would need libatomic for a pair of
#   pointers, and musl has no C++ library.  Macros and flags are those that its CMake file finds on Linux, but for how a
#   thread's end is noticed: the default is a function of glibc's, so it is CMake's other choice, PTHREAD_DESTRUCTORS.
set -euo pipefail

heap=${1:?v2, v3, jemalloc, rpmalloc or snmalloc}
libc=$(realpath "${2:?path of musl\'s libc.a}")
out=${3:?folder for the result}
here=$(dirname "$(realpath "$0")")
: "${MUSL_CC:=musl-gcc}" "${AR:=ar}" "${LD:=ld}" "${ZIG:=$here/../../target/tools/zig/ziglang/zig}" "${PEERS_KEPT=$here/../../target/tools/peers}"

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# crate MANIFEST NAME: the folder of a crate that the manifest's lock pins.
crate() {
  cargo metadata --format-version 1 --locked --manifest-path "$1" | python3 -c 'import json, os, sys
print(next(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == sys.argv[1]))' "$2"
}

# peer NAME: the same for the crates of bench/peers.
peer() {
  if [[ -n ${PEERS_SOURCES:-} ]]; then
    printf '%s\n' "$PEERS_SOURCES/$1"-[0-9]*
  else
    crate "$here/Cargo.toml" "$1"
  fi
}

mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d "$out/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
# musl's members that define what every heap defines, or are its heap's inside.
members=(aligned_alloc calloc donate free free libc_calloc lite_malloc malloc malloc_usable_size memalign posix_memalign
  realloc realloc valloc)

# Each makes the objects $work/*.o, and adds to `members` what else the heap defines; $work/version is its version.

mimalloc() {
  local sources override
  : "${LIBMIMALLOC_SYS:=$(crate "$here/../../Cargo.toml" libmimalloc-sys2)}"
  case $heap in
    v2) sources=$LIBMIMALLOC_SYS/c_src/mimalloc override=src/alloc-override.c ;;
    v3) sources=$LIBMIMALLOC_SYS/c_src/mimalloc3 override=src/alloc/alloc-override.c ;;
  esac
  [[ -f $sources/src/static.c ]] || fail "no sources of mimalloc $heap in $sources"
  cp -r "$sources/src" "$sources/include" "$work/"
  sed -i 's/^#elif (defined(__GNUC__) || defined(__clang__))$/#elif defined(MI_OVERRIDE_OPERATORS)/' "$work/$override"
  grep -q '^#elif defined(MI_OVERRIDE_OPERATORS)$' "$work/$override" || fail "$override has another shape than expected"
  (
    cd "$work"
    "$MUSL_CC" -O3 -DNDEBUG -DMI_BUILD_RELEASE -DMI_STATIC_LIB -DMI_MALLOC_OVERRIDE -DMI_LIBC_MUSL=1 \
      -std=gnu11 -fvisibility=hidden -fno-builtin-malloc -ftls-model=initial-exec -fno-pic \
      -Wno-error=date-time -w -Iinclude -Isrc -c src/static.c -o mimalloc.o
  )
  members+=(reallocarray strdup strndup)
  sed -n 's/^#define MI_MALLOC_VERSION *\([0-9]*\).*/\1/p' "$sources/include/mimalloc.h" >"$work/version"
}

jemalloc() {
  local folder version kept=
  folder=$(peer tikv-jemalloc-sys)
  # The crate's own version, `+`, and jemalloc's.
  version=${folder##*+}
  printf '%s\n' "${version%%-*}" >"$work/version"
  if [[ $PEERS_KEPT && -d ${PEERS_KEPT%/*} ]]; then
    kept=$PEERS_KEPT/jemalloc-$({
      cat "$here/build.sh" "$here/Cargo.lock" "$libc"
      printf '%s\n' "$folder" "$LD" "$AR"
      "$MUSL_CC" -v 2>&1
    } | sha256sum | cut -c 1-32).o
    mkdir -p "$PEERS_KEPT"
    if cp "$kept" "$work/jemalloc.o" 2>/dev/null; then return; fi
  fi
  cp -r "$folder/jemalloc" "$work/source"
  cp "$folder/configure/configure" "$work/source/"
  (
    cd "$work/source" || exit
    sh ./configure CC="$MUSL_CC" AR="$AR" --with-version="$version" \
      --disable-cxx --disable-doc --disable-shared &&
      make -j"$(nproc)" EXTRA_CFLAGS='-fno-pic -g0' lib/libjemalloc.a
  ) >"$work/log" 2>&1 || fail "jemalloc: $(tail -n 20 "$work/log")"
  "$LD" -r -o "$work/jemalloc.o" --whole-archive "$work/source/lib/libjemalloc.a"
  # Another build at the same moment has the same object, or none yet.
  if [[ $kept ]]; then
    cp "$work/jemalloc.o" "$kept.$$"
    mv "$kept.$$" "$kept"
  fi
}

rpmalloc() {
  local sources
  sources=$(peer rpmalloc-sys)/rpmalloc
  cp "$sources/rpmalloc/"*.[ch] "$work/"
  sed -i 's/dlsym(RTLD_NEXT, fname)/(void*)__pthread_create/' "$work/malloc.c"
  grep -q '= (void\*)__pthread_create;' "$work/malloc.c" || fail "malloc.c has another shape than expected"
  "$MUSL_CC" -O3 -DNDEBUG -D_GNU_SOURCE -DENABLE_OVERRIDE=1 -DENABLE_PRELOAD=1 -std=gnu11 -fvisibility=hidden \
    -fno-builtin-malloc -ftls-model=initial-exec -fno-pic -w -include "$here/rpmalloc.h" \
    -c "$work/rpmalloc.c" -o "$work/rpmalloc.o"
  members+=(reallocarray)
  # The newest entry of its list of changes.
  head -n 1 "$sources/CHANGELOG" | tr -d '\r' >"$work/version"
}

snmalloc() {
  local folder
  folder=$(peer snmalloc-sys)
  [[ -x $ZIG ]] || fail "no zig at $ZIG: run \`make tools\`"
  "$ZIG" c++ -target x86_64-linux-musl -std=c++20 -O3 -DNDEBUG -mcx16 -mprfchw -fno-exceptions -fno-rtti -fno-pic -fno-pie \
    -fvisibility=hidden -fomit-frame-pointer -ffunction-sections -ftls-model=initial-exec -fno-sanitize=undefined \
    -fno-builtin-malloc -w '-DSNMALLOC_EXPORT=__attribute__((visibility("default")))' \
    -DSNMALLOC_USE_PTHREAD_DESTRUCTORS -DSNMALLOC_USE_WAIT_ON_ADDRESS=1 -DSNMALLOC_CHECK_LOADS=false \
    -DSNMALLOC_PAGEID=false -DSNMALLOC_PLATFORM_HAS_GETENTROPY -DSNMALLOC_PTHREAD_ATFORK_WORKS \
    -DSNMALLOC_HAS_LINUX_RANDOM_H -DSNMALLOC_HAS_LINUX_FUTEX_H -DSNMALLOC_NO_REALLOCARR -DSNMALLOC_NO_REALLOCARRAY \
    -I"$folder/upstream/src" -c "$folder/upstream/src/snmalloc/override/malloc.cc" -o "$work/snmalloc.o"
  # The crate has snmalloc's own version.
  printf '%s\n' "${folder##*-}" >"$work/version"
}

case $heap in
  v2 | v3) mimalloc ;;
  jemalloc | rpmalloc | snmalloc)
    "$heap"
    "$MUSL_CC" -O2 -fno-builtin-malloc -fno-pic -c "$here/names.c" -o "$work/names.o"
    ;;
  *) fail "no heap $heap is known here: v2, v3, jemalloc, rpmalloc or snmalloc" ;;
esac
cp "$libc" "$work/libc.a"
chmod u+w "$work/libc.a"
for member in "${members[@]}"; do "$AR" d "$work/libc.a" "$member.lo"; done
"$AR" q "$work/libc.a" "$work"/*.o
"$AR" s "$work/libc.a"
mv "$work/libc.a" "$work/version" "$out/"
