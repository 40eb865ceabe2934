#include "rank_state.hpp"

#include <algorithm>
#include <cstdio>

std::int32_t ompi_communicator_t::world_rank(std::int32_t local) const {
  return members.empty() ? local : members[static_cast<std::size_t>(local)];
}

std::int32_t ompi_communicator_t::local_rank(std::int32_t world) const {
  if (members.empty()) return world;
  const auto found = std::lower_bound(by_world.begin(), by_world.end(), std::pair{world, 0});
  return found != by_world.end() && found->first == world ? found->second : -1;
}

namespace orrery::mpi {
namespace {

std::unique_ptr<Job>& attached_job() {
  static std::unique_ptr<Job> job;
  return job;
}

void set_up(RankState& state, std::int32_t rank, std::int32_t rank_count) {
  state.rank = rank;
  state.world.header = {created_magic, HandleKind::communicator, 0};
  state.world.rank = rank;
  state.world.size = rank_count;
  std::snprintf(state.world.name, sizeof(state.world.name), "MPI_COMM_WORLD");
  state.self.header = state.world.header;
  state.self.context = 2;
  state.self.size = 1;
  state.self.members = {rank};
  state.self.by_world = {{rank, 0}};
  state.no_file.header = {created_magic, HandleKind::file, 0};
  state.no_file.errors = &errors_return();
  std::snprintf(state.self.name, sizeof(state.self.name), "MPI_COMM_SELF");
}

}  // namespace

RankState* Job::current_rank() {
  const std::int32_t rank = table_.rank();
  if (rank < 0) return nullptr;
  const auto index = static_cast<std::size_t>(rank);
  if (index >= ranks_.size()) ranks_.resize(index + 1);
  if (ranks_[index] == nullptr) {
    ranks_[index] = std::make_unique<RankState>();
    set_up(*ranks_[index], rank, table_.rank_count());
  }
  return ranks_[index].get();
}

void Job::free_buffer(const SentMessage& message) {
  RankState& sender = *ranks_[static_cast<std::size_t>(message.rank)];
  if (message.buffer_bytes == 0 || message.buffer_generation != sender.buffer_generation) return;
  sender.buffer_bytes_used -= message.buffer_bytes;
  --sender.buffer_messages;
}

Job* current_job() {
  return attached_job().get();
}

}  // namespace orrery::mpi

extern "C" __attribute__((visibility("default"))) int orrery_front_end_attach(
    const OrreryRuntime* table) {
  auto& job = orrery::mpi::attached_job();
  job.reset();
  if (table == nullptr) return 0;
  if (table->version != ORRERY_RUNTIME_VERSION || table->size_bytes < sizeof(OrreryRuntime))
    return -1;
  job = std::make_unique<orrery::mpi::Job>(*table);
  return 0;
}
