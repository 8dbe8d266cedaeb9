#!/usr/bin/env bash
# Makes bundles laid out as Swift's Static Linux SDK is in target/tools/swift-sdk, for x86_64 and aarch64, each as a
# folder and packed:
#
#   swift-6.0.3-RELEASE_static-linux-0.0.1.artifactbundle{,.tar.gz}   as up to Swift 6.2: musl's own heap
#   swift-6.3-RELEASE_static-linux-0.1.0.artifactbundle{,.tar.gz}     as from Swift 6.3 on: mimalloc 2.2.4 in libc.a
#
# and bin/{clang,clang++,clang.cfg}: what links C and C++ through them, as the SDK's own toolset does.
#
# C and C++ are whole: musl 1.2.5, libc++, libc++abi and libunwind (compiled here from the pinned zig's sources, by
# its clang, for the SDK's own triples), compiler-rt, zlib.  Swift's own libraries are not in it: nothing but a Swift
# toolchain builds them.
#
# Does nothing when the bundles are there and made by this script from its lock.  The same bytes every time.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p target/tools
tools=$(cd target/tools && pwd -P)
lock=tools/swift-sdk.lock
home=$tools/swift-sdk
downloads=$home/downloads
zig=$tools/zig/ziglang
mkdir -p "$downloads"
. tools/fetch.sh

exec 9>"$downloads/.lock"
flock 9
stamp=$(cat tools/swift-sdk.sh tools/sdk-mimalloc.sh tools/sdk-mimalloc/Cargo.lock "$lock" tools/requirements.txt \
  <(grep -E '^1.2.5(-arm64)? ' tools/musls.lock) <(clang --version) | sha256sum)
[[ $(cat "$home/.stamp" 2>/dev/null) != "$stamp" ]] || exit 0
printf "making bundles of Swift's Static Linux SDK\n"
[[ -x $zig/zig ]] || fail "no $zig/zig: run tools/setup.sh"
tools/musls.sh 1.2.5 1.2.5-arm64
tools/sdk-mimalloc.sh

# What a tar has for times.
epoch=1735689600
work=$home/.new
rm -rf "$work"
mkdir -p "$work/bin" "$work/common/c++" "$work/zlib"
declare -A musl=([x86_64]=1.2.5 [aarch64]=1.2.5-arm64) debian=([x86_64]=x86 [aarch64]=aarch64)

# get ARCH PART: prints where the file is.
get() {
  local release file sha
  read -r release file sha < <(awk -v arch="$1" -v part="$2" '$1 == arch && $2 == part { print $3, $4, $5 }' "$lock")
  fetch "$2 for $1" "$release" "$file" "$sha"
}

# The driver: the pinned zig has all of clang in it.  Debian's is too old for the headers of its libc++.
for name in clang clang++; do
  cat >"$work/bin/$name" <<END
