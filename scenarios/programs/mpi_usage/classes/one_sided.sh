# Windows: handles, epochs, and accesses that are not ordered.

# How each family touches `count` numbers of rank 1, at `place`.
access() { # FAMILY PLACE
  case $1 in
    put) printf 'MPI_Put(mine, 2, MPI_INT, 1, %s, 2, MPI_INT, window);' "$2" ;;
    get) printf 'MPI_Get(mine, 2, MPI_INT, 1, %s, 2, MPI_INT, window);' "$2" ;;
    accumulate) printf 'MPI_Accumulate(mine, 2, MPI_INT, 1, %s, 2, MPI_INT, MPI_SUM, window);' "$2" ;;
    get_accumulate)
      printf 'MPI_Get_accumulate(mine, 2, MPI_INT, mine + 4, 2, MPI_INT, 1, %s, 2, MPI_INT, MPI_SUM, window);' "$2"
      ;;
    fetch_and_op) printf 'MPI_Fetch_and_op(mine, mine + 4, MPI_INT, 1, %s, MPI_SUM, window);' "$2" ;;
    compare_and_swap)
      printf 'MPI_Compare_and_swap(mine, mine + 2, mine + 4, MPI_INT, 1, %s, window);' "$2"
      ;;
  esac
}

class 'invalid window'
for call in put get accumulate fetch_and_op; do
  program "${call}_null" 2 'There is no window' <<C
  MPI_Win window;
  $make_window
  MPI_Win_fence(0, window);
- MPI_Win real = window;
- window = MPI_WIN_NULL;
  if (rank == 0) $(access $call 0)
- window = real;
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
done
end_class

class 'epoch'
for call in put get accumulate fetch_and_op compare_and_swap; do
  program "${call}_without_epoch" 2 'No epoch is open' <<C
  MPI_Win window;
  $make_window
+ MPI_Win_fence(0, window);
  if (rank == 0) $(access $call 0)
+ MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
done
program put_after_unlock 2 'The lock has been given back' <<C
  MPI_Win window;
  $make_window
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
+   $(access put 0)
    MPI_Win_unlock(1, window);
-   $(access put 0)
  }
  MPI_Win_free(&window);
C
program put_to_another 2 'The lock is of another rank' <<C
  MPI_Win window;
  $make_window
  if (rank == 0) {
-   MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
+   MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    $(access put 0)
-   MPI_Win_unlock(0, window);
+   MPI_Win_unlock(1, window);
  }
  MPI_Win_free(&window);
C
program unlock_alone 2 'There is no lock to give back' <<C
  MPI_Win window;
  $make_window
+ MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Win_unlock(0, window);
  MPI_Win_free(&window);
C
program lock_twice 2 'A rank is locked twice by one' <<C
  MPI_Win window;
  $make_window
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
- MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Win_unlock(1, window);
  MPI_Win_free(&window);
C
program flush_alone 2 'MPI_Win_flush is for epochs of locks' <<C
  MPI_Win window;
  $make_window
+ MPI_Win_lock_all(0, window);
  MPI_Win_flush(0, window);
+ MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
C
program complete_alone 2 'No epoch was started' <<C
  MPI_Win window;
  $make_window
- MPI_Win_complete(window);
  MPI_Win_free(&window);
C
program wait_alone 2 'Nothing was posted' <<C
  MPI_Win window;
  $make_window
- MPI_Win_wait(window);
  MPI_Win_free(&window);
C
program free_in_epoch 2 'The window is freed while an epoch is open' <<C
  MPI_Win window;
  $make_window
  MPI_Win_lock_all(0, window);
+ MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
C
program outside_group 2 'The target is not of the group of the epoch' <<C
  MPI_Win window;
  MPI_Group all, one;
  const int self = rank;
  const int target = 1;
  $make_window
  MPI_Comm_group(MPI_COMM_WORLD, &all);
- MPI_Group_incl(all, 1, &self, &one);
+ MPI_Group_incl(all, 1, &target, &one);
- MPI_Win_post(one, 0, window);
+ if (rank == 1) MPI_Win_post(all, 0, window);
  MPI_Win_start(one, 0, window);
  if (rank == 0) $(access put 0)
  MPI_Win_complete(window);
- MPI_Win_wait(window);
+ if (rank == 1) MPI_Win_wait(window);
  MPI_Win_free(&window);
  MPI_Group_free(&one);
  MPI_Group_free(&all);
C
end_class

class 'conflicting accesses'
# Ranks 0 and 2 touch rank 1 in one epoch.
for pair in 'put put' 'put get' 'get put' 'put accumulate' 'get accumulate' 'put fetch_and_op'; do
  read -r first second <<<"$pair"
  program "${first}_and_${second}" 3 'Two ranks touch one place in one epoch' <<C
  MPI_Win window;
  $make_window
  MPI_Win_fence(0, window);
  if (rank == 0) $(access $first 0)
- if (rank == 2) $(access $second 1)
+ if (rank == 2) $(access $second 4)
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
done
program operations_differ 3 'Two ranks add up and multiply one place in one epoch' <<C
  MPI_Win window;
  $make_window
  MPI_Win_fence(0, window);
  if (rank == 0) $(access accumulate 0)
- if (rank == 2) MPI_Accumulate(mine, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_PROD, window);
+ if (rank == 2) MPI_Accumulate(mine, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
for first in put get; do
  program "two_${first}s_of_one" 2 'One rank touches one place twice in one epoch' <<C
  MPI_Win window;
  $make_window
  MPI_Win_fence(0, window);
  if (rank == 0) {
    $(access $first 0)
-   MPI_Put(mine + 4, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
+   MPI_Put(mine + 4, 1, MPI_INT, 1, 2, 1, MPI_INT, window);
  }
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
done
program shared_locks 3 'Shared locks do not order two puts' <<C
  MPI_Win window;
  $make_window
  if (rank != 1) {
-   MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
+   MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    $(access put 0)
    MPI_Win_unlock(1, window);
  }
  MPI_Win_free(&window);
C
program local_store 2 'The target stores where a put may arrive' whole '--detect mpi_buffers' <<C
  MPI_Win window;
  $make_window
  MPI_Win_fence(0, window);
  if (rank == 0) $(access put 0)
- if (rank == 1) got[1] = 5;
  MPI_Win_fence(0, window);
+ if (rank == 1) got[1] = 5;
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
for call in put accumulate get_accumulate fetch_and_op; do
  program "store_and_$call" 2 'The target stores where another rank updates' whole '--detect mpi_buffers' <<C
  MPI_Win window;
  $make_window
  if (rank == 0) {
    MPI_Win_lock_all(0, window);
    $(access $call 0)
+   MPI_Win_flush(1, window);
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    got[0] = 5;
  }
  MPI_Win_free(&window);
C
done
program store_beside 2 'The target stores next to what another rank updates, and into it' whole '--detect mpi_buffers' <<C
  MPI_Win window;
  $make_window
  MPI_Win_fence(0, window);
  if (rank == 0) $(access put 2)
  MPI_Barrier(MPI_COMM_WORLD);
- if (rank == 1) memset(got, 0, 9);
+ if (rank == 1) memset(got, 0, 8);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
C
end_class
