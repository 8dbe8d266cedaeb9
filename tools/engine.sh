#!/usr/bin/env bash
# Tries another version of the engine's crate, which cargo gets from its registry: applies the patches of payload/engine/, compiles
# the heap of each profile and architecture, and counts what its loads take (crates/brawn-payload/tests/count.rs).  It says
# what failed, and changes nothing of the checkout: to move, pin the version in the two Cargo.toml that name it.
#
#   tools/engine.sh 0.1.65
set -euo pipefail
cd "$(dirname "$0")/.."
fail() {
  printf 'tools/engine.sh: %s\n' "$*" >&2
  exit 1
}
crate=libmimalloc-sys2
version=${1-}
[[ $version =~ ^[0-9]+(\.[0-9]+)+$ ]] ||
  fail "found the version \"$version\", expected one of $crate's, as in: make engine VERSION=0.1.65"

# A package that names the crate, as brawn-payload does: cargo fetches it and compiles nothing.
home=target/engine/$version
mkdir -p "$home/src"
: >"$home/src/lib.rs"
cat >"$home/Cargo.toml" <<END
[package]
name = "engine-trial"
version = "0.0.0"
edition = "2024"

[target.'cfg(brawn_sources_only)'.dependencies]
$crate = "=$version"

[workspace]
END
cargo fetch --quiet --manifest-path "$home/Cargo.toml" || fail "cargo has no $crate $version"
folder=$(cargo metadata --offline --format-version 1 --manifest-path "$home/Cargo.toml" | python3 -c '
import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == sys.argv[1]:
        print(os.path.join(os.path.dirname(package["manifest_path"]), "c_src/mimalloc"))
' "$crate")
[[ -d $folder/src && -d $folder/include ]] || fail "found no sources in \"$folder\", expected src/ and include/ of mimalloc 2"

cargo run --quiet --locked -p brawn-payload --example try-engine -- "$folder" || fail "$crate $version: stopped before the counts, by what is said above"
echo "counting"
BRAWN_ENGINE=$folder cargo test --quiet --locked -p brawn-payload --test count || fail "the counts are others, or the loads fail"
echo "$crate $version: every patch applies, every heap compiles, and the loads take what bench/README.md says"
