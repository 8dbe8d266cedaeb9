#!/usr/bin/env bash
# Gets the shared musls of tools/musls-shared.lock below target/tools/musls-shared, one folder for each with libc.so
# and, by the name that programs ask for, the dynamic linker, which is the same file.  Touches nothing else.
#
# Does what is missing: nothing, the second time.
set -euo pipefail
cd "$(dirname "$0")/.."
lock=tools/musls-shared.lock
shared=$PWD/target/tools/musls-shared
downloads=$shared/downloads
mkdir -p "$downloads"
. tools/fetch.sh

while read -r name architecture release file sha; do
  # Two at once would write the same folder.
  exec 9>"$shared/.$name.lock"
  flock 9
  [[ $(cat "$shared/$name/.stamp" 2>/dev/null) != "$sha" ]] || continue
  printf 'getting shared musl %s\n' "$name"
  deb=$(fetch "shared musl $name" "$release" "$file" "$sha")
  work=$shared/.$name.new
  rm -rf "$work"
  mkdir "$work"
  dpkg-deb -x "$deb" "$work/package"
  # In /lib or /usr/lib, by the release.
  find "$work/package" -type f -path '*-linux-musl/libc.so' -exec cp {} "$work/" \;
  [[ -f $work/libc.so ]] || fail "shared musl $name: no libc.so in $file"
  rm -r "$work/package"
  case $architecture in
    amd64) ln -s libc.so "$work/ld-musl-x86_64.so.1" ;;
    arm64) ln -s libc.so "$work/ld-musl-aarch64.so.1" ;;
    *) fail "shared musl $name: unknown architecture $architecture, expected amd64 or arm64" ;;
  esac
  printf '%s\n' "$sha" >"$work/.stamp"
  rm -rf "${shared:?}/$name"
  mv "$work" "$shared/$name"
done < <(grep -v '^#' "$lock")
