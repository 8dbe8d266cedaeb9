#!/usr/bin/env bash
# bench/server/nginx.sh WORK glibc|musl OUTPUT [LIB]: gets nginx and zlib, pinned and held against their SHA-256, compiles
# both in WORK for that libc if that was not done, and links nginx into OUTPUT, with the libc.a of the directory LIB if
# there is one.  The linker's trace goes to standard output.
set -euo pipefail
work=$(realpath "${1:?folder for it}")
libc=${2:?glibc or musl}
output=$(realpath -m "${3:?file to write}")
lib=${4:+$(realpath "$4")}
here=$(cd "${0%/*}" && pwd -P)
lock=bench/server/nginx.sh
downloads=$here/../../target/tools/nginx
mkdir -p "$downloads"
. "$here/../../tools/fetch.sh"

built=$work/nginx-$libc
if [[ ! -e $built/.done ]]; then
  nginx=$(fetch nginx bookworm pool/main/n/nginx/nginx_1.22.1.orig.tar.gz \
    9ebb333a9e82b952acd3e2b4aeb1d4ff6406f72491bab6cd9fe69f0dea737f31)
  zlib=$(fetch zlib bookworm pool/main/z/zlib/zlib_1.2.13.dfsg.orig.tar.bz2 \
    71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1)
  rm -rf "$built"
  mkdir -p "$built/zlib"
  tar -C "$built" --strip-components=1 -xf "$nginx"
  tar -C "$built/zlib" --strip-components=1 -xf "$zlib"
  cd "$built"
  # As for all workloads (ALIGNED in bench/src/prepare.rs): libcs of other sizes must not move loops to better or worse places.
  flags='-O2 -falign-functions=64 -falign-loops=64'
  case $libc in
    glibc) with=(--with-cc=gcc "--with-cc-opt=$flags") ;;
    musl)
      musl-gcc -O2 -I "$here" -c -o crypt.o "$here/crypt.c"
      with=(--with-cc=musl-gcc "--with-cc-opt=$flags -I $here" "--with-ld-opt=-static $built/crypt.o")
      ;;
  esac
  # Without what needs other libraries.
  {
    ./configure "${with[@]}" --without-pcre --without-http_rewrite_module --prefix="$work" \
      --with-zlib="$built/zlib" --with-zlib-opt="$flags"
    make
  } >build.log 2>&1 || fail "nginx for $libc does not build: $built/build.log"
  touch .done
fi
cd "$built"
rm -f objs/nginx
make -f objs/Makefile "LINK=$([[ $libc == glibc ]] && echo gcc || echo musl-gcc) ${lib:+-L $lib} -Wl,--trace" objs/nginx
cp objs/nginx "$output"
