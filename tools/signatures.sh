#!/usr/bin/env bash
# Learns the signatures of musl's builds anew (crates/brawn-core/signatures/), from what tools/musls.sh and
# tools/corpus.sh got.  A test holds the files against what is learnt.
#
# tools/signatures.sh [FOLDER]: writes into FOLDER instead.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-crates/brawn-core/signatures}
mkdir -p "$out"
cargo build --quiet --locked -p brawn --bin brawn
brawn=$PWD/${CARGO_TARGET_DIR:-target}/debug/brawn
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NAME PACKAGE VERSION PATH FILE: PATH is where FILE is in the package.
while read -r name package version path file; do
  if [[ $file == *!* ]]; then
    # In a package: wheels are zip archives.
    python3 -c 'import sys, zipfile
sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
      "target/tools/${file%%!*}" "${file#*!}" >"$work/file"
    file=$work/file
  else
    file=target/tools/$file
  fi
  "$brawn" signatures learn --name "$name" --package "$package" --version "$version" --path "$path" "$file" \
    >"$work/signatures"
  mv "$work/signatures" "$out/$name.txt"
done < <(grep -v '^#' tools/signatures.txt)
