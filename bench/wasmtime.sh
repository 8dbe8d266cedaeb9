#!/usr/bin/env bash
# bench/wasmtime.sh WORK: gets what the benchmark of `wasmtime compile` needs into WORK, each pinned and
# held against its SHA-256: the sources of wasmtime's command (wasmtime-cli/, from crates.io, with its own
# Cargo.lock) and a module of 14 MB to compile (esbuild.wasm, from npm).
set -euo pipefail

version=49.0.5
crate_sha=3db0f721a0fb43a64a36c86a07bc50fb36e52512e1b6423f111dc442818146a7
module=esbuild-wasm@0.28.2
module_sha=b1831a5c0f6cf688034fb94d0419812f165ea316a3380d3fc00a151e562d2eaf

work=$(realpath "${1:?folder for it}")
got=$(mktemp -d "$work/.wasmtime.XXXXXX")
trap 'rm -rf "$got"' EXIT

check() { # FILE SHA256
  sha256sum --quiet --check - <<<"$2  $1" || {
    printf '%s: not the file that %s pins\n' "$1" "${0##*/}" >&2
    exit 1
  }
}

if [[ $(cat "$work/wasmtime-cli/.version" 2>/dev/null) != "$version" ]]; then
  mkdir "$got/src"
  touch "$got/src/lib.rs"
  printf '[package]\nname = "wants-wasmtime"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\nwasmtime-cli = "=%s"\n' \
    "$version" >"$got/Cargo.toml"
  cargo fetch --quiet --manifest-path "$got/Cargo.toml"
  crate=$(ls "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"wasmtime-cli-$version.crate" | head -n 1)
  check "$crate" "$crate_sha"
  tar -xzf "$crate" -C "$got"
  # Below a workspace, and none of its members.
  grep -q '^\[workspace\]' "$got/wasmtime-cli-$version/Cargo.toml" ||
    printf '\n[workspace]\n' >>"$got/wasmtime-cli-$version/Cargo.toml"
  printf '%s\n' "$version" >"$got/wasmtime-cli-$version/.version"
  rm -rf "$work/wasmtime-cli"
  mv "$got/wasmtime-cli-$version" "$work/wasmtime-cli"
fi
if ! sha256sum --status --check - <<<"$module_sha  $work/esbuild.wasm" 2>/dev/null; then
  (cd "$got" && npm pack --silent "$module" >/dev/null && tar -xzf esbuild-wasm-*.tgz package/esbuild.wasm)
  check "$got/package/esbuild.wasm" "$module_sha"
  mv "$got/package/esbuild.wasm" "$work/esbuild.wasm"
fi
