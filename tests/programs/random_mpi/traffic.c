#include "traffic.h"

/* Some of the group, at least two; gives how many. */
static int some_members(Random* plan, int size, int* members) {
  const int left_out = size > 2 && one_in(plan, 2) ? 1 + below(plan, size - 2) : 0;
  for (int i = 0; i < size; ++i) members[i] = i;
  for (int i = 0; i < size; ++i) {
    const int other = i + below(plan, size - i);
    const int member = members[i];
    members[i] = members[other];
    members[other] = member;
  }
  return size - left_out;
}

Traffic traffic_within(Random* plan, int size, int messages_max, int is_one_way) {
  Traffic traffic = {0};
  int members[RANKS_MAX];
  const int count = some_members(plan, size, members);
  const int receivers = one_in(plan, 2) ? 1 : 1 + below(plan, count - 1);
  const int are_all = !is_one_way && one_in(plan, 3);
  const int is_sparse = !is_one_way && !are_all && one_in(plan, 3);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      const int messages = 1 + below(plan, messages_max);
      const int is_taken =
          is_sparse ? one_in(plan, 2) : are_all || (j < receivers && i >= receivers);
      if (i != j && is_taken) traffic.messages[members[i]][members[j]] = messages;
    }
  }
  return traffic;
}

Traffic traffic_across(Random* plan, int senders, int receivers) {
  Traffic traffic = {0};
  const int is_to_one = one_in(plan, 2);
  const int one = below(plan, receivers);
  for (int i = 0; i < senders; ++i) {
    for (int j = 0; j < receivers; ++j) {
      if (!is_to_one || j == one) traffic.messages[i][j] = 1;
    }
  }
  return traffic;
}

int traffic_is_one_way(const Traffic* traffic) {
  for (int i = 0; i < RANKS_MAX; ++i) {
    int sent = 0, received = 0;
    for (int j = 0; j < RANKS_MAX; ++j) {
      sent += traffic->messages[i][j];
      received += traffic->messages[j][i];
    }
    if (sent > 0 && received > 0) return 0;
  }
  return 1;
}
