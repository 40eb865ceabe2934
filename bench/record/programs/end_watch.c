/* Linked with receives: when a recorder that was preloaded hands MPI_Finalize on to MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static double reached = -1, left = -1;

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int PMPI_Finalize(void) {
  reached = processor_seconds();
  int (*const mpi)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
  const int error = mpi();
  left = processor_seconds();
  return error;
}

/* Of the seconds from `begin` to `end`, those outside MPI; 0 where nobody came by here. */
double seconds_outside_mpi(double begin, double end) {
  return reached < 0 ? 0 : (reached - begin) + (end - left);
}
