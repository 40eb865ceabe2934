// Do all ranks call the same collectives in the same order?
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/runtime_table.h>

#include "types/datatypes.hpp"

namespace orrery::mpi {

/// The root of an operation that has none.  No rank, and neither MPI_ROOT nor MPI_PROC_NULL.
inline constexpr std::int32_t no_root = -1;

/// Data that goes the same way, whoever is asked about it.
struct AgreedData {
  std::optional<Signature> signature;  ///< nothing where ranks may differ
  std::uint64_t counts_hash = 0;       ///< of an array of counts that must be the same, or 0
};

/// What must be the same in all calls of one collective operation.  Texts are constants of the
/// library, never of a program.
struct CollectiveCall {
  const char* name = "";
  std::int32_t root = no_root;  ///< as the program gives it
  const char* operation = "";   ///< name of the reduction operation, if there is one
  /// What is compared: of all data; or, between two groups that both send, of what the first and
  /// what the second group sends.
  std::array<AgreedData, 2> data;
  std::uint64_t count = 0;  ///< as the program gave it, for the message only
  const char* type = "";
  /// May it keep everybody until all have come, or not, as it likes (section 5.1)?  Those whose
  /// data goes from all to all have no choice.
  bool may_synchronise = false;
};

/// Who makes a call, and which root it means.
struct CollectiveCaller {
  std::int32_t rank = 0;  ///< in the job
  std::uintptr_t pc = 0;
  /// The group of the root, where there are two; and its rank in the job, if the call tells it
  /// (MPI_PROC_NULL only says that it is in the caller's own group).
  std::int32_t root_group = 0;
  std::int32_t root_rank = no_root;
  bool is_root = false;  ///< the caller says so itself
};

/// The first calls of each collective that some rank has still to reach.  Kept beside the messages,
/// not in them, so that the check costs no virtual time and finds what messages cannot: two roots
/// that both only send, or a broadcast that met a reduction.
class CollectiveLedger {
 public:
  struct Key {
    std::uint32_t context = 0;
    std::int32_t leader = 0;  ///< the lowest rank in the job that is rank 0 of its group there
    std::uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Witness {
    CollectiveCaller caller;
    CollectiveCall call;
  };
  struct Mismatch {
    Witness first;
    const char* what = "";  ///< differs
  };

  /// Notes that the caller makes the call, one of `size` in all; says how it differs from what an
  /// earlier rank did.
  std::optional<Mismatch> enter(const Key& key, const CollectiveCaller& caller, std::int32_t size,
                                const CollectiveCall& call);
  /// Do the operations of this communicator that may synchronise?  Left open by the standard, and
  /// asked once, since a library does it the one way or the other.
  bool synchronises(const Key& key, const OrreryRuntime& table);

 private:
  struct Entry {
    std::int32_t arrived = 0;
    bool root_has_come = false;
    Witness first;
    std::vector<Witness> others;  ///< each knows something that those before it did not
  };
  std::map<Key, Entry> entries_;
  std::map<std::pair<std::uint32_t, std::int32_t>, bool> synchronises_;  // by context and leader
};

}  // namespace orrery::mpi
