/* The sort itself. */
#ifndef SAMPLE_SORT_SORT_H
#define SAMPLE_SORT_SORT_H

#include "records.h"

typedef struct {
  MPI_Comm comm;
  int rank;
  int ranks;
  MPI_Datatype type; /* of a record */
} Team;

/* Sorts the records of all ranks: afterwards each rank has those of one range, in order, the first
   rank the lowest.  `records` is used up; returns a new array, which the caller frees. */
Record* sample_sort(const Team* team, Record* records, int count, int* sorted_count);

#endif
