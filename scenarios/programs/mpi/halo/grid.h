/* One rank's part of a periodic grid of three dimensions, with a rim one cell thick around it. */
#ifndef HALO_GRID_H
#define HALO_GRID_H

#include <mpi.h>

enum { GRID_DIMENSIONS = 3 };

/* How many cells a rank may have, its rim included; the fields are arrays of fixed size, as they
   are in many such codes. */
#ifndef GRID_CELLS_MAX
#define GRID_CELLS_MAX 8192
#endif

typedef struct {
  MPI_Comm comm; /* Cartesian, periodic */
  int rank;
  int ranks[GRID_DIMENSIONS];  /* how many in each direction */
  int coords[GRID_DIMENSIONS]; /* of this rank */
  int global[GRID_DIMENSIONS]; /* cells of the whole grid */
  int first[GRID_DIMENSIONS];  /* of this rank's own cells, in the whole grid */
  int size[GRID_DIMENSIONS];   /* of its own cells, without the rim */
  double* now;
  double* next;
} Grid;

/* Cuts a grid of `edge` cells in each direction up among the ranks.  Returns 0 if a part would be
   empty or too large. */
int grid_create(Grid* grid, int edge, MPI_Comm comm);
void grid_free(Grid* grid);

/* The place of a cell in `now` and `next`; -1 and `size` are the rim. */
static inline int grid_at(const Grid* grid, int x, int y, int z) {
  return ((z + 1) * (grid->size[1] + 2) + (y + 1)) * (grid->size[0] + 2) + (x + 1);
}

/* What the cell has at the beginning, whoever owns it. */
double grid_initial(int x, int y, int z);
void grid_fill(Grid* grid);

/* One step of the stencil over this rank's own cells; afterwards `now` is what it computed. */
void grid_step(Grid* grid);

/* The sum over this rank's own cells. */
double grid_sum(const Grid* grid);

#endif
