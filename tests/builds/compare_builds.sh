#!/usr/bin/env bash
# All builds must make the same logs and timelines of all scenarios, byte for byte: this one, gcc
# and clang, Debug and Release, AddressSanitizer, and with addresses that are not random.
#
# usage: compare_builds.sh SOURCE_DIR TOOL WORK_DIR
#   TOOL      orrery_scenario_logs of the present build, with which the others are compared
#   WORK_DIR  where the other builds and all outputs go; kept, so that the next time is quick
set -euo pipefail
source_dir=$1 tool=$2 work=$3

say() { printf -- '-- %s\n' "$*"; }
fail() {
  printf 'compare_builds: %s\n' "$*" >&2
  exit 1
}

launchers=()
if command -v ccache >/dev/null; then
  launchers=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

# build NAME CC CXX CMAKE_ARGS...: that build's tool, in WORK_DIR/NAME/bin.
build() {
  local name=$1 cc=$2 cxx=$3 dir=$work/$1
  shift 3
  mkdir -p "$dir"
  if ! { cmake -G Ninja -S "$source_dir" -B "$dir" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" -DORRERY_BUILD_BENCH=OFF \
    -DORRERY_WARNINGS_AS_ERRORS=OFF "${launchers[@]}" "$@" &&
    cmake --build "$dir" --parallel 2 --target orrery_scenario_logs; } >"$dir/build.log" 2>&1; then
    cat "$dir/build.log" >&2
    fail "the build $name failed"
  fi
}

# run NAME COMMAND...: fills WORK_DIR/out/NAME.
run() {
  local name=$1
  shift
  if ! "$@" "$work/out/$name" >"$work/out/$name.txt" 2>&1 </dev/null; then
    cat "$work/out/$name.txt" >&2
    fail "$name: '$*' failed"
  fi
  # A tool that says something (a sanitizer that recovers, say) is no clean run either.
  [[ ! -s $work/out/$name.txt ]] || { cat "$work/out/$name.txt" >&2; fail "$name is not silent"; }
}

# compare NAME: all its files with those of the present build.
compare() {
  local name=$1 differing
  differing=$(diff -rq "$work/out/present" "$work/out/$name" | LC_ALL=C sort || true)
  if [[ -z $differing ]]; then
    say "$name: the same $files files, byte for byte"
    return
  fi
  say "$name: $(wc -l <<<"$differing") of $files files differ; the first:"
  head -n 1 <<<"$differing"
  show_first_difference "$name"
  failed=1
}

# The first timeline that differs shows more than bytes do.
show_first_difference() {
  local file
  for file in "$work"/out/present/*.timeline; do
    file=${file##*/}
    cmp -s "$work/out/present/$file" "$work/out/$1/$file" && continue
    diff -u --label "present/$file" --label "$1/$file" "$work/out/present/$file" \
      "$work/out/$1/$file" | head -n 20 || true
    return
  done
}

rm -rf "$work/out"
mkdir -p "$work/out"
run present "$tool"
files=$(find "$work/out/present" -type f | wc -l)
((files > 0)) || fail "the present build wrote nothing"
failed=0

# Two builds that differ in all from each other: where they differ, a third says in what.  Nobody
# debugs them: without debug information they take a good part less time.
asan='-fsanitize=address -fno-omit-frame-pointer'
build gcc-debug-asan gcc g++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-g0 \
  -DCMAKE_C_FLAGS="$asan" -DCMAKE_CXX_FLAGS="$asan"
run gcc-debug-asan env ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 \
  "$work/gcc-debug-asan/bin/orrery_scenario_logs"
compare gcc-debug-asan
release=clang cxx=clang++
if ! command -v clang++ >/dev/null; then
  say "clang: skipped, there is no clang++ here"
  release=gcc cxx=g++
fi
build $release-release $release "$cxx" -DCMAKE_BUILD_TYPE=Release
run $release-release "$work/$release-release/bin/orrery_scenario_logs"
compare $release-release
# Containers may forbid the system call personality.
if setarch -R true 2>/dev/null; then
  run fixed-addresses setarch -R "$tool"
  compare fixed-addresses
else
  say "fixed-addresses: skipped, 'setarch -R' is forbidden here"
fi
((failed == 0)) || fail "not all builds make the same logs and timelines"
