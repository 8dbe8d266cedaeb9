#!/usr/bin/env bash
# Installs what the Makefile's targets need: Debian packages (as root, or through sudo) and the
# pinned zig below target/tools.  Does nothing when all of it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  build-essential   # gcc, g++, make, GNU ld, ar
  musl-tools        # Debian's musl: libc.a, musl-gcc
  lld clang llvm    # a second linker, compiler and set of binutils that users have
  cmake pkg-config  # link-args' formats, in real builds
  meson nim         # build systems and languages of the guide
  strace util-linux # kills at every system call; mounts in namespaces
  gdb libcap2-bin   # stacks of rewritten programs; file capabilities
  procps            # what an interrupted verify leaves running
  skopeo buildah    # what others make of images, and containers of them
  ca-certificates   # which images may have
  python3 python3-pip
  lintian ruby # what Debian and Homebrew say of brawn's packages
  zstd # packs what release builds embed
  debootstrap openssl # the image that recipes are tested on; a certificate
  qemu-user # runs programs for aarch64 and riscv64
  zsh fish man-db # who reads brawn's completions and manual pages
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross # and what compiles and links them
  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
)
# npm may be there without Debian's package of it.
command -v npm >/dev/null || packages+=(npm)
missing=()
for package in "${packages[@]}"; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    "install ok installed") ;;
    *) missing+=("$package") ;;
  esac
done
if ((${#missing[@]})); then
  printf 'installing: %s\n' "${missing[*]}"
  as_root=()
  if ((EUID != 0)); then as_root=(sudo); fi
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

tools=target/tools
if ! "$tools/zig/ziglang/zig" version 2>/dev/null | grep -qx 0.15.2; then
  printf 'installing: zig 0.15.2\n'
  rm -rf "$tools/zig"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --target "$tools/zig" -r tools/requirements.txt
  tools/zig-for-linux.sh "$tools/zig"
  # Where the payload was unpacked until now, it is compiled from here on: its build script has no zig to look at.
  touch crates/brawn-payload/build/main.rs
fi
format=$tools/clang-format/clang_format/data/bin/clang-format
if ! "$format" --version 2>/dev/null | grep -q ' 20\.1\.8$'; then
  printf 'installing: clang-format 20.1.8\n'
  rm -rf "$tools/clang-format"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --root-user-action ignore \
    --target "$tools/clang-format" -r tools/requirements-format.txt
fi
touch "$tools/.done"
