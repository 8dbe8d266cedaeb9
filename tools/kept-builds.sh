#!/usr/bin/env bash
# tools/kept-builds.sh restore|save FOLDER: compiled dependencies, from one clone to the next.
#
# What a clone compiles is its own crates and, three quarters of the time, crates of the registry, which are the same in every
# clone.  `save` puts the latter into FOLDER, if they are others than there; `restore` takes them from there.  cargo looks at all it
# finds, and compiles again what does not fit: another rustc, profile, feature or version.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?usage: tools/kept-builds.sh restore|save FOLDER}
kept=${2:?usage: tools/kept-builds.sh restore|save FOLDER}

# Target folders, each with its workspace and the targets that it is compiled for besides the host's own.
host=$(rustc -vV | sed -n 's/^host: //p')
folders=(
  "target/debug Cargo.toml"
  "target/fuzz fuzz/Cargo.toml $host"
  "target/tmp/recipes/target Cargo.toml x86_64-unknown-linux-musl aarch64-unknown-linux-musl"
)

# What they were made from.
made_from() {
  rustc -vV
  git ls-files -z -- '*Cargo.toml' '*Cargo.lock' tools/fuzz.sh tools/kept-builds.sh | xargs -0 sha256sum
}

restore() {
  [[ -e $kept/made-from ]] || return 0
  local folder
  for folder in "${folders[@]}"; do
    folder=${folder%% *}
    [[ -d $kept/$folder && ! -e $folder ]] || continue
    mkdir -p "$(dirname "$folder")"
    cp -a "$kept/$folder" "$folder" || rm -rf "$folder"
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
  local room=$1 folder=$2 manifest=$3 name target deps
  shift 3
  # cargo's name for `target/debug` is `target`.
  local words=(--quiet --locked --manifest-path "$manifest" --target-dir "$room/${folder%/debug}")
  for name in $(packages own "$manifest"); do words+=(-p "$name"); done
  for target in "" "$@"; do
    cargo clean "${words[@]}" ${target:+--target "$target"}
    cargo clean --release "${words[@]}" ${target:+--target "$target"}
  done
  # A test of ours has the name of a crate, libc, and cargo takes both out.
  for name in $(packages others "$manifest"); do
    for deps in $(cd "$folder" && find . -type d -name deps); do
      find "$folder/$deps" -maxdepth 1 -name "lib${name//-/_}-*" -exec cp -an -t "$room/$folder/$deps" {} +
    done
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
  # Another run that restores from the old ones at this moment compiles what it misses.
  rm -rf "$kept"
  mv "$room" "$kept"
}

case $what in
restore | save) "$what" ;;
*) echo "$0: found $what, expected restore or save" >&2 && exit 2 ;;
esac
