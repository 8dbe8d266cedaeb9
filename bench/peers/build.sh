#!/usr/bin/env bash
# Builds a peer: a copy of musl's libc.a with mimalloc in it, as people do it by hand today.
#
#     bench/peers/build.sh v2|v3 LIBC_A OUT_DIR
#
# Writes OUT_DIR/libc.a, and mimalloc's version number beside it.  The recipe is the one that circulates: mimalloc compiled as a release
# build that overrides malloc, without position-independent code and without the C++ operators;
# musl's own members deleted by name with `ar`; mimalloc's object added.  Where the published
# recipes differ, this is what is done here, and why:
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
set -euo pipefail

version=${1:?v2 or v3}
libc=$(realpath "${2:?path of musl\'s libc.a}")
out=${3:?folder for the result}
here=$(dirname "$(realpath "$0")")
: "${MUSL_CC:=musl-gcc}" "${AR:=ar}"

if [[ -z ${LIBMIMALLOC_SYS:-} ]]; then
  LIBMIMALLOC_SYS=$(cargo metadata --format-version 1 --locked --manifest-path "$here/../../Cargo.toml" |
    python3 -c 'import json, os, sys
print(next(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == "libmimalloc-sys2"))')
fi
case $version in
  v2) sources=$LIBMIMALLOC_SYS/c_src/mimalloc override=src/alloc-override.c ;;
  v3) sources=$LIBMIMALLOC_SYS/c_src/mimalloc3 override=src/alloc/alloc-override.c ;;
  *) echo "$version is no version of mimalloc that is known here: v2 or v3" >&2; exit 1 ;;
esac
[[ -f $sources/src/static.c ]] || { echo "no sources of mimalloc $version in $sources" >&2; exit 1; }

mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d "$out/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$sources/src" "$sources/include" "$work/"

sed -i 's/^#elif (defined(__GNUC__) || defined(__clang__))$/#elif defined(MI_OVERRIDE_OPERATORS)/' "$work/$override"
grep -q '^#elif defined(MI_OVERRIDE_OPERATORS)$' "$work/$override" ||
  { echo "$override has another shape than expected" >&2; exit 1; }

(
  cd "$work"
  "$MUSL_CC" -O3 -DNDEBUG -DMI_BUILD_RELEASE -DMI_STATIC_LIB -DMI_MALLOC_OVERRIDE -DMI_LIBC_MUSL=1 \
    -std=gnu11 -fvisibility=hidden -fno-builtin-malloc -ftls-model=initial-exec -fno-pic \
    -Wno-error=date-time -w -Iinclude -Isrc -c src/static.c -o mimalloc.o
)

cp "$libc" "$work/libc.a"
chmod u+w "$work/libc.a"
for member in aligned_alloc calloc donate free free libc_calloc lite_malloc malloc \
  malloc_usable_size memalign posix_memalign realloc realloc reallocarray valloc strdup strndup; do
  "$AR" d "$work/libc.a" "$member.lo"
done
"$AR" q "$work/libc.a" "$work/mimalloc.o"
"$AR" s "$work/libc.a"
mv "$work/libc.a" "$out/libc.a"
sed -n 's/^#define MI_MALLOC_VERSION *\([0-9]*\).*/\1/p' "$sources/include/mimalloc.h" > "$out/version"
