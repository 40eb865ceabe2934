// Vector timestamps that travel on messages, and what they cost there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::detail {

/// What one process knows of the others: for each, how far it has come.  All have the same size.
using Timestamp = std::vector<std::uint32_t>;

/// The timestamp of one process, in the form in which it goes onto messages: only the components
/// that have changed since the last message to the same process (Singhal and Kshemkalyani, "An
/// efficient implementation of vector clocks", 1992), each as a difference.  That takes channels in
/// order, which messages of one sender to one receiver are when they arrive, whatever is received
/// first; so the receiving side puts a timestamp together again where the message arrives.
class CompressedTimestamps {
 public:
  /// How many bytes this timestamp takes on a message to `destination`; the next one is told from
  /// it.
  std::size_t send(const Timestamp& now, std::size_t destination);
  /// How many bytes an acknowledgement takes that raises one component by so much.
  [[nodiscard]] static std::size_t acknowledgement_bytes(std::uint32_t raised_by);

 private:
  std::vector<Timestamp> last_sent_;  // by destination
};

/// Raises each component of `own` to that of `other`.
void join(Timestamp& own, const Timestamp& other);

}  // namespace orrery::detail
