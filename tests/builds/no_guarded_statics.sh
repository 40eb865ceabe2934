#!/usr/bin/env bash
# The library that is preloaded into programs of threads stands in front of the function by which
# compilers guard static variables, so its own have no guards.  One that is initialised when it is
# first come to would be found half made by a second thread.
#
# usage: no_guarded_statics.sh NM LIBRARY
set -euo pipefail
symbols=$("$1" "$2")
if ! grep -q 'on_hardware4next' <<<"$symbols"; then
  echo "no_guarded_statics: $2 has no symbols to look at" >&2
  exit 1
fi
# The C++ library in it is built with guards.
guards=$(grep -E ' _ZGV' <<<"$symbols" | grep -vE ' _ZGVZ?(NK?)?(St|Sa|9__gnu_cxx|12_GLOBAL__N_1L?[0-9]+get_locale_)' || true)
if [[ -n $guards ]]; then
  echo "no_guarded_statics: these are initialised when they are first come to, by several threads at once:" >&2
  sed 's/.* _ZGV/_ZGV/' <<<"$guards" | c++filt >&2
  exit 1
fi
