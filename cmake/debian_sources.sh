# For debian.sh and debian_mpi.sh: Debian's sources, fetched once and compared with their sums.
# They set `directory`, where all of it goes.
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

fail() {
  printf 'debian: %s\n' "$*" >&2
  exit 1
}

# quietly LOG COMMAND...
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  tail -20 "$log" >&2
  fail "'$*' failed; all of it: $log"
}

fetch() { # FILE SHA256: the archive's path
  local archive
  archive=$directory/$(basename "$1")
  if [[ ! -e $archive ]]; then
    curl --silent --show-error --fail --location --output "$archive.part" "$mirror/pool/main/$1" ||
      fail "$mirror/pool/main/$1 cannot be fetched"
    mv "$archive.part" "$archive"
  fi
  echo "$2  $archive" | sha256sum --check --quiet - >&2 || fail "$archive is not what Debian has"
  echo "$archive"
}

build() { # NAME ARCHIVE: in the working directory, by `build_NAME`
  [[ -e built ]] && return
  # Time stamps as they are, so that nothing asks for autoconf.
  tar --extract --strip-components=1 --file "$2" && ("build_$1") && touch built
}
