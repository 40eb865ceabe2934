#include "call.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "collectives/operation_scope.hpp"
#include "messages/requests.hpp"

namespace orrery::mpi {
namespace {

// The machine does not come back from a finding.
[[noreturn]] void report(const Call& call, Misuse misuse, const OrreryPlace* there,
                         const char* format, va_list arguments) {
  char* text = call.state.message;
  const std::size_t room = sizeof(call.state.message);
  const int used = std::snprintf(text, room, "%s: ", call.name);
  if (used > 0)
    std::vsnprintf(text + used, room - static_cast<std::size_t>(used), format, arguments);
  const OrreryPlace here{call.state.rank, call.pc, "failed here"};
  if (there == nullptr)
    call.table.finding(finding_title(misuse), text, call.pc);
  else
    call.table.finding_between(finding_title(misuse), text, &here, there);
  std::abort();
}

const ErrorOwner& owner_of(const Call& call, const ErrorOwner* owner) {
  return owner != nullptr ? *owner : call.state.world;
}

bool is_fatal(const Call& call, const ErrorOwner* owner) {
  return owner_of(call, owner).errors->is_fatal();
}

// An error that does not end the job: the program's handler is called, if it has one; the call
// returns the code.
int tell(const Call& call, const ErrorOwner* owner, int code) {
  tell_of_error(call.state, owner_of(call, owner), code);
  return code;
}

[[noreturn]] void fail_outside(const char* name) {
  std::fprintf(stderr,
               "orrery: %s was called outside a simulated process. This copy of libmpi.so.40 works "
               "only under `orrery run`, `explore` and `replay`; to run on real MPI, start the "
               "program with mpirun and without Orrery's library path.\n",
               name);
  std::fflush(stderr);
  _exit(2);
}

}  // namespace

int Call::fail(const ErrorOwner* owner, const Wrong& wrong, const char* format, ...) const {
  if (!is_fatal(*this, owner)) return tell(*this, owner, wrong.code);
  va_list arguments;
  va_start(arguments, format);
  report(*this, wrong.misuse, nullptr, format, arguments);
}

int Call::fail_between(const ErrorOwner* owner, const Wrong& wrong, const OrreryPlace& there,
                       const char* format, ...) const {
  if (!is_fatal(*this, owner)) return tell(*this, owner, wrong.code);
  va_list arguments;
  va_start(arguments, format);
  report(*this, wrong.misuse, &there, format, arguments);
}

void Call::fail_always(Misuse misuse, const char* format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  report(*this, misuse, nullptr, format, arguments);
}

void Call::fail_always_between(Misuse misuse, const OrreryPlace& there, const char* format,
                               ...) const {
  va_list arguments;
  va_start(arguments, format);
  report(*this, misuse, &there, format, arguments);
}

int Call::fail_connection(const Communicator& communicator, std::int32_t peer) const {
  if (!communicator.errors->is_fatal()) return tell(*this, &communicator, MPI_ERR_OTHER);
  constexpr std::size_t room = sizeof(state.message);
  if (peer == MPI_ANY_SOURCE) {
    std::snprintf(state.message, room,
                  "%s: the connection to a rank of %s is broken, so what this call waits for may "
                  "never come; MPI_ERRORS_ARE_FATAL ends the job (MPI 3.1, section 2.8)",
                  name, communicator.name);
  } else {
    std::snprintf(state.message, room,
                  "%s: the connection to rank %d of %s is broken; MPI_ERRORS_ARE_FATAL ends the "
                  "job (MPI 3.1, section 2.8)",
                  name, peer, communicator.name);
  }
  table.finding("exit", state.message, pc);
  std::abort();
}

namespace {

void check_phase(const Call& call) {
  if (call.state.phase == Phase::before_init)
    call.fail_always(Misuse::outside_init_and_finalize,
                     "called before MPI_Init (MPI 3.1, section 8.7)");
  if (call.state.phase == Phase::finalized)
    call.fail_always(Misuse::outside_init_and_finalize,
                     "called after MPI_Finalize (MPI 3.1, section 8.7)");
}

// What is due at every call.
void prepare(const Call& call) {
  call.state.recent_calls.note(call.pc, call.name);
  call.state.wtime_repeats = 0;
  if (call.state.orphan_count > 0) collect_orphans(call);
  if (!call.state.operation_stacks.empty()) check_not_in_operation(call);
}

// A call that has begun, and the thread that makes it.
struct Entered {
  Call call;
  OrreryThread thread;
};

Entered begin(const char* name, void* return_address) {
  Job* const job = current_job();
  RankState* const state = job == nullptr ? nullptr : job->current_rank();
  if (state == nullptr) fail_outside(name);
  const auto pc = reinterpret_cast<std::uintptr_t>(return_address);
  const OrreryThread thread = job->table().current_thread();
  state->sites.enter(thread, {name, pc});
  return {{name, pc, *job, *state, job->table()}, thread};
}

}  // namespace

Call enter_any_time(const char* name, void* return_address) {
  return begin(name, return_address).call;
}

Call enter_by_any_thread(const char* name, void* return_address) {
  Call call = enter_any_time(name, return_address);
  check_phase(call);
  return call;
}

Call enter(const char* name, void* return_address) {
  const Entered entered = begin(name, return_address);
  const Call& call = entered.call;
  RankState& state = call.state;
  check_phase(call);
  check_thread(call, entered.thread);
  prepare(call);
  if (state.thread_level < MPI_THREAD_SERIALIZED) return call;
  return {name,  call.pc,    call.job,
          state, call.table, Presence(state, entered.thread, {name, call.pc})};
}

void release(RankState& state, Communicator& communicator) {
  if (--communicator.references > 0) return;
  // The slot is used again only much later; what it held is free now.
  communicator.group.reset();
  communicator.remote.reset();
  communicator.topology.reset();
  let_go_of_handler(state, communicator);
  communicator.hints.clear();
  if (communicator.tracked) current_job()->contexts().release(communicator.context);
  state.communicators.destroy(&communicator);
}

void release(RankState& state, const Datatype& type) {
  if (!state.types.contains(&type)) return;
  if (type.references > 0) --type.references;
  if (!type.freed || type.references != 0) return;
  auto* const gone = const_cast<Datatype*>(&type);
  static_cast<TypeShape&>(*gone) = {};
  state.type_names.erase(gone);
  state.types.destroy(gone);
}

}  // namespace orrery::mpi
