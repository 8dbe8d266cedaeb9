#!/usr/bin/env bash
# Learns the signatures of musl's builds anew (crates/brawn-core/signatures/) from the files of tools/signatures.txt,
# which tools/musls.sh and tools/corpus.sh get (for Rust's builds with tools/corpus-all.txt, too).  A test holds what is committed against what is learnt.
#
# tools/signatures.sh [NAME…]: only these builds.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --quiet --locked -p brawn --bin brawn
brawn=$PWD/${CARGO_TARGET_DIR:-target}/debug/brawn
for name in $(awk '!/^#/ && !seen[$1]++ { print $1 }' tools/signatures.txt); do
  [[ $# == 0 || " $* " == *" $name "* ]] || continue
  arguments=()
  while read -r _ package version path file functions; do
    arguments+=(--package "$package" --version "$version" --path "$path" "target/tools/$file")
    # Of the last file of a build, which needs no symbols.
    for function in ${functions//,/ }; do arguments+=(--function "$function"); done
  done < <(grep "^$name " tools/signatures.txt)
  out=crates/brawn-core/signatures/$name.txt
  "$brawn" signatures learn --name "$name" "${arguments[@]}" >"$out.new"
  mv "$out.new" "$out"
done
