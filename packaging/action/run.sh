#!/usr/bin/env bash
# The steps of action.yml.  Inputs come as variables, never as text of a script: nobody's branch name is a command.
#
#   run.sh install   puts INPUT_BRAWN, or the release INPUT_VERSION once its sum is right, on the path of later steps
#   run.sh patch     `brawn patch` of INPUT_PATCH
#   run.sh check     `brawn inspect --fail-on slow,mixed` of INPUT_CHECK, with a table in the job's summary
set -euo pipefail
fail() { printf '::error::%s\n' "$*"; exit 1; }

install() {
  local folder=$RUNNER_TEMP/brawn arch name releases
  mkdir -p "$folder"
  if [[ ${INPUT_BRAWN-} ]]; then
    [[ -x $INPUT_BRAWN ]] || fail "input brawn: found no program, expected one that can be run"
    cp -- "$INPUT_BRAWN" "$folder/brawn"
  else
    [[ ${INPUT_VERSION-} =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "input version: expected a release, as 0.1.0"
    case ${RUNNER_ARCH-} in
      X64) arch=x86_64 ;;
      ARM64) arch=aarch64 ;;
      *) fail "this runner is neither X64 nor ARM64: brawn has no release for it" ;;
    esac
    name=brawn-$INPUT_VERSION-$arch-unknown-linux-musl
    releases=${INPUT_RELEASES:-${GITHUB_SERVER_URL-}/${ACTION_REPOSITORY-}/releases/download}
    for file in "$name.tar.gz" SHA256SUMS; do
      curl -fsSL --retry 3 -o "$folder/$file" "$releases/v$INPUT_VERSION/$file" ||
        fail "$releases/v$INPUT_VERSION/$file: cannot get it"
    done
    grep "  $name.tar.gz\$" "$folder/SHA256SUMS" >"$folder/sum" || fail "SHA256SUMS: found no $name.tar.gz"
    (cd "$folder" && sha256sum --check --status sum) ||
      fail "$name.tar.gz: found another sum than SHA256SUMS has: it is not the release"
    tar -xzf "$folder/$name.tar.gz" -C "$folder" --strip-components=1
  fi
  "$folder/brawn" --version
  printf '%s\n' "$folder" >>"$GITHUB_PATH"
}

patch() {
  local words
  read -ra words <<<"${INPUT_PATCH:---rust}"
  brawn patch "${words[@]}"
}

check() {
  local paths=() path code=0
  # A path is a path, whatever it begins with.
  while IFS= read -r path; do
    if [[ $path ]]; then paths+=("$path"); fi
  done <<<"$INPUT_CHECK"
  local table=$RUNNER_TEMP/brawn.txt
  brawn inspect --fail-on slow,mixed -- "${paths[@]}" >"$table" || code=$?
  cat "$table"
  # brawn escapes what a name has of line breaks, so that no line but the last is three ticks.
  { printf '### brawn: heaps\n\n```text\n'; cat "$table"; printf '```\n'; } >>"$GITHUB_STEP_SUMMARY"
  case $code in
    0) ;;
    1) fail "a program has musl's slow heap, or two heaps: the job's summary says which, and what to do" ;;
    *) fail "brawn inspect: exit code $code" ;;
  esac
}

case ${1-} in
  install | patch | check) "$1" ;;
  *) fail "usage: run.sh install|patch|check" ;;
esac
