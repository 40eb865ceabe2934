// Which message a transfer is of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <orrery/network_model/network_model.hpp>

#include "message.hpp"

namespace orrery::detail {

/// The transfers of a run that the network may still say something about.  They are numbered from 0
/// on, and take room for at most twice as many as there ever are at a time, however long the run.
class TransfersUnderWay {
 public:
  void clear() {
    entries_.clear();
    entries_max_ = least_entries_max;
    next_ = 0;
  }

  /// One more; those that `is_over(id, message)` may be forgotten.
  template <typename IsOver>
  TransferId begin(MessageIndex message, const IsOver& is_over) {
    if (entries_.size() >= entries_max_) {
      std::erase_if(entries_, [&](const Entry& entry) { return is_over(entry.id, entry.message); });
      entries_max_ = std::max(least_entries_max, 2 * entries_.size());
    }
    entries_.push_back({TransferId{next_++}, message});
    return entries_.back().id;
  }

  /// Its message; `no_message` if the transfer is forgotten.
  [[nodiscard]] MessageIndex message_of(TransferId id) const {
    // Mostly it is the one that has just begun.
    if (!entries_.empty() && entries_.back().id == id) return entries_.back().message;
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), id,
                         [](const Entry& entry, TransferId wanted) { return entry.id < wanted; });
    return found == entries_.end() || found->id != id ? no_message : found->message;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::size_t least_entries_max = 64;
  struct Entry {
    TransferId id;
    MessageIndex message;
  };
  std::vector<Entry> entries_;  // by id
  std::size_t entries_max_ = least_entries_max;
  std::uint64_t next_ = 0;
};

}  // namespace orrery::detail
