#include "exchange.h"

/* The box of cells that goes over the side `direction` of the grid, as a part of the field.
   `is_rim`: the cells outside, else those of our own that lie next to them. */
static MPI_Datatype side_type(const Grid* grid, const int direction[], int is_rim) {
  int sizes[GRID_DIMENSIONS], part[GRID_DIMENSIONS], start[GRID_DIMENSIONS];
  for (int d = 0; d < GRID_DIMENSIONS; ++d) {
    /* The field's last index varies fastest in C; ours is the first one. */
    const int slot = GRID_DIMENSIONS - 1 - d;
    const int cells = grid->size[d];
    sizes[slot] = cells + 2;
    part[slot] = direction[d] == 0 ? cells : 1;
    if (direction[d] == 0) {
      start[slot] = 1;
    } else if (direction[d] < 0) {
      start[slot] = is_rim ? 0 : 1;
    } else {
      start[slot] = is_rim ? cells + 1 : cells;
    }
  }
  MPI_Datatype type;
  MPI_Type_create_subarray(GRID_DIMENSIONS, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static int direction_tag(const int direction[], int sign) {
  return (sign * direction[2] + 1) * 9 + (sign * direction[1] + 1) * 3 + sign * direction[0] + 1;
}

void exchange_create(Exchange* exchange, const Grid* grid) {
  int count = 0;
  for (int tag = 0; tag < 27; ++tag) {
    const int direction[GRID_DIMENSIONS] = {tag % 3 - 1, tag / 3 % 3 - 1, tag / 9 - 1};
    if (direction[0] == 0 && direction[1] == 0 && direction[2] == 0) continue;
    int coords[GRID_DIMENSIONS];
    for (int d = 0; d < GRID_DIMENSIONS; ++d) coords[d] = grid->coords[d] + direction[d];
    Neighbour* const neighbour = &exchange->neighbours[count++];
    MPI_Cart_rank(grid->comm, coords, &neighbour->rank);
    /* With two ranks in a direction, both neighbours are one rank: the tag tells them apart. */
    neighbour->tag_out = direction_tag(direction, 1);
    neighbour->tag_in = direction_tag(direction, -1);
    neighbour->send_cells = side_type(grid, direction, 0);
    neighbour->recv_cells = side_type(grid, direction, 1);
  }
}

void exchange_free(Exchange* exchange) {
  for (int i = 0; i < NEIGHBOURS; ++i) {
    MPI_Type_free(&exchange->neighbours[i].send_cells);
    MPI_Type_free(&exchange->neighbours[i].recv_cells);
  }
}

long exchange_rims(const Exchange* exchange, Grid* grid) {
  MPI_Request requests[2 * NEIGHBOURS];
  MPI_Status statuses[2 * NEIGHBOURS];
  for (int i = 0; i < NEIGHBOURS; ++i) {
    const Neighbour* const from = &exchange->neighbours[i];
    MPI_Irecv(grid->now, 1, from->recv_cells, from->rank, from->tag_in, grid->comm, &requests[i]);
  }
  for (int i = 0; i < NEIGHBOURS; ++i) {
    const Neighbour* const to = &exchange->neighbours[i];
    MPI_Isend(grid->now, 1, to->send_cells, to->rank, to->tag_out, grid->comm,
              &requests[NEIGHBOURS + i]);
  }
  MPI_Waitall(2 * NEIGHBOURS, requests, statuses);
  long bytes = 0;
  for (int i = 0; i < NEIGHBOURS; ++i) {
    int size = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &size);
    bytes += size;
  }
  return bytes;
}
