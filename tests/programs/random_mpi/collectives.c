#include "patterns.h"

/* Takes `count` words that came. */
static void fold_all(Rank* rank, const uint64_t* words, int count) {
  for (int i = 0; i < count; ++i) fold(rank, words[i]);
}

static void fill(Rank* rank, uint64_t* words, int count) {
  for (int i = 0; i < count; ++i) words[i] = scramble(rank->hash + (uint64_t)i);
}

/* How many words of the result count, or -1: this is no collective. */
static int rooted(const Group* group, int which, int root, uint64_t* sent, uint64_t* received) {
  const int is_root = group->rank == root;
  switch (which) {
    case 0:
      received[0] = sent[0];
      MPI_Bcast(received, 1, MPI_UINT64_T, root, group->comm);
      return 1;
    case 1:
      MPI_Reduce(sent, received, 2, MPI_UINT64_T, MPI_BXOR, root, group->comm);
      return is_root ? 2 : 0;
    case 2:
      MPI_Gather(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, root, group->comm);
      return is_root ? group->size : 0;
    case 3:
      MPI_Scatter(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, root, group->comm);
      return 1;
    default: return -1;
  }
}

static int unrooted(const Group* group, int which, uint64_t* sent, uint64_t* received) {
  switch (which) {
    case 4: MPI_Barrier(group->comm); return 0;
    case 5: MPI_Allreduce(sent, received, 2, MPI_UINT64_T, MPI_SUM, group->comm); return 2;
    case 6:
      MPI_Allgather(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, group->comm);
      return group->size;
    case 7:
      MPI_Alltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, group->comm);
      return group->size;
    case 8: MPI_Scan(sent, received, 1, MPI_UINT64_T, MPI_SUM, group->comm); return 1;
    case 9:
      MPI_Reduce_scatter_block(sent, received, 1, MPI_UINT64_T, MPI_BXOR, group->comm);
      return 1;
    default:
      MPI_Exscan(sent, received, 1, MPI_UINT64_T, MPI_SUM, group->comm);
      return group->rank > 0;
  }
}

void collective(Rank* rank, const Group* group, Random* plan) {
  uint64_t sent[RANKS_MAX], received[RANKS_MAX] = {0};
  const int which = below(plan, 11), root = below(plan, group->size);
  fill(rank, sent, RANKS_MAX);
  if (group->remote_size > 0) {
    MPI_Allreduce(sent, received, 2, MPI_UINT64_T, MPI_SUM, group->comm);
    fold_all(rank, received, 2);
    return;
  }
  int folded = rooted(group, which, root, sent, received);
  if (folded < 0) folded = unrooted(group, which, sent, received);
  fold_all(rank, received, folded);
}

void collective_begun(Rank* rank, const Group* group, Random* plan) {
  const int which = below(plan, 6), root = below(plan, group->size);
  if (rank->collective_count == COLLECTIVES_MAX) collectives_completed(rank);
  Collective* begun = &rank->collectives[rank->collective_count++];
  uint64_t *sent = begun->sent, *received = begun->received;
  MPI_Request* request = &begun->request;
  const MPI_Comm comm = group->comm;
  fill(rank, sent, RANKS_MAX);
  switch (which) {
    case 0:
      received[0] = sent[0];
      MPI_Ibcast(received, 1, MPI_UINT64_T, root, comm, request);
      begun->folded = 1;
      break;
    case 1:
      MPI_Iallreduce(sent, received, 2, MPI_UINT64_T, MPI_SUM, comm, request);
      begun->folded = 2;
      break;
    case 2:
      MPI_Iallgather(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, comm, request);
      begun->folded = group->size;
      break;
    case 3:
      MPI_Ialltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, comm, request);
      begun->folded = group->size;
      break;
    case 4:
      MPI_Igather(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, root, comm, request);
      begun->folded = group->rank == root ? group->size : 0;
      break;
    default:
      MPI_Ibarrier(comm, request);
      begun->folded = 0;
      break;
  }
  if (one_in(plan, 2)) collectives_completed(rank);
}

void collectives_completed(Rank* rank) {
  const int polls = one_in(&rank->own, 2);
  for (int i = 0; i < rank->collective_count; ++i) {
    Collective* under_way = &rank->collectives[i];
    int is_complete = 0;
    while (polls && !is_complete) {
      MPI_Test(&under_way->request, &is_complete, MPI_STATUS_IGNORE);
      fold(rank, (uint64_t)is_complete);
    }
    if (!polls) MPI_Wait(&under_way->request, MPI_STATUS_IGNORE);
    fold_all(rank, under_way->received, under_way->folded);
  }
  rank->collective_count = 0;
}
