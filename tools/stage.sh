#!/usr/bin/env bash
# How long each stage of `make test` takes, for whoever waits for it.
#
# tools/stage.sh NAME COMMAND…        runs COMMAND and notes its wall and processor time
# tools/stage.sh --cargo COMMAND…     the same for `cargo test`: one stage for each program of tests
# tools/stage.sh --table              prints what was noted since --begin, and the sum
# tools/stage.sh --begin              forgets what was noted before
set -euo pipefail
cd "$(dirname "$0")/.."
notes=target/stages.tsv
mkdir -p target

case ${1:?usage: tools/stage.sh NAME COMMAND…} in
--begin)
  date +%s >target/stages.begin
  : >"$notes"
  ;;
--table)
  [[ -s $notes && -s target/stages.begin ]] || exit 0
  printf '\n%-44s %9s %13s\n' stage 'wall (s)' 'processor (s)'
  awk -F '\t' '$2 >= 1 { printf "%-44s %9.0f %13s\n", $1, $2, $3 == "-" ? "-" : sprintf("%.0f", $3); sum += $3 == "-" ? 0 : $3 }' "$notes"
  printf '%-44s %9d\n' 'all, some stages beside others' $(($(date +%s) - $(cat target/stages.begin)))
  ;;
--cargo)
  shift
  # `Running NAME` and `Doc-tests NAME` stand before each program's own lines.
  "$@" 2>&1 | awk -v notes="$notes" '
    function now(  t) { "date +%s" | getline t; close("date +%s"); return t }
    function note() { if (name != "") printf "%s\t%d\t-\n", name, now() - begun >>notes }
    /^ +(Running|Doc-tests) / { note(); name = $0; sub(/^ +/, "", name); sub(/ \(.*/, "", name)
      if (match($0, /deps\/[a-z_]+/)) name = substr($0, RSTART + 5, RLENGTH - 5) substr(name, 8); begun = now() }
    { print; fflush() }
    END { note() }'
  ;;
*)
  name=$1
  shift
  status=0
  TIMEFORMAT='%R %U %S'
  # The time of the command alone goes to a file of its own; the command keeps its standard error.
  times=$(mktemp)
  { time "$@" 2>&3 || status=$?; } 3>&2 2>"$times"
  read -r wall user system < <(tail -n 1 "$times")
  rm -f "$times"
  printf '%s\t%s\t%s\n' "$name" "$wall" "$(awk "BEGIN { print $user + $system }")" >>"$notes"
  exit "$status"
  ;;
esac
