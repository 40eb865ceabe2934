#include "rank_state.hpp"

#include <cstdio>
#include <utility>

namespace orrery::mpi {
namespace {

std::unique_ptr<Job>& attached_job() {
  static std::unique_ptr<Job> job;
  return job;
}

}  // namespace

void Job::set_up(RankState& state, std::int32_t rank) {
  const std::int32_t rank_count = table_.rank_count();
  if (world_ == nullptr) world_ = memberships_.share_range(0, rank_count);
  state.rank = rank;
  state.sites.use(table_);
  state.checks_use = table_.checks_use() != 0;
  state.tells_loans = state.checks_use && table_.wants_loans() != 0;
  state.host_name = table_.host_name();
  state.predefined_attributes.universe_size = rank_count;
  state.world.header = {created_magic, HandleKind::communicator, 0};
  state.world.rank = rank;
  state.world.size = rank_count;
  state.world.group = world_;
  state.world.context = Contexts::world;
  std::snprintf(state.world.name, sizeof(state.world.name), "MPI_COMM_WORLD");
  state.world.named = true;
  state.self.header = state.world.header;
  state.self.context = Contexts::self;
  state.self.size = 1;
  state.no_file.header = {created_magic, HandleKind::file, 0};
  state.no_file.errors = &errors_return();
  state.self.group = memberships_.share_range(rank, 1);
  state.empty_group.members = memberships_.share({});
  std::snprintf(state.self.name, sizeof(state.self.name), "MPI_COMM_SELF");
  state.self.named = true;
}

RankState* Job::current_rank() {
  const std::int32_t rank = table_.rank();
  if (rank < 0) return nullptr;
  const auto index = static_cast<std::size_t>(rank);
  if (index >= ranks_.size()) ranks_.resize(index + 1);
  if (ranks_[index] == nullptr) {
    ranks_[index] = std::make_unique<RankState>();
    set_up(*ranks_[index], rank);
  }
  return ranks_[index].get();
}

void Job::free_buffer(const SentMessage& message) {
  if (message.buffer_bytes == 0) return;
  RankState& sender = rank_state(message.rank);
  sender.buffer_bytes_used -= message.buffer_bytes;
  --sender.buffer_messages;
  if (sender.buffer_messages == 0 && sender.buffer_gone != 0)
    table_.complete_event(std::exchange(sender.buffer_gone, 0));
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
