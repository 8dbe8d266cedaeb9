#!/usr/bin/env bash
# Makes a Rust toolchain for x86_64- and aarch64-unknown-linux-musl in target/tools/rust-musl, laid out
# as rustup's are, from Debian's packages (tools/rust-musl.lock) and the musl of tools/musls.lock:
#
#   bin/            rustc, rustdoc, cargo; <arch>-linux-musl-gcc, which compiles and links C
#   lib/rustlib/    std for glibc, x86_64 and aarch64, as Debian has it, and, compiled here, for both
#                   targets, with self-contained/
#   musl/<arch>/    the musl that self-contained/ is from, with headers and the dynamic libc.so
#
# Nothing else on the system changes; the Rust that rustup manages is not touched.  To use it:
#
#   target/tools/rust-musl/bin/cargo build --target x86_64-unknown-linux-musl
#   CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=…/bin/aarch64-linux-musl-gcc for aarch64, and
#   CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=…/bin/x86_64-linux-musl-gcc where crt-static is off
#
# (C dependencies want bin/ on PATH.)  Dynamic executables and shared objects for musl carry their own
# copy of the unwinder: the distribution's libgcc_s.so.1 is glibc's.
#
# Tests never write below this folder, which all of them share.  One that changes a libc.a makes a farm
# of links (cp -as) with that libc.a as a real copy, and calls what is in FARM/bin: then
# `rustc --print sysroot` is the farm.
#
# Does nothing when the toolchain is there and made by this script from this lock.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
mkdir -p target/tools
tools=$(cd target/tools && pwd -P)
lock=tools/rust-musl.lock
toolchain=$tools/rust-musl
downloads=$tools/rust-musl-downloads
musl=1.2.3
zig=$tools/zig/ziglang/zig
mkdir -p "$downloads"
. tools/fetch.sh

exec 9>"$downloads/.lock"
flock 9

stamp=$(cat tools/rust-musl.sh tools/rust-musl.specs "$lock" <(grep -E "^$musl(-arm64)? " tools/musls.lock) | sha256sum)
[[ $(cat "$toolchain/.stamp" 2>/dev/null) != "$stamp" ]] || exit 0
printf 'making the Rust toolchain for musl\n'
tools/musls.sh "$musl" "$musl-arm64"
[[ -x $zig ]] || fail "no $zig: run tools/setup.sh"

work=$tools/.rust-musl.new
new=$work/toolchain
rm -rf "$work"
mkdir -p "$work/debian" "$new/bin" "$new/libexec" "$new/lib/rustlib"

# Nothing is there twice on the way: each package goes once it is unpacked, and what the toolchain has of it is moved.
mkdir "$work/debian-arm64"
while read -r release file sha; do
  deb=$(fetch "${file##*/}" "$release" "$file" "$sha")
  case $file in
    *_arm64.deb) dpkg-deb -x "$deb" "$work/debian-arm64" ;;
    # Of the sources those of std are needed.
    *-src_*) dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$work/debian" ./usr/src/rustc-1.96.0/library ;;
    *) dpkg-deb -x "$deb" "$work/debian" ;;
  esac
  rm "$deb"
done < <(grep -v '^#' "$lock")

