#include "windows.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "communicators/communicator_making.hpp"
#include "communicators/host_hash.hpp"
#include "handles/freed_handles.hpp"
#include "remote_memory.hpp"

namespace orrery::mpi {
namespace {

constexpr std::size_t alignment_bytes_of_parts = 64;

// What each rank tells the others: no addresses, which would make messages of two runs differ.
struct Item {
  std::int64_t size_bytes = 0;
  std::uint64_t host = 0;  // a hash of its name
  std::int32_t displacement_unit = 1;
  std::int32_t is_apart = 0;  // info key `alloc_shared_noncontig`
};

const char* hint(const InfoEntries& hints, const char* key) {
  for (const auto& [name, value] : hints)
    if (name == key) return value.c_str();
  return "";
}

bool is_set(const InfoEntries& hints, const char* key) {
  return std::strcmp(hint(hints, key), "true") == 0;
}

std::size_t rounded(std::size_t size_bytes) {
  return (size_bytes + alignment_bytes_of_parts - 1) / alignment_bytes_of_parts *
         alignment_bytes_of_parts;
}

// Memory of the program's, or of the window's own where programs have none.
std::byte* allocate(const Call& call, Window& window, std::size_t size_bytes) {
  if (size_bytes == 0) return nullptr;
  window.allocated = call.table.program_memory(size_bytes);
  if (window.allocated != nullptr) return static_cast<std::byte*>(window.allocated);
  return call.job.window_memory(size_bytes);
}

int check_proposal(const Call& call, const WindowProposal& proposal,
                   const Communicator& communicator) {
  if (communicator.is_inter())
    return call.fail(&communicator, MPI_ERR_COMM,
                     "argument comm is an intercommunicator, and a window needs one group (MPI "
                     "3.1, section 11.2.1)");
  if (proposal.size_bytes < 0)
    return call.fail(&communicator, MPI_ERR_SIZE,
                     "argument size is %td, and must not be negative (MPI 3.1, section 11.2.1)",
                     proposal.size_bytes);
  if (proposal.displacement_unit <= 0)
    return call.fail(&communicator, MPI_ERR_DISP,
                     "argument disp_unit is %d, and must be positive (MPI 3.1, section 11.2.1)",
                     proposal.displacement_unit);
  if (proposal.flavor == MPI_WIN_FLAVOR_CREATE && proposal.size_bytes > 0 &&
      proposal.base == nullptr)
    return call.fail(&communicator, MPI_ERR_BASE,
                     "argument base is a null pointer, and size is %td (MPI 3.1, section 11.2.1)",
                     proposal.size_bytes);
  return MPI_SUCCESS;
}

// A communicator of the window's own.
void set_up_communicator(const Call& call, Window& window, const Communicator& parent,
                         const Contexts::Key& key) {
  Communicator& own = window.communicator;
  own.header = {created_magic, HandleKind::communicator, 0};
  own.group = parent.group;
  own.rank = parent.rank;
  own.size = parent.size;
  own.context = call.job.contexts().acquire(key, parent.size);
  std::snprintf(own.name, sizeof own.name, "a window of %.40s", parent.name);
  std::memcpy(window.name, own.name, sizeof window.name);
}

// Section 11.2.3: the parts of a shared window lie side by side, unless the program does not mind.
int lay_out_shared(const Call& call, Window& window, std::span<const Item> items,
                   std::byte*& base) {
  const bool is_on_one_host = std::all_of(
      items.begin(), items.end(), [&](const Item& item) { return item.host == items[0].host; });
  if (!is_on_one_host)
    return call.fail(nullptr, MPI_ERR_RMA_SHARED,
                     "the ranks of the communicator are on several hosts, and have no memory in "
                     "common; MPI_Comm_split_type with MPI_COMM_TYPE_SHARED gives those that have "
                     "(MPI 3.1, section 11.2.3)");
  const bool are_apart =
      std::any_of(items.begin(), items.end(), [](const Item& item) { return item.is_apart != 0; });
  std::size_t before = 0;
  std::size_t whole = 0;
  std::int32_t rank = 0;
  for (const Item& item : items) {
    const auto bytes = static_cast<std::size_t>(item.size_bytes);
    const std::size_t room = are_apart ? rounded(bytes) : bytes;
    if (rank++ < window.rank()) before += room;
    whole += room;
  }
  SharedWindow& shared = *window.shared;
  if (shared.common == nullptr && whole > 0) shared.common = allocate(call, window, whole);
  base = whole == 0 ? nullptr : shared.common + before;
  return MPI_SUCCESS;
}

void join(Window& window, const Item& own, std::byte* base) {
  SharedWindow& shared = *window.shared;
  if (shared.parts.empty()) {
    shared.parts.resize(static_cast<std::size_t>(window.size()));
    shared.group = window.communicator.group;
    shared.is_dynamic = window.flavor == MPI_WIN_FLAVOR_DYNAMIC;
    shared.members_left = window.size();
  }
  WindowPart& part = shared.parts[static_cast<std::size_t>(window.rank())];
  part.memory = {base, static_cast<std::size_t>(own.size_bytes)};
  part.displacement_unit = own.displacement_unit;
  window.base = window.flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_BOTTOM : base;
  window.size_bytes = own.size_bytes;
  window.displacement_unit = own.displacement_unit;
}

CollectiveCall collective_call(const Call& call, const char* assertion) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.operation = assertion;
  return arguments;
}

}  // namespace

