#!/usr/bin/env bash
# Packs every crate that is published, and installs `brawn` from the packed crates alone: with a registry of these and
# of what they depend on, without a network, without zig, with a C compiler for nothing but links and, as root, without
# this checkout.  Then it edits an archive of each architecture, and has to give what the checkout's brawn gives.
#
#   tools/crates.sh           all of it: the time of `cargo install` is printed
#   tools/crates.sh --pack    only packs, into target/package, and says how large each crate is
#
# It takes the work tree as it is; `cargo publish` refuses one that is not committed.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
fail() { echo "tools/crates.sh: $*" >&2; exit 1; }

# Of what registries take, 10 MB.
largest=10000000

# What the payload's crate carries has to be of these sources.
export CARGO_INCREMENTAL=0
cargo run --quiet --locked -p brawn-payload --example write-prebuilt -- --check

rm -rf target/package/*.crate
cargo package --quiet --workspace --exclude brawn-bench --exclude brawn-conformance --no-verify --locked --allow-dirty \
  2> >(grep -v 'is not included in the published package' >&2)
for crate in target/package/*.crate; do
  size=$(stat -c %s "$crate")
  printf '%-32s %8d bytes\n' "${crate##*/}" "$size"
  ((size <= largest)) || fail "$crate: larger than registries take"
done
[[ ${1-} != --pack ]] || exit 0

# The registry: a folder for each crate, with the checksum that Cargo.lock has.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
registry=$work/registry
cargo vendor --quiet --locked --versioned-dirs "$registry" >"$work/vendor.log"
for crate in target/package/*.crate; do
  tar -xzf "$crate" -C "$registry"
  name=${crate##*/}
  sum=$(sha256sum "$crate" | cut -d ' ' -f 1)
  printf '{"files":{},"package":"%s"}' "$sum" >"$registry/${name%.crate}/.cargo-checksum.json"
done
mkdir -p "$work/user/.cargo" "$work/empty" "$work/archives"
cat >"$work/user/.cargo/config.toml" <<END
[source.crates-io]
replace-with = "packed"
[source.packed]
directory = "$registry"
[net]
offline = true
END
for arch in x86_64 aarch64; do
  musl=1.2.5
  [[ $arch = x86_64 ]] || musl=1.2.5-arm64
  cp "target/tools/musls/$musl/lib/libc.a" "$work/archives/$arch.a" || fail "run tools/musls.sh"
done

# The checkout's own, to compare with.
cargo build --quiet --locked -p brawn
for arch in x86_64 aarch64; do
  cp "$work/archives/$arch.a" "$work/archives/$arch.expected.a"
  target/debug/brawn patch "$work/archives/$arch.expected.a" >/dev/null
done
target/debug/brawn --version --verbose >"$work/version.expected"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
cat >"$work/install.sh" <<'END'
set -euo pipefail
root=$1 version=$2 work=$3
if ((EUID == 0)); then
  mount -t tmpfs none "$root"
  [[ ! -e $root/Cargo.toml ]]
else
  echo "not root: the checkout stays in sight"
fi
cd "$work/empty"
! command -v zig || { echo "a zig is on the path"; exit 1; }
start=$SECONDS
# Whatever would compile C fails.
CC=false cargo install --quiet brawn --version "$version" --locked --root "$work/installed" --target-dir "$work/target"
echo "cargo install: $((SECONDS - start)) s"
export PATH=$work/installed/bin:$PATH
command -v cargo-brawn >/dev/null
brawn --version --verbose >"$work/version"
diff "$work/version.expected" "$work/version"
for arch in x86_64 aarch64; do
  brawn inspect "$work/archives/$arch.a" >/dev/null
  brawn patch "$work/archives/$arch.a" >/dev/null
  cmp "$work/archives/$arch.a" "$work/archives/$arch.expected.a"
  brawn inspect "$work/archives/$arch.a"
done
END
alone=()
((EUID != 0)) || alone=(unshare --mount)
rust=$(rustc --print sysroot)/bin
[[ -x $rust/cargo ]] || rust+=:$(dirname "$(command -v cargo)")
env -i PATH="$rust:/usr/bin:/bin:/usr/sbin:/sbin" HOME="$work/user" LC_ALL=C \
  "${alone[@]}" bash "$work/install.sh" "$root" "$version" "$work"
