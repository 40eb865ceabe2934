// Which algorithms the collective operations of a run took.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// How often each algorithm was taken for each operation.  Value type.
class CollectiveCounts {
 public:
  struct Entry {
    std::string operation;  ///< `MPI_Bcast`
    std::string algorithm;  ///< `binomial tree`
    std::uint64_t count = 0;
  };

  void add(std::string_view operation, std::string_view algorithm, std::uint64_t count = 1) {
    for (Entry& entry : entries_) {
      if (entry.operation != operation || entry.algorithm != algorithm) continue;
      entry.count += count;
      return;
    }
    entries_.push_back({std::string(operation), std::string(algorithm), count});
  }
  /// In the order in which they came up first.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;  // few
};

}  // namespace orrery
