#include "communicator_making.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace orrery::mpi {
namespace {

CollectiveCall arguments_of(const Call& call) {
  CollectiveCall arguments;
  arguments.name = call.name;
  return arguments;
}

// In the pool: a run that ends inside the call leaves nothing behind.
Communicator* temporary(const Call& call, Communicator& communicator, SharedMembership group) {
  Communicator* const made = call.state.communicators.create();
  made->header.made = {};  // it is not the program's
  made->context = communicator.context;
  made->collectives = communicator.collectives++;
  made->size = group->size();
  made->rank = group->rank_of(call.state.rank);
  made->group = std::move(group);
  give_handler(*made, communicator.errors);
  std::memcpy(made->name, communicator.name, sizeof(made->name));
  return made;
}

SharedMembership unite(const Call& call, const Communicator& communicator,
                       std::int32_t& first_size) {
  const Membership& own = *communicator.group;
  const Membership& other = *communicator.remote;
  const bool own_first = own.world_rank(0) < other.world_rank(0);
  const Membership& first = own_first ? own : other;
  const Membership& second = own_first ? other : own;
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 0; rank < first.size(); ++rank) ranks.push_back(first.world_rank(rank));
  for (std::int32_t rank = 0; rank < second.size(); ++rank)
    ranks.push_back(second.world_rank(rank));
  first_size = first.size();
  return call.job.memberships().share(ranks);
}

}  // namespace

Communicator* make_stand_in(const Call& call, Communicator& communicator) {
  std::int32_t ignored = 0;
  return temporary(
      call, communicator,
      communicator.is_inter() ? unite(call, communicator, ignored) : communicator.group);
}

Assembly::Assembly(const Call& call, Communicator& communicator, std::size_t item_bytes)
    : call_(call), everyone_(&communicator), item_bytes_(item_bytes) {
  first_group_size_ = communicator.size;
  key_ = {communicator.context, 0, communicator.collectives};
  is_temporary_ = communicator.is_inter();
  if (is_temporary_)
    everyone_ = temporary(call, communicator, unite(call, communicator, first_group_size_));
  key_.leader = everyone_->world_rank(0);
  notice_ = &call.job.blackboard().open(key_, everyone_->size, item_bytes);
}

Assembly::~Assembly() {
  call_.job.blackboard().leave(key_);
  if (is_temporary_) give_up(call_.state, *everyone_);
}

// Up a binomial tree and down again: 2 (n - 1) messages, 2 log n latencies.
int Assembly::exchange(const void* item) {
  const Collective collective(call_, *everyone_, arguments_of(call_));
  std::byte* const bytes = notice_->bytes.data();
  const std::int32_t rank = collective.rank();
  const std::int32_t size = collective.size();
  const auto place = [&](std::int32_t of) {
    return item_bytes_ == 0 ? nullptr : bytes + static_cast<std::size_t>(of) * item_bytes_;
  };
  const auto bytes_of = [&](std::int32_t from, std::int32_t count) {
    return static_cast<std::size_t>(std::min(count, size - from)) * item_bytes_;
  };
  if (item_bytes_ > 0) std::memcpy(place(rank), item, item_bytes_);
  std::int32_t distance = 1;
  for (; distance < size && (rank & distance) == 0; distance *= 2)
    if (rank + distance < size)
      collective.receive(rank + distance, place(rank + distance),
                         bytes_of(rank + distance, distance));
  if (rank != 0) collective.send(rank - distance, place(rank), bytes_of(rank, distance));
  collective.broadcast(0, bytes, notice_->bytes.size());
  return collective.error();
}

Communicator* make_communicator(const Call& call, const Communicator& parent,
                                const Contexts::Key& key, SharedMembership group,
                                SharedMembership remote) {
  Communicator* const made = call.state.communicators.create();
  const std::int32_t holders = group->size() + (remote == nullptr ? 0 : remote->size());
  made->context = call.job.contexts().acquire(key, holders);
  made->tracked = true;
  give_handler(*made, parent.errors);
  made->group = std::move(group);
  made->remote = std::move(remote);
  made->size = made->group->size();
  made->rank = made->group->rank_of(call.state.rank);
  return made;
}

void give_up(RankState& state, Communicator& made) {
  made.freed = true;
  state.communicators.mark_freed(&made);
  release(state, made);
}

int check_intracommunicator(const Call& call, const Communicator& communicator,
                            const char* argument, const char* section) {
  if (!communicator.is_inter()) return MPI_SUCCESS;
  return call.fail(&communicator, MPI_ERR_COMM,
                   "argument %s is an intercommunicator, and this call is for intracommunicators "
                   "(MPI 3.1, section %s)",
                   argument, section);
}

std::int32_t leader_of(const Membership& group, const Membership* remote) {
  const std::int32_t own = group.world_rank(0);
  return remote == nullptr ? own : std::min(own, remote->world_rank(0));
}

int free_communicator(const Call& call, MPI_Comm* handle) {
  if (const int error = call.check_result(handle, "comm")) return error;
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(*handle, communicator)) return error;
  if (communicator == &call.state.world || communicator == &call.state.self)
    return call.fail(communicator, MPI_ERR_COMM,
                     "argument comm is %s, and a predefined communicator cannot be freed (MPI 3.1, "
                     "section 6.4.3)",
                     communicator->name);
  if (const int error = delete_attributes(call, holder_of(call.state, *communicator))) return error;
  communicator->freed = true;
  call.state.communicators.mark_freed(communicator);
  release(call.state, *communicator);
  *handle = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

MPI_Comm handle_of(const RankState& state, Communicator& communicator) {
  if (&communicator == &state.world) return MPI_COMM_WORLD;
  return &communicator == &state.self ? MPI_COMM_SELF : &communicator;
}

AttributeHolder holder_of(const RankState& state, Communicator& communicator) {
  return {AttributeKind::communicator, handle_of(state, communicator), &communicator.attributes,
          &communicator};
}

}  // namespace orrery::mpi
