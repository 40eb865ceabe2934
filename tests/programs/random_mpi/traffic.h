/* Who sends how many messages to whom in an exchange. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "state.h"

typedef struct {
  int messages[RANKS_MAX][RANKS_MAX]; /* [from][to], by rank in the group */
} Traffic;

/* Within a group, up to so many messages from one to another; `is_one_way`: nobody both sends and
 * receives. */
Traffic traffic_within(Random* plan, int size, int messages_max, int is_one_way);

/* From one side of an intercommunicator to the other, by ranks there. */
Traffic traffic_across(Random* plan, int senders, int receivers);

/* Whether nobody both sends and receives. */
int traffic_is_one_way(const Traffic* traffic);

#endif
