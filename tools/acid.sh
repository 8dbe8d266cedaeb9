#!/usr/bin/env bash
# Gets the sources of the programs that `brawn-bench acid` measures (tools/acid.lock): target/tools/acid/NAME.
# Does nothing for what is there.
set -euo pipefail
cd "$(dirname "$0")/.."
lock=tools/acid.lock
mkdir -p target/tools
home=$(cd target/tools && pwd -P)/acid
downloads=$home/downloads
mkdir -p "$downloads"
. tools/fetch.sh

while read -r name release file sha; do
  [[ $name && $name != \#* ]] || continue
  [[ -e $home/$name/.done ]] && continue
  archive=$(fetch "$name" "$release" "$file" "$sha")
  rm -rf "${home:?}/$name"
  mkdir "$home/$name"
  tar -C "$home/$name" --strip-components=1 -xf "$archive"
  touch "$home/$name/.done"
done <"$lock"

# SQLite as one file is in the crate libsqlite3-sys, which a test's program has pinned; its benchmark is in the sources above.
if [[ ! -e $home/sqlite/sqlite3.c ]]; then
  manifest=crates/brawn-rt/tests/fixtures/with-c/Cargo.toml
  cargo fetch --quiet --locked --manifest-path "$manifest"
  crate=$(cargo metadata --quiet --locked --offline --format-version 1 --manifest-path "$manifest" |
    grep -o '"manifest_path":"[^"]*/libsqlite3-sys-[^"]*/Cargo.toml"' | cut -d'"' -f4 | sort -u)
  [[ $crate ]] || fail "$manifest names no libsqlite3-sys"
  cp "${crate%/*}"/sqlite3/sqlite3.[ch] "$home/sqlite/"
fi
