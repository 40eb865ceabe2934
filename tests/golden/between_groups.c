/* Every collective operation between the two groups of an intercommunicator, blocking and not.
 * Prints what each rank gets, rank by rank; so its output can be set beside that of another MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { values_max = 128 };

static int rank, size, own, locals, remotes, is_low;
static MPI_Comm inter;
static char line[8192];
static int blocking = 1;

/* Ends a call that may have been a non-blocking one. */
static void finish(MPI_Request* request) {
  if (!blocking) MPI_Wait(request, MPI_STATUS_IGNORE);
}

#define DO(name, iname, ...)                \
  do {                                      \
    MPI_Request request = MPI_REQUEST_NULL; \
    if (blocking)                           \
      name(__VA_ARGS__);                    \
    else                                    \
      iname(__VA_ARGS__, &request);         \
    finish(&request);                       \
  } while (0)

static void note(const char* name, const int* values, int count) {
  char* end = line + strlen(line);
  end += sprintf(end, " %s", name);
  for (int i = 0; i < count; ++i) end += sprintf(end, "%c%d", i == 0 ? ':' : ',', values[i]);
}

static void fill(int* values) {
  for (int i = 0; i < values_max; ++i) values[i] = 100 * rank + i;
}

/* Of an operation whose root is rank `root` of the low group, or of the high one. */
static int root_argument(int root, int root_is_low) {
  if (is_low != root_is_low) return root;
  return own == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(int root, int root_is_low) {
  const int argument = root_argument(root, root_is_low);
  int in[values_max], out[values_max], counts[values_max], places[values_max];
  for (int i = 0; i < remotes; ++i) {
    counts[i] = i + 1;
    places[i] = i * (i + 1) / 2;
  }
  const int total = remotes * (remotes + 1) / 2;
  const int gets = argument >= 0, is_root = argument == MPI_ROOT;
  fill(in);
  memset(out, 255, sizeof(out));
  int* const data = is_root ? in : out;
  DO(MPI_Bcast, MPI_Ibcast, data, 3, MPI_INT, argument, inter);
  if (gets) note("bcast", out, 3);
  memset(out, 255, sizeof(out));
  DO(MPI_Gather, MPI_Igather, in, 2, MPI_INT, out, 2, MPI_INT, argument, inter);
  if (is_root) note("gather", out, 2 * remotes + 1);
  memset(out, 255, sizeof(out));
  DO(MPI_Gatherv, MPI_Igatherv, in, own + 1, MPI_INT, out, counts, places, MPI_INT, argument,
     inter);
  if (is_root) note("gatherv", out, total + 1);
  memset(out, 255, sizeof(out));
  DO(MPI_Scatter, MPI_Iscatter, in, 2, MPI_INT, out, 2, MPI_INT, argument, inter);
  if (gets) note("scatter", out, 3);
  memset(out, 255, sizeof(out));
  DO(MPI_Scatterv, MPI_Iscatterv, in, counts, places, MPI_INT, out, own + 1, MPI_INT, argument,
     inter);
  if (gets) note("scatterv", out, own + 2);
  memset(out, 255, sizeof(out));
  DO(MPI_Reduce, MPI_Ireduce, in, out, 3, MPI_INT, MPI_SUM, argument, inter);
  if (is_root) note("reduce", out, 4);
}

static void everywhere(void) {
  int in[values_max], out[values_max], counts[values_max], places[values_max];
  int sent_counts[values_max], sent_places[values_max];
  MPI_Datatype types[values_max];
  fill(in);
  int total = 0, sent = 0;
  for (int i = 0; i < remotes; ++i) {
    types[i] = MPI_INT;
    counts[i] = (i + 2 * is_low) % 3;
    places[i] = total;
    total += counts[i];
  }
  memset(out, 255, sizeof(out));
  DO(MPI_Allgather, MPI_Iallgather, in, 1 + is_low, MPI_INT, out, 2 - is_low, MPI_INT, inter);
  note("allgather", out, remotes * (2 - is_low) + 1);
  memset(out, 255, sizeof(out));
  DO(MPI_Allgatherv, MPI_Iallgatherv, in, (own + 2 * !is_low) % 3, MPI_INT, out, counts, places,
     MPI_INT, inter);
  note("allgatherv", out, total + 1);
  memset(out, 255, sizeof(out));
  DO(MPI_Alltoall, MPI_Ialltoall, in, 1 + is_low, MPI_INT, out, 2 - is_low, MPI_INT, inter);
  note("alltoall", out, remotes * (2 - is_low) + 1);
  for (int i = 0; i < remotes; ++i) {
    sent_counts[i] = (own + 2 * !is_low) % 3; /* to rank i of the others; see `counts` there */
    sent_places[i] = sent;
    sent += sent_counts[i];
  }
  memset(out, 255, sizeof(out));
  DO(MPI_Alltoallv, MPI_Ialltoallv, in, sent_counts, sent_places, MPI_INT, out, counts, places,
     MPI_INT, inter);
  note("alltoallv", out, total + 1);
  for (int i = 0; i < remotes; ++i) {
    places[i] *= (int)sizeof(int);
    sent_places[i] *= (int)sizeof(int);
  }
  memset(out, 255, sizeof(out));
  DO(MPI_Alltoallw, MPI_Ialltoallw, in, sent_counts, sent_places, types, out, counts, places, types,
     inter);
  note("alltoallw", out, total + 1);
  memset(out, 255, sizeof(out));
  DO(MPI_Allreduce, MPI_Iallreduce, in, out, 3, MPI_INT, MPI_MAX, inter);
  note("allreduce", out, 4);
  memset(out, 255, sizeof(out));
  /* Both groups must contribute equally much in all. */
  DO(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out, remotes, MPI_INT, MPI_SUM,
     inter);
  note("block", out, remotes + 1);
  for (int i = 0; i < locals; ++i) counts[i] = 0;
  counts[locals - 1] = 3;
  memset(out, 255, sizeof(out));
  DO(MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out, counts, MPI_INT, MPI_SUM, inter);
  note("scattered", out, counts[own] + 1);
  DO(MPI_Barrier, MPI_Ibarrier, inter);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int lows = argc > 1 ? atoi(argv[1]) : 2;
  is_low = rank < lows;
  MPI_Comm group;
  MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, is_low ? lows : 0, 7, &inter);
  MPI_Comm_rank(inter, &own);
  MPI_Comm_size(inter, &locals);
  MPI_Comm_remote_size(inter, &remotes);
  for (blocking = 1; blocking >= 0; --blocking) {
    rooted(0, 1);
    rooted(size - lows - 1, 0);
    everywhere();
  }
  if (rank == 0) printf("%d:%s\n", rank, line);
  for (int other = 1; other < size; ++other) {
    if (rank == other) MPI_Send(line, sizeof(line), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (rank != 0) continue;
    MPI_Recv(line, sizeof(line), MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d:%s\n", other, line);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return 0;
}
