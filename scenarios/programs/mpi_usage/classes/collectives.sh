# Ranks that do not do the same.

class 'collective mismatch'
program other_function 2 'One rank does a barrier, the other a broadcast' <<'C'
- if (rank == 0) {
-   MPI_Barrier(MPI_COMM_WORLD);
- } else {
-   MPI_Bcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD);
- }
+ MPI_Barrier(MPI_COMM_WORLD);
C
program other_order 2 'The ranks do a reduction and a broadcast in different orders' <<'C'
- for (int i = 0; i < 2; ++i) {
-   if ((i == 0) == (rank == 0)) {
-     MPI_Allreduce(mine, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
-   } else {
-     MPI_Bcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD);
-   }
- }
+ MPI_Allreduce(mine, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
+ MPI_Bcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD);
C
for call in bcast reduce gather scatter ibcast ireduce; do
  program "${call}_root" 2 'Each rank is its own root' <<C
- $(collective $call mine got 1 MPI_INT MPI_SUM rank MPI_COMM_WORLD)
+ $(collective $call mine got 1 MPI_INT MPI_SUM 1 MPI_COMM_WORLD)
C
done
for call in reduce allreduce scan iallreduce; do
  program "${call}_operation" 2 'The ranks'\'' operations differ' <<C
- const MPI_Op op = rank == 0 ? MPI_SUM : MPI_MAX;
+ const MPI_Op op = MPI_SUM;
  $(collective $call mine got 1 MPI_INT op 0 MPI_COMM_WORLD)
C
done
for call in bcast allreduce gather alltoall ibcast iallreduce; do
  program "${call}_count" 2 'The ranks'\'' counts differ' <<C
- const int count = rank == 0 ? 2 : 1;
+ const int count = 2;
  $(collective $call mine got count MPI_INT MPI_SUM 0 MPI_COMM_WORLD)
C
done
for call in bcast allreduce allgather; do
  program "${call}_type" 2 'The ranks'\'' types differ' <<C
- const MPI_Datatype type = rank == 0 ? MPI_INT : MPI_FLOAT;
+ const MPI_Datatype type = MPI_INT;
  $(collective $call mine got 1 type MPI_MAX 0 MPI_COMM_WORLD)
C
done
program blocking_and_not 2 'A blocking operation does not match a non-blocking one' <<'C'
  MPI_Request request;
- if (rank == 0) {
-   MPI_Bcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD);
- } else {
-   MPI_Ibcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
-   MPI_Wait(&request, MPI_STATUS_IGNORE);
- }
+ MPI_Ibcast(got, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
+ MPI_Wait(&request, MPI_STATUS_IGNORE);
C
program alltoallv_counts 2 'What one sends is not what the other expects' <<'C'
  const int to[2] = {1, 2}, from[2] = {rank == 0 ? 1 : 2, rank == 0 ? 1 : 2};
  const int places[2] = {0, 4};
- const int wrong[2] = {1, 1};
- MPI_Alltoallv(mine, to, places, MPI_INT, got, wrong, places, MPI_INT, MPI_COMM_WORLD);
+ MPI_Alltoallv(mine, to, places, MPI_INT, got, from, places, MPI_INT, MPI_COMM_WORLD);
C
end_class
