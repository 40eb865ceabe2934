#ifndef FARM_MASTER_H
#define FARM_MASTER_H

#include <mpi.h>

/* Receives that are posted, for both kinds of answers. */
enum { RECEIVES = 6 };

typedef struct {
  long solutions;
  long visited; /* boards that workers looked at */
  int tasks;
  int splits;
  int strays;    /* answers that nobody asked for */
  int cancelled; /* receives that nothing came for */
} Harvest;

/* Has all workers of `comm` count the solutions for `size` queens. */
Harvest master_run(MPI_Comm comm, int size);

#endif
