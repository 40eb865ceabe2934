/* sample_sort [KEYS] [ROUNDS]: sorts KEYS records a rank, ROUNDS times, each time others. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "records.h"
#include "sort.h"

/* Beyond so many, sorting all of them on each rank takes too long. */
enum { CHECKED_MAX = 100000 };

static int argument(int argc, char** argv, int i, int otherwise, int least) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < least) {
    fprintf(stderr, "usage: sample_sort [KEYS] [ROUNDS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

/* One round; whether all was right. */
static int sort_once(const Team* team, int keys, KeyKind kind) {
  /* Ranks do not begin with equally many: the last one has none. */
  const int made = team->rank + 1 < team->ranks || team->ranks == 1 ? keys : 0;
  Record* const records = malloc(((size_t)made + 1) * sizeof *records);
  records_make(records, made, kind, team->rank);
  const Fingerprint before = fingerprint(team, records, made);
  int count = 0;
  Record* const sorted = sample_sort(team, records, made, &count);
  const Fingerprint after = fingerprint(team, sorted, count);
  const char* wrong = NULL;
  if (!same_fingerprint(&before, &after)) wrong = "records are lost or new";
  if (!is_sorted(team, sorted, count)) wrong = "records are not in order";
  const int makers = team->ranks == 1 ? 1 : team->ranks - 1;
  if ((long)makers * keys <= CHECKED_MAX &&
      misplaced(team, sorted, count, kind, makers, keys) > 0) {
    wrong = "records are not where a serial sort has them";
  }
  int largest = 0;
  MPI_Reduce(&count, &largest, 1, MPI_INT, MPI_MAX, 0, team->comm);
  if (team->rank == 0) {
    printf("%s keys: %lu records, hash %016lx, at most %d on a rank\n", key_kind_name(kind),
           (unsigned long)after.count, (unsigned long)after.sum, largest);
    if (wrong) printf("wrong: %s\n", wrong);
  }
  free(sorted);
  free(records);
  return wrong == NULL;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int keys = argument(argc, argv, 1, 64, 0);
  const int rounds = argument(argc, argv, 2, KEY_KINDS, 1);
  Team team = {MPI_COMM_WORLD, 0, 0, record_type()};
  MPI_Comm_rank(team.comm, &team.rank);
  MPI_Comm_size(team.comm, &team.ranks);
  int is_right = 1;
  for (int round = 0; round < rounds; ++round) {
    is_right = sort_once(&team, keys, (KeyKind)(round % KEY_KINDS)) && is_right;
  }
  MPI_Type_free(&team.type);
  MPI_Finalize();
  return !is_right;
}
