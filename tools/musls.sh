#!/usr/bin/env bash
# Gets the musls of tools/musls.lock below target/tools/musls, one folder for each with `lib` and
# `include`.  Touches nothing else on the system.
#
# Does what is missing: nothing, the second time.  `tools/musls.sh NAME…` gets only these, and `tools/musls.sh --but KIND`
# all but those of a kind.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
lock=tools/musls.lock
musls=$root/target/tools/musls
downloads=$musls/downloads
mkdir -p "$downloads"
. tools/fetch.sh
but=
if [[ ${1:-} == --but ]]; then
  but=${2:?usage: tools/musls.sh [--but KIND] [NAME…]}
  shift 2
fi
# A zig that compiles two musls, and is not needed any more then, is here once.
wheels=$(mktemp -d "$musls/.wheels.XXXXXX")
trap 'rm -rf "$wheels"' EXIT

# of NAME: the release, file and SHA-256 of its lines.
of() { awk -v name="$1" '$1 == name { print $4, $5, $6 }' "$lock"; }

# A package's archive and headers.
get_deb() {
  local name=$1 work=$2 release file sha deb
  read -r release file sha < <(of "$name")
  deb=$(fetch "musl $name" "$release" "$file" "$sha")
  dpkg-deb -x "$deb" "$work/package"
  mv "$work"/package/usr/lib/*-linux-musl "$work/lib"
  mv "$work"/package/usr/include/*-linux-musl "$work/include"
  # Its debug information has relocations at which GNU ld 2.40 crashes.
  [[ $name != *-riscv64 ]] || llvm-strip --strip-debug "$work"/lib/*crt1.o
  rm -r "$work/package"
}

# The distribution's sources, configured for musl's older heap.
get_oldmalloc() {
  local name=$1 work=$2 release file sha path description=
  while read -r release file sha; do
    path=$(fetch "musl $name" "$release" "$file" "$sha")
    [[ $path != *.dsc ]] || description=$path
  done < <(of "$name")
  dpkg-source --no-check -x "$description" "$work/source" >"$work/log" 2>&1 || fail "$(tail "$work/log")"
  (
    cd "$work/source"
    ./configure --with-malloc=oldmalloc --disable-shared --disable-wrapper \
      --prefix="$work" --libdir="$work/lib" --includedir="$work/include"
    make -j"$(nproc)"
    make install
  ) >"$work/log" 2>&1 || fail "musl $name: $(tail "$work/log")"
  rm -r "$work/source"
}

# What zig links into programs.  It compiles musl when a program first needs it, and keeps the result
# in its cache, target/tools/zig-cache, which is that of all tests: a musl takes it a minute.
#
# A program that is linked with -s has a musl that is compiled without debug information.  On aarch64 its code differs:
# where information on unwinding is written down, instructions are not moved.  Programs that are published are
# stripped, so that for aarch64 zig-code is this musl.
get_zig() {
  local name=$1 work=$2 kind=$3 release file sha zig=$root/target/tools/zig cache=$root/target/tools/zig-cache said from
  local target=x86_64 flags=()
  [[ $name != *-arm64 ]] || target=aarch64 flags=(-s)
  [[ $kind != zig-code ]] || cache=$work/cache/global
  read -r release file sha < <(of "$name")
  if [[ $kind != zig ]] || ! "$zig/ziglang/zig" version 2>/dev/null | grep -qx "$release"; then
    zig=$work/zig
    [[ $kind != zig-code ]] || zig=$wheels/$release
    if [[ ! -d $zig ]]; then
      printf '%s --hash=sha256:%s\n' "$file" "$sha" >"$work/requirements.txt"
      python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
        --root-user-action=ignore --target "$zig" -r "$work/requirements.txt" || fail "musl $name: pip could not install $file"
      tools/zig-for-linux.sh "$zig"
    fi
  fi
  printf 'int main(void) { return 0; }\n' >"$work/main.c"
  said=$(ZIG_VERBOSE_LINK=1 ZIG_GLOBAL_CACHE_DIR=$cache ZIG_LOCAL_CACHE_DIR=$work/cache/local "$zig/ziglang/zig" cc \
    -target "$target-linux-musl" -static "${flags[@]}" -fno-sanitize=undefined -o "$work/main" "$work/main.c" 2>&1) ||
    fail "musl $name: zig could not build it: $said"
  mkdir -p "$work/lib"
  # Its linker's command line says which of the cache's files they are.
  for from in libc.a libzigc.a libcompiler_rt.a crt1.o; do
    # Older ones have none.
    [[ $from != libzigc.a || $kind != zig-code ]] || continue
    cp "$(tr ' ' '\n' <<<"$said" | grep -m 1 "/$from\$")" "$work/lib/" || fail "musl $name: zig links no $from: $said"
  done
  # zig has none; gcc's command line for a linker names them.
  for from in crti crtn; do
    [[ $kind != zig-code ]] || continue
    printf '.section .note.GNU-stack,"",@progbits\n' | as -o "$work/lib/$from.o"
  done
  mkdir "$work/include"
  for from in any-linux-any x86-linux-any generic-musl "$target-linux-musl"; do
    [[ $from != x86-* || $target == x86_64 ]] || continue
    [[ ! -d $zig/ziglang/lib/libc/include/$from ]] || cp -r "$zig/ziglang/lib/libc/include/$from/." "$work/include/"
  done
  [[ $kind == zig-line ]] || rm -rf "$work/zig"
  rm -rf "$work/cache" "$work/main" "$work/main.c" "$work/requirements.txt"
}

while read -r name kind; do
  [[ $# == 0 || " $* " == *" $name "* ]] || continue
  [[ $kind != "$but" ]] || continue
  # Two at once would write the same folder.
  exec 9>"$musls/.$name.lock"
  flock 9
  # What a folder was made from is in it.
  stamp=$(grep "^$name " "$lock")
  [[ $(cat "$musls/$name/.stamp" 2>/dev/null) != "$stamp" ]] || continue
  printf 'getting musl %s\n' "$name"
  work=$musls/.$name.new
  rm -rf "$work"
  mkdir "$work"
  "get_${kind%-*}" "$name" "$work" "$kind"
  [[ -f $work/lib/libc.a && -f $work/include/stdlib.h ]] || fail "musl $name: no libc.a, or no stdlib.h"
  printf '%s\n' "$stamp" >"$work/.stamp"
  rm -rf "${musls:?}/$name"
  mv "$work" "$musls/$name"
done < <(awk '!/^#/ && !seen[$1]++ { print $1, $3 }' "$lock")
