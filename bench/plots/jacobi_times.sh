#!/usr/bin/env bash
# Draws the picture of README.md: how long the MPI Jacobi of scenarios/mpi takes on several networks.
#   usage: jacobi_times.sh BIN_DIR OUT.svg     (BIN_DIR: where orrery and orrery_plots are)
set -euo pipefail
bin=$(cd "$1" && pwd) out=$(realpath "$2")
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$bin/orrery" cc -o jacobi "$source_dir/scenarios/mpi/jacobi/jacobi.c"
{
  echo 'network,8 ranks'
  for network in ethernet-1g myrinet-pci64b myrinet-pcixd myrinet-pcixe; do
    "$bin/orrery" run --json -n 8 --platform "$network" ./jacobi |
      sed -n "s/^  \"virtual_time_ns\": \([0-9]*\),$/$network \1/p" |
      awk '{ printf "%s,%.3f\n", $1, $2 / 1e6 }'
  done
} >times.csv
[[ $(wc -l <times.csv) == 5 ]] || { echo "jacobi_times.sh: a run gave no time" >&2; exit 1; }
"$bin/orrery_plots" --bars 'MPI Jacobi, 8 ranks, 40 steps: time for messages' 'milliseconds' \
  "$out" <times.csv
cat times.csv