# The compiler and Cargo, with the libraries that they need and the system may not have.
usr=$work/debian/usr
mv "$usr"/lib/x86_64-linux-gnu/*.so* "$new/lib/"
mv "$usr/lib/rustlib/x86_64-unknown-linux-gnu" "$new/lib/rustlib/"
mv "$work/debian-arm64/usr/lib/rustlib/aarch64-unknown-linux-gnu" "$new/lib/rustlib/"
for program in rustc rustdoc cargo; do
  cp "$usr/bin/$program" "$new/libexec/"
  "$usr/bin/patchelf" --force-rpath --set-rpath '$ORIGIN/../lib' "$new/libexec/$program"
  missing=$(ldd "$new/libexec/$program" | grep 'not found' || test $? = 1)
  [[ ! $missing ]] || fail "$program needs libraries that neither $lock nor tools/setup.sh brings:
$missing"
done
# A compiler takes the folder that its libraries are in for its sysroot, through all links.
for program in rustc rustdoc; do
  cat >"$new/bin/$program" <<'END'
#!/bin/sh
# The compiler, with this folder as its sysroot even where it is made of links.
here=$(cd "${0%/*}/.." && pwd)
case " $* " in
*" --sysroot"*) exec "$here/libexec/${0##*/}" "$@" ;;
*) exec "$here/libexec/${0##*/}" --sysroot "$here" "$@" ;;
esac
END
done
cat >"$new/bin/cargo" <<'END'
#!/bin/sh
# Cargo, with the compiler of this folder, whatever else is on PATH.
here=$(cd "${0%/*}/.." && pwd)
RUSTC=${RUSTC:-$here/bin/rustc} RUSTDOC=${RUSTDOC:-$here/bin/rustdoc} exec "$here/libexec/cargo" "$@"
END
chmod +x "$new"/bin/*

mkdir -p "$new/lib/rustlib/src" "$work/std/src"
ln -s "$usr/src/rustc-1.96.0" "$new/lib/rustlib/src/rust"
# Profiles are those of Rust's own build, which made std for glibc (`library/Cargo.toml`; `rust.*-std` of its configuration):
# measurements compare programs with the one and the other, and are to find two libcs, not two optimisations.
cat >"$work/std/Cargo.toml" <<'END'
[package]
name = "wants-std"
version = "0.0.0"
edition = "2024"
[workspace]
[profile.release]
opt-level = 3
codegen-units = 1
debug = "line-tables-only"
[profile.release.package.compiler_builtins]
codegen-units = 10000
debug-assertions = false
overflow-checks = false
END
for crate in addr2line adler2 gimli miniz_oxide object rustc-demangle; do
  printf '[profile.release.package.%s]\nopt-level = "s"\ndebug = 0\n' "$crate" >>"$work/std/Cargo.toml"
done
printf '#![no_std]\n' >"$work/std/src/lib.rs"
printf 'int main(void) { return 0; }\n' >"$work/main.c"
# As Rust's own build does: programs with `panic = "abort"` link this crate only if it was compiled so.
cat >"$work/rustc" <<'END'
#!/bin/sh
case " $* " in
*" --crate-name panic_abort "*) exec "$@" -Cpanic=abort ;;
*) exec "$@" ;;
esac
END
chmod +x "$work/rustc"

# make_target ARCH MUSL-FOLDER DEBIAN-FOLDER GCC
make_target() {
  local arch=$1 from=$2 debian=$3 gcc=$4 triple=$1-unknown-linux-musl
  local libc=$new/musl/$arch libs=$new/lib/rustlib/$triple/lib file
  local contained=$libs/self-contained said

  # Its musl, and gcc for it.  Debian's own specs know no static-pie and one fixed place.
  mkdir -p "$libc" "$contained"
  cp -a "$tools/musls/$from/lib" "$tools/musls/$from/include" "$libc/"
  rm -f "$libc/lib/musl-gcc.specs"
  cp "$debian/lib/$arch-linux-musl/libc.so" "$libc/lib/"
  ln -s libc.so "$libc/lib/ld-musl-$arch.so.1"
  sed -e "s|@|$toolchain/musl/$arch|g" -e "s|%ARCH|$arch|g" tools/rust-musl.specs >"$libc/gcc.specs"
  printf '#!/bin/sh\nexec %s -specs "%s" "$@"\n' "$gcc" "$toolchain/musl/$arch/gcc.specs" >"$new/bin/$arch-linux-musl-gcc"
  chmod +x "$new/bin/$arch-linux-musl-gcc"

  # What rustc links by itself.
  for file in libc.a crt1.o rcrt1.o Scrt1.o crti.o crtn.o; do cp "$libc/lib/$file" "$contained/"; done
  for file in crtbegin.o crtbeginS.o crtbeginT.o crtend.o crtendS.o; do
    cp "$("$gcc" -print-file-name="$file")" "$contained/"
  done
  # zig has an unwinder for musl, which it compiles when a program asks for it, with a musl, into the cache of all tests.
  said=$(ZIG_VERBOSE_LINK=1 ZIG_GLOBAL_CACHE_DIR=$tools/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig \
    "$zig" cc -O2 -target "$arch-linux-musl" -static -o "$work/main" "$work/main.c" -lunwind 2>&1) ||
    fail "zig could not build its unwinder for $arch-linux-musl: $said"
  # Its linker's command line says which of the cache's files it is.
  cp "$(tr ' ' '\n' <<<"$said" | grep -m 1 '/libunwind.a$')" "$contained/"
  # Where crt-static is off, std asks for libgcc_s.
  printf 'INPUT(%s)\n' "$toolchain/lib/rustlib/$triple/lib/self-contained/libunwind.a" >"$libs/libgcc_s.so"

  env -i PATH="$PATH" HOME="$work" CARGO_HOME="$work/cargo" RUSTC_BOOTSTRAP=1 RUSTC_WRAPPER="$work/rustc" \
    RUSTFLAGS="-Cembed-bitcode=yes -Zunstable-options -Cforce-frame-pointers=non-leaf --remap-path-prefix=$new/lib/rustlib/src/rust=/rustc/1.96.0 --remap-path-prefix=$usr/src/rustc-1.96.0=/rustc/1.96.0" \
    "$new/bin/cargo" build --manifest-path "$work/std/Cargo.toml" --target-dir "$work/built" \
    --release --target "$triple" -Zbuild-std=std,panic_abort,test,proc_macro --quiet --jobs "$(nproc)" \
    --config 'source.crates-io.replace-with="vendored"' \
    --config "source.vendored.directory=\"$usr/src/rustc-1.96.0/library/vendor\"" ||
    fail "std for $triple does not build"
  for file in "$work/built/$triple/release/deps"/*.rlib; do
    [[ $file == */libwants_std-* ]] || cp "$file" "$libs/"
  done
  # gcc calls a function where the processor may not count bits itself: rustup's builtins have C's,
  # Debian's have Rust's alone, which lack it.
  mkdir "$work/popcount-$arch"
  (
    cd "$work/popcount-$arch"
    ar x "$("$gcc" -print-libgcc-file-name)" _popcountsi2.o _popcountdi2.o _popcount_tab.o
    llvm-ar qs "$libs"/libcompiler_builtins-*.rlib ./*.o
  )
}
make_target x86_64 "$musl" "$work/debian" x86_64-linux-gnu-gcc
make_target aarch64 "$musl-arm64" "$work/debian-arm64" aarch64-linux-gnu-gcc

# Nothing needs its sources any more.
rm "$new/lib/rustlib/src/rust"
rmdir "$new/lib/rustlib/src"
rm -rf "$toolchain"
mv "$new" "$toolchain"

# A program that unwinds through threads, on each target and linkage.
cat >"$work/unwind.rs" <<'END'
use std::panic::catch_unwind;
fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let threads: Vec<_> = (0..4)
        .map(|n| std::thread::spawn(move || catch_unwind(|| assert!(n % 2 == 0, "odd")).is_err()))
        .collect();
    println!("{}", threads.into_iter().filter_map(|t| t.join().ok()).filter(|odd| *odd).count());
}
END
[[ $("$toolchain/bin/rustc" --print sysroot) == "$toolchain" ]] || fail "rustc takes $("$toolchain/bin/rustc" --print sysroot) for its sysroot"
# try ARCH RUNNER FLAGS…
try() {
  local arch=$1 run=$2 said
  shift 2
  "$toolchain/bin/rustc" --edition 2024 -O --target "$arch-unknown-linux-musl" "$@" -o "$work/unwind" "$work/unwind.rs" ||
    fail "cannot link a program for $arch with ${*:-no flags}"
  said=$($run "$work/unwind") || fail "a program for $arch, linked with ${*:-no flags}, fails"
  [[ $said == 2 ]] || fail "a program for $arch, linked with ${*:-no flags}, says '$said', expected 2"
}
# No program for glibc on aarch64: that compiler and its libc are tools/setup.sh's, and tests link with it.
for arch in x86_64 aarch64; do
  gcc=-Clinker=$toolchain/bin/$arch-linux-musl-gcc
  run=
  [[ $arch == x86_64 ]] || run="qemu-aarch64 -L $toolchain/musl/$arch"
  [[ $arch == aarch64 ]] || try "$arch" "$run"
  try "$arch" "$run" "$gcc"
  try "$arch" "$run" "$gcc" -Crelocation-model=static
  try "$arch" "${run:-$toolchain/musl/$arch/lib/libc.so}" "$gcc" -Ctarget-feature=-crt-static
done

rm -rf "$work"
printf '%s\n' "$stamp" >"$toolchain/.stamp"
