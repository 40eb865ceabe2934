#include "collective_call.hpp"

#include "requests.hpp"

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
  HeldTypes types;
  types.hold(state, data.sent);
  types.hold(state, data.received);
  auto whole = [collective, made, types, work = std::move(work), sent = KeptBlocks(data.sent),
                received = KeptBlocks(data.received)] {
    if (collective.synchronises()) collective.barrier();
    work(collective, sent.blocks(), received.blocks());
    made->error = collective.error();
    types.release_all(collective.call().state);
    collective.call().table.complete_event(made->id);
  };
  *request = made;
  state.helpers.start(call.table, call.pc, std::move(whole));
}

void refuse_intercommunicator(const Call& call, const Communicator& communicator) {
  call.table.usage_error("collective operations on intercommunicators are not simulated", call.name,
                         "use MPI_Intercomm_merge, and the operation on what that gives");
  call.fail_always("%s is an intercommunicator", communicator.name);
}

CollectiveCall describe_call(const Call& call, int root, const RankBlocks& data) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.root = root;
  arguments.may_synchronise = root >= 0;
  if (data.in_place()) return arguments;
  arguments.data = signature(*data.type, data.count_of(0));
  arguments.count = data.count_of(0);
  arguments.type = data.type->name;
  return arguments;
}

CollectiveCall describe_varied_call(const Call& call, int root) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.root = root;
  arguments.may_synchronise = root >= 0;
  arguments.type = "counts that vary";
  return arguments;
}

}  // namespace orrery::mpi
