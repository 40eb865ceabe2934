#include "collective_call.hpp"

#include "collective_buffers.hpp"
#include "messages/requests.hpp"

namespace orrery::mpi {
namespace {

// Types that the program may free meanwhile (section 4.1.9).
class HeldTypes {
 public:
  void hold(RankState& state, const RankBlocks& blocks) {
    if (blocks.in_place()) return;
    if (blocks.types == nullptr) {
      hold(state, *blocks.type);
    } else {
      for (std::int32_t block = 0; block < blocks.number; ++block)
        hold(state, *blocks.types[block]);
    }
  }
  void release_all(RankState& state) const {
    for (const Datatype* const type : types_) release(state, *type);
  }

 private:
  void hold(RankState& state, const Datatype& type) {
    if (!state.types.contains(&type)) return;
    ++type.references;
    types_.push_back(&type);
  }
  std::vector<const Datatype*> types_;
};

}  // namespace

void start_beside(const Call& call, const Collective& collective, Communicator& communicator,
                  const CollectiveData& data, MPI_Request* request, CollectiveWork work) {
  RankState& state = call.state;
  Request* const made = make_event_request(call, &communicator, RequestKind::collective);
  made->owned = own_buffers(call, data);
  HeldTypes types;
  types.hold(state, data.sent);
  types.hold(state, data.received);
  auto whole = [collective, made, types, work = std::move(work), sent = KeptBlocks(data.sent),
                received = KeptBlocks(data.received)] {
    if (collective.synchronises()) collective.barrier();
    work(collective, sent.blocks(), received.blocks());
    check_local_stores(collective.call(), received.blocks());
    made->error = collective.error();
    types.release_all(collective.call().state);
    collective.call().state.owned.note_filled(made->owned);
    collective.call().table.complete_event(made->id);
  };
  *request = made->handle;
  made->helper = state.helpers.start(call.table, call.pc, std::move(whole));
}

int check_not_in_place(const Call& call, const Communicator& communicator, const void* buffer,
                       const char* argument) {
  if (buffer != MPI_IN_PLACE) return MPI_SUCCESS;
  return call.fail(&communicator, MPI_ERR_BUFFER,
                   "argument %s is MPI_IN_PLACE, and %s is an intercommunicator, where nothing is "
                   "done in place (MPI 3.1, section 5.2.3)",
                   argument, communicator.name);
}

int check_rooted(const Call& call, MPI_Comm comm, int root, Communicator*& communicator,
                 RootedRole& role) {
  if (const int error = call.check_communicator(comm, communicator)) return error;
  role.root = root;
  if (!communicator->is_inter()) {
    role.is_root = communicator->rank == root;
    return call.check_root(*communicator, root);
  }
  role.between_two = true;
  role.is_root = root == MPI_ROOT;
  role.is_beside = root == MPI_PROC_NULL;
  const std::int32_t remote_size = communicator->remote->size();
  if (role.is_root) role.root = communicator->rank;
  if (role.is_root || role.is_beside || (root >= 0 && root < remote_size)) return MPI_SUCCESS;
  return call.fail(
      communicator, MPI_ERR_ROOT,
      "argument root is %d, and %s is an intercommunicator: it must be MPI_ROOT at the "
      "root, MPI_PROC_NULL at the others of its group, and the root's rank there (0 to "
      "%d) in the other group (MPI 3.1, section 5.2.3)",
      root, communicator->name, remote_size - 1);
}

CollectiveCall describe_call(const Call& call, int root, const RankBlocks& data) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.root = root;
  arguments.may_synchronise = root != no_root;
  if (data.in_place()) return arguments;
  arguments.data[0].signature = signature(*data.type, data.count_of(0));
  arguments.count = data.count_of(0);
  arguments.type = data.type->name;
  return arguments;
}

CollectiveCall describe_varied_call(const Call& call, int root) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.root = root;
  arguments.may_synchronise = root != no_root;
  arguments.type = "counts that vary";
  return arguments;
}

std::size_t sent_data(const Communicator& communicator) {
  return communicator.is_inter() &&
                 communicator.remote->world_rank(0) < communicator.group->world_rank(0)
             ? 1
             : 0;
}

std::size_t received_data(const Communicator& communicator) {
  return communicator.is_inter() ? 1 - sent_data(communicator) : 0;
}

CollectiveCall describe_exchange(const Call& call, const Communicator& communicator,
                                 const CollectiveData& data) {
  if (!communicator.is_inter()) return describe_call(call, no_root, data.received);
  CollectiveCall arguments = describe_call(call, no_root, {});
  const RankBlocks& sent = data.sent;
  const RankBlocks& received = data.received;
  arguments.data.at(sent_data(communicator)).signature = signature(*sent.type, sent.count_of(0));
  arguments.data.at(received_data(communicator)).signature =
      signature(*received.type, received.count_of(0));
  arguments.count = sent.count_of(0);
  arguments.type = sent.type->name;
  return arguments;
}

CollectiveCall describe_varied_exchange(const Call& call, const Communicator& communicator,
                                        const RankBlocks& received) {
  CollectiveCall arguments = describe_varied_call(call, no_root);
  arguments.count = received.total_count();
  arguments.type = received.type->name;
  arguments.data.at(received_data(communicator)) = {
      signature(*received.type, received.total_count()), hash_of_sizes(received)};
  return arguments;
}

}  // namespace orrery::mpi
