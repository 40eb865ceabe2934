#!/usr/bin/env bash
# Threads: finds, shrinks and replays the bug of each program of scenarios/programs/threads, and runs
# the programs without it under many seeds.  Usage: demo_threads.sh PATH_OF_ORRERY [SEEDS]
# Fails when a bug is not found, a replay differs, or an answer is not the native one.
set -euo pipefail
orrery=$(realpath "$1")
seeds=${2:-1000}
programs=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../scenarios/programs/threads")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export CC="$orrery cc" CXX="$orrery c++"

# NAME KIND FLAGS: pure data races need a detector, the others only schedules.
bugs=(
  'bank deadlock'
  'lu data_race --detect fasttrack'
  'fft data_race --detect fasttrack'
  'ocean data_race --detect fasttrack'
  'radix deadlock'
  'steal assertion'
  'pool assertion'
  'nbody data_race --detect fasttrack'
  'cache deadlock'
)
shown_in_full=bank

fail() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

# ends_with STATUS FILE COMMAND...: the command's output on both streams goes to FILE.
ends_with() {
  local wanted=$1 file=$2 status=0
  shift 2
  "$@" >"$file" 2>&1 </dev/null || status=$?
  ((status == wanted)) && return
  cat "$file" >&2
  fail "'${*/#$orrery/orrery}' ended with status $status, not $wanted"
}

# field NAME FILE: the number, or text, of a field of the outermost JSON object.
field() { sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$2" | head -1; }

# find_bug NAME KIND [FLAGS...]: a line of the table.
find_bug() {
  local name=$1 kind=$2
  shift 2
  ends_with 0 build.txt "$programs/build.sh" "$name" "$name-bug" -DBUG
  ends_with 1 found.json "$orrery" explore --json --no-shrink --runs 20000 --step-limit 20000 "$@" -o bug.orr "./$name-bug"
  # A run that no assertion stops may come to a wrong answer, which the program notices itself.
  [[ $kind == assertion ]] && grep -q '"kind": "exit"' found.json && kind=exit
  grep -q "\"kind\": \"$kind\"" found.json || { cat found.json && fail "$name has no $kind"; }
  ends_with 1 small.txt "$orrery" shrink bug.orr -o small.orr
  ends_with 1 replay-1.txt "$orrery" replay small.orr
  ends_with 1 replay-2.txt "$orrery" replay small.orr
  cmp replay-1.txt replay-2.txt || fail "two replays of $name differ"
  printf '%-6s  %-9s  %-18s  %6s  %7s  %7s\n' "$name" "$kind" "${*:-switches alone}" \
    "$(field runs found.json)" "$(stat -c %s bug.orr)" "$(stat -c %s small.orr)"
}

# run_mended NAME: the native answer, under all seeds.
run_mended() {
  local name=$1 start=$SECONDS
  ends_with 0 build.txt "$programs/build.sh" "$name" "$name"
  ends_with 0 native.txt "./$name"
  ends_with 0 clean.json "$orrery" explore --json --runs "$seeds" --expect-output native.txt "./$name"
  [[ $(field runs clean.json) == "$seeds" ]] || fail "$name was not run $seeds times"
  printf '%-6s  %6s  %3s s  %s\n' "$name" "$seeds" "$((SECONDS - start))" "$(head -1 native.txt)"
}

printf 'The programs: %s\n\n' "$programs"
printf '$ CC="orrery cc" build.sh %s app -DBUG\n$ orrery explore -o bug.orr ./app\n' "$shown_in_full"
ends_with 0 build.txt "$programs/build.sh" "$shown_in_full" app -DBUG
ends_with 1 full.txt "$orrery" explore --runs 20000 -o bug.orr ./app
cat full.txt

printf '\nEach bug: found, made small, replayed twice alike\n\n'
printf '%-6s  %-9s  %-18s  %6s  %7s  %7s\n' '' kind by runs 'log, B' 'small, B'
for bug in "${bugs[@]}"; do
  # shellcheck disable=SC2086  # words
  find_bug $bug
done

printf '\nWithout the bugs: the native answer under each seed\n\n'
printf '%-6s  %6s  %5s  %s\n' '' seeds time answer
for bug in "${bugs[@]}"; do run_mended "${bug%% *}"; done
