#include "check.h"

#include <stddef.h>
#include <stdlib.h>

Fingerprint fingerprint(const Team* team, const Record* records, int count) {
  uint64_t sums[2] = {(uint64_t)count, 0}, all_sums[2], mixture = 0, all_mixture;
  for (int i = 0; i < count; ++i) {
    const uint64_t hash = record_hash(&records[i]);
    sums[1] += hash;
    mixture ^= hash * 3;
  }
  MPI_Allreduce(sums, all_sums, 2, MPI_UINT64_T, MPI_SUM, team->comm);
  MPI_Allreduce(&mixture, &all_mixture, 1, MPI_UINT64_T, MPI_BXOR, team->comm);
  return (Fingerprint){all_sums[0], all_sums[1], all_mixture};
}

int same_fingerprint(const Fingerprint* a, const Fingerprint* b) {
  return a->count == b->count && a->sum == b->sum && a->mixture == b->mixture;
}

/* The last record of the ranks so far; the second field is whether there is one. */
typedef struct {
  Record last;
  uint64_t is_there;
} LastRecord;

/* The one of the higher ranks counts, if they have any. */
static void take_later(void* lower, void* higher, int* length, MPI_Datatype* type) {
  (void)type;
  const LastRecord* const before = lower;
  LastRecord* const after = higher;
  for (int i = 0; i < *length; ++i) {
    if (!after[i].is_there) after[i] = before[i];
  }
}

/* The last record of the nearest lower rank that has any. */
static LastRecord last_before(const Team* team, const Record* records, int count) {
  MPI_Datatype type;
  MPI_Op later;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {offsetof(LastRecord, last), offsetof(LastRecord, is_there)};
  const MPI_Datatype types[2] = {team->type, MPI_UINT64_T};
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(take_later, 0, &later);
  LastRecord mine = {{0, 0, 0}, count > 0}, before = {{0, 0, 0}, 0};
  if (count > 0) mine.last = records[count - 1];
  MPI_Exscan(&mine, &before, 1, type, later, team->comm);
  if (team->rank == 0) before.is_there = 0; /* where MPI_Exscan leaves it as it likes */
  MPI_Op_free(&later);
  MPI_Type_free(&type);
  return before;
}

int is_sorted(const Team* team, const Record* records, int count) {
  int mine = 1, all = 0;
  for (int i = 1; i < count; ++i) mine = mine && record_compare(&records[i - 1], &records[i]) < 0;
  const LastRecord before = last_before(team, records, count);
  if (before.is_there && count > 0) mine = mine && record_compare(&before.last, &records[0]) < 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, team->comm);
  return all;
}

long misplaced(const Team* team, const Record* records, int count, KeyKind kind, int makers,
               int made_each) {
  const int all_count = makers * made_each;
  Record* const all = malloc(((size_t)all_count + 1) * sizeof *all);
  for (int rank = 0; rank < makers; ++rank) {
    records_make(all + (long)rank * made_each, made_each, kind, rank);
  }
  qsort(all, (size_t)all_count, sizeof *all, record_compare);
  int end = 0;
  MPI_Scan(&count, &end, 1, MPI_INT, MPI_SUM, team->comm);
  long wrong = 0, all_wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += end > all_count || record_compare(&records[i], &all[end - count + i]) != 0;
  }
  free(all);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, team->comm);
  return all_wrong;
}
