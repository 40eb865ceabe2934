/* Patterns in which messages answer messages. */
#include <stdlib.h>

#include "messages.h"
#include "patterns.h"
#include "receives.h"

static void ask(Rank* rank, const Group* group, int master) {
  int count = 0;
  uint64_t* words = message_made(rank, &count);
  uint64_t answer[WORDS_MAX];
  MPI_Status status;
  MPI_Sendrecv(words, count, MPI_UINT64_T, master, own_tag(rank, 0), answer, WORDS_MAX,
               MPI_UINT64_T, master, own_tag(rank, 1), group->comm, &status);
  message_folded(rank, answer, &status);
  free(words);
}

/* Answers each as it asks, or answers the one while it waits for the next. */
static void answer_all(Rank* rank, const Group* group, int questions, int overlaps) {
  uint64_t question[WORDS_MAX];
  int asker = MPI_PROC_NULL;
  for (int i = 0; i <= questions; ++i) {
    const int from = i < questions ? MPI_ANY_SOURCE : MPI_PROC_NULL;
    int count = 0;
    uint64_t* words = message_made(rank, &count);
    MPI_Status status;
    if (overlaps) {
      MPI_Sendrecv(words, count, MPI_UINT64_T, asker, own_tag(rank, 1), question, WORDS_MAX,
                   MPI_UINT64_T, from, own_tag(rank, 0), group->comm, &status);
    } else {
      MPI_Send(words, count, MPI_UINT64_T, asker, own_tag(rank, 1), group->comm);
      MPI_Recv(question, WORDS_MAX, MPI_UINT64_T, from, own_tag(rank, 0), group->comm, &status);
    }
    free(words);
    asker = status.MPI_SOURCE;
    if (asker != MPI_PROC_NULL) message_folded(rank, question, &status);
  }
}

void farm(Rank* rank, const Group* group, Random* plan) {
  if (group->size < 2) return;
  const int master = below(plan, group->size);
  const int questions = rank->settings.is_small ? rank->settings.messages_max : 1 + below(plan, 3);
  const int overlaps = one_in(plan, 2);
  if (group->rank == master) {
    answer_all(rank, group, questions * (group->size - 1), overlaps);
  } else {
    for (int i = 0; i < questions; ++i) ask(rank, group, master);
  }
}

static void pass_token(Rank* rank, const Group* group, int first, int source) {
  const int tag = own_tag(rank, 0);
  const int next = (group->rank + 1) % group->size;
  if (group->rank == first) send_now(rank, group->comm, next, tag);
  receive_now(rank, group->comm, (Spec){source, tag});
  if (group->rank != first) send_now(rank, group->comm, next, tag);
}

static void shift(Rank* rank, const Group* group, int distance, int is_in_place, int is_named) {
  const int to = (group->rank + distance) % group->size;
  const int from = is_named ? (group->rank + group->size - distance) % group->size : MPI_ANY_SOURCE;
  const int tag = own_tag(rank, distance);
  uint64_t words[WORDS_MAX];
  MPI_Status status;
  int count = 0;
  uint64_t* made = message_made(rank, &count);
  if (is_in_place) {
    /* One buffer for both: as long as any message may be. */
    for (int i = 0; i < count; ++i) words[i] = made[i];
    for (int i = count; i < WORDS_MAX; ++i) words[i] = scramble(made[0] + (uint64_t)i);
    MPI_Sendrecv_replace(words, WORDS_MAX, MPI_UINT64_T, to, tag, from, tag, group->comm, &status);
  } else {
    MPI_Sendrecv(made, count, MPI_UINT64_T, to, tag, words, WORDS_MAX, MPI_UINT64_T, from, tag,
                 group->comm, &status);
  }
  message_folded(rank, words, &status);
  free(made);
}

void ring(Rank* rank, const Group* group, Random* plan) {
  if (group->size < 2) return;
  const int first = below(plan, group->size), is_named = one_in(plan, 2);
  if (one_in(plan, 2)) {
    pass_token(rank, group, first,
               is_named ? (group->rank + group->size - 1) % group->size : MPI_ANY_SOURCE);
    return;
  }
  const int is_in_place = one_in(plan, 2);
  const int shifts = rank->settings.is_small ? 1 : 1 + below(plan, group->size - 1);
  for (int i = 1; i <= shifts; ++i) shift(rank, group, i, is_in_place, is_named);
}
