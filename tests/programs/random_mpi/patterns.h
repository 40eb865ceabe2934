/* What the ranks of a group do together in a round. */
#ifndef PATTERNS_H
#define PATTERNS_H

#include "state.h"

/* Tags below OWN_TAGS are shared by many rounds. */
enum { SHARED_TAGS = 3, INTERCOMM_TAG = 998, UNUSED_TAG = 999, OWN_TAGS = 1000 };

/* A tag that no other round uses; `which` < 16. */
static inline int own_tag(const Rank* rank, int which) {
  return OWN_TAGS + rank->round * 16 + which;
}

/* Any traffic, from many-to-one to all-to-all, by wildcards or by name. */
void exchange(Rank* rank, const Group* group, Random* plan);

/* A master hands out answers to whoever asks next. */
void farm(Rank* rank, const Group* group, Random* plan);

/* A token that goes round, and shifts along the ring. */
void ring(Rank* rank, const Group* group, Random* plan);

/* Ready sends: receivers say when they are. */
void ready(Rank* rank, const Group* group, Random* plan);

/* Polls, cancelled receives, and completing what earlier rounds left. */
void odds_and_ends(Rank* rank, const Group* group, Random* plan);

/* The exchange on a communicator that lives no longer. */
void exchange_on_copy(Rank* rank, const Group* group, Random* plan);

/* One blocking collective of all in the group. */
void collective(Rank* rank, const Group* group, Random* plan);

/* Begins a non-blocking one, which this or a later round completes. */
void collective_begun(Rank* rank, const Group* group, Random* plan);

/* Completes those under way. */
void collectives_completed(Rank* rank);

#endif
