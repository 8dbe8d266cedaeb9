#!/usr/bin/env bash
# Makes libc.a archives whose heap is mimalloc 2.2.4, from musl's: what `brawn patch --upgrade` is for.
#
#   tools/sdk-mimalloc.sh                    compiles mimalloc for both architectures, and writes
#                                            target/tools/sdk-mimalloc/ARCH/{sdk,recipe,leftovers}.a from musl 1.2.5
#   tools/sdk-mimalloc.sh ARCH IN OUT [KIND] writes OUT, which is IN with mimalloc in it
#
# ARCH is x86_64 or aarch64.  KIND says how it is put in:
#
#   sdk        (default) as Swift's static Linux SDK 0.1.0: musl's heap, strdup, strndup and wcsdup go, and mimalloc
#              comes as one member, mimalloc.o, with the C++ operators
#   recipe     as the recipe for Rust programs with `ar`: musl's heap goes, every member of libmimalloc.a comes
#   leftovers  the same, with `ar d` once for every name: the second free.lo and realloc.lo of musl's stay
#
# IN may be any musl's libc.a.  The headers that mimalloc is compiled with are those of musl 1.2.5.  Objects are kept in
# target/tools/sdk-mimalloc; does nothing where everything is there.
set -euo pipefail
[[ $# == 0 || $# == 3 || $# == 4 ]] || { sed -n '2,/^set/{/^set/d;s/^# \?//;p}' "$0" >&2; exit 2; }
arguments=("$@")
# The user's own names are relative to where the user is.
for n in 1 2; do
  [[ $# == 0 || ${arguments[n]} == /* ]] || arguments[n]=$PWD/${arguments[n]}
done
cd "$(dirname "$0")/.."
tools=$(mkdir -p target/tools && cd target/tools && pwd -P)
home=$tools/sdk-mimalloc
crate=tools/sdk-mimalloc/Cargo.toml
mkdir -p "$home"

fail() {
  printf 'sdk-mimalloc.sh: %s\n' "$*" >&2
  exit 1
}

# What musl's heap is, and what mimalloc is.
heap=(aligned_alloc calloc donate free libc_calloc lite_malloc malloc malloc_usable_size memalign posix_memalign
  realloc reallocarray valloc)
copies=(strdup strndup wcsdup)
parts=(alloc alloc-aligned alloc-posix arena bitmap heap init libc options os page prim/prim random segment segment-map
  stats)

declare -A musl=([x86_64]=1.2.5 [aarch64]=1.2.5-arm64)

# The folder of mimalloc's sources, which Cargo has from the crate that the lock file beside $crate pins.
sources() {
  local said
  said=$(cargo metadata --offline --locked --format-version 1 --manifest-path "$crate" 2>/dev/null) ||
    said=$(cargo metadata --locked --format-version 1 --manifest-path "$crate") ||
    fail "cargo could not get what $crate names"
  python3 -c '
import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "libmimalloc-sys":
        print(os.path.join(os.path.dirname(package["manifest_path"]), "c_src/mimalloc/v2"))
' <<<"$said"
}

# compile ARCH SOURCES SOURCE OBJECT: with what mimalloc's own build gives its objects for musl, as a release with
# debug information.
compile() {
  local include=$tools/musls/${musl[$1]}/include own
  own=$(clang -print-resource-dir)/include
  clang --target="$1-linux-musl" -nostdinc -isystem "$own" -isystem "$include" -std=gnu11 -O2 -g -DNDEBUG -fPIC \
    -fvisibility=hidden -ftls-model=local-dynamic -fno-builtin-malloc -fno-ident "-ffile-prefix-map=$2=mimalloc" -ffile-compilation-dir=mimalloc \
    -DMI_MALLOC_OVERRIDE -DMI_LIBC_MUSL=1 -DMI_BUILD_RELEASE -DMI_STATIC_LIB -DMI_CMAKE_BUILD_TYPE=relwithdebinfo \
    -I "$2/include" -c "$2/src/$3" -o "$4" || fail "mimalloc's $3 does not compile for $1"
}

# objects ARCH: mimalloc.o, and what libmimalloc.a is made of.
objects() {
  local arch=$1 to=$home/$1/objects stamp from work part
  stamp=$(cat tools/sdk-mimalloc.sh tools/sdk-mimalloc/Cargo.lock <(clang --version) | sha256sum)
  exec 9>"$home/.$arch.lock"
  flock 9
  [[ $(cat "$to/.stamp" 2>/dev/null) != "$stamp" ]] || return 0
  printf 'compiling mimalloc for %s\n' "$arch" >&2
  [[ -d $tools/musls/${musl[$arch]}/include ]] || tools/musls.sh "${musl[$arch]}" >&2
  from=$(sources)
  grep -q 'define MI_MALLOC_VERSION 224\b' "$from/include/mimalloc.h" || fail "$from has no mimalloc 2.2.4"
  work=$home/$arch/.new
  rm -rf "$work"
  mkdir -p "$work/parts"
  compile "$arch" "$from" static.c "$work/mimalloc.o"
  for part in "${parts[@]}"; do
    compile "$arch" "$from" "$part.c" "$work/parts/${part##*/}.c.o"
  done
  printf '%s\n' "$stamp" >"$work/.stamp"
  rm -rf "$to"
  mv "$work" "$to"
}

# make ARCH IN OUT KIND
make_archive() {
  local arch=$1 in=$2 out=$3 kind=$4 objects=$home/$1/objects gone=("${heap[@]}") new name times
  [[ ${musl[$arch]:-} ]] || fail "$arch: expected x86_64 or aarch64"
  [[ -f $in ]] || fail "$in: no such file"
  objects "$arch"
  new=$(mktemp "$out.XXXXXX")
  cp "$in" "$new"
  chmod 644 "$new"
  case $kind in
  sdk) gone+=("${copies[@]}") ;;
  recipe | leftovers) ;;
  *) fail "$kind: expected sdk, recipe or leftovers" ;;
  esac
  for name in "${gone[@]}"; do
    # Two members may have one name, and `d` takes the first.
    times=$(llvm-ar t "$new" | grep -cxF -e "$name.lo" || test $? = 1)
    [[ $kind != leftovers || $times == 0 ]] || times=1
    for ((; times > 0; times--)); do llvm-ar d "$new" "$name.lo"; done
  done
  case $kind in
  sdk) llvm-ar qcs "$new" "$objects/mimalloc.o" ;;
  *) llvm-ar qcs "$new" "$objects"/parts/*.o ;;
  esac
  mv "$new" "$out"
}

if [[ $# != 0 ]]; then
  make_archive "${arguments[0]}" "${arguments[1]}" "${arguments[2]}" "${arguments[3]:-sdk}"
  exit
fi
for arch in x86_64 aarch64; do
  from=$tools/musls/${musl[$arch]}/lib/libc.a
  objects "$arch"
  [[ -f $from ]] || tools/musls.sh "${musl[$arch]}"
  for kind in sdk recipe leftovers; do
    out=$home/$arch/$kind.a
    [[ $out -nt $home/$arch/objects/.stamp && $out -nt $from ]] || make_archive "$arch" "$from" "$out" "$kind"
  done
done
