#!/usr/bin/env bash
# Random MPI programs and programs of threads x every recorder: recorded, in simulation and by real
# threads, and replayed elsewhere; and what the tight form keeps of small ones tried record by record.  Usage: campaign.sh PATH_OF_FUZZ_TESTS [--programs N]
# [--seed N] [--jobs N].  A line for each lot of programs that is done; status 1 where one fails.
set -euo pipefail
tests=$(realpath "$1")
shift
programs=10000
seed=$(date +%s)
jobs=$(nproc 2>/dev/null || echo 1)
lot=50

fail() {
  printf 'campaign: %s\n' "$*" >&2
  exit 2
}

while (($#)); do
  [[ $1 =~ ^--(programs|seed|jobs)$ ]] || fail "there is no option '$1' (there are --programs, --seed and --jobs)"
  [[ ${2:-} =~ ^[0-9]{1,15}$ ]] || fail "$1 takes a number, not '${2:-}'"
  declare "${1#--}=$((10#$2))"
  shift 2
done
((programs > 0 && jobs > 0)) || fail "--programs and --jobs begin at 1"

# try_lot FIRST COUNT
try_lot() {
  local out status=0 failed
  out=$(ORRERY_CAMPAIGN_SEED=$1 ORRERY_CAMPAIGN_PROGRAMS=$2 "$tests" '[campaign]' 2>&1 </dev/null) || status=$?
  if ((status == 0)); then
    printf 'seeds %d to %d: the same runs\n' "$1" $(($1 + $2 - 1))
    return
  fi
  failed=$(sed -n 's/^ *seed := \([0-9]*\)$/\1/p' <<<"$out" | sort -nu | head -n 1)
  printf '%s\nseeds %d to %d: FAILED; once more: ./dev campaign --seed %d --programs %d\n' \
    "$out" "$1" $(($1 + $2 - 1)) "${failed:-$1}" "$([[ -n $failed ]] && echo 1 || echo "$2")"
  return 1
}
export tests
export -f try_lot

printf 'campaign: %d programs from seed %d, a recorder\n' "$programs" "$seed"
status=0
for ((first = seed; first < seed + programs; first += lot)); do
  left=$((seed + programs - first))
  printf '%d %d\n' "$first" $((left < lot ? left : lot))
done | xargs -P "$jobs" -L 1 bash -c 'try_lot "$1" "$2"' _ || status=1
((status == 0)) && printf 'campaign: all are the same runs\n'
exit "$status"
