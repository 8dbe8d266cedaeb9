#!/usr/bin/env bash
# Compiles everything with the oldest Rust that brawn says it needs: `rust-version` in Cargo.toml, which README.md names.
# Programs, tests and fuzz targets are checked; nothing is linked or run.  Cargo itself refuses crates of the registry that
# want a newer one.
#
# That Rust comes by rustup, into target/tools/oldest-rust: rustup's own toolchains stay as they are.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
[[ $version ]] || { echo "tools/oldest-rust.sh: Cargo.toml has no rust-version" >&2 && exit 1; }
command -v rustup >/dev/null ||
  { echo "tools/oldest-rust.sh: no rustup on PATH, which brings Rust $version: install it, or run the other tests by cargo test" >&2 && exit 1; }
mkdir -p target/tools
RUSTUP_HOME=$(cd target/tools && pwd -P)/oldest-rust
export RUSTUP_HOME
if ! rustup run "$version" rustc --version >/dev/null 2>&1; then
  printf 'installing: Rust %s\n' "$version"
  rustup toolchain install "$version" --profile minimal --no-self-update >/dev/null 2>&1 ||
    rustup toolchain install "$version" --profile minimal --no-self-update
fi
check() { env -u RUSTFLAGS rustup run "$version" cargo check --quiet --locked --target-dir target/oldest-rust "$@"; }
check --workspace --all-targets
check --workspace --test packaging
check --all-targets --manifest-path fuzz/Cargo.toml
