/* Small MPI programs, C and C++ alike, that touch memory which an operation has, and their mended
 * twins: `programs NAME buggy|mended`.  Which lines a finding must name say the comments. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static int mine[16], got[16], grid[64];
static MPI_Request request = MPI_REQUEST_NULL;
static volatile int seen; /* what is read goes here, so that it is read */

static void await(void) {
  MPI_Wait(&request, MPI_STATUS_IGNORE); /* await ends */
}

/* --- messages --- */

static void isend_write(int is_wrong) {
  if (rank == 1) MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) return;
  MPI_Isend(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* isend_write begins */
  if (is_wrong) mine[2] = 7;                                   /* isend_write accesses */
  await();
  mine[2] = 7;
}

static void isend_read(int is_wrong) {
  if (rank == 1) MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) return;
  MPI_Isend(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  if (is_wrong) seen = mine[2]; /* allowed */
  await();
}

static void same_value(int is_wrong) {
  if (rank == 1) MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) return;
  MPI_Isend(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* same_value begins */
  if (is_wrong) mine[3] = 3;                                   /* same_value accesses */
  await();
}

static void touch(int* place) {
  *place = 7; /* irecv_write accesses */
}

static void irecv_write(int is_wrong) {
  if (rank == 1) MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 1) return;
  MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* irecv_write begins */
  if (is_wrong) touch(&got[7]);
  touch(&got[8]);
  await();
  touch(&got[7]);
}

static void irecv_read(int is_wrong) {
  if (rank == 1) MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 1) return;
  MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* irecv_read begins */
  if (is_wrong) seen = got[0];                                /* irecv_read accesses */
  await();
  seen = got[0];
}

static void tested(int is_wrong) {
  int done = 0;
  if (rank == 1) MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 1) return;
  MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* tested begins */
  do {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* tested ends */
    if (is_wrong || done) seen = got[0];          /* tested accesses */
  } while (!done);
}

static void column(int is_wrong) {
  MPI_Datatype type;
  if (rank == 1) MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) return;
  MPI_Type_vector(8, 1, 8, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Isend(grid, 1, type, 1, 0, MPI_COMM_WORLD, &request);  /* column begins */
  for (int i = is_wrong ? 16 : 17; i < 24; ++i) grid[i] = i; /* column accesses */
  await();
  MPI_Type_free(&type);
}

static void persistent(int is_wrong) {
  if (rank == 1)
    for (int i = 0; i < 2; ++i) MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) return;
  MPI_Send_init(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  mine[0] = 4;
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);       /* persistent begins */
    if (is_wrong) mine[0] = i; /* persistent accesses */
    await();
    mine[0] = i;
  }
  MPI_Request_free(&request);
}

static void filled(int is_wrong) {
  if (rank == 1) MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 1) return;
  MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* filled begins */
  memset(got + (is_wrong ? 7 : 8), 0, 8 * sizeof(int));       /* filled accesses */
  await();
}

static void copied(int is_wrong) {
  if (rank == 1) MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 1) return;
  MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* copied begins */
  memcpy(grid, got + (is_wrong ? 4 : 8), 8 * sizeof(int));    /* copied accesses */
  await();
}

