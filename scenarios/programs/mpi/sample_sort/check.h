/* Whether records are sorted, and still the same ones. */
#ifndef SAMPLE_SORT_CHECK_H
#define SAMPLE_SORT_CHECK_H

#include "sort.h"

/* What does not change when records change places. */
typedef struct {
  uint64_t count;
  uint64_t sum;
  uint64_t mixture;
} Fingerprint;

/* Of the records of all ranks. */
Fingerprint fingerprint(const Team* team, const Record* records, int count);
int same_fingerprint(const Fingerprint* a, const Fingerprint* b);

/* The same answer at each rank. */
int is_sorted(const Team* team, const Record* records, int count);

/* How many records of all ranks are not where counting says: each rank makes the records
   of all `makers` anew, `made_each` of each, and sorts them by itself. */
long misplaced(const Team* team, const Record* records, int count, KeyKind kind, int makers,
               int made_each);

#endif
