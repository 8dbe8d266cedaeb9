#!/usr/bin/env bash
# How long each stage of `make test` takes, for whoever waits for it.
#
# tools/stage.sh NAME COMMAND…        runs COMMAND and notes its wall and processor time
# tools/stage.sh --cargo COMMAND…     the same for `cargo test`: one stage for each program of tests
# tools/stage.sh --table              prints what was noted since --begin, and a line of totals
# tools/stage.sh --failures           prints again what failing tests said, so that it stands last
# tools/stage.sh --begin              forgets what was noted before
set -euo pipefail
cd "$(dirname "$0")/.."
notes=target/stages.tsv
failures=target/stages.failures
mkdir -p target

case ${1:?usage: tools/stage.sh NAME COMMAND…} in
--begin)
  date +%s >target/stages.begin
  : >"$notes"
  : >"$failures"
  ;;
--failures)
  [[ ! -s $failures ]] || { printf '\nwhat failed:\n'; cat "$failures"; }
  ;;
--table)
  [[ -s $notes && -s target/stages.begin ]] || exit 0
  printf '\n%-44s %9s %13s\n' stage 'wall (s)' 'processor (s)'
  awk -F '\t' -v all="$(($(date +%s) - $(cat target/stages.begin)))" -v processors="$(nproc)" '
    $2 >= 1 { printf "%-44s %9.0f %13s\n", substr($1, 1, 44), $2, $3 == "-" ? "-" : sprintf("%.0f", $3) }
    $3 != "-" { sum += $3 }
    END { printf "%-44s %9d %13.0f   %d:%02d min on %d processors, some stages beside others\n",
      "total", all, sum, all / 60, all % 60, processors }' "$notes"
  ;;
--cargo)
  shift
  # `Running NAME` and `Doc-tests NAME` stand before each program's own lines.  The processor time is of all together.
  TIMEFORMAT='%R %U %S'
  times=$(mktemp)
  status=0
  # mawk reads a pipe by blocks unless it is told otherwise: then lines get the time of later ones.
  awk=(awk)
  [[ $(awk -W version 2>&1 </dev/null) != mawk* ]] || awk=(awk -W interactive)
  # A test that does not end is stopped, with what it started, and told by its name.
  { time timeout 45m "$@" 2>&1; } 2>"$times" | "${awk[@]}" -v notes="$notes" -v failures="$failures" '
    function now(  t) { "date +%s" | getline t; close("date +%s"); return t }
    function note() { if (name != "") printf "  %s\t%d\t-\n", name, now() - begun >>notes }
    /^ +(Running|Doc-tests) / { note(); name = $0; sub(/^ +/, "", name); sub(/ \(.*/, "", name)
      if (match($0, /deps\/[a-z_]+/)) name = substr($0, RSTART + 5, RLENGTH - 5) substr(name, 8); begun = now() }
    { print; fflush() }
    # From the heading to the result: what each failing test said, then their names.
    /^failures:$/ { if (!failing) print name >>failures; failing = 1 }
    failing { print substr($0, 1, 500) >>failures; fflush(failures) }
    /^test result: / { failing = 0 }
    / has been running for over 60 seconds$/ { slow[$2] = name }
    /^test .* \.\.\. / { delete slow[$2] }
    END { note(); for (test in slow) print slow[test] ": " test " did not end" >>failures }' || status=$?
  read -r wall user system < <(tail -n 1 "$times")
  rm -f "$times"
  printf '%s\t%s\t%s\n' "$*" "$wall" "$(awk "BEGIN { print $user + $system }")" >>"$notes"
  exit "$status"
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
