#!/usr/bin/env bash
# Installs mdbook, which makes the guide of docs/, below target/tools/mdbook, from crates.io: with its search, without
# its server.  Does nothing when that version is there.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.5.4
mkdir -p target/tools
folder=$(cd target/tools && pwd -P)/mdbook
exec 9>"$folder.lock"
flock 9
[[ $("$folder/bin/mdbook" --version 2>/dev/null) != "mdbook v$version" ]] || exit 0
printf 'installing: mdbook %s\n' "$version"
CARGO_TARGET_DIR=$folder.build CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
  cargo install --quiet --locked --version "=$version" --no-default-features --features search --root "$folder" mdbook
rm -rf "$folder.build"
