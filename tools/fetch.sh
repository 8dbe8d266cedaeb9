# Gets files of Debian's archive: sourced by tools/musls.sh and tools/rust-musl.sh, which set
#   lock       the file that pins what they get, below the repository's root
#   downloads  the folder that keeps it
#
# The files come from the mirror that the machine's own apt uses (with apt's proxies, by apt's own
# downloader, without any package lists: the lock says where in the pool they are), and each must have
# the SHA-256 of the lock.

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# The roots of the archives that the machine's apt knows for its own release.
mirrors() {
  local codename
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  apt-get update --print-uris 2>/dev/null |
    sed -n "s|^'\(.*/\)dists/$codename\(-security\)\?/InRelease' .*|\1|p" | sort -u
}

# fetch WHAT RELEASE FILE SHA256: prints where the file is.
fetch() {
  local what=$1 release=$2 file=$3 sha=$4
  local to=$downloads/${file##*/} mirror found log
  if ! sha256sum --status -c <<<"$sha  $to" 2>/dev/null; then
    found=$(mirrors)
    [[ $found ]] || fail "apt knows no archive for this machine's own release: /etc/apt/sources.list(.d) names none"
    log=
    for mirror in $found; do
      rm -f "$to"
      # Without the checksum, which is looked at below: apt would not say what it found instead.
      if log+=$(/usr/lib/apt/apt-helper -o APT::Sandbox::User=root -o Acquire::Retries=2 \
        download-file "$mirror$file" "$to.part" 2>&1); then
        mv "$to.part" "$to"
        break
      fi
      rm -f "$to.part"
    done
    [[ -f $to ]] || fail "$what: the mirror of this machine's apt does not have $file (of $release).
$log
If it answers otherwise, $release has another version by now, or has left the mirror: put the
version that it has, with its SHA-256, into $lock."
    found=$(sha256sum "$to")
    if [[ ${found%% *} != "$sha" ]]; then
      rm -f "$to"
      fail "$what: $file has SHA-256 ${found%% *}, expected $sha: not the file that $lock pins"
    fi
  fi
  printf '%s\n' "$to"
}
