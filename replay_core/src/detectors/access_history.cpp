// Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection", PLDI 2009,
// fig. 5. Other than there, each access keeps its place, so that a race can name both; a race is
// not the end of the variable's history; reads that are shared are sets that many variables have in
// common; and a write that ends sharing leaves the writer's own read in its epoch, so that reads
// before and after it are one.
#include "access_history.hpp"

namespace orrery::detail {

void AccessHistory::judge(bool writes, PlaceNumber place, Accessor& by) {
  if (!by.knows(write().epoch)) by.races_with(write(), true);
  if (writes) {
    judge_write(place, by);
  } else {
    judge_read(place, by);
  }
}

void AccessHistory::judge_read(PlaceNumber place, Accessor& by) {
  const Access now{by.epoch, place};
  if (is_shared()) {
    read().epoch = shared_bit | by.read_sets.with(set(), now, by.epochs);
  } else if (by.knows(read().epoch)) {
    read() = now;
  } else {
    read() = {shared_bit | by.read_sets.pair(read(), now, by.epochs), 0};
  }
}

void AccessHistory::judge_write(PlaceNumber place, Accessor& by) {
  if (is_shared()) {
    end_sharing(by);
  } else if (!by.knows(read().epoch)) {
    by.races_with(read(), false);
  }
  write() = {by.epoch, place};
}

void AccessHistory::end_sharing(Accessor& by) {
  Access own;
  for (const Access& one : by.read_sets.reads(set())) {
    if (!by.knows(one.epoch)) by.races_with(one, false);
    if (one.epoch == by.epoch) own = one;
  }
  by.read_sets.release(set());
  read() = own;
}

}  // namespace orrery::detail
