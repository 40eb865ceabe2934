// Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection", PLDI 2009,
// fig. 5. Other than there, each access keeps its place, so that a race can name both; a race is
// not the end of the variable's history; and a read that follows another of the same task in its
// epoch is not looked at again, whoever else read meanwhile.
#include "access_history.hpp"

#include <algorithm>

namespace orrery::detail {

void AccessHistory::read(const Access& access, const VectorClock& known, SharedReads& shared,
                         std::vector<Race>& races) {
  if (read_.epoch == access.epoch) return;
  if (!known.covers(write_.epoch)) races.push_back({write_, true});
  if (shared_plus_one_ != 0 && !shared[shared_plus_one_ - 1].empty()) {
    auto& reads = shared[shared_plus_one_ - 1];
    const auto own = std::ranges::find(reads, access.epoch.task,
                                       [](const Access& one) { return one.epoch.task; });
    if (own != reads.end()) {
      *own = access;
    } else {
      reads.push_back(access);
    }
  } else if (!known.covers(read_.epoch)) {
    if (shared_plus_one_ == 0) {
      shared.emplace_back();
      shared_plus_one_ = static_cast<std::uint32_t>(shared.size());
    }
    shared[shared_plus_one_ - 1] = {read_, access};
  }
  read_ = access;
}

void AccessHistory::write(const Access& access, const VectorClock& known, SharedReads& shared,
                          std::vector<Race>& races) {
  if (write_.epoch == access.epoch) return;
  if (!known.covers(write_.epoch)) races.push_back({write_, true});
  if (shared_plus_one_ != 0 && !shared[shared_plus_one_ - 1].empty()) {
    auto& reads = shared[shared_plus_one_ - 1];
    for (const Access& one : reads) {
      if (!known.covers(one.epoch)) races.push_back({one, false});
    }
    reads.clear();
    read_ = {};
  } else if (!known.covers(read_.epoch)) {
    races.push_back({read_, false});
  }
  write_ = access;
}

AccessHistory AccessHistory::part(SharedReads& shared) const {
  AccessHistory copy = *this;
  if (shared_plus_one_ == 0) return copy;
  shared.push_back(std::vector<Access>(shared[shared_plus_one_ - 1]));
  copy.shared_plus_one_ = static_cast<std::uint32_t>(shared.size());
  return copy;
}

}  // namespace orrery::detail
