#include "ghosts.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void* a, const void* b) {
  const int left = *(const int*)a, right = *(const int*)b;
  return (left > right) - (left < right);
}

static int is_own(const Matrix* matrix, int column) {
  return column >= matrix->first && column < matrix->first + matrix->count;
}

/* The columns of others, each once, sorted; the caller frees them. */
static int* foreign_columns(const Matrix* matrix, int* count) {
  const int elements = matrix->begin[matrix->count];
  int* const columns = malloc(((size_t)elements + 1) * sizeof *columns);
  int all = 0, once = 0;
  for (int k = 0; k < elements; ++k) {
    if (!is_own(matrix, matrix->column[k])) columns[all++] = matrix->column[k];
  }
  qsort(columns, (size_t)all, sizeof *columns, compare);
  for (int k = 0; k < all; ++k) {
    if (once == 0 || columns[once - 1] != columns[k]) columns[once++] = columns[k];
  }
  *count = once;
  return columns;
}

static void rename_columns(Matrix* matrix, const int* foreign, int count) {
  for (int k = 0; k < matrix->begin[matrix->count]; ++k) {
    int* const column = &matrix->column[k];
    if (is_own(matrix, *column)) {
      *column -= matrix->first;
    } else {
      const int* const found = bsearch(column, foreign, (size_t)count, sizeof *foreign, compare);
      *column = matrix->count + (int)(found - foreign);
    }
  }
}

static int* displacements(const int* counts, int ranks, int* total) {
  int* const places = malloc((size_t)ranks * sizeof *places);
  *total = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    places[rank] = *total;
    *total += counts[rank];
  }
  return places;
}

void ghosts_create(Ghosts* ghosts, Matrix* matrix, MPI_Comm comm) {
  MPI_Comm_dup(comm, &ghosts->comm);
  MPI_Comm_size(comm, &ghosts->ranks);
  const size_t ranks = (size_t)ghosts->ranks;
  int* const foreign = foreign_columns(matrix, &ghosts->count);

  /* Each owner is told first how many of its columns are wanted, then which. */
  ghosts->from_counts = calloc(ranks, sizeof(int));
  ghosts->to_counts = calloc(ranks, sizeof(int));
  for (int k = 0; k < ghosts->count; ++k) {
    ++ghosts->from_counts[matrix_owner(matrix->rows, ghosts->ranks, foreign[k])];
  }
  MPI_Alltoall(ghosts->from_counts, 1, MPI_INT, ghosts->to_counts, 1, MPI_INT, ghosts->comm);
  int wanted = 0, given = 0;
  int* const wanted_places = displacements(ghosts->from_counts, ghosts->ranks, &wanted);
  int* const given_places = displacements(ghosts->to_counts, ghosts->ranks, &given);
  ghosts->to_places = malloc(((size_t)given + 1) * sizeof(int));
  MPI_Alltoallv(foreign, ghosts->from_counts, wanted_places, MPI_INT, ghosts->to_places,
                ghosts->to_counts, given_places, MPI_INT, ghosts->comm);
  for (int k = 0; k < given; ++k) ghosts->to_places[k] -= matrix->first;

  ghosts->packed = malloc(((size_t)given + 1) * sizeof(double));
  ghosts->requests = malloc(2 * ranks * sizeof(MPI_Request));
  ghosts->products = 0;
  rename_columns(matrix, foreign, ghosts->count);
  free(wanted_places);
  free(given_places);
  free(foreign);
}

void ghosts_free(Ghosts* ghosts) {
  MPI_Comm_free(&ghosts->comm);
  free(ghosts->from_counts);
  free(ghosts->to_counts);
  free(ghosts->to_places);
  free(ghosts->packed);
  free(ghosts->requests);
}

void ghosts_begin(Ghosts* ghosts, double* vector, int own_count) {
  const int tag = ghosts->products++ % 1000;
  int place = own_count, sent = 0;
  for (int rank = 0; rank < ghosts->ranks; ++rank) {
    MPI_Request* const request = &ghosts->requests[rank];
    *request = MPI_REQUEST_NULL;
    if (ghosts->from_counts[rank] == 0) continue;
    MPI_Irecv(vector + place, ghosts->from_counts[rank], MPI_DOUBLE, rank, tag, ghosts->comm,
              request);
    place += ghosts->from_counts[rank];
  }
  for (int rank = 0; rank < ghosts->ranks; ++rank) {
    MPI_Request* const request = &ghosts->requests[ghosts->ranks + rank];
    *request = MPI_REQUEST_NULL;
    const int count = ghosts->to_counts[rank];
    if (count == 0) continue;
    for (int k = sent; k < sent + count; ++k) ghosts->packed[k] = vector[ghosts->to_places[k]];
    MPI_Isend(ghosts->packed + sent, count, MPI_DOUBLE, rank, tag, ghosts->comm, request);
    sent += count;
  }
}

int ghosts_end(Ghosts* ghosts) {
  const size_t count = 2 * (size_t)ghosts->ranks;
  MPI_Status* const statuses = malloc(count * sizeof *statuses);
  MPI_Waitall((int)count, ghosts->requests, statuses);
  int values = 0;
  for (int rank = 0; rank < ghosts->ranks; ++rank) {
    if (ghosts->from_counts[rank] == 0) continue;
    int got = 0;
    MPI_Get_count(&statuses[rank], MPI_DOUBLE, &got);
    values += got;
  }
  free(statuses);
  return values;
}
