/* The calls that complete requests. */
#include <stdlib.h>

#include "messages.h"

/* Request `index` of the list is complete. */
static void finished(Rank* rank, List* list, int index, const MPI_Status* status) {
  Slot* slot = &list->slots[index];
  if (slot->words == NULL) fail(rank, "a request completed twice");
  if (slot->is_receive) message_folded(rank, slot->words, status);
  fold(rank, (uint64_t)index);
  free(slot->words);
  slot->words = NULL;
  /* A persistent one is inactive now. */
  if (list->requests[index] != MPI_REQUEST_NULL) MPI_Request_free(&list->requests[index]);
}

static int by_waitany(Rank* rank, List* list) {
  int index = MPI_UNDEFINED;
  MPI_Status status;
  MPI_Waitany(list->count, list->requests, &index, &status);
  finished(rank, list, index, &status);
  return 1;
}

static int by_testany(Rank* rank, List* list) {
  int index = MPI_UNDEFINED, is_complete = 0;
  MPI_Status status;
  MPI_Testany(list->count, list->requests, &index, &is_complete, &status);
  fold(rank, (uint64_t)is_complete);
  if (!is_complete || index == MPI_UNDEFINED) return 0;
  finished(rank, list, index, &status);
  return 1;
}

static int by_some(Rank* rank, List* list, int waits) {
  const size_t count = (size_t)list->count;
  int* indices = malloc(count * sizeof *indices);
  MPI_Status* statuses = malloc(count * sizeof *statuses);
  int complete = 0;
  if (waits) {
    MPI_Waitsome(list->count, list->requests, &complete, indices, statuses);
  } else {
    MPI_Testsome(list->count, list->requests, &complete, indices, statuses);
  }
  if (complete == MPI_UNDEFINED) complete = 0;
  fold(rank, (uint64_t)complete);
  for (int i = 0; i < complete; ++i) finished(rank, list, indices[i], &statuses[i]);
  free(indices);
  free(statuses);
  return complete;
}

static int by_all(Rank* rank, List* list, int waits) {
  MPI_Status* statuses = malloc((size_t)list->count * sizeof *statuses);
  int are_complete = 1, complete = 0;
  if (waits) {
    MPI_Waitall(list->count, list->requests, statuses);
  } else {
    MPI_Testall(list->count, list->requests, &are_complete, statuses);
    fold(rank, (uint64_t)are_complete);
  }
  for (int i = 0; are_complete && i < list->count; ++i) {
    if (list->slots[i].words == NULL) continue;
    finished(rank, list, i, &statuses[i]);
    ++complete;
  }
  free(statuses);
  return complete;
}

/* Asks for each in turn, or waits for each in an order of its own. */
static int by_each(Rank* rank, List* list, int waits) {
  const int first = below(&rank->own, list->count);
  int complete = 0;
  for (int i = 0; i < list->count; ++i) {
    const int index = (first + i) % list->count;
    int is_complete = 1;
    MPI_Status status;
    if (list->slots[index].words == NULL) continue;
    if (waits) {
      MPI_Wait(&list->requests[index], &status);
    } else {
      MPI_Test(&list->requests[index], &is_complete, &status);
      fold(rank, (uint64_t)is_complete);
    }
    if (!is_complete) continue;
    finished(rank, list, index, &status);
    ++complete;
  }
  return complete;
}

static int completed_by(Rank* rank, List* list, int way) {
  switch (way) {
    case 0: return by_waitany(rank, list);
    case 1: return by_some(rank, list, 1);
    case 2: return by_all(rank, list, 1);
    case 3: return by_each(rank, list, 1);
    case 4: return by_testany(rank, list);
    case 5: return by_some(rank, list, 0);
    case 6: return by_all(rank, list, 0);
    default: return by_each(rank, list, 0);
  }
}

static int left_of(const List* list) {
  int left = 0;
  for (int i = 0; i < list->count; ++i) left += list->slots[i].words != NULL;
  return left;
}

void list_completed(Rank* rank, List* list) {
  /* A search of all schedules tries each number of failed polls. */
  const int may_poll = !rank->settings.is_small || one_in(&rank->own, 4);
  const int way = below(&rank->own, may_poll ? 8 : 4);
  for (int left = left_of(list); left > 0;) left -= completed_by(rank, list, way);
  list_freed(list);
}

void list_polled(Rank* rank, List* list) {
  if (left_of(list) == 0) return;
  completed_by(rank, list, 4 + below(&rank->own, 4));
}
