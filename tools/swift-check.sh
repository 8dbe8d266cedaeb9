#!/usr/bin/env bash
# Builds a Swift program (tools/swift-check) with the heap of a Static Linux SDK as it is, with that of a bundle that
# brawn patched, and with `brawn link-args` in Package.swift; runs all three, and holds whose heap is in each.
#
#   tools/swift-check.sh          with the swift on PATH, and a copy of the Static Linux SDK that is installed
#   tools/swift-check.sh debian   with Debian's swift 6.0.3, which has no such SDK: the bundle of tools/swift-sdk.sh
#                                 gets the Swift runtime of that package, compiled for glibc, and a few functions that
#                                 musl does not have.  500 MB to download, 3 GB on disk, x86_64, as root: Debian's
#                                 files are laid over /usr in a mount namespace that ends with this script
#
# Nothing outside target/ changes; what is installed is copied.  BRAWN names another brawn than target/release's.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p target/tools
root=$PWD
tools=$(cd target/tools && pwd -P)
home=$tools/swift-check
brawn=${BRAWN:-$root/target/release/brawn}
arch=$(uname -m)
route=${1:-installed}
mkdir -p "$home"
lock=tools/swift-check.lock
downloads=$home/downloads
. tools/fetch.sh
[[ $# -le 1 && ($route == installed || $route == debian) ]] || { sed -n '2,/^set/{/^set/d;s/^# \?//;p}' "$0" >&2; exit 2; }
[[ -x $brawn ]] || fail "no $brawn: cargo build --release -p brawn"

# Debian's files, unpacked.
get_debian() {
  local release file sha stamp deb debs=()
  [[ $EUID == 0 && $arch == x86_64 ]] || fail "debian: needs root, and an x86_64"
  stamp=$(sha256sum <"$lock")
  [[ $(cat "$home/debian/.stamp" 2>/dev/null) != "$stamp" ]] || return 0
  mkdir -p "$downloads"
  rm -rf "$home/debian"
  mkdir -p "$home/debian"
  while read -r release file sha; do
    deb=$(fetch "${file##*/}" "$release" "$file" "$sha")
    debs+=("$deb")
  done < <(grep -v '^#' "$lock")
  for deb in "${debs[@]}"; do dpkg-deb -x "$deb" "$home/debian"; done
  printf '%s\n' "$stamp" >"$home/debian/.stamp"
}

# The bundle of tools/swift-sdk.sh in $1, with what Debian has of Swift.
dress() {
  local name=swift-6.0.3-RELEASE_static-linux-0.0.1 triple=x86_64-swift-linux-musl sdk to from module file
  tools/swift-sdk.sh
  mkdir -p "$1"
  cp -a "$tools/swift-sdk/$name.artifactbundle" "$1/"
  sdk=$1/$name.artifactbundle/$name/swift-linux-musl/musl-1.2.5.sdk/x86_64
  to=$sdk/usr/lib/swift_static
  from=$home/debian/usr/libexec/swift/lib/swift_static
  # The triple in a module's file name is the one that it is looked for by.
  for module in "$from"/linux/*.swiftmodule; do
    mkdir -p "$to/linux-static/${module##*/}"
    for file in "$module"/*.swiftmodule; do cp "$file" "$to/linux-static/${module##*/}/$triple.swiftmodule"; done
  done
  mkdir -p "$to/linux-static/Dispatch.swiftmodule" "$to/linux-static/x86_64" "$sdk/usr/include/SwiftGlibc"
  cp "$from/linux/x86_64/Dispatch.swiftmodule" "$to/linux-static/Dispatch.swiftmodule/$triple.swiftmodule"
  cp "$from/linux/x86_64/swiftrt.o" "$to/linux-static/x86_64/"
  cp "$from"/linux/lib*.a "$to/linux-static/"
  cp -r "$from"/{shims,dispatch,os,Block,CoreFoundation,_FoundationCShims,_foundation_unicode} "$to/"
  cp "$from/linux/x86_64/SwiftGlibc.h" "$sdk/usr/include/SwiftGlibc/"
  printf 'module SwiftGlibc [system] {\n  header "SwiftGlibc.h"\n  export *\n}\n' >"$sdk/usr/include/SwiftGlibc/module.modulemap"
  cp -rn "$tools"/zig/ziglang/lib/libc/include/{any-linux-any,x86-linux-any}/. "$sdk/usr/include/"
  cp "$home/debian/usr/lib/gcc/x86_64-linux-gnu/14/libstdc++.a" "$sdk/usr/lib/"
  "$tools/swift-sdk/bin/clang" -target "$triple" --sysroot "$sdk" -resource-dir "$to/clang" -O2 -c tools/swift-check/glibc.c \
    -o "$home/glibc.o"
  llvm-ar rcsD "$sdk/usr/lib/libglibc.a" "$home/glibc.o"
  # (clang takes -lstdc++ for the C++ library of its target.)
  printf '%s\n' -static -fuse-ld=lld -rtlib=compiler-rt -unwindlib=libunwind -stdlib=libc++ -lswiftCore \
    -l:libstdc++.a -lglibc \
    >"$to/linux-static/static-executable-args.lnk"
}

