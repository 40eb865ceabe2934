#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double* allocate(size_t count) {
  double* memory = calloc(count, sizeof(double));
  if (memory == NULL) {
    fprintf(stderr, "ocean: no memory\n");
    exit(2);
  }
  return memory;
}

Grid grid_generate(int size) {
  Grid grid = {.size = size, .stride = size + 2};
  const size_t count = (size_t)grid.stride * grid.stride;
  grid.points = allocate(count);
  grid.wind = allocate(count);
  for (int row = 1; row <= size; ++row) {
    for (int column = 1; column <= size; ++column) {
      /* Whole numbers: the same with each mathematical library. */
      const int across = 2 * column - size - 1, down = 2 * row - size - 1;
      grid.wind[row * grid.stride + column] = (double)(across * down) / ((double)size * size);
    }
  }
  for (int column = 0; column < grid.stride; ++column) {
    grid.points[column] = 1.0 + (double)column / grid.stride;
  }
  return grid;
}

void grid_free(Grid* grid) {
  free(grid->points);
  free(grid->wind);
  grid->points = grid->wind = NULL;
}

unsigned long grid_hash(const Grid* grid) {
  unsigned long hash = 14695981039346656037UL;
  for (int i = 0; i < grid->stride * grid->stride; ++i) {
    unsigned long bits;
    memcpy(&bits, &grid->points[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211UL;
  }
  return hash;
}

static double relax_row(double* row, const double* wind, int stride, int first, int size) {
  double largest = 0;
  for (int column = first; column <= size; column += 2) {
    const double mean =
        (row[column - stride] + row[column + stride] + row[column - 1] + row[column + 1]) / 4;
    const double change = mean + wind[column] - row[column];
    row[column] += 1.25 * change;
    largest = fmax(largest, fabs(change));
  }
  return largest;
}

double grid_relax(Grid* grid, int colour, int first, int last) {
  double largest = 0;
  for (int row = first; row < last; ++row) {
    const int begin = row * grid->stride;
    largest = fmax(largest, relax_row(&grid->points[begin], &grid->wind[begin], grid->stride,
                                      1 + (row + colour) % 2, grid->size));
  }
  return largest;
}
