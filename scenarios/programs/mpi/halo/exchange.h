/* Fills the rim: a message to and from each of the 26 neighbours, all at once. */
#ifndef HALO_EXCHANGE_H
#define HALO_EXCHANGE_H

#include "grid.h"

enum { NEIGHBOURS = 26 };

/* Where a neighbour is, and what passes between it and us. */
typedef struct {
  int rank;
  int tag_out; /* the direction that the message goes in */
  int tag_in;
  MPI_Datatype send_cells; /* our own cells next to it */
  MPI_Datatype recv_cells; /* the rim on its side */
} Neighbour;

typedef struct {
  Neighbour neighbours[NEIGHBOURS];
} Exchange;

void exchange_create(Exchange* exchange, const Grid* grid);
void exchange_free(Exchange* exchange);

/* Returns how many bytes arrived. */
long exchange_rims(const Exchange* exchange, Grid* grid);

#endif
