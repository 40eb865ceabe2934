#include "stencil.h"

Stencil stencil_of_box(int row, int rows) {
  /* Of the cell itself, its 6 faces, 12 edges, 8 corners: 1/2 + 6/24 + 12/96 + 8/64 = 1. */
  static const double weights[4] = {1.0 / 2, 1.0 / 24, 1.0 / 96, 1.0 / 64};
  Stencil stencil;
  int i = 0;
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        stencil.offset[i] = (dz * rows + dy) * row + dx;
        stencil.weight[i] = weights[dx * dx + dy * dy + dz * dz];
        ++i;
      }
    }
  }
  return stencil;
}
