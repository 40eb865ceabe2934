#!/usr/bin/env bash
# MPI programs, and MPI's own tests, as Debian ships their sources, unchanged: fetches them, builds them by their
# own build systems in the environment of `orrery env`, and compares what they give with what the same executables
# give under Debian's mpirun, or with what they say of themselves.
# Usage: debian_mpi.sh PATH_OF_ORRERY [--directory DIR] [NAME...]
# Fails when a build does, or an answer is another one, or a test of MPICH's does not do what debian_mpich.known says.
set -euo pipefail
orrery=$(realpath "$1")
shift
directory=${TMPDIR:-/tmp}/orrery-debian
# shellcheck source=cmake/debian_sources.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_sources.sh"
# shellcheck source=cmake/debian_mpich.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_mpich.sh"

# NAME FILE SHA256, as the .dsc files of Debian's source packages have them.
sources=(
  'netpipe n/netpipe/netpipe_3.7.2.orig.tar.gz 13dac884ff52951636f651c421f5ff4a853218a95aa28a4a852402ee385a2ab8'
  'ampliconnoise a/ampliconnoise/ampliconnoise_1.29.orig.tar.gz 0bf946806d77ecaf0994ad8ebf9a5e98ad33c809f6def5c9340a16c367918167'
  'examl e/examl/examl_3.0.22.orig.tar.gz 802e673b0c2ea83fdbe6b060048d83f22b6978933a04be64fb9b4334fe318ca3'
  'openmpi o/openmpi/openmpi_4.1.4.orig.tar.xz ddaee7dbdb01eb4fab1fda5b5e03e8bbff026711806c095c1f39bb410f99f263'
  'mpich m/mpich/mpich_4.0.2.orig.tar.xz b27039f964afeb6b8a3e009c56b441cbe368c26d6d6476ad3bb7190996875860'
)

build_netpipe() { make mpi mpi2; }
# The others want the GNU Scientific Library.
build_ampliconnoise() {
  local part
  for part in PyroDist PyroNoiseM SeqDist SeqNoise NDist; do make -C "$part" || return; done
}
build_examl() { make -C parser -f Makefile.SSE3.gcc && make -C examl -f Makefile.SSE3.gcc examl; }
build_openmpi() { make -C examples hello_c ring_c connectivity_c; }
say() { printf '%-14s  %s\n' "$1" "$2"; }

natively() { # RANKS PROGRAM ARGS...: under Debian's mpirun, with Debian's library
  timeout 300 /usr/bin/mpirun --allow-run-as-root --oversubscribe -n "$@" </dev/null
}

# alike NAME RANKS PROGRAM ARGS...: standard output, sorted by lines, is the same here and there.
alike() {
  local name=$1
  shift
  timeout 300 mpirun -n "$@" >here.txt 2>here.err </dev/null || {
    cat here.err >&2
    fail "$name: 'mpirun -n $*' fails (in $PWD)"
  }
  natively "$@" >there.txt 2>there.err || fail "$name: '$*' fails under Debian's mpirun (in $PWD)"
  cmp <(sort here.txt) <(sort there.txt) || fail "$name: another answer than under Debian's mpirun (in $PWD)"
}

try_netpipe() {
  local lines
  timeout 300 mpirun -n 2 ./NPmpi -i -l 1 -u 4096 >NPmpi.txt 2>&1 </dev/null ||
    fail "netpipe: NPmpi fails: $PWD/NPmpi.txt"
  lines=$(grep -c 'Integrity check passed' NPmpi.txt || true)
  ((lines > 20)) && ! grep -qi 'integrity check failed' NPmpi.txt ||
    fail "netpipe: NPmpi does not find what was sent: $PWD/NPmpi.txt"
  # Open MPI ends it, too: NULL is no MPI_Info.
  if mpirun -n 2 ./NPmpi2 -l 1 -u 64 >NPmpi2.txt 2>&1 </dev/null ||
    ! grep -q 'mpi2.c:162' NPmpi2.txt; then
    fail "netpipe: the wrong call in mpi2.c is not found: $PWD/NPmpi2.txt"
  fi
  say netpipe "NPmpi: $lines sizes of messages arrive as they were sent; NPmpi2: its wrong call is found"
}

try_ampliconnoise() {
  cd Test
  alike ampliconnoise 4 ../PyroDist/PyroDist -in C005.dat -out there
  [[ -s there.fdist ]] || fail "ampliconnoise: PyroDist writes nothing under Debian's mpirun (in $PWD)"
  ORRERY_RUN_FLAGS='--keep-files .' mpirun -n 4 ../PyroDist/PyroDist -in C005.dat -out here \
    >here.txt 2>&1 </dev/null
  cmp here.fdist there.fdist || fail "ampliconnoise: another answer than under Debian's mpirun (in $PWD)"
  say ampliconnoise "PyroDist, 4 ranks: the same distances as under Debian's mpirun"
}

try_examl() {
  cd testData
  ../parser/parse-examl -s 49 -m DNA -n 49 >/dev/null
  local where
  for where in here there; do
    rm -f ./ExaML_*."$where"
    if [[ $where == here ]]; then
      timeout 500 mpirun -n 3 ../examl/examl -t 49.tree -m GAMMA -s 49.binary -f e -n here >here.txt 2>&1 </dev/null ||
        fail "examl: fails: $PWD/here.txt"
    else
      natively 3 ../examl/examl -t 49.tree -m GAMMA -s 49.binary -f e -n there >there.txt 2>&1 ||
        fail "examl: fails under Debian's mpirun: $PWD/there.txt"
    fi
  done
  local likelihood
  likelihood=$(grep -oE 'Likelihood.*: -[0-9.]+' here.txt | head -1)
  [[ -n $likelihood && $likelihood == "$(grep -oE 'Likelihood.*: -[0-9.]+' there.txt | head -1)" ]] ||
    fail "examl: another likelihood than under Debian's mpirun (in $PWD)"
  say examl "3 ranks: $likelihood, as under Debian's mpirun"
}

try_openmpi() {
  cd examples
  alike openmpi 4 ./ring_c
  alike openmpi 4 ./connectivity_c
  timeout 60 mpirun -n 4 ./hello_c 2>&1 </dev/null | grep -c 'Hello, world, I am' | grep -qx 4 ||
    fail "openmpi: hello_c does not greet four times (in $PWD)"
  say openmpi 'ring_c and connectivity_c, 4 ranks: the same as under Debian'"'"'s mpirun; hello_c greets'
}

names=()
while (($#)); do
  case $1 in
    --directory) directory=$2 && shift ;;
    -*) fail "there is no flag '$1' (one of: --directory)" ;;
    *) names+=("$1") ;;
  esac
  shift
done
mkdir -p "$directory/mpi"
directory=$(realpath "$directory")
eval "$("$orrery" env)"

for source in "${sources[@]}"; do
  read -r name file sum <<<"$source"
  ((${#names[@]} == 0)) || [[ " ${names[*]} " == *" $name "* ]] || continue
  archive=$(fetch "$file" "$sum")
  mkdir -p "$directory/mpi/$name"
  cd "$directory/mpi/$name"
  quietly build.log build "$name" "$archive"
  ("try_$name")
done
