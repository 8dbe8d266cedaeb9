#!/usr/bin/env bash
# Makes brawn's release files in target/dist, for x86_64 and aarch64:
#
#   bin/TARGET/brawn           brawn as a static musl executable with its own heap and functions
#   brawn-VERSION.cdx.json     what is in it: its crates and its payload (tools/sbom.py)
#   brawn-VERSION-….tar.gz, wheels, npm's packages, Debian's: tools/package.py
#   SHA256SUMS                 of every file
#
#   tools/dist.sh            all of it: 10 minutes on two processors
#   tools/dist.sh --twice    builds once more, in another folder, and compares every byte
#
# The Rust toolchain is that of tools/rust-musl.sh, whatever else is installed.  SOURCE_DATE_EPOCH is the time of
# the last commit, unless it is set.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
fail() { echo "tools/dist.sh: $*" >&2; exit 1; }

# Bytes of an executable, and of what is downloaded, with room for what another compiler makes of the same sources.
largest=6000000
largest_package=3200000

tools/rust-musl.sh
rust=$(cd target/tools/rust-musl && pwd -P)
registry=${CARGO_HOME:-$HOME/.cargo}/registry/src
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH CARGO_INCREMENTAL=0

# Only objects that prebuilt/ has of these sources are embedded compressed.
cargo run --quiet --locked -p brawn-payload --example write-prebuilt -- --check

# What `brawn cargo` needs is a brawn of this checkout.
cargo build --quiet --locked -p brawn --bin brawn

