#!/usr/bin/env bash
# Threaded programs as Debian ships their sources, unchanged: fetches and builds them with the compilers of
# `orrery cc`, and has them compress and decompress under many schedules.
# Usage: debian.sh PATH_OF_ORRERY [--runs N] [--compiler gcc|clang] [--directory DIR] [NAME...]
# Fails when a build does, or when a byte differs from what the program itself writes on real threads.
set -euo pipefail
orrery=$(realpath "$1")
shift
runs=100
compilers=(gcc clang)
directory=${TMPDIR:-/tmp}/orrery-debian

# NAME FILE SHA256, as the .dsc files of Debian's source packages have them.
sources=(
  'pigz p/pigz/pigz_2.8.orig.tar.xz bec34f9d61e28b9b069da9efd53e73d22cd207a4798ed664832dc9b17aa486aa'
  'pbzip2 p/pbzip2/pbzip2_1.1.13.orig.tar.gz bca3d7b50e4e5f963c82cb9626bb72e4062d83bc2b8b028eee22efdcda972b9b'
  'xz x/xz-utils/xz-utils_5.4.1.orig.tar.xz 5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5'
  'zstd libz/libzstd/libzstd_1.5.4+dfsg2.orig.tar.xz 8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953'
)

# shellcheck source=cmake/debian_sources.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_sources.sh"

# Each in its own way: makefiles in C and C++, autoconf with libtool and a shared library, CMake
# with a shared library and programs in C and C++.
build_pigz() { make -j2 CC="$CC" CFLAGS='-O2 -g' pigz; }
# Its format strings are of before C++11, which clang refuses.
build_pbzip2() { make -j2 CXX="$CXX" CXXFLAGS='-O2 -g -std=gnu++98' pbzip2; }
build_xz() { ./configure --disable-nls --disable-doc --disable-static && make -j2; }
build_zstd() {
  cmake -S build/cmake -B b -DCMAKE_BUILD_TYPE=RelWithDebInfo -DZSTD_BUILD_CONTRIB=ON \
    -DZSTD_PROGRAMS_LINK_SHARED=ON && make -j2 -C b zstd pzstd
}

# NAME PROGRAM FLAGS: how each works on several threads.  Decompression is `-d`.
commands=(
  'pigz pigz -p3 -b128'
  'pbzip2 pbzip2 -p3 -b1 -q'
  'xz src/xz/.libs/xz -T3 --block-size=128KiB'
  'zstd b/programs/zstd -q -T3 -B512KB'
  'zstd b/contrib/pzstd/pzstd -q -p3'
)

seconds() { awk -v begin="$1" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - begin }'; }

# explore WANTED FLAGS... COMMAND...: the output is WANTED under each schedule.
explore() {
  local wanted=$1 begin=$EPOCHREALTIME status=0
  shift
  "$orrery" explore --runs "$runs" --expect-output "$wanted" -o found.orr "$@" >explored.txt 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    cat explored.txt >&2
    fail "'orrery explore $*' ended with status $status (in $PWD)"
  fi
  seconds "$begin"
}

# Races are findings in the program, not failures of this script.
races() { # FLAGS... COMMAND...
  local status=0
  "$orrery" run --detect fasttrack "$@" >/dev/null 2>races.txt </dev/null || status=$?
  case $status in
    0) echo none ;;
    1) sed -n '/data race/p' races.txt | head -1 ;;
    *) cat races.txt >&2 && fail "'orrery run --detect fasttrack $*' ended with status $status" ;;
  esac
}

try() { # COMPILER NAME PROGRAM FLAGS...: a line of the table
  local compiler=$1 program=$3 compressing decompressing
  local command=("./$3" "${@:4}")
  # Natively, as built by orrery cc.
  "${command[@]}" -c "$input" >native.compressed </dev/null
  "${command[@]}" -d -c <native.compressed | cmp - "$input" || fail "$PWD/$program does not work natively"
  cp native.compressed "packed.$(suffix "$program")"
  compressing=$(explore native.compressed "${command[@]}" -c "$input")
  decompressing=$(explore "$input" "${command[@]}" -d -c "packed.$(suffix "$program")")
  printf '%-6s  %-6s  %5s  %10s  %12s  %s\n' "$(basename "$program")" "$compiler" "$runs" \
    "$compressing s" "$decompressing s" "$(races "${command[@]}" -c "$input")"
}

suffix() {
  case $(basename "$1") in
    pigz) echo gz ;;
    pbzip2) echo bz2 ;;
    xz) echo xz ;;
    *) echo zst ;;
  esac
}

names=()
while (($#)); do
  case $1 in
    --runs) runs=$2 && shift ;;
    --compiler) compilers=("$2") && shift ;;
    --directory) directory=$2 && shift ;;
    -*) fail "there is no flag '$1' (one of: --runs, --compiler, --directory)" ;;
    *) names+=("$1") ;;
  esac
  shift
done
mkdir -p "$directory"
directory=$(realpath "$directory")
input=$directory/input.txt
# Half a megabyte that neither packs to nothing nor stays as it is.
awk 'BEGIN { for (i = 1; i <= 30000; ++i) printf "line %d %d\n", i, i * 7919 % 10007 }' >"$input"
export CC="$orrery cc" CXX="$orrery c++"

printf '%-6s  %-6s  %5s  %10s  %12s  %s\n' '' by runs compress decompress 'races (one run)'
for compiler in "${compilers[@]}"; do
  case $compiler in
    gcc) export ORRERY_CC=gcc ORRERY_CXX=g++ ;;
    clang) export ORRERY_CC=clang ORRERY_CXX=clang++ ;;
    *) fail "there is no compiler '$compiler' (one of: gcc, clang)" ;;
  esac
  for source in "${sources[@]}"; do
    read -r name file sum <<<"$source"
    ((${#names[@]} == 0)) || [[ " ${names[*]} " == *" $name "* ]] || continue
    archive=$(fetch "$file" "$sum")
    mkdir -p "$directory/$compiler/$name"
    cd "$directory/$compiler/$name"
    quietly build.log build "$name" "$archive"
    export LD_LIBRARY_PATH=$PWD/src/liblzma/.libs:$PWD/b/lib
    for command in "${commands[@]}"; do
      # shellcheck disable=SC2086  # words
      [[ $command == "$name "* ]] && try "$compiler" $command
    done
    unset LD_LIBRARY_PATH
  done
done
