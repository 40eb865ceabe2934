# For debian_mpi.sh: MPICH's own tests in C, of what MPI 3.1 has.
#
# Every line of MPICH's lists is run, with its ranks and arguments; lines that differ in variables of MPICH's alone
# are one.  A test passes when it says what the lists want: "No Errors" and status 0, or another status.
# debian_mpich.known names those that cannot be built or do not pass, and why; what it does not name must pass, and
# what it names must not.
mpich_known=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/debian_mpich.known
mpich_folders=(attr coll comm datatype errhan group info init io pt2pt rma topo
  errors/{attr,coll,comm,datatype,group,io,pt2pt,rma,topo} threads/{coll,comm,init,pt2pt,rma})

build_mpich() {
  (cd test/mpi && ./configure --disable-fortran --disable-cxx --disable-dtpools --enable-strictmpi \
    --with-mpi="$MPI_HOME" && make -C util) || return
  local folder
  for folder in "${mpich_folders[@]}"; do
    # What cannot be built is seen when it is to be run.
    make -k -C "test/mpi/$folder" >"test/mpi/$folder/build.log" 2>&1 || true
  done
}

# Lines "PROGRAM RANKS RESULT ARGS..." of a folder's list.  What is not in the standard by the list's own word, and
# what needs many gigabytes, is left out.
mpich_tests() { # FOLDER
  awk '/^#/ || !NF || tolower($0) ~ /strict=false/ { next }
    { ranks = $2 ~ /^[0-9]+$/ ? $2 : 2; result = "-"; arguments = ""; gigabytes = 0
      for (i = 2; i <= NF; ++i) {
        if ($i ~ /^arg=/) arguments = arguments " " substr($i, 5)
        if ($i ~ /^resultTest=/) result = substr($i, 12)
        if ($i ~ /^mem=/) gigabytes = substr($i, 5)
      }
      line = $1 " " ranks " " result arguments
      if (gigabytes < 4 && !seen[line]++) print line }' "$1/testlist"
}

# Windows in common memory want one host.  Threads that spin on a mutex let no time pass: then what is to come must
# compete with them.
mpich_flags() { # FOLDER
  if [[ $1 == *rma ]]; then echo --platform constant:hosts=1; fi
  if [[ $1 == threads/* ]]; then echo --window inf; fi
}

passes_mpich() { # LOG FLAGS RESULT PROGRAM RANKS ARGS...: in the test's folder
  local log=$1 flags=$2 result=$3 program=$4 ranks=$5 status=0
  shift 5
  # shellcheck disable=SC2086 # several flags
  timeout 140 "$orrery" run -n "$ranks" $flags --step-limit 1000000000 --wall-limit 120s \
    "./$program" "$@" >"$log.out" 2>"$log.err" </dev/null || status=$?
  case $result in
    TestStatus | TestErrFatal) ((status != 0)) ;;
    *) ((status == 0)) && grep -qiE '^ *No Errors *$' "$log.out" && ! grep -qivE '^ *(No Errors|Test Passed) *$' "$log.out" ;;
  esac
}

try_mpich() {
  cd test/mpi
  mkdir -p logs
  rm -f failed.txt passed.txt skipped.txt
  touch failed.txt passed.txt skipped.txt
  local folder flags program ranks result arguments known log given
  for folder in "${mpich_folders[@]}"; do
    flags=$(mpich_flags "$folder" | tr '\n' ' ')
    while read -r program ranks result arguments <&3; do
      read -ra given <<<"$arguments"
      known=$(awk -v test="$folder/$program" '$1 == test { $1 = ""; print substr($0, 2); exit }' "$mpich_known")
      log=$PWD/logs/$(tr / _ <<<"$folder").$program.$ranks${arguments:+.$(tr -c '[:alnum:]\n' _ <<<"$arguments")}
      if [[ ! -x $folder/$program ]]; then
        if [[ -n $known ]]; then
          echo "$folder/$program: $known" >>skipped.txt
        else
          echo "$folder/$program cannot be built: $PWD/$folder/build.log" >>failed.txt
        fi
      elif (cd "$folder" && passes_mpich "$log" "$flags" "$result" "$program" "$ranks" "${given[@]}"); then
        if [[ -z $known || $known == sometimes:* ]]; then
          echo "$folder/$program $ranks $arguments" >>passed.txt
        else
          echo "$folder/$program passes on $ranks ranks, and debian_mpich.known says: $known" >>failed.txt
        fi
      elif [[ -n $known ]]; then
        echo "$folder/$program $ranks $arguments: $known" >>skipped.txt
      else
        echo "$folder/$program $ranks $arguments: $log.err" >>failed.txt
      fi
    done 3< <(mpich_tests "$folder")
  done
  say mpich "$(wc -l <passed.txt) pass, $(wc -l <failed.txt) fail, $(wc -l <skipped.txt) are known ($mpich_known)"
  [[ ! -s failed.txt ]] || {
    cat failed.txt >&2
    fail "mpich: not what was expected (in $PWD)"
  }
}
