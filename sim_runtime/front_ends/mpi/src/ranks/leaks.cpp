#include "leaks.hpp"

#include <algorithm>
#include <cstdio>

namespace orrery::mpi {
namespace {

void note(const Call& call, Misuse misuse, const CallSite& made, const char* role) {
  const OrreryPlace here{call.state.rank, made.pc, role};
  call.table.note_finding(finding_title(misuse), call.state.message, &here, nullptr);
}

/// A kind of object, in the words of a finding.
struct Kind {
  const char* noun;
  const char* freed_by;
  const char* section;
};

void note_leak(const Call& call, const HandleHeader& header, const Kind& kind) {
  std::snprintf(call.state.message, sizeof(call.state.message),
                "%s: rank %d never frees the %s that is made here (with %s before MPI_Finalize; "
                "MPI 3.1, section %s)",
                header.made.call, call.state.rank, kind.noun, kind.freed_by, kind.section);
  note(call, Misuse::leak, header.made, "made here");
}

using Kept = std::vector<const void*>;

bool is_kept(const Kept& kept, const void* object) {
  return std::ranges::find(kept, object) != kept.end();
}

// The library has objects of its own, too, which nobody made.
bool is_programs(const HandleHeader& header) {
  return header.made.pc != 0 && header.freed.pc == 0;
}

template <typename Pool>
void note_leaks_of(const Call& call, Pool& pool, const Kept& kept, const Kind& kind) {
  pool.for_each([&](const auto& object) {
    if (!is_programs(object.header) || is_kept(kept, &object)) return;
    note_leak(call, object.header, kind);
  });
}

void note_types(const Call& call, const Kept& kept) {
  const auto& unnamed = call.state.parameterized_types;
  call.state.types.for_each([&](Datatype& type) {
    if (!is_programs(type.header) || is_kept(kept, &type)) return;
    if (std::ranges::find(unnamed, &type) != unnamed.end()) return;
    note_leak(call, type.header, {"type", "MPI_Type_free", "4.1.9"});
  });
}

// Sends complete by themselves, but a receive writes to memory that the program believes is its
// own again, and either one is a request that was forgotten.
void note_request(const Call& call, Request& request) {
  if (request.persistent && !request.active)
    return note_leak(call, request.handle->header,
                     {"persistent request", "MPI_Request_free", "3.9"});
  if (request.id == 0 || request.orphan) return;
  const CallSite started{request.call, request.pc};
  char what[128] = "";
  if (request.is_message()) {
    std::snprintf(what, sizeof(what), " (%s %d, tag %d, %zu elements of %s)",
                  request.kind == RequestKind::receive ? "receive from rank" : "send to rank",
                  request.peer, request.tag, request.count, request.type->name);
  }
  std::snprintf(call.state.message, sizeof(call.state.message),
                "%s: the request that is started here%s was never completed with a wait or a test, "
                "nor freed, before MPI_Finalize of rank %d (MPI 3.1, sections 3.7.3 and 8.7)",
                started.call, what, call.state.rank);
  note(call, Misuse::missing_wait, started, "started here");
  if (!request.is_message()) return;
  // The machine would report it, too.
  call.table.release(request.id);
  request.id = 0;
}

void note_memory(const Call& call) {
  for (const Allocation& allocation : call.state.allocations) {
    HandleHeader header;
    header.made = {"MPI_Alloc_mem", allocation.pc};
    note_leak(call, header, {"memory", "MPI_Free_mem", "8.2"});
  }
}

// The machine would report these, too.
void note_messages(const Call& call) {
  call.state.messages.for_each([&](MatchedMessage& message) {
    std::snprintf(call.state.message, sizeof(call.state.message),
                  "%s: the message from rank %d with tag %d that is taken here was never received "
                  "with MPI_Mrecv or MPI_Imrecv before MPI_Finalize of rank %d (MPI 3.1, sections "
                  "3.8.2 and 8.7)",
                  message.call, message.peer, message.tag, call.state.rank);
    note(call, Misuse::leak, {message.call, message.pc}, "taken here");
    call.table.release(message.id);
    message.id = 0;
  });
}

// An attribute of a predefined communicator is a library's, and so is its key.
void note_keys(const Call& call, const Kept& kept) {
  call.state.keyvals.for_each([&](const Keyval& keyval) {
    if (keyval.freed || is_kept(kept, &keyval)) return;
    HandleHeader header;
    header.made = keyval.made;
    note_leak(call, header, {"attribute key", "MPI_Comm_free_keyval and its kin", "6.7.2"});
  });
}

}  // namespace

std::vector<const void*> objects_of_libraries(RankState& state) {
  std::vector<const void*> values;
  for (const Communicator* const communicator : {&state.world, &state.self})
    for (const auto& attribute : communicator->attributes.all()) {
      values.push_back(attribute.value);
      values.push_back(state.keyvals.find(attribute.keyval));
    }
  return values;
}

void note_leaks(const Call& call, const std::vector<const void*>& kept) {
  RankState& state = call.state;
  state.requests.for_each([&](Request& request) { note_request(call, request); });
  note_leaks_of(call, state.communicators, kept, {"communicator", "MPI_Comm_free", "6.4.3"});
  note_leaks_of(call, state.groups, kept, {"group", "MPI_Group_free", "6.3.3"});
  note_types(call, kept);
  note_leaks_of(call, state.operations, kept, {"operation", "MPI_Op_free", "5.9.5"});
  note_leaks_of(call, state.infos, kept, {"info object", "MPI_Info_free", "9"});
  note_leaks_of(call, state.error_handlers, kept,
                {"error handler", "MPI_Errhandler_free", "8.3.4"});
  note_leaks_of(call, state.windows, kept, {"window", "MPI_Win_free", "11.2.5"});
  note_leaks_of(call, state.files, kept, {"file", "MPI_File_close", "13.2.2"});
  note_memory(call);
  note_messages(call);
  note_keys(call, kept);
}

}  // namespace orrery::mpi