# The installed Static Linux SDK in $1.
take_installed() {
  local folder found= missing="there is no Swift on PATH.  Install one from swift.org with its Static Linux SDK, or run
  tools/swift-check.sh debian
which takes Debian's (500 MB)"
  command -v swift >/dev/null || fail "$missing"
  for folder in ~/.swiftpm/swift-sdks "${XDG_CONFIG_HOME:-$HOME/.config}/swiftpm/swift-sdks"; do
    for folder in "$folder"/*static-linux*.artifactbundle; do
      if [[ -d $folder ]]; then found=$folder; fi
    done
  done
  [[ $found ]] || fail "swift is here, its Static Linux SDK is not: swift sdk install URL --checksum SHA256, as swift.org has them"
  mkdir -p "$1"
  cp -a "$found" "$1/"
}

work=$home/check
# The second time this runs, in a mount namespace.
if [[ ! ${BRAWN_SWIFT_CHECK:-} ]]; then
  if [[ $route == debian ]]; then get_debian; fi
  rm -rf "$work"
  mkdir -p "$work"
  if [[ $route == debian ]]; then dress "$work/stock"; else take_installed "$work/stock"; fi
  # As everybody has it: from an archive.
  (cd "$work/stock" && tar czf ../patched.artifactbundle.tar.gz *.artifactbundle)
  "$brawn" patch --upgrade "$work/patched.artifactbundle.tar.gz"
  export BRAWN_SWIFT_CHECK=1
  if [[ $route == debian ]]; then
    exec unshare --mount bash -c 'mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr || exit
      PATH=/usr/libexec/swift/bin:$PATH exec "$2" debian' bash "$home/debian" "$root/tools/swift-check.sh"
  fi
fi

# Its notes and caches do not belong into the user's home.
export CFFIXED_USER_HOME=$work/home
options=(-c release --disable-sandbox --swift-sdk "$arch-swift-linux-musl")
# Modules that were compiled for another system's name.
if [[ $route == debian ]]; then options+=(-Xswiftc -Xfrontend -Xswiftc -disable-target-os-checking); fi
swift --version 2>&1 | head -n 1
sum=$(sha256sum "$work/patched.artifactbundle.tar.gz")
swift sdk install "$work/patched.artifactbundle.tar.gz" --checksum "${sum%% *}" --swift-sdks-path "$work/patched"

# build NAME SDKS SETTINGS: a package, and its program as $work/programs/NAME.
build() {
  local package=$work/package-$1
  mkdir -p "$package/Sources/check"
  cp tools/swift-check/main.swift "$package/Sources/check/"
  cat >"$package/Package.swift" <<END
// swift-tools-version:6.0
import PackageDescription
let package = Package(
  name: "check", targets: [.executableTarget(name: "check", swiftSettings: [.swiftLanguageMode(.v5)], linkerSettings: [$3])])
END
  swift build --package-path "$package" --swift-sdks-path "$2" "${options[@]}" >"$work/log-$1" 2>&1 ||
    fail "$1: swift build failed:
$(tail -n 40 "$work/log-$1")"
  mkdir -p "$work/programs"
  cp "$package/.build/release/check" "$work/programs/$1"
}
build stock "$work/stock" ''
build patched "$work/patched" ''
build link-args "$work/stock" "$("$brawn" link-args --format swift --arch "$arch" --dir "$work/brawn")"

for name in stock patched link-args; do
  heap=$("$brawn" inspect --json "$work/programs/$name" | python3 -c 'import json, sys; r = json.load(sys.stdin)[0]; print(r["heap"], r["verdict"], sep="; ")')
  said=$("$work/programs/$name")
  printf '%-10s %s\n%-10s %s\n' "$name" "heap: $heap" '' "$said"
  [[ $said == right* ]] || fail "$name: the program's sums are wrong"
  [[ $name == stock || $heap == "brawn; fine" ]] || fail "$name: its heap is '$heap', expected brawn's"
done
