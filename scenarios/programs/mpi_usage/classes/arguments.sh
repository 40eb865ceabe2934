# Arguments that are wrong by themselves, over the families of calls that take them.

class 'invalid rank'
for call in send ssend bsend isend issend send_init sendrecv; do
  program "$call" 2 'The rank is one too high' <<C
  if (rank == 0) {
-   $(send $call mine 1 MPI_INT size 0 MPI_COMM_WORLD)
+   $(send $call mine 1 MPI_INT size-1 0 MPI_COMM_WORLD)
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
for call in recv irecv recv_init probe mprobe; do
  program "$call" 2 'There is no rank -7' <<C
  if (rank == 0) {
-   $(receive $call got 1 MPI_INT -7 0 MPI_COMM_WORLD)
+   $(receive $call got 1 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
done
program group_incl 2 'The group has no such rank' <<'C'
  MPI_Group all, part;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
- const int ranks[2] = {0, size};
+ const int ranks[2] = {0, size - 1};
  MPI_Group_incl(all, 2, ranks, &part);
  MPI_Group_free(&part);
  MPI_Group_free(&all);
C
program put 2 'The target is no rank of the window' <<'C'
  MPI_Win window;
  MPI_Win_create(got, sizeof got, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
- MPI_Put(mine, 1, MPI_INT, rank + size, 0, 1, MPI_INT, window);
+ MPI_Put(mine, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
end_class

class 'invalid tag'
for call in send ssend isend issend send_init sendrecv; do
  program "$call" 2 'Tags are not negative' <<C
  if (rank == 0) {
-   $(send $call mine 1 MPI_INT 1 -3 MPI_COMM_WORLD)
+   $(send $call mine 1 MPI_INT 1 3 MPI_COMM_WORLD)
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
program any_tag 2 'A message cannot be sent with any tag' <<'C'
  if (rank == 0) {
-   MPI_Send(mine, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD);
+   MPI_Send(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
for call in recv irecv recv_init probe; do
  program "$call" 2 'Tags are not negative' <<C
  if (rank == 0) {
-   $(receive $call got 1 MPI_INT 1 -8 MPI_COMM_WORLD)
+   $(receive $call got 1 MPI_INT 1 8 MPI_COMM_WORLD)
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  }
C
done
end_class

class 'invalid count'
for call in send isend send_init; do
  program "$call" 2 'A count is negative' <<C
  if (rank == 0) {
-   $(send $call mine -1 MPI_INT 1 0 MPI_COMM_WORLD)
+   $(send $call mine 1 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
for call in recv irecv; do
  program "$call" 2 'A count is negative' <<C
  if (rank == 0) {
-   $(receive $call got -4 MPI_INT 1 0 MPI_COMM_WORLD)
+   $(receive $call got 4 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
done
for call in bcast reduce allreduce gather scatter allgather alltoall iallreduce; do
  program "$call" 2 'A count is negative' <<C
- $(collective $call mine got -2 MPI_INT MPI_SUM 0 MPI_COMM_WORLD)
+ $(collective $call mine got 2 MPI_INT MPI_SUM 0 MPI_COMM_WORLD)
C
done
program type_contiguous 1 'A count is negative' <<'C'
  MPI_Datatype type;
- MPI_Type_contiguous(-3, MPI_INT, &type);
+ MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_free(&type);
C
end_class

class 'invalid type'
for call in send isend send_init; do
  program "${call}_uncommitted" 2 'The type was never committed' <<C
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
+ MPI_Type_commit(&pair);
  if (rank == 0) {
    $(send $call mine 1 pair 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Recv(got, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&pair);
C
done
for call in recv irecv recv_init; do
  program "${call}_null" 2 'There is no type' <<C
  if (rank == 0) {
-   $(receive $call got 1 MPI_DATATYPE_NULL 1 0 MPI_COMM_WORLD)
+   $(receive $call got 1 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
done
program vector_of_null 1 'A type is made of none' <<'C'
  MPI_Datatype type;
- MPI_Type_vector(2, 1, 2, MPI_DATATYPE_NULL, &type);
+ MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_free(&type);
C
program pack 1 'The type was never committed' <<'C'
  char packed[64];
  int place = 0;
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
+ MPI_Type_commit(&type);
  MPI_Pack(mine, 1, type, packed, sizeof packed, &place, MPI_COMM_WORLD);
  MPI_Type_free(&type);
C
end_class

class 'invalid communicator'
program send 2 'There is no communicator' <<'C'
  if (rank == 0) {
-   MPI_Send(mine, 1, MPI_INT, 1, 0, MPI_COMM_NULL);
+   MPI_Send(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program recv 2 'There is no communicator' <<'C'
  if (rank == 0) {
    MPI_Send(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
-   MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE);
+   MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program comm_size 1 'There is no communicator' <<'C'
- MPI_Comm_size(MPI_COMM_NULL, &size);
+ MPI_Comm_size(MPI_COMM_SELF, &size);
C
program split_undefined 2 'A rank that is in no part uses the part' <<'C'
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &part);
- MPI_Barrier(part);
+ if (part != MPI_COMM_NULL) MPI_Barrier(part);
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
C
end_class

class 'invalid root'
for call in bcast reduce gather scatter ibcast ireduce igather; do
  program "$call" 2 'The root is one too high' <<C
- $(collective $call mine got 1 MPI_INT MPI_SUM size MPI_COMM_WORLD)
+ $(collective $call mine got 1 MPI_INT MPI_SUM size-1 MPI_COMM_WORLD)
C
done
program any_source 2 'Any source is no root' <<'C'
- MPI_Bcast(got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_COMM_WORLD);
+ MPI_Bcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD);
C
end_class

class 'invalid operation'
for call in reduce allreduce scan reduce_scatter_block iallreduce; do
  program "${call}_null" 2 'There is no operation' <<C
- $(collective $call mine got 1 MPI_INT MPI_OP_NULL 0 MPI_COMM_WORLD)
+ $(collective $call mine got 1 MPI_INT MPI_SUM 0 MPI_COMM_WORLD)
C
done
for call in reduce allreduce exscan; do
  program "${call}_bits_of_doubles" 2 'Numbers with a point have no bits for an operation' <<C
  double one = 1, all = 0;
- $(collective $call '&one' '&all' 1 MPI_DOUBLE MPI_BAND 0 MPI_COMM_WORLD)
+ $(collective $call '&one' '&all' 1 MPI_DOUBLE MPI_MIN 0 MPI_COMM_WORLD)
C
done
program maxloc 2 'MPI_MAXLOC is for pairs' <<'C'
- MPI_Allreduce(mine, got, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD);
+ MPI_Allreduce(mine, got, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
C
program own_type 2 'An operation of MPI on a type of the program' <<'C'
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
- MPI_Allreduce(mine, got, 1, pair, MPI_SUM, MPI_COMM_WORLD);
+ MPI_Allreduce(mine, got, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
C
program accumulate 2 'There is no operation' <<'C'
  MPI_Win window;
  MPI_Win_create(got, sizeof got, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
- MPI_Accumulate(mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, window);
+ MPI_Accumulate(mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
end_class

class 'invalid buffer'
for call in send isend send_init; do
  program "$call" 2 'There is no memory to send from' <<C
  if (rank == 0) {
-   $(send $call NULL 1 MPI_INT 1 0 MPI_COMM_WORLD)
+   $(send $call mine 1 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
for call in recv irecv; do
  program "$call" 2 'There is no memory to receive into' <<C
  if (rank == 0) {
-   $(receive $call NULL 1 MPI_INT 1 0 MPI_COMM_WORLD)
+   $(receive $call got 1 MPI_INT 1 0 MPI_COMM_WORLD)
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
done
for call in allreduce scan gather allgather alltoall; do
  program "${call}_aliased" 2 'Both buffers are one' <<C
- $(collective $call got got 1 MPI_INT MPI_SUM 0 MPI_COMM_WORLD)
+ $(collective $call mine got 1 MPI_INT MPI_SUM 0 MPI_COMM_WORLD)
C
done
program bcast 2 'There is no memory to send from' <<'C'
- MPI_Bcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
+ MPI_Bcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD);
C
program gather_in_place 2 'MPI_IN_PLACE is for the root only' <<'C'
  if (rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
-   MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD);
+   MPI_Gather(mine, 1, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
C
end_class
