#!/usr/bin/env bash
# Builds one of these programs: build.sh NAME OUTPUT [FLAGS...].
# CC and CXX are mpicc and mpicxx unless set; "orrery cc" and "orrery c++", or SimGrid's smpicc and
# smpicxx will do.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# >= 2)) || { sed -n 's/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
name=$1 output=$2
shift 2
[[ -f $here/$name/README.md ]] || { echo "build.sh: there is no program '$name'" >&2 && exit 2; }

# CC may be several words, as in make.
if compgen -G "$here/$name/*.c" >/dev/null; then
  read -ra compiler <<<"${CC:-mpicc} -std=gnu11"
  sources=("$here/$name"/*.c)
else
  read -ra compiler <<<"${CXX:-mpicxx} -std=c++20"
  sources=("$here/$name"/*.cpp)
fi
exec "${compiler[@]}" -O2 -g "$@" "${sources[@]}" -o "$output" -lm
