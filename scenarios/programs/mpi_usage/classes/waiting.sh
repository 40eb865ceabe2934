# Ranks that wait for ever, and messages that race.

class 'deadlock'
program receive_first 2 'Both ranks receive before they send' <<'C'
- MPI_Recv(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
- MPI_Send(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
+ MPI_Sendrecv(mine, 1, MPI_INT, 1 - rank, 0, got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
+              MPI_STATUS_IGNORE);
C
for call in ssend issend ssend_init; do
  program "$call" 2 'Both ranks send synchronously before they receive' <<C
- $(send $call mine 1 MPI_INT 1-rank 0 MPI_COMM_WORLD)
- MPI_Recv(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ if (rank == 0) {
+   $(send $call mine 1 MPI_INT 1 0 MPI_COMM_WORLD)
+   MPI_Recv(got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ } else {
+   MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+   $(send $call mine 1 MPI_INT 0 0 MPI_COMM_WORLD)
+ }
C
done
program wrong_tag 2 'The receive waits for another tag' <<'C'
  if (rank == 0) {
    MPI_Send(mine, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
-   MPI_Recv(got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+   MPI_Recv(got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
for call in barrier bcast allreduce alltoall; do
  program "${call}_left_out" 3 'One rank leaves the operation out' <<C
- if (rank != 1) $(collective $call mine got 1 MPI_INT MPI_SUM 1 MPI_COMM_WORLD)
+ $(collective $call mine got 1 MPI_INT MPI_SUM 1 MPI_COMM_WORLD)
C
done
program ring 3 'Each waits for its left neighbour' <<'C'
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
- MPI_Recv(got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
- MPI_Send(mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
+ if (rank == 0) MPI_Send(mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
+ MPI_Recv(got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ if (rank != 0) MPI_Send(mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
C
program wildcard_takes_it 3 'A wildcard may take the message that the next receive waits for' <<'C'
  if (rank == 0) {
-   MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+   MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
program waitall 2 'One of the receives gets nothing' <<'C'
  if (rank == 0) {
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) {
      MPI_Irecv(got + i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
+   MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
end_class

# Only where standard sends do not buffer.
class 'deadlock that depends on buffering'
program head_to_head 2 'Both send first' <<'C'
- MPI_Send(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
- MPI_Recv(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ MPI_Sendrecv(mine, 1, MPI_INT, 1 - rank, 0, got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
+              MPI_STATUS_IGNORE);
C
program ring_of_sends 3 'All send first' <<'C'
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
- MPI_Send(mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
- MPI_Recv(got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ if (rank % 2 == 0) MPI_Send(mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
+ MPI_Recv(got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ if (rank % 2 == 1) MPI_Send(mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
C
program isend_wait 2 'Both complete their send before they receive' <<'C'
- MPI_Request request;
- MPI_Isend(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
- MPI_Wait(&request, MPI_STATUS_IGNORE);
- MPI_Recv(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ MPI_Request request;
+ MPI_Isend(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
+ MPI_Recv(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ MPI_Wait(&request, MPI_STATUS_IGNORE);
C
program tags_in_other_order 2 'The first message is received second' <<'C'
  if (rank == 0) {
    MPI_Send(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Send(mine, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
-   MPI_Recv(got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
-   MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+   MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+   MPI_Recv(got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program persistent 2 'Both complete their send before they receive' <<C
- $(send send_init mine 1 MPI_INT 1-rank 0 MPI_COMM_WORLD)
- MPI_Recv(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+ MPI_Request requests[2];
+ MPI_Send_init(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
+ MPI_Recv_init(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
+ MPI_Startall(2, requests);
+ MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
+ MPI_Request_free(&requests[0]);
+ MPI_Request_free(&requests[1]);
C
end_class

class 'message race'
cat >>"$file" <<'C'

static void* send_tag(void* tag) {
  MPI_Send(tag, 1, MPI_INT, 0, *(int*)tag / 10, MPI_COMM_WORLD);
  return NULL;
}
C
for call in recv irecv probe mprobe; do
  program "$call" 3 'Who is first, the program writes down' <<C
  if (rank == 0) {
    for (int i = 1; i < size; ++i) {
-     $(receive $call got+i 1 MPI_INT MPI_ANY_SOURCE 0 MPI_COMM_WORLD)
+     $(receive $call got+i 1 MPI_INT i 0 MPI_COMM_WORLD)
    }
    printf("%d then %d\n", got[1], got[2]);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
done
program any_tag 2 'The order of two messages of one rank is right, that of the others is not' <<'C'
  if (rank == 0) {
    MPI_Request requests[2];
-   MPI_Irecv(got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
-   MPI_Irecv(got + 1, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
+   MPI_Irecv(got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
+   MPI_Irecv(got + 1, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    printf("%d then %d\n", got[0], got[1]);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  }
C
program to_a_file 3 'Who is first stands in a file' <<'C'
  if (rank == 0) {
    FILE* const file = fopen("order.txt", "w");
    for (int i = 1; i < size; ++i) {
-     MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+     MPI_Recv(got, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      fprintf(file, "%d\n", got[0]);
    }
    fclose(file);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
program to_a_file_of_mpi 3 'Records lie in a file in the order in which they came' <<'C'
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "records", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  if (rank == 0) {
    for (int i = 1; i < size; ++i) {
      MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
-     MPI_File_write(file, got, 1, MPI_INT, MPI_STATUS_IGNORE);
+     MPI_File_write_at(file, got[0] * 4, got, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_File_close(&file);
C
program by_a_put 3 'Who is first, another rank is told by a put' <<'C'
  MPI_Win window;
  MPI_Win_create(got + 4, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  int sum = 0;
  if (rank == 0) {
    for (int i = 1; i < size; ++i) {
      MPI_Recv(got + i, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += got[i];
    }
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Win_fence(0, window);
- if (rank == 0) MPI_Put(got + 1, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
+ if (rank == 0) MPI_Put(&sum, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (rank == 1) printf("%d\n", got[4]);
  MPI_Win_free(&window);
C
program by_threads 2 'Two threads of one rank send with one tag' bare <<'C'
  int provided, rank, got[2];
- int numbers[2] = {10, 11};
+ int numbers[2] = {10, 20};
  pthread_t threads[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2 && rank == 1; ++i) pthread_create(&threads[i], NULL, send_tag, &numbers[i]);
  for (int i = 0; i < 2 && rank == 1; ++i) pthread_join(threads[i], NULL);
  if (rank == 0) {
    for (int i = 0; i < 2; ++i)
      MPI_Recv(&got[i], 1, MPI_INT, 1, numbers[i] / 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d then %d\n", got[0], got[1]);
  }
  MPI_Finalize();
C
end_class
