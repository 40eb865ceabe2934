// What is written down of a task's reads.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/replay_core/access_records.hpp>

#include "reader_memory.hpp"

namespace orrery::detail {

/// The reads of one task, as `AccessRecords::Value` and `Bound` say.
class ReadLog {
 public:
  void read(std::uint64_t slot, std::uint64_t value) {
    if (memory_.foretold(slot) == value) {
      ++foretold_;
      return;
    }
    values_.push_back({foretold_, value});
    foretold_ = 0;
    memory_.keep(slot, value);
  }
  /// `is_further`: of the operation that the read before was of.
  void read_within(std::uint32_t group, std::uint64_t bound, std::uint64_t slot,
                   std::uint64_t value, bool is_further = false) {
    if (!is_further) memory_.begin_operation();
    keep_bound(group, bound);
    if (memory_.is_exact(group, bound)) {
      ++exact_;
      memory_.keep(slot, value);
    } else {
      read(slot, value);
    }
    memory_.know_by_read(group, bound);
  }
  /// The same with a bound that is exact.
  void read_version(std::uint32_t group, std::uint64_t bound) {
    keep_bound(group, bound);
    memory_.know(group, bound);
    ++exact_;
  }
  /// The task's own write: it knows the version that it leaves.
  void wrote(std::uint32_t group, std::uint64_t version) { memory_.know(group, version); }
  void left(std::uint64_t slot, std::uint64_t value) { memory_.keep(slot, value); }

  void add_to(AccessRecords::Task& task) const {
    task.values = values_;
    task.bounds = bounds_;
  }
  [[nodiscard]] std::uint64_t exact_count() const { return exact_; }

 private:
  void keep_bound(std::uint32_t group, std::uint64_t bound) {
    if (memory_.known(group) == bound) {
      ++known_bounds_;
      return;
    }
    bounds_.push_back({known_bounds_, bound - memory_.known(group)});
    known_bounds_ = 0;
  }

  ReaderMemory memory_;
  std::uint64_t foretold_ = 0;
  std::uint64_t known_bounds_ = 0;
  std::uint64_t exact_ = 0;
  std::vector<AccessRecords::Value> values_;
  std::vector<AccessRecords::Bound> bounds_;
};

}  // namespace orrery::detail
