/* Exchanges. None can come to a deadlock, since:
 *  - a sender waits for its message to be received only if the message's tag belongs to this round,
 * and then only where it receives nothing itself;
 *  - what has a tag of several rounds is sent without waiting, and completed after the last round.
 * All receives with that tag in that communicator are alike, so that any message will do for any of
 * them, and there are as many of one as of the other up to each round: the first round that anybody
 * is still in can go on. */
#include <stdlib.h>

#include "patterns.h"
#include "receives.h"
#include "traffic.h"

typedef enum { BY_WILDCARD, BY_NAME } Naming;

typedef struct {
  Naming naming;
  int tag;
  int has_any_tag;  /* receives ask for MPI_ANY_TAG */
  int is_shared;    /* with other rounds: no send waits */
  int senders_wait; /* until they are received, one after the other */
  int may_be_left;
} Manner;

static Manner manner_of(Random* plan, const Rank* rank, const Group* group, int is_one_way) {
  Manner manner = {.may_be_left = 1};
  if (group->takes_any_tag || one_in(plan, 2)) {
    manner.is_shared = 1;
    manner.tag = below(plan, SHARED_TAGS);
    manner.has_any_tag = group->takes_any_tag;
    return manner;
  }
  manner.naming = one_in(plan, 4) ? BY_NAME : BY_WILDCARD;
  manner.tag = own_tag(rank, 0);
  manner.senders_wait = is_one_way && !one_in(plan, 3);
  return manner;
}

/* `outgoing`: to whom how many; `incoming`: from whom how many. */
static void go(Rank* rank, const Group* group, const int* outgoing, const int* incoming,
               const Manner* manner) {
  List sends = {0};
  Spec specs[MESSAGES_MAX * RANKS_MAX];
  int count = 0;
  for (int i = 0; i < RANKS_MAX; ++i) {
    for (int message = 0; message < incoming[i]; ++message) {
      specs[count].source = manner->naming == BY_NAME ? i : MPI_ANY_SOURCE;
      specs[count++].tag = manner->has_any_tag ? MPI_ANY_TAG : manner->tag;
    }
  }
  for (int i = 0; i < RANKS_MAX; ++i) {
    for (int message = 0; message < outgoing[i]; ++message) {
      if (manner->senders_wait) {
        send_now(rank, group->comm, i, manner->tag);
      } else {
        send_later(rank, group->comm, i, manner->tag, manner->is_shared ? &rank->sends : &sends);
      }
    }
  }
  const Wanted wanted = {
      .comm = group->comm,
      .specs = specs,
      .count = count,
      .are_alike = manner->naming == BY_WILDCARD,
      .must_post = manner->naming == BY_NAME && manner->senders_wait,
      .may_be_left = manner->may_be_left,
  };
  receive_all(rank, &wanted, &sends);
  list_completed(rank, &sends);
}

static void go_within(Rank* rank, const Group* group, const Traffic* traffic,
                      const Manner* manner) {
  int incoming[RANKS_MAX];
  for (int i = 0; i < RANKS_MAX; ++i) incoming[i] = traffic->messages[i][group->rank];
  go(rank, group, traffic->messages[group->rank], incoming, manner);
}

static void go_across(Rank* rank, const Group* group, Random* plan, const Manner* manner) {
  static const int none[RANKS_MAX];
  /* Both sides draw the same: the halves are numbered by their key. */
  const int lower = group->key == 0 ? group->size : group->remote_size;
  const int upper = group->key == 0 ? group->remote_size : group->size;
  const int from = below(plan, 2);
  const Traffic traffic =
      traffic_across(plan, from == 0 ? lower : upper, from == 0 ? upper : lower);
  if ((int)group->key == from) {
    go(rank, group, traffic.messages[group->rank], none, manner);
  } else {
    int incoming[RANKS_MAX];
    for (int i = 0; i < RANKS_MAX; ++i) incoming[i] = traffic.messages[i][group->rank];
    go(rank, group, none, incoming, manner);
  }
}

void exchange(Rank* rank, const Group* group, Random* plan) {
  if (group->remote_size > 0) {
    const Manner manner = manner_of(plan, rank, group, 1);
    go_across(rank, group, plan, &manner);
  } else if (group->size > 1) {
    const Traffic traffic = traffic_within(plan, group->size, rank->settings.messages_max, 0);
    const Manner manner = manner_of(plan, rank, group, traffic_is_one_way(&traffic));
    go_within(rank, group, &traffic, &manner);
  }
}

void exchange_on_copy(Rank* rank, const Group* group, Random* plan) {
  Group copy = *group;
  MPI_Comm_dup(group->comm, &copy.comm);
  if (copy.size > 1) {
    const Traffic traffic = traffic_within(plan, copy.size, rank->settings.messages_max, 0);
    const Manner manner = {
        .naming = one_in(plan, 2) ? BY_NAME : BY_WILDCARD,
        .tag = below(plan, SHARED_TAGS),
        .has_any_tag = one_in(plan, 2),
        .senders_wait = traffic_is_one_way(&traffic) && one_in(plan, 2),
    };
    go_within(rank, &copy, &traffic, &manner);
  }
  MPI_Comm_free(&copy.comm);
}

static void send_ready(Rank* rank, const Group* group, int to, int tag) {
  int count = 0;
  uint64_t* words = message_made(rank, &count);
  if (one_in(&rank->own, 2)) {
    MPI_Rsend(words, count, MPI_UINT64_T, to, tag, group->comm);
  } else {
    MPI_Request request;
    MPI_Irsend(words, count, MPI_UINT64_T, to, tag, group->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(words);
}

void ready(Rank* rank, const Group* group, Random* plan) {
  if (group->size < 2) return;
  const Traffic traffic = traffic_within(plan, group->size, rank->settings.messages_max, 1);
  const int tag = own_tag(rank, 0), go_tag = own_tag(rank, 1);
  List list = {0};
  for (int i = 0; i < group->size; ++i) {
    for (int message = 0; message < traffic.messages[i][group->rank]; ++message) {
      receive_later(rank, group->comm, (Spec){MPI_ANY_SOURCE, tag}, &list);
    }
  }
  for (int i = 0; i < group->size; ++i) {
    if (traffic.messages[i][group->rank] > 0) send_now(rank, group->comm, i, go_tag);
  }
  for (int i = 0; i < group->size; ++i) {
    const int messages = traffic.messages[group->rank][i];
    if (messages > 0) receive_now(rank, group->comm, (Spec){i, go_tag});
    for (int message = 0; message < messages; ++message) send_ready(rank, group, i, tag);
  }
  list_completed(rank, &list);
}

void odds_and_ends(Rank* rank, const Group* group, Random* plan) {
  switch (below(plan, 6)) {
    case 0: cancel_in_vain(rank, rank->world.comm, UNUSED_TAG); break;
    case 1: cancel_left(rank); break;
    case 2: list_polled(rank, &rank->receives); break;
    case 3: list_polled(rank, &rank->sends); break;
    case 4: list_completed(rank, &rank->receives); break;
    default: look(rank, group->comm, (Spec){MPI_ANY_SOURCE, below(plan, SHARED_TAGS)}); break;
  }
}