static void freed(int is_wrong) {
  int* const block = (int*)malloc(1000 * sizeof(int));
  if (rank == 1) MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Irecv(block, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* freed begins */
  if (is_wrong) free(block);                                                   /* freed accesses */
  await();
  if (!is_wrong) free(block);
}

/* --- collective operations --- */

static void ibcast(int is_wrong) {
  MPI_Ibcast(mine, 8, MPI_INT, 0, MPI_COMM_WORLD, &request); /* ibcast begins */
  if (is_wrong && rank == 0) mine[1] = 7;                    /* ibcast accesses */
  await();
  mine[1] = 7;
}

static void iallreduce(int is_wrong) {
  MPI_Iallreduce(mine, got, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* iallreduce begins */
  seen = mine[0];
  if (is_wrong && rank == 1) seen = got[7]; /* iallreduce accesses */
  await();
  seen = got[7];
}

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void own_operation(int is_wrong) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Iallreduce(mine, got, 8, MPI_INT, op, MPI_COMM_WORLD, &request); /* own_operation begins */
  if (is_wrong) got[0] = 1;                                            /* own_operation accesses */
  await();
  MPI_Allreduce(mine, got, 8, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
}

/* --- windows --- */

static MPI_Win window;

static void begin_window(void) {
  MPI_Win_create(grid, sizeof grid, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void put_origin(int is_wrong) {
  begin_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Put(mine, 8, MPI_INT, 1, 0, 8, MPI_INT, window); /* put_origin begins */
    if (is_wrong) mine[0] = 7;                           /* put_origin accesses */
    MPI_Win_flush(1, window);                            /* put_origin ends */
    mine[0] = 7;
    MPI_Win_unlock(1, window);
  }
  MPI_Win_free(&window);
}

static void get_origin(int is_wrong) {
  begin_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Get(got, 8, MPI_INT, 1, 0, 8, MPI_INT, window); /* get_origin begins */
    if (is_wrong) seen = got[0];                        /* get_origin accesses */
    MPI_Win_flush_local(1, window);                     /* get_origin ends */
    seen = got[0];
    MPI_Win_unlock(1, window);
  }
  MPI_Win_free(&window);
}

static void fetch(int is_wrong) {
  begin_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Fetch_and_op(mine, got, MPI_INT, 1, 0, MPI_SUM, window); /* fetch begins */
    if (is_wrong) seen = got[0];                                 /* fetch accesses */
    MPI_Win_unlock(1, window);                                   /* fetch ends */
    seen = got[0];
  }
  MPI_Win_free(&window);
}

static void store_in_fence(int is_wrong) {
  begin_window();
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(mine, 2, MPI_INT, 1, 3, 2, MPI_INT, window); /* store_in_fence begins */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) grid[is_wrong ? 4 : 5] = 7; /* store_in_fence accesses */
  if (rank == 1) seen = grid[3];             /* allowed: the model is the unified one */
  MPI_Win_fence(0, window);                  /* store_in_fence ends */
  if (rank == 1) grid[4] = 7;
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void store_posted(int is_wrong) {
  MPI_Group all, other;
  int peer = 1 - rank;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  begin_window();
  if (rank == 0) {
    MPI_Win_start(other, 0, window);
    MPI_Accumulate(mine, 2, MPI_INT, 1, 3, 2, MPI_INT, MPI_SUM, window); /* store_posted begins */
    MPI_Send(mine, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(other, 0, window);
    MPI_Recv(got, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is_wrong) grid[3] = 7; /* store_posted accesses */
    MPI_Win_wait(window);      /* store_posted ends */
    grid[3] = 7;
  }
  MPI_Win_free(&window);
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

static void store_before_flush(int is_wrong) {
  begin_window();
  if (rank == 0) {
    MPI_Win_lock_all(0, window);
    MPI_Put(mine, 2, MPI_INT, 1, 3, 2, MPI_INT, window); /* store_before_flush begins */
    if (!is_wrong) MPI_Win_flush(1, window);
    MPI_Send(mine, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(window); /* store_before_flush ends */
  } else {
    MPI_Recv(got, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    grid[4] = 7; /* store_before_flush accesses */
  }
  MPI_Win_free(&window);
}

/* Nothing of it is wrong: what ranks do to shared memory they order themselves. */
static void shared_memory(int is_wrong) {
  int *own, *others, unit;
  MPI_Aint bytes;
  (void)is_wrong;
  MPI_Win_allocate_shared(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own,
                          &window);
  MPI_Win_shared_query(window, 1 - rank, &bytes, &unit, &others);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  own[0] = rank;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  others[1] = others[0];
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

/* --- files --- */

static void file_write(int is_wrong) {
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, "numbers", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_iwrite(file, mine, 8, MPI_INT, &request); /* file_write begins */
  if (is_wrong && rank == 0) mine[7] = 1;            /* file_write accesses */
  await();
  MPI_File_close(&file);
}

static void split_write(int is_wrong) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "numbers", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_ordered_begin(file, mine, 8, MPI_INT);      /* split_write begins */
  if (is_wrong && rank == 0) mine[7] = 1;                    /* split_write accesses */
  MPI_File_write_ordered_end(file, mine, MPI_STATUS_IGNORE); /* split_write ends */
  MPI_File_close(&file);
}

/* --- threads --- */

static sem_t may_begin;

static void* touch_beside(void* argument) {
  (void)argument;
  sem_wait(&may_begin);
  seen = got[1]; /* by_thread accesses, in_call accesses */
  return NULL;
}

static void by_thread(int is_wrong) {
  pthread_t thread;
  if (rank == 1) MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 1) return;
  sem_init(&may_begin, 0, 0);
  pthread_create(&thread, NULL, touch_beside, NULL);
  MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* by_thread begins */
  if (is_wrong) sem_post(&may_begin);
  if (is_wrong) pthread_join(thread, NULL);
  await();
  if (!is_wrong) sem_post(&may_begin);
  if (!is_wrong) pthread_join(thread, NULL);
}

static void in_call(int is_wrong) {
  pthread_t thread;
  if (rank == 1) {
    MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return;
  }
  sem_init(&may_begin, 0, 0);
  pthread_create(&thread, NULL, touch_beside, NULL);
  if (is_wrong) sem_post(&may_begin);
  MPI_Recv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* in_call begins */
  if (!is_wrong) sem_post(&may_begin);
  pthread_join(thread, NULL);
}

static const struct {
  const char* name;
  void (*run)(int is_wrong);
} programs[] = {{"isend_write", isend_write},
                {"isend_read", isend_read},
                {"same_value", same_value},
                {"irecv_write", irecv_write},
                {"irecv_read", irecv_read},
                {"tested", tested},
                {"column", column},
                {"persistent", persistent},
                {"filled", filled},
                {"copied", copied},
                {"freed", freed},
                {"ibcast", ibcast},
                {"iallreduce", iallreduce},
                {"own_operation", own_operation},
                {"put_origin", put_origin},
                {"get_origin", get_origin},
                {"fetch", fetch},
                {"store_in_fence", store_in_fence},
                {"store_posted", store_posted},
                {"store_before_flush", store_before_flush},
                {"shared_memory", shared_memory},
                {"file_write", file_write},
                {"split_write", split_write},
                {"by_thread", by_thread},
                {"in_call", in_call}};

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 16; ++i) mine[i] = i;
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i)
    if (argc > 2 && strcmp(argv[1], programs[i].name) == 0)
      programs[i].run(strcmp(argv[2], "buggy") == 0);
  MPI_Finalize();
  return 0;
}