# build FOLDER: the executables below it, of the sources in the current folder.  Nothing unwinds in them (Cargo.toml,
# profile dist), so they have no tables for it.
build() {
  local to=$1 arch folder maps
  maps=("--remap-path-prefix=$PWD=/brawn" "--remap-path-prefix=$to=/brawn/target" "--remap-path-prefix=$rust=/rust")
  for folder in "$registry"/*; do maps+=("--remap-path-prefix=$folder=/registry"); done
  for arch in x86_64 aarch64; do
    # cargo's own variables go on to build scripts, which run on this machine.
    env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u CARGO_BUILD_TARGET PATH="$rust/bin:$PATH" \
      CARGO_TARGET_DIR="$to" CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER="$rust/bin/aarch64-linux-musl-gcc" \
      RUSTFLAGS="${maps[*]} -Cforce-unwind-tables=no -Clink-arg=-Wl,--no-eh-frame-hdr,-T,$root/tools/dist.ld" \
      "$root/target/debug/brawn" cargo build --quiet --locked --profile dist --target "$arch-unknown-linux-musl" -p brawn --bin brawn
  done
}
built() { printf '%s/%s-unknown-linux-musl/dist/brawn' "$1" "$2"; }

work=$(mktemp -d "$root/target/.dist.XXXXXX")
other=
trap 'rm -rf "$work" ${other:+"$other"}' EXIT
if [[ ${1-} == --twice ]]; then
  # The copy is made before the first build, and that begins from nothing: what an earlier one left is in neither.
  other=$(mktemp -d)
  rm -rf target/dist-build
  git ls-files -z | tar -cf - --null --no-recursion -T - | tar -xf - -C "$other"
  mkdir "$other/target"
  ln -s "$(readlink -f target/tools)" "$other/target/tools"
fi
build "$root/target/dist-build"
if [[ $other ]]; then
  (cd "$other" && build "$other/target/dist-build")
  for arch in x86_64 aarch64; do
    cmp "$(built "$root/target/dist-build" "$arch")" "$(built "$other/target/dist-build" "$arch")" ||
      fail "brawn for $arch differs when it is built in another folder"
  done
  echo "the same bytes from two folders"
fi

brawn=$(built "$root/target/dist-build" "$(uname -m)")
[[ -x $brawn ]] || fail "no brawn for this machine's $(uname -m)"
for arch in x86_64 aarch64; do
  program=$(built "$root/target/dist-build" "$arch")
  said=$("$brawn" inspect "$program" | tail -n 1)
  [[ $said =~ ^fine\ +musl\ +static(-pie)?\ +brawn\ +brawn\  ]] || fail "brawn for $arch is not what it preaches: $said"
  strings -a "$program" >"$work/strings"
  if grep -F -e "$root" -e "$HOME/" -e "${rust%/*}/" "$work/strings" >"$work/paths"; then
    fail "brawn for $arch has paths of this machine in it: $(head -n 3 "$work/paths")"
  fi
  size=$(stat -c %s "$program")
  ((size <= largest)) || fail "brawn for $arch: found $size bytes, expected at most $largest"
  install -D -m 755 "$program" "$work/dist/bin/$arch-unknown-linux-musl/brawn"
done

# brawn for this machine, in an empty folder for a root, and on the kernel of 2017 where it can be had.
alone=$work/alone
mkdir "$alone"
cp "$brawn" "$alone/brawn"
cp "$rust/musl/$(uname -m)/lib/libc.a" "$alone/libc.a"
"$rust/bin/$(uname -m)-linux-musl-gcc" -static -O1 -o "$alone/program" -x c - <<<'int puts(const char *); int main(void) { return puts("said") < 0; }'
old=()
if [[ $(uname -m) == x86_64 ]]; then
  cc -O1 -o "$alone/old-kernel" -static tools/old-kernel.c
  old=(/old-kernel)
fi
root_is() { if ((EUID == 0)); then chroot "$@"; else unshare --user --map-root-user chroot "$@"; fi; }
for command in --version 'inspect /program' 'rewrite /program' 'inspect /program' 'patch /libc.a' 'restore /libc.a' 'restore /program' 'run /program'; do
  read -ra words <<<"$command"
  root_is "$alone" "${old[@]}" /brawn "${words[@]}" >"$work/said" 2>&1 ||
    fail "brawn $command fails where nothing else is, and the kernel is of 2017: $(cat "$work/said")"
done
[[ $(cat "$work/said") == said ]] || fail "brawn run: found '$(cat "$work/said")', expected 'said'"

# The other architecture's, by qemu: it does the same to the same archive.
[[ $(uname -m) == x86_64 ]] && other_arch=aarch64 || other_arch=x86_64
foreign=("qemu-$other_arch" "$work/dist/bin/$other_arch-unknown-linux-musl/brawn")
[[ $("${foreign[@]}" --version) == "$("$brawn" --version)" ]] || fail "brawn for $other_arch says another version"
for program in own foreign; do cp "$alone/libc.a" "$work/$program.a"; done
"$brawn" patch "$work/own.a" >/dev/null
"${foreign[@]}" patch "$work/foreign.a" >/dev/null
cmp "$work/own.a" "$work/foreign.a" || fail "brawn for $other_arch patches an archive in another way"

# What is in them, held against CycloneDX's own schema.
schema=target/tools/sbom
if ! cmp -s tools/requirements-sbom.txt "$schema/installed.txt"; then
  rm -rf "$schema"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --only-binary :all: \
    --target "$schema" -r tools/requirements-sbom.txt
  cp tools/requirements-sbom.txt "$schema/installed.txt"
fi
tools/sbom.py --out "$work/dist"
PYTHONPATH=$schema tools/sbom.py --check "$work"/dist/*.cdx.json

tools/package.py --binaries "$work/dist/bin" --out "$work/dist" >"$work/packed"
too_large=$(find "$work/dist" -maxdepth 1 -type f -size +"$largest_package"c -printf '%f: %s bytes; ')
[[ ! $too_large ]] || fail "found ${too_large}expected at most $largest_package bytes"
(cd "$work/dist" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$work/dist/"
chmod 755 "$work/dist"
rm -rf target/dist
mv "$work/dist" target/dist
(cd target/dist && find . -type f -printf '%9s  %P\n' | LC_ALL=C sort -k 2)
