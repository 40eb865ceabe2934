#ifndef FARM_WORKER_H
#define FARM_WORKER_H

#include <mpi.h>

/* Does tasks until told to stop; returns how many.  Tasks of fewer than `depth` queens are split.
 */
int worker_run(MPI_Comm comm, int size, int depth);

#endif
