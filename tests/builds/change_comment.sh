#!/usr/bin/env bash
# A comment that changes in a precompiled header, and a fresh build beside the old one's cache: as
# continuous integration builds.  A precompiled header of before the change is not good any more
# (gcc knows a `#pragma once` file again by its content), so the settings that `dev` gives to ccache
# must not let it be found.
#
# usage: change_comment.sh SOURCE_DIR CXX WORK_DIR
set -euo pipefail
source_dir=$1 cxx=$2 work=$3

if ! command -v ccache >/dev/null; then
  echo "no ccache here: nothing to compare"
  exit 77
fi
eval "$(grep '^export CCACHE_' "$source_dir/dev")"
rm -rf "$work"
mkdir -p "$work/source"
export CCACHE_DIR=$work/cache

cat >"$work/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(comment LANGUAGES CXX)
add_library(comment STATIC library.cpp)
target_precompile_headers(comment PRIVATE "${PROJECT_SOURCE_DIR}/outer.hpp")
target_compile_options(comment PRIVATE
                       $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
END
printf '#pragma once\n#include "inner.hpp"\n' >"$work/source/outer.hpp"

# build VALUE COMMENT: a fresh build, of another source (VALUE), with COMMENT in the inner header.
build() {
  printf '#pragma once\n/// %s\nstruct Inner {};\n' "$2" >"$work/source/inner.hpp"
  printf '#include "inner.hpp"\nint value(Inner) { return %s; }\n' "$1" >"$work/source/library.cpp"
  # What is as new as the compilation is not trusted by ccache.
  touch -d '1 hour ago' "$work/source"/*
  rm -rf "$work/build"
  if ! { cmake -G Ninja -S "$work/source" -B "$work/build" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache &&
    cmake --build "$work/build"; } >"$work/build.log" 2>&1; then
    cat "$work/build.log" >&2
    echo "change_comment: the build with the comment '$2' failed" >&2
    exit 1
  fi
}

build 1 "What it is."
build 2 "Said in other words."
build 3 "What it is."
build 2 "Said in other words."
# It is still a cache: of the last two builds, all that came back is found.
ccache --show-stats
hits=$(ccache --print-stats | awk '$1 == "direct_cache_hit" { print $2 }')
if ((hits < 3)); then
  echo "change_comment: of three files that came back ccache found $hits" >&2
  exit 1
fi
