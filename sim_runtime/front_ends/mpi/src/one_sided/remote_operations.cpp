#include "remote_operations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "local_accesses.hpp"
#include "messages/requests.hpp"
#include "ranks/loans.hpp"
#include "remote_memory.hpp"

namespace orrery::mpi {
namespace {

constexpr std::size_t few_operations = 8;

Call starter_of(const Call& call, const RemoteOperation& operation) {
  return {operation.call, operation.pc, call.job, call.state, call.table};
}

// The window's handler is told, or the job ends as for any broken connection.
int fail_connection(const Call& call, const Window& window, std::int32_t target) {
  if (window.errors->is_fatal()) return call.fail_connection(window.communicator, target);
  return call.fail(&window, MPI_ERR_OTHER, "the connection to rank %d is broken", target);
}

int tell_trouble(const Call& call, const RemoteOperation& operation) {
  const Window& window = *operation.window;
  const Call starter = starter_of(call, operation);
  if (operation.trouble == RemoteOperation::Trouble::outside)
    return starter.fail(&window, MPI_ERR_RMA_RANGE,
                        "the bytes at displacement %#tx of rank %d (%zu elements of %s) lie in "
                        "nothing that it has attached to %s (MPI 3.1, section 11.2.4)",
                        operation.displacement, operation.target, operation.target_count,
                        operation.target_type->name, window.name);
  const AccessLog::Conflict& conflict = operation.conflict;
  const Access& earlier = conflict.earlier;
  const std::int32_t origin = window.communicator.local_rank(earlier.origin);
  const bool is_own = origin == window.rank();
  const auto base = reinterpret_cast<std::uintptr_t>(
      window.shared->parts[static_cast<std::size_t>(operation.target)].memory.base);
  const OrreryPlace there{earlier.origin, earlier.pc, "accessed here, too"};
  return starter.fail_between(
      &window, MPI_ERR_RMA_CONFLICT, there,
      "bytes %zu to %zu of rank %d's part of %s are accessed by this call of rank %d and, with "
      "nothing between the two that orders them, by %s of %s %d: what comes of it is undefined "
      "(MPI 3.1, section 11.7)",
      conflict.begin - base, conflict.end - base, operation.target, window.name, window.rank(),
      earlier.call, is_own ? "the same rank" : "rank", origin);
}

void release_types(const Call& call, const RemoteOperation& operation) {
  for (const Datatype* type : {operation.target_type, operation.origin_type, operation.result_type})
    if (type != nullptr) release(call.state, *type);
}

void forget(const Call& call, std::uint32_t number) {
  const RemoteOperation& operation = call.job.remote_operations()[number];
  if (operation.has_request || operation.is_pending || operation.waiters > 0) return;
  release_types(call, operation);
  call.job.remote_operations().destroy(number);
}

// From here on the program may do with its buffers what it likes; it must not have done so before.
void give_buffers_back(const Call& call, RemoteOperation& operation) {
  OwnedMemory& owned = call.state.owned;
  for (std::uint32_t* const ticket : {&operation.origin_ticket, &operation.result_ticket}) {
    owned.check(call, *ticket);
    owned.give_back(call.state, std::exchange(*ticket, 0));
  }
}

void take_buffers(const Call& call, RemoteOperation& operation) {
  OwnedMemory& owned = call.state.owned;
  constexpr const char* section = "11.3";
  if (operation.origin_type != nullptr)
    operation.origin_ticket = owned.take(call, {operation.origin, operation.origin_type,
                                                operation.origin_count, BufferUse::reads, section});
  if (operation.result_type != nullptr)
    operation.result_ticket =
        owned.take(call, {operation.result, operation.result_type, operation.result_count,
                          BufferUse::writes, section});
}

// The machine's request goes with the last one who knows it.
void let_go(const Call& call, RemoteOperation& operation) {
  if (operation.has_request || operation.waiters > 0 || operation.id == 0) return;
  call.table.release(operation.id);
  operation.id = 0;
}

// The answer is there: the result goes to the program, and what the target has to say, too.
int take_answer(const Call& call, std::uint32_t number) {
  RemoteOperation& operation = call.job.remote_operations()[number];
  if (operation.is_done) return MPI_SUCCESS;
  operation.is_done = true;
  give_buffers_back(call, operation);
  OrreryEnvelope ignored{};
  const std::uint32_t flags = call.table.inspect(operation.id, &ignored);
  int error = MPI_SUCCESS;
  if ((flags & ORRERY_REQUEST_FAILED) != 0) {
    error = fail_connection(call, *operation.window, operation.target);
  } else if (operation.trouble != RemoteOperation::Trouble::none) {
    error = tell_trouble(call, operation);
  } else if (operation.result_type != nullptr) {
    check_local_store(starter_of(call, operation), {operation.result, operation.result_type,
                                                    operation.result_count, BufferUse::writes});
    unpack(*operation.result_type, operation.result_count, operation.result,
           static_cast<const std::byte*>(call.table.payload(operation.id)),
           bytes_to_origin(operation));
    // What was read before the origin went on meets nothing that comes later.
    return_target(call, operation);
    leave_log(operation);
  }
  let_go(call, operation);
  return error;
}

bool is_wanted(const RemoteOperation& operation, std::int32_t target, bool with_result_only) {
  if (target >= 0 && operation.target != target) return false;
  return !with_result_only || operation.result_type != nullptr;
}

int wait_for(const Call& call, Window& window, std::int32_t target, bool with_result_only) {
  RemoteOperations& operations = call.job.remote_operations();
  std::vector<std::uint32_t> numbers;
  std::vector<OrreryRequest> ids;
  for (const std::uint32_t number : window.pending) {
    RemoteOperation& operation = operations[number];
    if (operation.is_done || !is_wanted(operation, target, with_result_only)) continue;
    numbers.push_back(number);
    ids.push_back(operation.id);
    ++operation.waiters;
  }
  if (ids.empty()) return MPI_SUCCESS;
  std::vector<std::int32_t> indices(ids.size());
  // The last one is mostly the last to be answered: then all of them are looked at once, not at
  // each answer.
  if (ids.size() > few_operations)
    call.table.select(&ids.back(), 1, ORRERY_SELECT_ALL, indices.data(), call.pc);
  call.table.select(ids.data(), static_cast<std::int32_t>(ids.size()), ORRERY_SELECT_ALL,
                    indices.data(), call.pc);
  // Meanwhile other threads may have started more, and have taken the answers to these.
  int error = MPI_SUCCESS;
  for (const std::uint32_t number : numbers) {
    RemoteOperation& operation = operations[number];
    --operation.waiters;
    const int result = take_answer(call, number);
    if (error == MPI_SUCCESS) error = result;
    let_go(call, operation);
    forget(call, number);
  }
  return error;
}

void complete_at_target(const Call& call, Window& window, std::int32_t target) {
  RemoteOperations& operations = call.job.remote_operations();
  std::erase_if(window.pending, [&](std::uint32_t number) {
    RemoteOperation& operation = operations[number];
    if (!operation.is_done || (target >= 0 && operation.target != target)) return false;
    operation.is_pending = false;
    return_target(call, operation);
    leave_log(operation);
    forget(call, number);
    return true;
  });
}

void finish_remote(const Call& call, Request& request) {
  const auto number = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(request.work));
  RemoteOperation& operation = call.job.remote_operations()[number];
  OrreryEnvelope ignored{};
  const bool is_complete =
      (call.table.inspect(request.id, &ignored) & ORRERY_REQUEST_COMPLETE) != 0;
  if (!is_complete) {  // freed before: a flush will complete it
    operation.has_request = false;
    request.id = 0;
    return;
  }
  request.error = take_answer(call, number);
  operation.has_request = false;
  if (operation.waiters > 0) {
    request.id = 0;  // a flush of another thread's still waits for it
  } else if (operation.is_pending) {
    // The request lets go of the machine's; a flush has nothing more to wait for.
    operation.id = 0;
  }
  forget(call, number);
}

OrreryEnvelope envelope_to(const Window& window, std::int32_t target, std::uint32_t context,
                           RemoteCall what) {
  const Communicator& communicator = window.communicator;
  return {communicator.context + context,
          communicator.world_rank(communicator.rank),
          communicator.world_rank(target),
          static_cast<std::int32_t>(what),
          0,
          0};
}

std::uint32_t context_of(Window& window, const RemoteOperation& operation) {
  const bool is_atomic = operation.kind != RemoteKind::put && operation.kind != RemoteKind::get;
  if (is_atomic && window.keeps_order) return static_cast<std::uint32_t>(WindowContext::ordered);
  constexpr auto first = static_cast<std::uint32_t>(WindowContext::first_unordered);
  constexpr auto last = static_cast<std::uint32_t>(WindowContext::last_unordered);
  return first + window.spread++ % (last - first + 1);
}

}  // namespace

