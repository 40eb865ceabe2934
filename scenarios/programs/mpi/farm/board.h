/* Queens on a board, row after row, none of which takes another. */
#ifndef FARM_BOARD_H
#define FARM_BOARD_H

enum { BOARD_MAX = 16 };

typedef struct {
  int size;
  int rows;              /* that have a queen */
  int column[BOARD_MAX]; /* of the queen in each of these rows */
} Board;

/* Whether the next row's queen may stand in `column`. */
int board_is_free(const Board* board, int column);

/* The board with one more queen. */
Board board_with(const Board* board, int column);

/* How many ways there are to place the other queens; adds the boards that were looked at. */
long board_solutions(const Board* board, long* visited);

#endif
