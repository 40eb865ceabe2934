// Which rank of the whole job a rank of a communicator is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <mpi.h>

namespace orrery::on_hardware {

/// Asks MPI once for each communicator.  The lists that it gives out stay for good: a receive may
/// outlive its communicator.
class WorldRanks {
 public:
  /// The ranks of those who can send to this one; null where they are the same (MPI_COMM_WORLD).
  const std::int32_t* of(MPI_Comm communicator) {
    if (communicator == last_) return last_ranks_;
    return look_up(communicator);
  }
  /// Its handle may be another communicator's from now on.
  void forget(MPI_Comm communicator);

 private:
  struct Known {
    MPI_Comm communicator;
    const std::int32_t* ranks;
  };
  const std::int32_t* look_up(MPI_Comm communicator);
  const std::int32_t* keep(std::vector<std::int32_t> ranks);

  MPI_Comm last_ = nullptr;
  const std::int32_t* last_ranks_ = nullptr;
  std::vector<Known> known_;
  std::vector<std::unique_ptr<const std::vector<std::int32_t>>> lists_;  ///< no two are equal
};

}  // namespace orrery::on_hardware
