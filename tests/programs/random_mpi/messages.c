#include "messages.h"

#include <stdlib.h>
#include <string.h>

uint64_t* message_made(Rank* rank, int* count) {
  const int is_long = !rank->settings.is_small && one_in(&rank->own, 24);
  *count = 2 + below(&rank->own, is_long ? WORDS_MAX - 2 : 12);
  uint64_t* words = malloc((size_t)*count * sizeof *words);
  words[0] = rank->hash;
  words[1] = (uint64_t)rank->round;
  for (int i = 2; i < *count; ++i) words[i] = scramble(words[0] + (uint64_t)i);
  return words;
}

void message_folded(Rank* rank, const uint64_t* words, const MPI_Status* status) {
  int count = 0;
  MPI_Get_count(status, MPI_UINT64_T, &count);
  if (count < 2) fail(rank, "a message is too short");
  for (int i = 2; i < count; ++i) {
    if (words[i] != scramble(words[0] + (uint64_t)i)) fail(rank, "a message is spoilt");
  }
  fold(rank, (uint64_t)status->MPI_SOURCE);
  fold(rank, (uint64_t)status->MPI_TAG);
  fold(rank, (uint64_t)count);
  fold(rank, words[0]);
  fold(rank, words[1]);
}

void send_now(Rank* rank, MPI_Comm comm, int to, int tag) {
  int count = 0;
  uint64_t* words = message_made(rank, &count);
  switch (below(&rank->own, 4)) {
    case 0: MPI_Ssend(words, count, MPI_UINT64_T, to, tag, comm); break;
    case 1: MPI_Bsend(words, count, MPI_UINT64_T, to, tag, comm); break;
    default: MPI_Send(words, count, MPI_UINT64_T, to, tag, comm); break;
  }
  free(words);
}

void send_later(Rank* rank, MPI_Comm comm, int to, int tag, List* list) {
  int count = 0;
  uint64_t* words = message_made(rank, &count);
  const int slot = list_added(list, (Slot){.words = words, .comm = comm});
  MPI_Request* request = &list->requests[slot];
  switch (below(&rank->own, 8)) {
    case 0:
    case 1: MPI_Issend(words, count, MPI_UINT64_T, to, tag, comm, request); break;
    case 2: MPI_Ibsend(words, count, MPI_UINT64_T, to, tag, comm, request); break;
    case 3:
      MPI_Send_init(words, count, MPI_UINT64_T, to, tag, comm, request);
      MPI_Start(request);
      break;
    case 4:
      MPI_Ssend_init(words, count, MPI_UINT64_T, to, tag, comm, request);
      MPI_Startall(1, request);
      break;
    default: MPI_Isend(words, count, MPI_UINT64_T, to, tag, comm, request); break;
  }
}

int list_added(List* list, Slot slot) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
    list->slots = realloc(list->slots, (size_t)list->capacity * sizeof *list->slots);
    /* Requests may move: MPI knows their values only. */
    list->requests = realloc(list->requests, (size_t)list->capacity * sizeof *list->requests);
  }
  list->slots[list->count] = slot;
  list->requests[list->count] = MPI_REQUEST_NULL;
  return list->count++;
}

void list_freed(List* list) {
  free(list->requests);
  free(list->slots);
  *list = (List){0};
}

void receive_later(Rank* rank, MPI_Comm comm, Spec spec, List* list) {
  uint64_t* words = malloc(WORDS_MAX * sizeof *words);
  const int slot = list_added(
      list,
      (Slot){
          .words = words, .comm = comm, .is_receive = 1, .source = spec.source, .tag = spec.tag});
  MPI_Request* request = &list->requests[slot];
  if (one_in(&rank->own, 5)) {
    MPI_Recv_init(words, WORDS_MAX, MPI_UINT64_T, spec.source, spec.tag, comm, request);
    MPI_Start(request);
  } else {
    MPI_Irecv(words, WORDS_MAX, MPI_UINT64_T, spec.source, spec.tag, comm, request);
  }
}

void receive_now(Rank* rank, MPI_Comm comm, Spec spec) {
  uint64_t words[WORDS_MAX];
  MPI_Status status;
  if (one_in(&rank->own, 4)) {
    MPI_Sendrecv(NULL, 0, MPI_UINT64_T, MPI_PROC_NULL, 0, words, WORDS_MAX, MPI_UINT64_T,
                 spec.source, spec.tag, comm, &status);
  } else {
    MPI_Recv(words, WORDS_MAX, MPI_UINT64_T, spec.source, spec.tag, comm, &status);
  }
  message_folded(rank, words, &status);
}
