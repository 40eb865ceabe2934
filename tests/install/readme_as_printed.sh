#!/usr/bin/env bash
# Does README.md tell the truth?  Its C++ test and its CMake file are built as printed, then every
# command of its console blocks is run, in their order and in one directory, beside `scenarios/`.
# A command's exit status must be the one that `# status N` names (0 without), and each line that
# README quotes must come next in what the command prints; `...` stands for any lines.
#   usage: readme_as_printed.sh SOURCE_DIR PREFIX WORK_DIR
set -euo pipefail
source_dir=$1 prefix=$2 work=$3
readme=$source_dir/README.md

fail() {
  printf 'README.md: %s\n' "$*" >&2
  exit 1
}

# block LANGUAGE: the contents of all code blocks in that language.
block() {
  awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' "$readme"
}

rm -rf "$work"
mkdir -p "$work"
cd "$work"
ln -s "$source_dir/scenarios" scenarios
block cpp >bank_test.cpp
block cmake >CMakeLists.txt
block console >session
lines=$(wc -l <bank_test.cpp)
((lines > 10 && lines < 20)) || fail "the C++ test has $lines lines; it promises fewer than 20"
for word in send receive Lock sleep_for random NoFindings; do
  grep -q "$word" bank_test.cpp || fail "the C++ test does not show '$word'"
done
export PATH=$prefix/bin:$PATH CMAKE_PREFIX_PATH=$prefix
unset ORRERY_REPLAY ORRERY_LOGS ORRERY_TIMELINE

# check COMMAND: runs it, and compares what it prints with the lines of `quoted`.
check() {
  local command=$1 wanted=0 status=0
  [[ $command =~ \#\ status\ ([0-9]+)$ ]] && wanted=${BASH_REMATCH[1]}
  bash -c "$command" >printed 2>&1 </dev/null || status=$?
  ((status == wanted)) || fail "'$command' ended with status $status, not $wanted:"$'\n'"$(<printed)"
  awk '
    FILENAME == "quoted" { quoted[++count] = $0; next }
    BEGIN { at = 1; may_skip = 0 }
    {
      while (at <= count && quoted[at] == "...") { may_skip = 1; at++ }
      if (at > count) exit
      if ($0 == quoted[at]) { at++; may_skip = 0 } else if (!may_skip) exit
    }
    END {
      while (at <= count && quoted[at] == "...") at++
      if (at <= count) { print "line not printed: " quoted[at]; exit 1 }
    }' quoted printed || fail "'$command' printed something else:"$'\n'"$(<printed)"
}

command='' commands=0
: >quoted
while IFS= read -r line; do
  if [[ $line == '$ '* ]]; then
    [[ -z $command ]] || check "$command"
    command=${line#\$ }
    commands=$((commands + 1))
    : >quoted
  else
    printf '%s\n' "$line" >>quoted
  fi
done <session
[[ -z $command ]] || check "$command"
((commands >= 8)) || fail "only $commands commands were found in its console blocks"

# The twin that README speaks of: the lock first.
awk '/const int before/ { held = $0; next } { print } /Lock lock/ { print held }' \
  bank_test.cpp >mended.cpp
mv mended.cpp bank_test.cpp
cmake --build build >printed 2>&1 || fail "the mended test does not build:"$'\n'"$(<printed)"
./build/bank_test >printed 2>&1 || fail "the mended test has a finding:"$'\n'"$(<printed)"
printf '%s commands did what README.md says\n' "$commands"
