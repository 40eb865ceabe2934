#include "world_ranks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "real_mpi.hpp"

namespace orrery::on_hardware {
namespace {

std::vector<std::int32_t> ask(MPI_Comm communicator) {
  const RealMpi& mpi = real();
  int is_inter = 0;
  mpi.comm_test_inter(communicator, &is_inter);
  MPI_Group group = nullptr;
  (is_inter != 0 ? mpi.comm_remote_group : mpi.comm_group)(communicator, &group);
  MPI_Group world = nullptr;
  mpi.comm_group(mpi.world, &world);
  int size = 0;
  mpi.group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  std::vector<std::int32_t> ranks(own.size());
  mpi.group_translate_ranks(group, size, own.data(), world, ranks.data());
  mpi.group_free(&group);
  mpi.group_free(&world);
  return ranks;
}

}  // namespace

const std::int32_t* WorldRanks::look_up(MPI_Comm communicator) {
  const auto found = std::find_if(known_.begin(), known_.end(), [communicator](const Known& one) {
    return one.communicator == communicator;
  });
  if (found != known_.end()) {
    last_ranks_ = found->ranks;
  } else {
    last_ranks_ = communicator == real().world ? nullptr : keep(ask(communicator));
    known_.push_back({communicator, last_ranks_});
  }
  last_ = communicator;
  return last_ranks_;
}

const std::int32_t* WorldRanks::keep(std::vector<std::int32_t> ranks) {
  for (const auto& list : lists_) {
    if (*list == ranks) return list->data();
  }
  lists_.push_back(std::make_unique<const std::vector<std::int32_t>>(std::move(ranks)));
  return lists_.back()->data();
}

void WorldRanks::forget(MPI_Comm communicator) {
  if (communicator == last_) last_ = nullptr;
  known_.erase(
      std::remove_if(known_.begin(), known_.end(),
                     [communicator](const Known& one) { return one.communicator == communicator; }),
      known_.end());
}

}  // namespace orrery::on_hardware
