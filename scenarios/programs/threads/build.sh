#!/usr/bin/env bash
# Builds one of these programs: build.sh NAME OUTPUT [FLAGS...]; -DBUG among them for its bug.
# CC and CXX may be "orrery cc" and "orrery c++", as in other builds.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# >= 2)) || { sed -n 's/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
name=$1 output=$2
shift 2
[[ -f $here/$name/README.md ]] || { echo "build.sh: there is no program '$name'" >&2 && exit 2; }

# CC may be several words, as in make.
if compgen -G "$here/$name/*.c" >/dev/null; then
  read -ra compiler <<<"${CC:-cc} -std=gnu11"
  sources=("$here/$name"/*.c)
else
  read -ra compiler <<<"${CXX:-c++} -std=c++20"
  sources=("$here/$name"/*.cpp)
fi
exec "${compiler[@]}" -O2 -g -pthread "$@" "${sources[@]}" -o "$output" -lm