int take_hints(const Call& call, Window& window, MPI_Info info) {
  if (info == MPI_INFO_NULL || find_predefined(info, HandleKind::info)) return MPI_SUCCESS;
  if (!call.state.infos.contains(info))
    return call.fail(&window, MPI_ERR_INFO, "argument info is %s (MPI 3.1, section 9)",
                     call.state.infos.owns(info) ? "an info that was freed" : "no info");
  // Those of section 11.2.1; others are not for us, and left alone.
  for (const auto& hint_given : info->entries) {
    const std::string& key = hint_given.first;
    const bool is_known = key == "no_locks" || key == "accumulate_ordering" ||
                          key == "accumulate_ops" || key == "same_size" ||
                          key == "same_disp_unit" || key == "alloc_shared_noncontig";
    if (!is_known) continue;
    const auto found = std::find_if(window.hints.begin(), window.hints.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    if (found != window.hints.end()) {
      found->second = hint_given.second;
    } else {
      window.hints.push_back(hint_given);
    }
  }
  window.keeps_order = std::strcmp(hint(window.hints, "accumulate_ordering"), "none") != 0;
  if (window.shared != nullptr)
    window.shared->no_op_is_alone =
        std::strcmp(hint(window.hints, "accumulate_ops"), "same_op") == 0;
  return MPI_SUCCESS;
}

int make_window(const Call& call, const WindowProposal& proposal, MPI_Comm comm, MPI_Win* made) {
  if (const int error = call.check_result(made, "win")) return error;
  *made = MPI_WIN_NULL;
  Communicator* parent = nullptr;
  if (const int error = call.check_communicator(comm, parent)) return error;
  if (const int error = check_proposal(call, proposal, *parent)) return error;
  call.table.set_call_handler(answer_remote_call, nullptr);
  Window& window = *call.state.windows.create();
  window.flavor = proposal.flavor;
  window.created_at = call.pc;
  // Hints that have a default value are there unasked (section 11.2.7).
  window.hints = {{"accumulate_ordering", "rar,raw,war,waw"}, {"accumulate_ops", "same_op_no_op"}};
  const auto give_up = [&](int error) {
    call.state.windows.destroy(&window);
    return error;
  };
  if (const int error = take_hints(call, window, proposal.info)) return give_up(error);
  const Item own{proposal.size_bytes, host_hash(call), proposal.displacement_unit,
                 is_set(window.hints, "alloc_shared_noncontig") ? 1 : 0};
  auto* base = static_cast<std::byte*>(proposal.base);
  if (proposal.flavor == MPI_WIN_FLAVOR_ALLOCATE)
    base = allocate(call, window, static_cast<std::size_t>(own.size_bytes));
  Assembly assembly(call, *parent, sizeof(Item));
  if (const int error = assembly.exchange(&own)) return give_up(error);
  set_up_communicator(call, window, *parent, assembly.key(parent->world_rank(0)));
  window.shared = &call.job.windows()[window.communicator.context];
  if (proposal.flavor == MPI_WIN_FLAVOR_SHARED) {
    if (const int error = lay_out_shared(call, window, assembly.items<Item>(), base))
      return give_up(error);
  }
  join(window, own, base);
  window.shared->no_op_is_alone = std::strcmp(hint(window.hints, "accumulate_ops"), "same_op") == 0;
  // Nobody accesses a part before its rank has told where it is.
  if (const int error = synchronize(call, window, "")) return give_up(error);
  *made = &window;
  return MPI_SUCCESS;
}

int free_window(const Call& call, MPI_Win* handle) {
  Window& window = **handle;
  if (const int error = synchronize(call, window, "")) return error;
  if (--window.shared->members_left == 0) call.job.windows().erase(window.communicator.context);
  call.job.contexts().release(window.communicator.context);
  // Of a shared window one rank has the memory of all, which have all come.
  if (window.allocated != nullptr) std::free(window.allocated);
  call.state.windows.destroy(&window);
  *handle = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

int synchronize(const Call& call, Window& window, const char* assertion) {
  const Collective collective(call, window.communicator, collective_call(call, assertion));
  collective.barrier();
  return collective.error();
}

int check_group_of(const Call& call, const Window& window, MPI_Group group,
                   std::vector<std::int32_t>& ranks) {
  ranks.clear();
  if (const auto header = find_predefined(group, HandleKind::group);
      header && header->index == static_cast<std::uint32_t>(PredefinedGroup::empty))
    return MPI_SUCCESS;
  if (!call.state.groups.contains(group))
    return call.fail(&window, MPI_ERR_GROUP, "argument group is %s (MPI 3.1, section 6.3)",
                     call.state.groups.owns(group) ? "a group that was freed" : "no group");
  const Membership& members = *group->members;
  for (std::int32_t rank = 0; rank < members.size(); ++rank) {
    const std::int32_t local = window.communicator.local_rank(members.world_rank(rank));
    if (local < 0)
      return call.fail(&window, MPI_ERR_GROUP,
                       "argument group has rank %d of the job, which is not in the group of %s "
                       "(MPI 3.1, section 11.5.2)",
                       members.world_rank(rank), window.name);
    ranks.push_back(local);
  }
  std::sort(ranks.begin(), ranks.end());
  return MPI_SUCCESS;
}

int check_window(const Call& call, MPI_Win handle, Window*& found) {
  found = call.state.windows.contains(handle) ? handle : nullptr;
  if (found != nullptr) return MPI_SUCCESS;
  const char* what = "no window";
  if (handle == nullptr) what = "a null pointer";
  if (call.state.windows.owns(handle))
    return fail_freed(call, nullptr, MPI_ERR_WIN, handle->header, "win", "a window", "11.2.5");
  if (find_predefined(handle, HandleKind::window)) what = "MPI_WIN_NULL";
  return call.fail(nullptr, MPI_ERR_WIN, "argument win is %s (MPI 3.1, section 11.2)", what);
}

void* predefined_attribute(Window& window, int keyval) {
  switch (keyval) {
    case MPI_WIN_BASE: return window.base;
    case MPI_WIN_SIZE: return &window.size_bytes;
    case MPI_WIN_DISP_UNIT: return &window.displacement_unit;
    case MPI_WIN_CREATE_FLAVOR: return &window.flavor;
    case MPI_WIN_MODEL: return &window.model;
    default: return nullptr;
  }
}

}  // namespace orrery::mpi
