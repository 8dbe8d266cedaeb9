#!/usr/bin/env bash
# tools/kept-builds.sh restore|save FOLDER: compiled dependencies, from one clone to the next.
#
# What a clone compiles is its own crates and, three quarters of the time, crates of the registry, which are the same in every
# clone.  `save` puts the latter into FOLDER, unless it was made from the same files; `restore` takes them from there, if it was.
# cargo looks at all it finds, and compiles again what does not fit.  `restore` also has tests keep objects of
# C in FOLDER.objects.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?usage: tools/kept-builds.sh restore|save FOLDER}
kept=${2:?usage: tools/kept-builds.sh restore|save FOLDER}

# Target folders, each with its workspace and the targets that it is compiled for besides the host's own.
host=$(rustc -vV | sed -n 's/^host: //p')
folders=(
  "target/debug Cargo.toml"
  "target/lint Cargo.toml"
  "target/fuzz fuzz/Cargo.toml $host"
  "target/oldest-rust Cargo.toml"
  "target/tmp/recipes/target Cargo.toml x86_64-unknown-linux-musl aarch64-unknown-linux-musl"
)

# What they are made from: the compilers, versions, profiles and flags.
made_from() {
  rustc -vV
  sha256sum .cargo/config.toml Cargo.toml Cargo.lock fuzz/Cargo.toml fuzz/Cargo.lock tools/fuzz.sh tools/oldest-rust.sh tools/rust-musl.sh tools/kept-builds.sh
}

# What an object of tests depends on besides sources and flags, of which these have a hash (conformance/src/recipe.rs,
# crates/brawn-payload/tests/common/kept.rs): compilers and headers, which are Debian's packages, zig's and tools/musls.sh's.
objects_from() {
  local compiler
  pwd -P
  dpkg-query --show
  for compiler in gcc g++ clang aarch64-linux-gnu-gcc riscv64-linux-gnu-gcc; do
    type -P "$compiler" && "$compiler" --version || printf 'no %s\n' "$compiler"
  done
  env | sed -n -E '/^(CPATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|GCC_[A-Z_]*|COMPILER_PATH|BRAWN_(MUSL|ZIG)[A-Z_]*)=/p' | sort
  sha256sum tools/setup.sh tools/requirements.txt tools/musls{,-shared}.{sh,lock} conformance/src/* crates/brawn-lab/src/build.rs
}

# Objects of tests are in a folder for each answer to that, into which the tests themselves write: each is there whole or not
# at all.  Flags have paths of the clone, so that each place has folders of its own.
share_objects() {
  local all=$kept.objects from folder part
  # Without Debian's list nothing says what the headers are.
  type -P dpkg-query >/dev/null || return 0
  from=$(objects_from)
  from=$(sha256sum <<<"$from")
  folder=$all/${from:0:32}
  mkdir -p "$folder"
  touch "$folder"
  # Sources change, and so do compilers: what is so old is made again, where anybody still needs it.
  find "$all" -mindepth 1 -maxdepth 1 -type d -mtime +14 -exec rm -rf {} +
  find "$folder" -type f -mtime +14 -delete
  for part in conformance/objects gcc-objects; do
    [[ ! -e target/tmp/$part ]] || continue
    mkdir -p "$folder/$part" "$(dirname "target/tmp/$part")"
    ln -sfn "$(cd "$folder/$part" && pwd -P)" "target/tmp/$part"
  done
}

restore() {
  local folder
  share_objects
  [[ $(made_from) == "$(cat "$kept/made-from" 2>/dev/null)" ]] || return 0
  printf 'compiled crates are from %s\n' "$kept"
  for folder in "${folders[@]}"; do
    folder=${folder%% *}
    [[ -d $kept/$folder && ! -e $folder ]] || continue
    mkdir -p "$(dirname "$folder")"
    rm -rf "$folder.new"
    # A part of it would be taken for all.
    cp -a "$kept/$folder" "$folder.new" && mv -T "$folder.new" "$folder"
  done
}

# The names of packages: those of the workspace and what it has by path, or those of the registry.
packages() { # own|others MANIFEST
  cargo metadata --locked --format-version 1 --manifest-path "$2" | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    if (package["source"] is None) == (sys.argv[1] == "own"):
        print(package["name"])' "$1"
}

# Takes the workspace's own crates out of a copy.
clean() { # ROOM FOLDER MANIFEST [TARGET…]
  local room=$1 folder=$2 manifest=$3 own others name target file
  shift 3
  own=$(packages own "$manifest")
  others=" $(packages others "$manifest" | tr '\n-' ' _') "
  # cargo's name for `target/debug` is `target`.
  local words=(--quiet --locked --manifest-path "$manifest" --target-dir "$room/${folder%/debug}")
  for name in $own; do words+=(-p "$name"); done
  for target in "" "$@"; do
    cargo clean "${words[@]}" ${target:+--target "$target"}
    cargo clean --release "${words[@]}" ${target:+--target "$target"}
  done
  # A test of ours has the name of a crate, libc, and cargo takes both out.
  find "$folder" -path '*/deps/lib*' -type f | while read -r file; do
    name=${file##*/lib}
    [[ $others != *" ${name%-*} "* || -e $room/$file ]] || cp -a "$file" "$room/$file"
  done
}

save() {
  local now folder
  now=$(made_from)
  [[ $now != "$(cat "$kept/made-from" 2>/dev/null)" ]] || return 0
  mkdir -p "$(dirname "$kept")"
  room=$(mktemp -d "$kept.XXXXXX")
  trap 'rm -rf "$room"' EXIT
  for folder in "${folders[@]}"; do
    # shellcheck disable=SC2086
    set -- $folder
    [[ -d $1 ]] || continue
    mkdir -p "$room/$(dirname "$1")"
    cp -a "$1" "$room/$1"
    clean "$room" "$@"
  done
  printf '%s\n' "$now" >"$room/made-from"
  chmod 755 "$room"
  # Another run that restores from the old ones at this moment compiles what it misses.
  rm -rf "$kept"
  mv -T "$room" "$kept"
}

case $what in
restore | save) "$what" ;;
*) echo "$0: found $what, expected restore or save" >&2 && exit 2 ;;
esac
