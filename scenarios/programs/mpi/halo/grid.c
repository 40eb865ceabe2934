#include "grid.h"

#include <stddef.h>

#include "stencil.h"

static double field_a[GRID_CELLS_MAX];
static double field_b[GRID_CELLS_MAX];

/* The first cell of part `i` of `parts`; the parts differ by one cell at most. */
static int part_begin(int cells, int parts, int i) {
  return (int)((long)cells * i / parts);
}

int grid_create(Grid* grid, int edge, MPI_Comm comm) {
  int ranks = 0;
  const int periodic[GRID_DIMENSIONS] = {1, 1, 1};
  MPI_Comm_size(comm, &ranks);
  for (int d = 0; d < GRID_DIMENSIONS; ++d) grid->ranks[d] = 0;
  MPI_Dims_create(ranks, GRID_DIMENSIONS, grid->ranks);
  MPI_Cart_create(comm, GRID_DIMENSIONS, grid->ranks, periodic, 1, &grid->comm);
  MPI_Comm_rank(grid->comm, &grid->rank);
  MPI_Cart_coords(grid->comm, grid->rank, GRID_DIMENSIONS, grid->coords);

  /* MPI's first dimension varies slowest; which one it is makes no difference here. */
  int fits = 1;
  long largest = 1;
  for (int d = 0; d < GRID_DIMENSIONS; ++d) {
    grid->global[d] = edge;
    grid->first[d] = part_begin(edge, grid->ranks[d], grid->coords[d]);
    grid->size[d] = part_begin(edge, grid->ranks[d], grid->coords[d] + 1) - grid->first[d];
    fits = fits && edge >= grid->ranks[d];
    largest *= (edge + grid->ranks[d] - 1) / grid->ranks[d] + 2;
  }
  grid->now = field_a;
  grid->next = field_b;
  if (fits && largest <= GRID_CELLS_MAX) return 1;
  grid_free(grid);
  return 0;
}

void grid_free(Grid* grid) {
  MPI_Comm_free(&grid->comm);
  grid->now = grid->next = NULL;
}

double grid_initial(int x, int y, int z) {
  unsigned hash = 2166136261u;
  const int words[3] = {x, y, z};
  for (int i = 0; i < 3; ++i) hash = (hash ^ (unsigned)words[i]) * 16777619u;
  hash ^= hash >> 15;
  return (double)(hash % 1000u) / 8;
}

void grid_fill(Grid* grid) {
  for (int z = 0; z < grid->size[2]; ++z) {
    for (int y = 0; y < grid->size[1]; ++y) {
      for (int x = 0; x < grid->size[0]; ++x) {
        grid->now[grid_at(grid, x, y, z)] =
            grid_initial(grid->first[0] + x, grid->first[1] + y, grid->first[2] + z);
      }
    }
  }
}

void grid_step(Grid* grid) {
  const Stencil stencil = stencil_of_box(grid->size[0] + 2, grid->size[1] + 2);
  for (int z = 0; z < grid->size[2]; ++z) {
    for (int y = 0; y < grid->size[1]; ++y) {
      for (int x = 0; x < grid->size[0]; ++x) {
        const int here = grid_at(grid, x, y, z);
        grid->next[here] = stencil_apply(&stencil, grid->now + here);
      }
    }
  }
  double* const spare = grid->now;
  grid->now = grid->next;
  grid->next = spare;
}

double grid_sum(const Grid* grid) {
  double sum = 0;
  for (int z = 0; z < grid->size[2]; ++z) {
    for (int y = 0; y < grid->size[1]; ++y) {
      for (int x = 0; x < grid->size[0]; ++x) sum += grid->now[grid_at(grid, x, y, z)];
    }
  }
  return sum;
}
