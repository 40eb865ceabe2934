#!/usr/bin/env bash
# The main job, from a C program to a replayed bug.  Usage: demo.sh PATH_OF_ORRERY
# Fails when any of it does not happen: no finding, no smaller run, or replays that differ.
set -euo pipefail
orrery=$(realpath "$1")
program=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../scenarios/mpi/wildcard_race/buggy.c")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$program" "$work/"
cd "$work"

fail() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

# expect STATUS COMMAND...: shows a command, runs it, and insists on its exit status.
expect() {
  local wanted=$1 status=0
  shift
  printf '\n$ %s\n' "${*/#$orrery/orrery}"
  "$@" </dev/null || status=$?
  ((status == wanted)) || fail "'${*/#$orrery/orrery}' ended with status $status, not $wanted"
}

# replay FILE: what one replay prints, on both streams.
replay() {
  local status=0
  "$orrery" replay small.orr >"$1" 2>&1 </dev/null || status=$?
  ((status == 1)) || { cat "$1"; fail "the replay ended with status $status, not 1"; }
}

printf 'The program: %s\n' "$program"
expect 0 "$orrery" cc -g -o app buggy.c
expect 1 "$orrery" explore -n 4 --runs 10000 -o bug.orr ./app | tee explore.txt
grep -qE 'buggy\.c:[0-9]+' explore.txt || fail "the finding names no source line"
expect 1 "$orrery" shrink bug.orr -o small.orr
[[ -s small.orr ]] || fail "shrink left no small.orr"

printf '\n$ orrery replay small.orr\n'
replay replay-1.txt
cat replay-1.txt
for again in 2 3; do
  replay "replay-$again.txt"
  cmp replay-1.txt "replay-$again.txt" || fail "replay $again differs from the first"
done
printf '\nThree replays, the same %s bytes each.\n' "$(wc -c <replay-1.txt)"

expect 0 "$orrery" show --timeline small.orr | tee timeline.txt
(($(wc -l <timeline.txt) > 3)) || fail "the timeline is empty"
printf '\nbug.orr %s bytes, small.orr %s bytes\n' "$(wc -c <bug.orr)" "$(wc -c <small.orr)"
