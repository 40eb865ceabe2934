# Handles that were kept after their object was freed, or their request completed.

class 'use after free'
for call in bcast gather allgather alltoall; do
  program "type_${call}" 2 'The type has been freed' <<C
  MPI_Datatype type, same;
  MPI_Type_dup(MPI_INT, &type);
  same = type;
- MPI_Type_free(&type);
  $(collective $call mine got 1 same MPI_MAX 0 MPI_COMM_WORLD)
+ MPI_Type_free(&type);
C
done
for call in barrier bcast allreduce gather; do
  program "comm_${call}" 2 'The communicator has been freed' <<C
  MPI_Comm other, same;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  same = other;
- MPI_Comm_free(&other);
  $(collective $call mine got 1 MPI_INT MPI_SUM 0 same)
+ MPI_Comm_free(&other);
C
done
program wait_freed 2 'A copy of a request that has been freed' <<'C'
  MPI_Request request, copy;
  if (rank == 0) {
    MPI_Isend(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    copy = request;
-   MPI_Request_free(&request);
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
for call in Wait Test; do
  flag=''
  if [[ $call == Test ]]; then flag='&done, '; fi
  program "${call,,}_done" 2 'A copy of a request that has been waited for' <<C
  MPI_Request request, copy;
  int done = 0;
  if (rank == 0) {
    MPI_Irecv(got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    copy = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
-   MPI_$call(&copy, ${flag}MPI_STATUS_IGNORE);
+   MPI_$call(&request, ${flag}MPI_STATUS_IGNORE);
  } else {
    MPI_Send(mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
C
done
for call in 'MPI_Win_fence(0, copy);' 'MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, copy); MPI_Win_unlock(0, copy);' \
  'MPI_Win_lock_all(0, copy); MPI_Win_unlock_all(copy);'; do
  name=${call%%(*}
  name=${name#MPI_Win_}
  program "${name}_freed" 2 'The window has been freed' <<C
  MPI_Win window, copy;
  $make_window
  copy = window;
- MPI_Win_free(&window);
  $call
+ MPI_Win_free(&window);
C
done
end_class
