// Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection", PLDI 2009,
// fig. 5. Other than there, each access keeps its place, so that a race can name both; a race is
// not the end of the variable's history; reads that are shared are sets that many variables have in
// common; and a write that ends sharing leaves the writer's own read in its epoch, so that reads
// before and after it are one.
#include "access_history.hpp"

namespace orrery::detail {

void AccessHistory::read_shared(PlaceNumber place, Accessor& by) {
  read_.epoch = shared_bit | by.read_sets.with(set(), {by.epoch, place}, by.epochs);
}

void AccessHistory::begin_sharing(PlaceNumber place, Accessor& by) {
  read_ = {shared_bit | by.read_sets.pair(read_, {by.epoch, place}, by.epochs), 0};
}

void AccessHistory::end_sharing(Accessor& by) {
  Access own;
  for (const Access& one : by.read_sets.reads(set())) {
    if (!by.knows(one.epoch)) by.races_with(one, false);
    if (one.epoch == by.epoch) own = one;
  }
  by.read_sets.release(set());
  read_ = own;
}

}  // namespace orrery::detail