void start_remote(const Call& call, Window& window, std::uint32_t number, const void* data) {
  RemoteOperation& operation = call.job.remote_operations()[number];
  operation.window = &window;
  operation.call = call.name;
  operation.pc = call.pc;
  for (const Datatype* type : {operation.target_type, operation.origin_type, operation.result_type})
    if (type != nullptr && call.state.types.contains(type)) ++type->references;
  OrreryEnvelope envelope =
      envelope_to(window, operation.target, context_of(window, operation), RemoteCall::memory);
  envelope.size_bytes = bytes_to_target(operation);
  envelope.note = number;
  take_buffers(call, operation);
  lend_target(call, operation);
  operation.id = call.table.start_call(&envelope, data, call.name, call.pc);
  window.pending.push_back(number);
}

int flush(const Call& call, Window& window, std::int32_t target) {
  const int error = wait_for(call, window, target, false);
  complete_at_target(call, window, target);
  return error;
}

int flush_local(const Call& call, Window& window, std::int32_t target) {
  const int error = wait_for(call, window, target, true);
  // What is sent has left its buffer, whether or not it has arrived.
  for (const std::uint32_t number : window.pending)
    if (is_wanted(call.job.remote_operations()[number], target, false))
      give_buffers_back(call, call.job.remote_operations()[number]);
  return error;
}

