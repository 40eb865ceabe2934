/* The columns of other ranks that our rows name, and how their values come here. */
#ifndef CG_GHOSTS_H
#define CG_GHOSTS_H

#include <mpi.h>

#include "matrix.h"

typedef struct {
  MPI_Comm comm;
  int ranks;
  int count;        /* of ghosts */
  int* from_counts; /* how many come from each rank; they lie in the order of ranks */
  int* to_counts;   /* how many go to each rank */
  int* to_places;   /* which elements of our part go, in the order of ranks */
  double* packed;   /* these elements' values */
  MPI_Request* requests;
  int products; /* so far: each has a tag of its own */
} Ghosts;

/* Finds the ghosts of `matrix`, tells their owners, and makes `matrix->column` places in a vector
   of `matrix->count` own elements and then `count` ghosts.  Collective. */
void ghosts_create(Ghosts* ghosts, Matrix* matrix, MPI_Comm comm);
void ghosts_free(Ghosts* ghosts);

/* Sends what others need of `vector`, and fills its ghosts, while the caller may do something else.
 */
void ghosts_begin(Ghosts* ghosts, double* vector, int own_count);
/* Waits for it; returns how many values came. */
int ghosts_end(Ghosts* ghosts);

#endif
