#include "receives.h"

#include <stdlib.h>

static void by_probe(Rank* rank, MPI_Comm comm, Spec spec, int waits) {
  uint64_t words[WORDS_MAX];
  MPI_Status status;
  int is_there = 0;
  if (waits) {
    MPI_Probe(spec.source, spec.tag, comm, &status);
  } else {
    while (!is_there) {
      MPI_Iprobe(spec.source, spec.tag, comm, &is_there, &status);
      fold(rank, (uint64_t)is_there);
    }
  }
  MPI_Recv(words, WORDS_MAX, MPI_UINT64_T, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
  message_folded(rank, words, &status);
}

static void by_matched_probe(Rank* rank, MPI_Comm comm, Spec spec, int waits) {
  uint64_t words[WORDS_MAX];
  MPI_Status status;
  MPI_Message message = MPI_MESSAGE_NULL;
  int is_there = 0;
  if (waits) {
    MPI_Mprobe(spec.source, spec.tag, comm, &message, &status);
  } else {
    while (!is_there) {
      MPI_Improbe(spec.source, spec.tag, comm, &is_there, &message, &status);
      fold(rank, (uint64_t)is_there);
    }
  }
  if (one_in(&rank->own, 2)) {
    MPI_Mrecv(words, WORDS_MAX, MPI_UINT64_T, &message, &status);
  } else {
    MPI_Request request;
    MPI_Imrecv(words, WORDS_MAX, MPI_UINT64_T, &message, &request);
    MPI_Wait(&request, &status);
  }
  message_folded(rank, words, &status);
}

/* Few persistent requests for many messages. */
static void by_restarts(Rank* rank, const Wanted* wanted) {
  enum { REQUESTS = 3 };
  uint64_t words[REQUESTS][WORDS_MAX];
  MPI_Request requests[REQUESTS];
  const int count = wanted->count < REQUESTS ? wanted->count : REQUESTS;
  for (int i = 0; i < count; ++i) {
    MPI_Recv_init(words[i], WORDS_MAX, MPI_UINT64_T, wanted->specs[0].source, wanted->specs[0].tag,
                  wanted->comm, &requests[i]);
  }
  MPI_Startall(count, requests);
  const int polls = !rank->settings.is_small && one_in(&rank->own, 2);
  for (int started = count, complete = 0; complete < wanted->count; ++complete) {
    int index = 0, is_complete = 0;
    MPI_Status status;
    while (polls && !is_complete) {
      MPI_Testany(count, requests, &index, &is_complete, &status);
      fold(rank, (uint64_t)is_complete);
    }
    if (!polls) MPI_Waitany(count, requests, &index, &status);
    fold(rank, (uint64_t)index);
    message_folded(rank, words[index], &status);
    if (started == wanted->count) continue;
    MPI_Start(&requests[index]);
    ++started;
  }
  for (int i = 0; i < count; ++i) MPI_Request_free(&requests[i]);
}

static int may_cancel(const Rank* rank, int source) {
  return source == MPI_ANY_SOURCE || !rank->settings.keeps_named;
}

void receive_by_cancel(Rank* rank, MPI_Comm comm, Spec spec) {
  uint64_t words[WORDS_MAX];
  MPI_Request request;
  MPI_Status status;
  int is_cancelled = 0;
  MPI_Irecv(words, WORDS_MAX, MPI_UINT64_T, spec.source, spec.tag, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &is_cancelled);
  fold(rank, (uint64_t)is_cancelled);
  if (is_cancelled) {
    receive_now(rank, comm, spec);
  } else {
    message_folded(rank, words, &status);
  }
}

void cancel_in_vain(Rank* rank, MPI_Comm comm, int tag) {
  uint64_t word = 0;
  MPI_Request request;
  MPI_Status status;
  int is_cancelled = 0;
  MPI_Irecv(&word, 1, MPI_UINT64_T, MPI_ANY_SOURCE, tag, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &is_cancelled);
  if (!is_cancelled) fail(rank, "a receive that nothing matches was not cancelled");
}

void cancel_left(Rank* rank) {
  List* left = &rank->receives;
  for (int i = 0; i < left->count; ++i) {
    Slot* slot = &left->slots[i];
    MPI_Status status;
    int is_cancelled = 0;
    if (slot->words == NULL || !may_cancel(rank, slot->source)) continue;
    if (!one_in(&rank->own, 2)) continue;
    MPI_Cancel(&left->requests[i]);
    MPI_Wait(&left->requests[i], &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    fold(rank, (uint64_t)is_cancelled);
    if (left->requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&left->requests[i]);
    if (is_cancelled) {
      MPI_Irecv(slot->words, WORDS_MAX, MPI_UINT64_T, slot->source, slot->tag, slot->comm,
                &left->requests[i]);
    } else {
      message_folded(rank, slot->words, &status);
      free(slot->words);
      slot->words = NULL;
    }
    return;
  }
}

void look(Rank* rank, MPI_Comm comm, Spec spec) {
  int is_there = 0;
  MPI_Iprobe(spec.source, spec.tag, comm, &is_there, MPI_STATUS_IGNORE);
  fold(rank, (uint64_t)is_there);
}

static void receive_one(Rank* rank, MPI_Comm comm, Spec spec, int way) {
  switch (way) {
    case 0: by_probe(rank, comm, spec, 1); break;
    case 1: by_probe(rank, comm, spec, 0); break;
    case 2: by_matched_probe(rank, comm, spec, 1); break;
    case 3: by_matched_probe(rank, comm, spec, 0); break;
    case 4:
      if (may_cancel(rank, spec.source)) {
        receive_by_cancel(rank, comm, spec);
        break;
      } /* fall through */
    default: receive_now(rank, comm, spec); break;
  }
}

void receive_all(Rank* rank, const Wanted* wanted, List* under_way) {
  if (wanted->count == 0) return;
  const int way = below(&rank->own, 20);
  if (way < 9 && !wanted->must_post) {
    for (int i = 0; i < wanted->count; ++i) receive_one(rank, wanted->comm, wanted->specs[i], way);
  } else if (way < 11 && wanted->are_alike) {
    by_restarts(rank, wanted);
  } else if (way < 14 && wanted->may_be_left) {
    for (int i = 0; i < wanted->count; ++i) {
      receive_later(rank, wanted->comm, wanted->specs[i], &rank->receives);
    }
  } else {
    List list = {0};
    List* posted = one_in(&rank->own, 2) ? under_way : &list;
    for (int i = 0; i < wanted->count; ++i) {
      receive_later(rank, wanted->comm, wanted->specs[i], posted);
    }
    list_completed(rank, posted);
  }
}
