/* After H. Shi and J. Schaeffer, "Parallel sorting by regular sampling" (1992); ours takes more
   samples a rank than ranks, since with few keys their method's bound is far off. */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES_PER_RANK = 8 };

static size_t bytes_of(int records) {
  return ((size_t)records + 1) * sizeof(Record);
}

/* The first record that is not below `splitter`. */
static int lower_bound(const Record* records, int count, const Record* splitter) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (record_compare(&records[middle], splitter) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* ranks - 1 records that part all of them into about equal ranges; the same at each rank. */
static void choose_splitters(const Team* team, const Record* sorted, int count, Record* splitters) {
  Record mine[SAMPLES_PER_RANK];
  for (int i = 0; i < SAMPLES_PER_RANK; ++i) {
    /* A rank without records gives none that counts: the highest there can be. */
    mine[i] = (Record){UINT64_MAX, UINT32_MAX, UINT32_MAX};
    if (count > 0) mine[i] = sorted[(long)count * (2 * i + 1) / (2 * SAMPLES_PER_RANK)];
  }
  const int all_count = team->ranks * SAMPLES_PER_RANK;
  Record* const all = malloc(bytes_of(all_count));
  MPI_Allgather(mine, SAMPLES_PER_RANK, team->type, all, SAMPLES_PER_RANK, team->type, team->comm);
  qsort(all, (size_t)all_count, sizeof *all, record_compare);
  for (int rank = 1; rank < team->ranks; ++rank) splitters[rank - 1] = all[rank * SAMPLES_PER_RANK];
  free(all);
}

/* Merges runs that lie one after the other, two and two. */
static void merge_runs(Record* records, const int* begins, const int* counts, int runs) {
  if (runs <= 1) return;
  const int half = runs / 2;
  merge_runs(records, begins, counts, half);
  merge_runs(records, begins + half, counts + half, runs - half);
  const int begin = begins[0], middle = begins[half];
  const int end = begins[runs - 1] + counts[runs - 1];
  Record* const merged = malloc(bytes_of(end - begin));
  int left = begin, right = middle, to = 0;
  while (left < middle || right < end) {
    const int takes_left =
        right == end || (left < middle && record_compare(&records[left], &records[right]) < 0);
    merged[to++] = takes_left ? records[left++] : records[right++];
  }
  memcpy(records + begin, merged, (size_t)to * sizeof *merged);
  free(merged);
}

Record* sample_sort(const Team* team, Record* records, int count, int* sorted_count) {
  const size_t ranks = (size_t)team->ranks;
  qsort(records, (size_t)count, sizeof *records, record_compare);
  Record* const splitters = malloc(bytes_of(team->ranks));
  choose_splitters(team, records, count, splitters);

  int* const numbers = malloc(4 * ranks * sizeof *numbers);
  int *const to_counts = numbers, *const to_begins = numbers + ranks;
  int *const from_counts = numbers + 2 * ranks, *const from_begins = numbers + 3 * ranks;
  for (int rank = 0; rank < team->ranks; ++rank) {
    to_begins[rank] = rank == 0 ? 0 : lower_bound(records, count, &splitters[rank - 1]);
  }
  for (int rank = 0; rank < team->ranks; ++rank) {
    const int end = rank + 1 < team->ranks ? to_begins[rank + 1] : count;
    to_counts[rank] = end - to_begins[rank];
  }
  MPI_Alltoall(to_counts, 1, MPI_INT, from_counts, 1, MPI_INT, team->comm);
  *sorted_count = 0;
  for (int rank = 0; rank < team->ranks; ++rank) {
    from_begins[rank] = *sorted_count;
    *sorted_count += from_counts[rank];
  }
  Record* const sorted = malloc(bytes_of(*sorted_count));
  MPI_Alltoallv(records, to_counts, to_begins, team->type, sorted, from_counts, from_begins,
                team->type, team->comm);
  merge_runs(sorted, from_begins, from_counts, team->ranks);
  free(numbers);
  free(splitters);
  return sorted;
}