int take_lock(const Call& call, Window& window, std::int32_t target, bool exclusive,
              bool unchecked) {
  const RemoteCall what =
      unchecked
          ? (exclusive ? RemoteCall::lock_exclusive_unchecked : RemoteCall::lock_shared_unchecked)
          : (exclusive ? RemoteCall::lock_exclusive : RemoteCall::lock_shared);
  const OrreryEnvelope envelope =
      envelope_to(window, target, static_cast<std::uint32_t>(WindowContext::locks), what);
  const OrreryRequest id = call.table.start_call(&envelope, nullptr, call.name, call.pc);
  std::int32_t index = 0;
  call.table.select(&id, 1, ORRERY_SELECT_ALL, &index, call.pc);
  OrreryEnvelope answer{};
  const std::uint32_t flags = call.table.inspect(id, &answer);
  call.table.release(id);
  if ((flags & ORRERY_REQUEST_FAILED) != 0) return fail_connection(call, window, target);
  if (answer.size_bytes == 0) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_ASSERT,
                   "MPI_MODE_NOCHECK says that no lock of another rank is in the way, but rank %d "
                   "of %s is locked (MPI 3.1, section 11.5.5)",
                   target, window.name);
}

void give_lock_back(const Call& call, Window& window, std::int32_t target) {
  const OrreryEnvelope envelope = envelope_to(
      window, target, static_cast<std::uint32_t>(WindowContext::locks), RemoteCall::unlock);
  // Nobody waits for the answer: all that was done under the lock is complete.
  call.table.release(call.table.start_call(&envelope, nullptr, call.name, call.pc));
}

MPI_Request make_remote_request(const Call& call, std::uint32_t number) {
  RemoteOperation& operation = call.job.remote_operations()[number];
  Request* const request = call.state.requests.create();
  request->id = operation.id;
  request->kind = RequestKind::one_sided;
  request->call = call.name;
  request->pc = call.pc;
  request->peer = operation.target;
  request->buffer = operation.result;
  request->count = operation.result_count;
  request->finish = finish_remote;
  request->work = reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
  fill_empty_status(&request->status);
  request->type = operation.target_type;
  if (call.state.types.contains(request->type)) ++request->type->references;
  return request->handle;
}

MPI_Request make_null_request(const Call& call) {
  Request* const request = make_event_request(call, nullptr, RequestKind::one_sided);
  call.table.complete_event(request->id);
  return request->handle;
}

}  // namespace orrery::mpi
