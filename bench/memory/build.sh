#!/usr/bin/env bash
# Builds the benchmark of the memory functions: bench/memory/build.sh OUT
#
# Always in it: glibc (the machine's), stock (musl's libc.a), brawn (payload/memory, compiled by the pinned zig).
# With LLVM19 or LLVM22 naming a libllvmlibc.a (Debian's libllvmlibc-19-dev, libllvmlibc-22-dev), those; with
# STRINGZILLA naming the sources of the crate stringzilla, that.  Others' functions get a prefix.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
musl=${BRAWN_MUSL_LIBDIR:-/usr/lib/x86_64-linux-musl}/libc.a
functions='memcpy|memmove|memset|memcmp|bcmp|memchr|memrchr|memmem|strlen|strnlen|strchr|strchrnul|strrchr|strcmp|strncmp|strcpy|stpcpy|strncpy|stpncpy|strcat|strncat|strstr'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects=()

# The members of archive $2 that define the functions (and $3, which those need), in one object, each symbol with
# the prefix $1_.
prefixed() {
  mkdir "$work/$1"
  (
    cd "$work/$1"
    nm -A "$2" 2>"$work/nm.err" | sed -nE "s/^[^:]*:([^:]*):[0-9a-f]* [TWi] ($functions${3:+|$3})$/\1/p" | sort -u | xargs ar x "$2"
    ld -r -o "$work/$1.o" ./*
  )
  objcopy --prefix-symbols="$1_" "$work/$1.o"
  objcopy --redefine-sym "$1___stack_chk_fail=__stack_chk_fail" "$work/$1.o"
  objects+=("$work/$1.o")
}

prefixed stock "$musl"
if [[ ${LLVM19:-} ]]; then prefixed llvm19 "$LLVM19" _ZN19__llvm_libc_19_1_7_7mempcpyEPvPKvm; fi
if [[ ${LLVM22:-} ]]; then prefixed llvm22 "$LLVM22"; fi
if [[ ${STRINGZILLA:-} ]]; then
  mkdir "$work/sz"
  for source in "$STRINGZILLA"/c/stringzilla/*.c; do
    clang -O2 -w -fPIC -fno-builtin -std=gnu99 -I"$STRINGZILLA/include" -DSZ_DYNAMIC_DISPATCH=1 -DSZ_AVOID_LIBC=0 \
      -DSZ_OVERRIDE_LIBC=1 -c "$source" -o "$work/sz/$(basename "$source").o"
  done
  ld -r -o "$work/sz.o" "$work"/sz/*.o
  for name in memcpy memmove memset memchr memrchr memmem; do objcopy --redefine-sym "$name=sz_$name" "$work/sz.o"; done
  objects+=("$work/sz.o")
fi

# The flags of crates/brawn-payload/build/recipe.rs and tests/memory/main.rs there.
export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache
for source in "$root"/payload/memory/x86_64/*.c; do
  object=$work/brawn-$(basename "$source" .c).o
  "${BRAWN_ZIG:-$root/target/tools/zig/ziglang/zig}" cc -target x86_64-linux-musl -fno-sanitize=all -std=gnu11 -O2 -g0 -DNDEBUG -fPIC \
    -fvisibility=hidden -ffunction-sections -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables \
    -fno-stack-protector -fno-builtin -fno-ident -fcf-protection=none -fno-unroll-loops -DBRAWN_MEMORY_UNNAMED -c "$source" -o "$object"
  objects+=("$object")
done
gcc -O2 -fno-builtin "$root/bench/memory/memory.c" "${objects[@]}" -o "$out/memory" \
  -Wl,-z,noexecstack,--defsym=brawn_memmove=brawn_memcpy,--defsym=brawn_bcmp=brawn_memcmp
