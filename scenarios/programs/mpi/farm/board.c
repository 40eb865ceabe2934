#include "board.h"

int board_is_free(const Board* board, int column) {
  for (int row = 0; row < board->rows; ++row) {
    const int distance = board->rows - row;
    const int other = board->column[row];
    if (other == column || other == column - distance || other == column + distance) return 0;
  }
  return 1;
}

Board board_with(const Board* board, int column) {
  Board next = *board;
  next.column[next.rows++] = column;
  return next;
}

long board_solutions(const Board* board, long* visited) {
  ++*visited;
  if (board->rows == board->size) return 1;
  long solutions = 0;
  for (int column = 0; column < board->size; ++column) {
    if (!board_is_free(board, column)) continue;
    const Board next = board_with(board, column);
    solutions += board_solutions(&next, visited);
  }
  return solutions;
}
