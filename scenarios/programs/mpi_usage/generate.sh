#!/usr/bin/env bash
# Writes small MPI programs, each with one wrong use of MPI, and the same with the use mended:
# generate.sh DIRECTORY.  One C file a class, whose programs its first argument selects, and
# programs.txt: class, name, ranks, and how they are looked for, a line a pair.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# == 1)) || { sed -n 's/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
directory=$1
mkdir -p "$directory"
: >"$directory/programs.txt"

# class NAME: the programs that follow are of it.
class() {
  class=$1 names=()
  file=$directory/${class// /_}.c
  cat >"$file" <<TEXT
/* Programs whose finding must be of the class "$class", and their mended twins.
   Made by scenarios/programs/mpi_usage/generate.sh. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
TEXT
}

# What all programs begin and end with, unless they are \`bare\`.
prologue='  MPI_Init(&argc, &argv);
  int rank, size, mine[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);'
epilogue='  MPI_Finalize();'

# function NAME COMMENT LINES: one program.
write_function() {
  printf '\n/* %s */\nstatic int %s(int argc, char** argv) {\n' "$2" "$1"
  [[ $form == bare ]] || printf '%s\n' "$prologue"
  printf '%s\n' "$3"
  [[ $form == bare ]] || printf '%s\n' "$epilogue"
  printf '  return 0;\n}\n'
}

# program NAME RANKS WHAT_IS_WRONG [bare] [FLAGS]: the body is on standard input, as a diff: `- ` before lines of
# the buggy program, `+ ` of the mended one, two blanks before those of both.
program() {
  local name=$1 ranks=$2 text=$3 form=${4:-whole} flags=${5:-} line buggy='' mended=''
  while IFS= read -r line; do
    [[ -n $line ]] || continue
    if [[ $line != '+ '* ]]; then buggy+="  ${line:2}"$'\n'; fi
    if [[ $line != '- '* ]]; then mended+="  ${line:2}"$'\n'; fi
  done
  {
    write_function "${name}_buggy" "$text: $class." "${buggy%$'\n'}"
    write_function "${name}_mended" "Mended: ${name}_buggy." "${mended%$'\n'}"
  } >>"$file"
  names+=("$name")
  printf '%s|%s|%s|%s\n' "$class" "$name" "$ranks" "$flags" >>"$directory/programs.txt"
}

# Ends the file of a class.
end_class() {
  {
    printf '\nint main(int argc, char** argv) {\n  const char* const name = argc > 1 ? argv[1] : "";\n'
    local name twin
    for name in "${names[@]}"; do
      for twin in buggy mended; do
        printf '  if (strcmp(name, "%s_%s") == 0) return %s_%s(argc, argv);\n' "$name" "$twin" \
          "$name" "$twin"
      done
    done
    printf '  fprintf(stderr, "there is no program %%s\\n", name);\n  return 2;\n}\n'
  } >>"$file"
}

# send FAMILY BUFFER COUNT TYPE RANK TAG COMM: a send of a kind, and what belongs to it.
send() {
  local arguments="$2, $3, $4, $5, $6, $7"
  case $1 in
    send | ssend | rsend) printf 'MPI_%s(%s);' "${1^}" "$arguments" ;;
    bsend)
      printf '{ static char room[4096]; MPI_Buffer_attach(room, sizeof room); MPI_Bsend(%s); ' \
        "$arguments"
      printf 'void* back; int bytes; MPI_Buffer_detach(&back, &bytes); }'
      ;;
    isend | issend | irsend)
      printf '{ MPI_Request request; MPI_%s(%s, &request); ' "${1^}" "$arguments"
      printf 'MPI_Wait(&request, MPI_STATUS_IGNORE); }'
      ;;
    send_init | ssend_init)
      printf '{ MPI_Request request; MPI_%s(%s, &request); MPI_Start(&request); ' "${1^}" \
        "$arguments"
      printf 'MPI_Wait(&request, MPI_STATUS_IGNORE); MPI_Request_free(&request); }'
      ;;
    sendrecv)
      printf 'MPI_Sendrecv(%s, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_STATUS_IGNORE);' \
        "$2, $3, $4, $5, $6" | sed "s/0, MPI_STATUS_IGNORE/0, $7, MPI_STATUS_IGNORE/"
      ;;
  esac
}

# receive FAMILY BUFFER COUNT TYPE RANK TAG COMM
receive() {
  local arguments="$2, $3, $4, $5, $6, $7"
  case $1 in
    recv) printf 'MPI_Recv(%s, MPI_STATUS_IGNORE);' "$arguments" ;;
    irecv)
      printf '{ MPI_Request request; MPI_Irecv(%s, &request); ' "$arguments"
      printf 'MPI_Wait(&request, MPI_STATUS_IGNORE); }'
      ;;
    recv_init)
      printf '{ MPI_Request request; MPI_Recv_init(%s, &request); MPI_Start(&request); ' \
        "$arguments"
      printf 'MPI_Wait(&request, MPI_STATUS_IGNORE); MPI_Request_free(&request); }'
      ;;
    probe)
      printf 'MPI_Probe(%s, MPI_STATUS_IGNORE); MPI_Recv(%s, MPI_STATUS_IGNORE);' "$5, $6, $7" \
        "$arguments"
      ;;
    mprobe)
      printf '{ MPI_Message message; MPI_Mprobe(%s, &message, MPI_STATUS_IGNORE); ' "$5, $6, $7"
      printf 'MPI_Mrecv(%s, &message, MPI_STATUS_IGNORE); }' "$2, $3, $4"
      ;;
    sendrecv)
      printf 'MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, %s, MPI_STATUS_IGNORE);' \
        "$arguments"
      ;;
  esac
}

# collective FAMILY BUFFER_IN BUFFER_OUT COUNT TYPE OPERATION ROOT COMM: those that take all of these
# leave out what they have no use for.
collective() {
  local in=$2 out=$3 count=$4 type=$5 op=$6 root=$7 comm=$8
  case $1 in
    barrier) printf 'MPI_Barrier(%s);' "$comm" ;;
    bcast) printf 'MPI_Bcast(%s);' "$out, $count, $type, $root, $comm" ;;
    reduce) printf 'MPI_Reduce(%s);' "$in, $out, $count, $type, $op, $root, $comm" ;;
    allreduce | scan | exscan)
      printf 'MPI_%s(%s);' "${1^}" "$in, $out, $count, $type, $op, $comm"
      ;;
    reduce_scatter_block)
      printf 'MPI_Reduce_scatter_block(%s);' "$in, $out, $count, $type, $op, $comm"
      ;;
    gather | scatter)
      printf 'MPI_%s(%s);' "${1^}" "$in, $count, $type, $out, $count, $type, $root, $comm"
      ;;
    allgather | alltoall)
      printf 'MPI_%s(%s);' "${1^}" "$in, $count, $type, $out, $count, $type, $comm"
      ;;
    ibcast | ireduce | iallreduce | igather | iscatter | ibarrier | iscan)
      local plain
      plain=$(collective "${1#i}" "$in" "$out" "$count" "$type" "$op" "$root" "$comm")
      plain=${plain#MPI_}
      printf '{ MPI_Request request; MPI_I%s, &request); ' \
        "$(tr '[:upper:]' '[:lower:]' <<<"${plain:0:1}")${plain:1:-2}"
      printf 'MPI_Wait(&request, MPI_STATUS_IGNORE); }'
      ;;
  esac
}

# How programs make their window.
make_window='MPI_Win_create(got, sizeof got, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);'

for part in "$here"/classes/*.sh; do
  # shellcheck source=/dev/null
  source "$part"
done
