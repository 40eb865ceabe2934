// Do all ranks call the same collectives in the same order?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <orrery/sim_runtime/runtime_table.h>

#include "datatypes.hpp"

namespace orrery::mpi {

/// What must be the same in all calls of one collective operation.  Texts are constants of the
/// library, never of a program.
struct CollectiveCall {
  const char* name = "";
  std::int32_t root = -1;         ///< -1: the operation has none
  const char* operation = "";     ///< name of the reduction operation, if there is one
  std::optional<Signature> data;  ///< what is compared; nothing where ranks may differ
  std::uint64_t counts_hash = 0;  ///< of an array of counts that must be the same, or 0
  std::uint64_t count = 0;        ///< as the program gave it, for the message only
  const char* type = "";
  /// May it keep everybody until all have come, or not, as it likes (section 5.1)?  Those whose
  /// data goes from all to all have no choice.
  bool may_synchronise = false;
};

/// The first caller's arguments of each collective that some rank has still to reach.  Kept beside
/// the messages, not in them, so that the check costs no virtual time and finds what messages
/// cannot: two roots that both only send, or a broadcast that met a reduction.
class CollectiveLedger {
 public:
  struct Key {
    std::uint32_t context = 0;
    std::int32_t leader = 0;  ///< rank in the job of the communicator's rank 0
    std::uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Mismatch {
    std::int32_t first_rank = 0;  ///< in the job
    CollectiveCall first;
    const char* what = "";  ///< differs
  };

  /// Notes that `rank` makes the call; says how it differs from what the first rank did.
  std::optional<Mismatch> enter(const Key& key, std::int32_t rank, std::int32_t size,
                                const CollectiveCall& call);
  /// Do the operations of this communicator that may synchronise?  Left open by the standard, and
  /// asked once, since a library does it the one way or the other.
  bool synchronises(const Key& key, const OrreryRuntime& table);

 private:
  struct Entry {
    std::int32_t first_rank = 0;
    std::int32_t arrived = 0;
    CollectiveCall call;
  };
  std::map<Key, Entry> entries_;
  std::map<std::pair<std::uint32_t, std::int32_t>, bool> synchronises_;  // by context and leader
};

}  // namespace orrery::mpi
