/* 27 points, weighted by how far they are: a diffusion that keeps the sum of all cells. */
#ifndef HALO_STENCIL_H
#define HALO_STENCIL_H

enum { STENCIL_POINTS = 27 };

typedef struct {
  int offset[STENCIL_POINTS]; /* from the cell, in a box whose rows and planes are so large */
  double weight[STENCIL_POINTS];
} Stencil;

/* `row` and `rows`: the extent of the box in the first and in the second direction. */
Stencil stencil_of_box(int row, int rows);

/* In the same order for each cell: so the result has the same bits, however the grid is cut. */
static inline double stencil_apply(const Stencil* stencil, const double* cell) {
  double sum = 0;
  for (int i = 0; i < STENCIL_POINTS; ++i) sum += stencil->weight[i] * cell[stencil->offset[i]];
  return sum;
}

#endif