#!/bin/sh
# clang, linking as the toolset of Swift's Static Linux SDK has it.  The caller says -target and --sysroot.
exec "$zig/zig" clang --no-default-config --driver-mode=$([[ $name == clang ]] && echo gcc || echo g++) "\$@"
END
done
chmod +x "$work"/bin/*

# What libc++ was configured with is in its headers; zig says it in arguments instead.
cp -a "$zig/lib/libcxx/include/." "$work/common/c++/"
sed -i '0,/^#define _LIBCPP___CONFIG$/s//&\n\n#include <__config_site>/' "$work/common/c++/__config"
grep -qx '#include <__config_site>' "$work/common/c++/__config" || fail "zig's libc++ has another __config than expected"
cp "$zig/lib/libcxxabi/include/"*.h "$work/common/c++/"
cat >"$work/common/c++/__config_site" <<'END'
#ifndef _LIBCPP___CONFIG_SITE
#define _LIBCPP___CONFIG_SITE
#define _LIBCPP_ABI_VERSION 1
#define _LIBCPP_ABI_NAMESPACE __1
#define _LIBCPP_HAS_THREADS 1
#define _LIBCPP_HAS_MONOTONIC_CLOCK 1
#define _LIBCPP_HAS_TERMINAL 1
#define _LIBCPP_HAS_MUSL_LIBC 1
#define _LIBCPP_HAS_THREAD_API_PTHREAD 1
#define _LIBCPP_HAS_THREAD_API_EXTERNAL 0
#define _LIBCPP_HAS_THREAD_API_WIN32 0
#define _LIBCPP_HAS_THREAD_API_C11 0
#define _LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS 0
#define _LIBCPP_HAS_FILESYSTEM 1
#define _LIBCPP_HAS_RANDOM_DEVICE 1
#define _LIBCPP_HAS_LOCALIZATION 1
#define _LIBCPP_HAS_UNICODE 1
#define _LIBCPP_HAS_WIDE_CHARACTERS 1
#define _LIBCPP_HAS_TIME_ZONE_DATABASE 1
#define _LIBCPP_PSTL_BACKEND_SERIAL 1
#define _LIBCPP_HARDENING_MODE_DEFAULT 2
#endif
END
tar xjf "$(get all zlib)" -C "$work/zlib" --strip-components=1

# compile SDK ARCH FOLDER ARCHIVE FLAGS… -- SOURCE…: an archive in the SDK's usr/lib, one member for each source.
compile() {
  local sdk=$1 arch=$2 folder=$3 archive=$4 objects=$work/objects/$2/$4 flags=()
  shift 4
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  shift
  mkdir -p "$objects"
  # Two at once, in whatever order: each source has its own object.
  (cd "$folder" && printf '%s\n' "$@") | xargs -P "$(nproc)" -I % sh -c '
    out=$1/$(basename "$2").o
    shift 2
    cd "$1" && shift && exec "$@" -o "$out"' sh "$objects" % "$folder" \
    "$work/bin/clang" -target "$arch-swift-linux-musl" --sysroot "$sdk" -resource-dir "$sdk/usr/lib/swift_static/clang" \
    -fPIC -fno-ident -ffile-prefix-map="$folder"=. -ffile-prefix-map="$work"=. -w -O0 -DNDEBUG "${flags[@]}" -c % ||
    fail "$archive does not compile for $arch"
  rm -f "$sdk/usr/lib/$archive"
  (cd "$objects" && LC_ALL=C llvm-ar rcsD "$sdk/usr/lib/$archive" *.o)
}

# make_sdk ARCH FOLDER: an architecture's part of a bundle, with musl's own heap.
make_sdk() {
  local arch=$1 sdk=$2 package=$work/compiler-rt-$1 lib=$2/usr/lib cxx abi
  mkdir -p "$lib/swift/clang/lib/linux" "$lib/swift_static/linux-static" "$sdk/usr/include/c++"
  printf '{\n  "CanonicalName": "%s-swift-linux-musl",\n  "DisplayName": "Swift SDK for Statically Linked Linux (%s)",\n  "Version": "0.0.1",\n  "VersionMap": {}\n}\n' \
    "$arch" "$arch" >"$sdk/SDKSettings.json"
  cp -a "$tools/musls/${musl[$arch]}/include/." "$sdk/usr/include/"
  cp -a "$work/common/c++" "$sdk/usr/include/c++/v1"
  cp "$tools/musls/${musl[$arch]}/lib/"{libc.a,crt1.o,Scrt1.o,rcrt1.o,crti.o,crtn.o} "$lib/"
  # musl has everything in libc.a, and others for those who ask for them.
  for name in m pthread rt dl util crypt xnet resolv; do llvm-ar rcsD "$lib/lib$name.a"; done

  # Debian's compiler-rt is for glibc; what is taken of it asks libc for nothing that musl does not have.
  dpkg-deb -x "$(get "$arch" compiler-rt)" "$package"
  cp -a "$zig/lib/include" "$lib/swift/clang/include"
  package=$package/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux
  cp "$package/libclang_rt.builtins-$arch.a" "$lib/swift/clang/lib/linux/"
  cp "$package/clang_rt.crtbegin-$arch.o" "$lib/swift/clang/lib/linux/crtbeginT.o"
  cp "$package/clang_rt.crtend-$arch.o" "$lib/swift/clang/lib/linux/crtend.o"
  ln -s ../swift/clang "$lib/swift_static/clang"

  compile "$sdk" "$arch" "$work/zlib" libz.a -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -- \
    adler32.c compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c infback.c inffast.c inflate.c \
    inftrees.c trees.c uncompr.c zutil.c
  cp "$work/zlib/zlib.h" "$work/zlib/zconf.h" "$sdk/usr/include/"
  compile "$sdk" "$arch" "$zig/lib/libunwind/src" libunwind.a -I../include -D_LIBUNWIND_IS_NATIVE_ONLY -fvisibility=hidden \
    -D_LIBUNWIND_HIDE_SYMBOLS -fexceptions -funwind-tables -fno-rtti -- \
    UnwindLevel1.c UnwindLevel1-gcc-ext.c UnwindRegistersRestore.S UnwindRegistersSave.S libunwind.cpp
  cp "$zig/lib/libunwind/include/"*.h "$sdk/usr/include/"
  abi=(-nostdinc++ -isystem "$sdk/usr/include/c++/v1" -D_LIBCPP_BUILDING_LIBRARY -fvisibility-inlines-hidden
    # The kernel's headers, for futexes: the SDK's programs do not need them.
    -idirafter "$zig/lib/libc/include/any-linux-any" -idirafter "$zig/lib/libc/include/${debian[$arch]}-linux-any")
  compile "$sdk" "$arch" "$zig/lib/libcxxabi/src" libc++abi.a "${abi[@]}" -std=c++23 -I../include -I../../libcxx/src \
    -D_LIBCXXABI_BUILDING_LIBRARY -- \
    cxa_aux_runtime.cpp cxa_default_handlers.cpp cxa_demangle.cpp cxa_exception.cpp cxa_exception_storage.cpp \
    cxa_guard.cpp cxa_handlers.cpp cxa_personality.cpp cxa_thread_atexit.cpp cxa_vector.cpp cxa_virtual.cpp \
    stdlib_exception.cpp stdlib_new_delete.cpp stdlib_stdexcept.cpp stdlib_typeinfo.cpp abort_message.cpp \
    fallback_malloc.cpp private_typeinfo.cpp
  # All but what is for other systems, what is optional, and the operators, which are in libc++abi.
  mapfile -t cxx < <(cd "$zig/lib/libcxx/src" && find . -name '*.cpp' ! -path './experimental/*' ! -path './support/*' \
    ! -path './pstl/*' ! -name 'legacy_*' ! -name 'libcxx*' ! -name int128_builtins.cpp ! -name new.cpp | LC_ALL=C sort)
  compile "$sdk" "$arch" "$zig/lib/libcxx/src" libc++.a "${abi[@]}" -std=c++23 -I. -I../libc -I../../libcxxabi/include \
    -DLIBCXX_BUILDING_LIBCXXABI -DLIBC_NAMESPACE=__llvm_libc_common_utils -- "${cxx[@]}"
}

# describe BUNDLE NAME VERSION: what says what is in a bundle.
describe() {
  python3 - "$@" <<'END'
import json, os, sys

folder, name, version = sys.argv[1:]


def write(path, value):
    with open(os.path.join(folder, path), "w") as file:
        json.dump(value, file, indent=2)
        file.write("\n")


write("info.json", {
    "schemaVersion": "1.0",
    "artifacts": {name: {
        "variants": [{"path": f"{name}/swift-linux-musl"}],
        "version": version,
        "type": "swiftSDK",
    }},
})
parts = {"musl": "1.2.5", "libc++": "20.1", "compiler-rt": "14.0.6", "zlib": "1.2.13"}
write("sbom.spdx.json", {
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": name,
    "documentNamespace": f"https://example.invalid/{name}",
    "creationInfo": {"created": "2025-01-01T00:00:00Z", "creators": ["Tool: swift-sdk.sh"]},
    "packages": [{
        "SPDXID": f"SPDXRef-Package-{part.replace('+', 'x')}",
        "name": part,
        "versionInfo": number,
        "downloadLocation": "NOASSERTION",
    } for part, number in parts.items()],
})
sdk = f"{name}/swift-linux-musl"
os.makedirs(os.path.join(folder, sdk, "swift.xctoolchain/usr/bin"))
write(f"{sdk}/toolset.json", {
    "schemaVersion": "1.0",
    "rootPath": "swift.xctoolchain/usr/bin",
    "swiftCompiler": {"extraCLIOptions": ["-static-executable", "-static-stdlib"]},
})
roots = {arch: f"musl-1.2.5.sdk/{arch}" for arch in ("x86_64", "aarch64")}
write(f"{sdk}/swift-sdk.json", {
    "schemaVersion": "4.0",
    "targetTriples": {f"{arch}-swift-linux-musl": {
        "toolsetPaths": ["toolset.json"],
        "sdkRootPath": root,
        "swiftResourcesPath": f"{root}/usr/lib/swift_static",
        "swiftStaticResourcesPath": f"{root}/usr/lib/swift_static",
    } for arch, root in roots.items()},
})
END
}

# pack NAME: as the SDK's own script does, with nothing of this machine in it.
pack() {
  (
    cd "$work"
    find "$1.artifactbundle" -exec touch -h -d "@$epoch" {} +
    chmod -R u=rwX,go=rX "$1.artifactbundle"
    tar --sort=name --owner=root:0 --group=root:0 -czf "$1.artifactbundle.tar.gz" "$1.artifactbundle"
  )
}

old=swift-6.0.3-RELEASE_static-linux-0.0.1
new=swift-6.3-RELEASE_static-linux-0.1.0
root() { printf '%s' "$work/$1.artifactbundle/$1/swift-linux-musl/musl-1.2.5.sdk"; }
for arch in x86_64 aarch64; do make_sdk "$arch" "$(root "$old")/$arch"; done
mkdir -p "$(root "$new")"
cp -a "$(root "$old")/." "$(root "$new")/"
for arch in x86_64 aarch64; do
  lib=$(root "$new")/$arch/usr/lib
  cp "$tools/sdk-mimalloc/$arch/sdk.a" "$lib/libc.a"
  llvm-ar dD "$lib/libc++abi.a" stdlib_new_delete.cpp.o
done
describe "$work/$old.artifactbundle" "$old" 0.0.1
describe "$work/$new.artifactbundle" "$new" 0.1.0
pack "$old"
pack "$new"

rm -rf "$work/common" "$work/zlib" "$work/objects" "$work"/compiler-rt-* "${home:?}/$old".* "${home:?}/$new".* "$home/bin"
mv "$work"/* "$home/"
rmdir "$work"
printf '%s\n' "$stamp" >"$home/.stamp"
