#!/usr/bin/env bash
# tools/zig-for-linux.sh FOLDER: takes what programs for other systems are made of, 130 MB, out of a zig that pip has
# installed there.  Nothing here compiles for them.
set -euo pipefail
libc=${1:?usage: tools/zig-for-linux.sh FOLDER}/ziglang/lib/libc
[[ -d $libc ]] || { echo "$0: found no $libc: expected a zig that pip has installed" >&2 && exit 1; }
for system in darwin freebsd macos mingw netbsd openbsd wasi windows; do
  rm -rf "${libc:?}/$system" "$libc"/include/*-"$system"*
done
