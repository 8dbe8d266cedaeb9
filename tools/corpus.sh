#!/usr/bin/env bash
# Gets the public packages that the tests of `inspect` look into (tools/corpus.txt), each with its
# registry's own client, into target/tools/corpus/, about 330 MB.  Every file is held against its
# SHA-256; one that is there already is not got again.  Debian packages are unpacked beside.
#
# tools/corpus.sh LIST…: those of other lists, as tools/corpus-all.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ $# != 0 ]] || set -- tools/corpus.txt
corpus=$PWD/target/tools/corpus
mkdir -p "$corpus"
work=$(mktemp -d "$corpus/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
list=$work/list
grep -hv '^#' "$@" >"$list"

is_there() { # FILE SHA256
  [[ -f $corpus/$1 ]] && sha256sum --quiet --check - <<<"$2  $corpus/$1" >/dev/null 2>&1
}

keep() { # PATH FILE SHA256
  if ! sha256sum --quiet --check - <<<"$3  $1" >/dev/null 2>&1; then
    printf '%s: its SHA-256 is not %s of the list\n' "$2" "$3" >&2
    return 1
  fi
  mv "$1" "$corpus/$2"
}

get_pypi() { # PACKAGE VERSION FILE
  local tags=${3%.whl} platform arguments=()
  # NAME-VERSION-PYTHON-ABI-PLATFORM[.PLATFORM…]
  for platform in $(tr . ' ' <<<"${tags##*-}"); do arguments+=(--platform "$platform"); done
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --implementation cp --python-version 312 "${arguments[@]}" --dest . "$1==$2"
}

get_npm() { npm pack --silent "$1@$2" >/dev/null; }

get_deb() { apt-get download -qq -o APT::Sandbox::User=root "$1=$2"; }

get_crate() {
  mkdir -p src
  touch src/lib.rs
  printf '[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\n%s = "=%s"\n' "$1" "$2" >Cargo.toml
  cargo fetch --quiet
  cp "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$3" .
}

# A client takes longer to begin than to get a file: so each gets many at once.  What does not come in this way is asked for
# alone, below, and what failed is said there.
many_npm() { # LIST FOLDER
  local packages
  mapfile -t packages < <(awk '{ print $2 "@" $3 }' "$1")
  (cd "$2" && npm pack --silent "${packages[@]}") >/dev/null 2>&1
}

many_deb() { # LIST FOLDER
  local packages
  mapfile -t packages < <(awk '{ print $2 "=" $3 }' "$1")
  (cd "$2" && apt-get download -qq -o APT::Sandbox::User=root "${packages[@]}") >/dev/null 2>&1
}

# pip gets one file of a package at a time, chosen by its hash: whatever the n-th file of any package is.
many_pypi() { # LIST FOLDER
  local turn platform arguments
  awk -v folder="$2" '{ print $2 "==" $3 " --hash=sha256:" $5 >(folder "/" ++n[$2] ".txt") }' "$1"
  for turn in "$2"/*.txt; do
    arguments=()
    for platform in $(sed -n 's/.*-\([^ -]*\)\.whl .*/\1/p' "$1" | tr . '\n' | sort -u); do arguments+=(--platform "$platform"); done
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
      --implementation cp --python-version 312 "${arguments[@]}" --dest "$2" -r "$turn" >/dev/null 2>&1 ||
      printf 'pip does not get all at once of %s\n' "$(paste -sd ' ' "$turn")"
  done
}

many_crate() { :; }

get_all() { # REGISTRY
  local registry package version file hash status=0 many=$work/many-$1
  mkdir "$many"
  while read -r registry package version file hash; do
    if [[ $registry == "$1" ]] && ! is_there "$file" "$hash"; then printf '%s\n' "$registry $package $version $file $hash"; fi
  done <"$list" | sort -u >"$many.list"
  [[ ! -s $many.list ]] || "many_$1" "$many.list" "$many" || printf '%s: one at a time\n' "$1"
  while read -r registry package version file hash; do
    local folder=$work/$file
    mkdir "$folder"
    if [[ -f $many/$file ]]; then mv "$many/$file" "$folder/"; fi
    if { [[ ! -f $folder/$file ]] && ! (cd "$folder" && "get_$registry" "$package" "$version" "$file"); } ||
      ! keep "$folder/$file" "$file" "$hash"; then
      printf 'cannot get %s %s from %s\n' "$package" "$version" "$registry" >&2
      status=1
    fi
  done <"$many.list"
  return "$status"
}

jobs=()
for registry in pypi npm deb crate; do
  get_all "$registry" &
  jobs+=("$!")
done
status=0
for job in "${jobs[@]}"; do wait "$job" || status=1; done

for package in "$corpus"/*.deb; do
  [[ -d ${package%.deb} ]] && continue
  rm -rf "$work/unpacked"
  dpkg-deb -x "$package" "$work/unpacked"
  mv "$work/unpacked" "${package%.deb}"
done
exit "$status"
