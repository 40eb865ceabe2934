#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stencil.h"

double global_sum(const Grid* grid) {
  double mine = grid_sum(grid), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, grid->comm);
  return all;
}

int check_sum(const Grid* grid, double sum_at_start) {
  return fabs(global_sum(grid) - sum_at_start) <= 1e-9 * fabs(sum_at_start);
}

unsigned long global_hash(const Grid* grid) {
  unsigned long mine = 0, all = 0;
  for (int z = 0; z < grid->size[2]; ++z) {
    for (int y = 0; y < grid->size[1]; ++y) {
      for (int x = 0; x < grid->size[0]; ++x) {
        unsigned long bits;
        memcpy(&bits, &grid->now[grid_at(grid, x, y, z)], sizeof bits);
        const long place =
            ((long)(grid->first[2] + z) * grid->global[1] + grid->first[1] + y) * grid->global[0] +
            grid->first[0] + x;
        bits = (bits ^ (unsigned long)place * 0x9e3779b97f4a7c15ul) * 0xff51afd7ed558ccdul;
        mine += bits ^ bits >> 29;
      }
    }
  }
  MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, grid->comm);
  return all;
}

/* The whole grid after `steps` steps, computed here alone; the caller frees it. */
static double* serial_grid(const Grid* grid, int steps) {
  const int nx = grid->global[0], ny = grid->global[1], nz = grid->global[2];
  const int row = nx + 2, plane = row * (ny + 2), cells = plane * (nz + 2);
  double* now = calloc((size_t)cells, sizeof *now);
  double* next = calloc((size_t)cells, sizeof *next);
  const Stencil stencil = stencil_of_box(row, ny + 2);
  for (int i = 0; i < nx * ny * nz; ++i) {
    const int x = i % nx, y = i / nx % ny, z = i / nx / ny;
    now[(z + 1) * plane + (y + 1) * row + x + 1] = grid_initial(x, y, z);
  }
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < cells; ++i) {
      /* A cell of the rim is the one that it stands for; others are themselves. */
      const int x = (i % row + nx - 1) % nx;
      const int y = (i / row % (ny + 2) + ny - 1) % ny;
      const int z = (i / plane + nz - 1) % nz;
      now[i] = now[(z + 1) * plane + (y + 1) * row + x + 1];
    }
    for (int i = 0; i < nx * ny * nz; ++i) {
      const int here = (i / nx / ny + 1) * plane + (i / nx % ny + 1) * row + i % nx + 1;
      next[here] = stencil_apply(&stencil, now + here);
    }
    double* const spare = now;
    now = next;
    next = spare;
  }
  free(next);
  return now;
}

/* How many cells of a rank's part differ from the whole grid's. */
static long differing(const Grid* grid, const double* whole, const int* first, const int* size,
                      const double* part) {
  const int row = grid->global[0] + 2, plane = row * (grid->global[1] + 2);
  long count = 0;
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      const double* const line =
          whole + (first[2] + z + 1) * plane + (first[1] + y + 1) * row + first[0] + 1;
      for (int x = 0; x < size[0]; ++x) count += line[x] != *part++;
    }
  }
  return count;
}

/* This rank's own cells one after the other; the caller frees them. */
static double* packed_cells(const Grid* grid) {
  const int cells = grid->size[0] * grid->size[1] * grid->size[2];
  double* const packed = malloc((size_t)cells * sizeof *packed);
  for (int i = 0; i < cells; ++i) {
    packed[i] = grid->now[grid_at(grid, i % grid->size[0], i / grid->size[0] % grid->size[1],
                                  i / grid->size[0] / grid->size[1])];
  }
  return packed;
}

long check_cells(const Grid* grid, int steps) {
  int ranks = 0;
  MPI_Comm_size(grid->comm, &ranks);
  const int shape[6] = {grid->first[0], grid->first[1], grid->first[2],
                        grid->size[0],  grid->size[1],  grid->size[2]};
  const int mine = shape[3] * shape[4] * shape[5];
  double* const packed = packed_cells(grid);
  long wrong = 0;
  if (grid->rank != 0) {
    MPI_Gather(shape, 6, MPI_INT, NULL, 0, MPI_INT, 0, grid->comm);
    MPI_Gatherv(packed, mine, MPI_DOUBLE, NULL, NULL, NULL, MPI_DOUBLE, 0, grid->comm);
  } else {
    int* const shapes = malloc((size_t)ranks * sizeof shape);
    int* const counts = malloc((size_t)ranks * sizeof(int));
    int* const places = malloc((size_t)ranks * sizeof(int));
    MPI_Gather(shape, 6, MPI_INT, shapes, 6, MPI_INT, 0, grid->comm);
    int total = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const int* const size = shapes + 6 * rank + 3;
      counts[rank] = size[0] * size[1] * size[2];
      places[rank] = total;
      total += counts[rank];
    }
    double* const parts = malloc((size_t)total * sizeof *parts);
    MPI_Gatherv(packed, mine, MPI_DOUBLE, parts, counts, places, MPI_DOUBLE, 0, grid->comm);
    double* const whole = serial_grid(grid, steps);
    for (int rank = 0; rank < ranks; ++rank) {
      const int* const part = shapes + 6 * rank;
      wrong += differing(grid, whole, part, part + 3, parts + places[rank]);
    }
    wrong += total != grid->global[0] * grid->global[1] * grid->global[2];
    free(whole);
    free(parts);
    free(places);
    free(counts);
    free(shapes);
  }
  free(packed);
  MPI_Bcast(&wrong, 1, MPI_LONG, 0, grid->comm);
  return wrong;
}
