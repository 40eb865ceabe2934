# Sends and receives that do not fit together, and buffers that are not left alone.

class 'type mismatch'
for call in recv irecv recv_init mprobe sendrecv; do
  program "$call" 2 'Whole numbers are received as numbers with a point' <<C
  float number = 0;
  if (rank == 0) {
    MPI_Send(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
-   $(receive $call '&number' 1 MPI_FLOAT 0 0 MPI_COMM_WORLD)
+   $(receive $call got 1 MPI_INT 0 0 MPI_COMM_WORLD)
  }
C
done
for call in ssend isend send_init; do
  program "$call" 2 'A number of 8 bytes is received as two of 4' <<C
  long number = 1;
  if (rank == 0) {
-   $(send $call '&number' 1 MPI_LONG 1 0 MPI_COMM_WORLD)
+   $(send $call mine 2 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Recv(got, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
program bytes 2 'MPI_BYTE matches MPI_BYTE only' <<'C'
  if (rank == 0) {
    MPI_Send(mine, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
-   MPI_Recv(got, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+   MPI_Recv(got, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program struct_order 2 'The parts of a struct come in another order' <<'C'
  struct { int number; float weight; } thing = {1, 2};
  MPI_Datatype type;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, sizeof(int)};
  const MPI_Datatype right[2] = {MPI_INT, MPI_FLOAT};
- const MPI_Datatype wrong[2] = {MPI_FLOAT, MPI_INT};
- MPI_Type_create_struct(2, lengths, places, rank == 0 ? right : wrong, &type);
+ MPI_Type_create_struct(2, lengths, places, right, &type);
  MPI_Type_commit(&type);
  if (rank == 0) {
    MPI_Send(&thing, 1, type, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&thing, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&type);
C
end_class

class 'truncation'
for call in recv irecv recv_init mprobe probe sendrecv; do
  program "$call" 2 'The message is longer than the receive' <<C
  if (rank == 0) {
    MPI_Send(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
-   $(receive $call got 4 MPI_INT 0 0 MPI_COMM_WORLD)
+   $(receive $call got 8 MPI_INT 0 0 MPI_COMM_WORLD)
  }
C
done
for call in ssend isend send_init; do
  program "$call" 2 'The message is longer than the receive' <<C
  if (rank == 0) {
-   $(send $call mine 8 MPI_INT 1 0 MPI_COMM_WORLD)
+   $(send $call mine 2 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Recv(got, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
program sendrecv_replace 2 'What comes is longer than what went' <<'C'
- MPI_Sendrecv_replace(got, rank == 0 ? 8 : 2, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
-                      MPI_STATUS_IGNORE);
+ MPI_Sendrecv_replace(got, 8, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
+                      MPI_STATUS_IGNORE);
C
end_class

class 'buffer in use'
for call in Isend Issend; do
  program "${call,,}" 2 'The buffer is changed before the send is done' <<C
  if (rank == 0) {
    MPI_Request request;
    MPI_$call(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
-   mine[3] = 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
+   mine[3] = 0;
  } else {
    MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
program send_init 2 'The buffer of a persistent send is changed while it is on its way' <<'C'
  if (rank == 0) {
    MPI_Request request;
    MPI_Send_init(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 2; ++round) {
      MPI_Start(&request);
-     mine[0] = round + 10;
      MPI_Wait(&request, MPI_STATUS_IGNORE);
+     mine[0] = round + 10;
    }
    MPI_Request_free(&request);
  } else {
    MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program irecv_write 2 'The program writes where a message may be arriving' <<'C'
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
-   got[2] = 77;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
+   got[2] = 77;
  } else {
    MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
program recv_init_write 2 'The program writes where a message may be arriving' <<'C'
  if (rank == 0) {
    MPI_Request request;
    MPI_Recv_init(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
-   memset(got, 7, sizeof got);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
+   memset(got, 7, sizeof got);
  } else {
    MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
program isend_of_column 2 'A part of the column that is being sent is changed' <<'C'
  int table[4][4] = {{1, 2, 3, 4}};
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(&table[0][1], 1, column, 1, 0, MPI_COMM_WORLD, &request);
-   table[2][1] = 5;
+   table[2][2] = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(got, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&column);
C
for call in ibcast iallreduce igather ialltoall; do
  case $call in
    ibcast) start='MPI_Ibcast(mine, 8, MPI_INT, 0, MPI_COMM_WORLD, &request);' ;;
    iallreduce) start='MPI_Iallreduce(mine, got, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);' ;;
    igather) start='MPI_Igather(mine, 4, MPI_INT, got, 4, MPI_INT, 0, MPI_COMM_WORLD, &request);' ;;
    ialltoall) start='MPI_Ialltoall(mine, 4, MPI_INT, got, 4, MPI_INT, MPI_COMM_WORLD, &request);' ;;
  esac
  program "$call" 2 'The root'\''s or a rank'\''s part is changed before the operation is done' <<C
  MPI_Request request;
  $start
- if (rank == 0) mine[1] = 99;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
+ if (rank == 0) mine[1] = 99;
C
done
program put 2 'The origin changes what a put may still read' <<C
  MPI_Win window;
  $make_window
  MPI_Win_fence(0, window);
  if (rank == 0) {
    MPI_Put(mine, 2, MPI_INT, 1, 0, 2, MPI_INT, window);
-   mine[0] = 42;
  }
  MPI_Win_fence(0, window);
+ mine[0] = 42;
  MPI_Win_free(&window);
C
# What only the very access shows: nothing has changed when the operation is done.
watched='--detect mpi_buffers'
for access in 'int value = got[5]; (void)value;' 'memcpy(mine, got + 4, 4 * sizeof(int));' \
  'got[7] = got[7];'; do
  case $access in
    int*) name=irecv_read ;;
    memcpy*) name=irecv_copy ;;
    *) name=irecv_same_value ;;
  esac
  program "$name" 2 'The program touches what a message may be arriving in' whole "$watched" <<C
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(got, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
-   $access
    MPI_Wait(&request, MPI_STATUS_IGNORE);
+   $access
  } else {
    MPI_Send(mine, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
done
program isend_same_value 2 'The program stores what is there already, where it is being sent' whole "$watched" <<'C'
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(mine, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
-   mine[3] = 4;
+   int value = mine[3]; (void)value;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program struct_field 2 'A field that is being received is read' whole "$watched" <<'C'
  struct { int number, other; } pairs[4] = {{0, 0}};
  MPI_Datatype numbers;
  MPI_Type_vector(4, 1, 2, MPI_INT, &numbers);
  MPI_Type_commit(&numbers);
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(pairs, 1, numbers, 1, 0, MPI_COMM_WORLD, &request);
-   int value = pairs[2].number; (void)value;
+   int value = pairs[2].other; (void)value;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(mine, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Type_free(&numbers);
C
program ibcast_read 2 'What a broadcast brings is read before it is there' whole "$watched" <<'C'
  MPI_Request request;
  MPI_Ibcast(mine, 8, MPI_INT, 0, MPI_COMM_WORLD, &request);
- int value = rank == 1 ? mine[1] : 0; (void)value;
+ int value = rank == 0 ? mine[1] : 0; (void)value;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
C
program get_read 2 'The origin reads what a get has not brought yet' whole "$watched" <<C
  MPI_Win window;
  $make_window
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Get(mine, 2, MPI_INT, 1, 0, 2, MPI_INT, window);
-   int value = mine[1]; (void)value;
    MPI_Win_flush(1, window);
+   int value = mine[1]; (void)value;
    MPI_Win_unlock(1, window);
  }
  MPI_Win_free(&window);
C
program file_read 2 'What is read from a file is looked at before it is there' whole "$watched" <<'C'
  MPI_File file;
  MPI_Request request;
  MPI_File_open(MPI_COMM_SELF, "numbers", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_iread_at(file, 0, got, 8, MPI_INT, &request);
- int value = got[0]; (void)value;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
+ int value = got[0]; (void)value;
  MPI_File_close(&file);
C
end_class

class 'overlapping buffers'
program two_irecvs 2 'Two receives into one place' <<'C'
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Irecv(got, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
-   MPI_Irecv(got + 3, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
+   MPI_Irecv(got + 4, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Send(mine, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(mine, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
C
program two_recv_inits 2 'Two receives into one place' <<'C'
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Recv_init(got, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
-   MPI_Recv_init(got + 1, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
+   MPI_Recv_init(got + 2, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  } else {
    MPI_Send(mine, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(mine, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
C
program isend_and_irecv 2 'A message arrives in what is being sent' <<'C'
  MPI_Request requests[2];
- MPI_Isend(got, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
+ MPI_Isend(mine, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(got, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
C
program sendrecv 2 'Both buffers overlap' <<'C'
- MPI_Sendrecv(got, 4, MPI_INT, 1 - rank, 0, got + 2, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
-              MPI_STATUS_IGNORE);
+ MPI_Sendrecv(got, 4, MPI_INT, 1 - rank, 0, got + 4, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
+              MPI_STATUS_IGNORE);
C
program irecv_and_recv 2 'A blocking receive into what another may be filling' <<'C'
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(got, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
-   MPI_Recv(got, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+   MPI_Recv(got + 4, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(mine, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(mine, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
program gatherv 2 'Two ranks'\'' parts come to one place' <<'C'
  const int counts[2] = {4, 4};
- const int places[2] = {0, 2};
+ const int places[2] = {0, 4};
  MPI_Gatherv(mine, 4, MPI_INT, got, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
C
program alltoallv 2 'Two ranks'\'' parts come to one place' <<'C'
  const int counts[2] = {2, 2}, from[2] = {0, 2};
- const int places[2] = {0, 1};
+ const int places[2] = {0, 2};
  MPI_Alltoallv(mine, counts, from, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
C
program overlapping_type 2 'The type of a receive has an entry twice' <<'C'
  MPI_Datatype type;
  const int lengths[2] = {2, 2};
- const int places[2] = {0, 1};
+ const int places[2] = {0, 2};
  MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (rank == 0) {
    MPI_Recv(got, 1, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(mine, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Type_free(&type);
C
end_class
