/* A square of points, with a shore around it that does not change. */
#ifndef GRID_H
#define GRID_H

typedef struct {
  int size;   /* points a side, without the shore */
  int stride; /* from a point to the one below it */
  double* points;
  double* wind; /* what drives each point */
} Grid;

enum { red = 0, black = 1 };

/* Still water under a wind that turns. */
Grid grid_generate(int size);
void grid_free(Grid* grid);
unsigned long grid_hash(const Grid* grid);

/* Moves the points of one colour in rows first to last - 1 towards the mean of their neighbours.
 * Returns the largest change. */
double grid_relax(Grid* grid, int colour, int first, int last);

#endif
