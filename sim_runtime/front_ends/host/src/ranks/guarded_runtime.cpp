// The runtime's table, with the ranks' state exchanged around each call.
#include <memory>
#include <tuple>

#include <orrery/network_model/usage_error.hpp>

#include "files/user_files.hpp"
#include "memory/program_memory.hpp"
#include "program_signals.hpp"
#include "rank_context.hpp"
#include "threads.hpp"

namespace orrery::host {
namespace {

/// Nothing is thrown through a program: what the runtime says of its caller's mistakes goes around.
template <typename Result, typename... Arguments>
Result call_table(Result (*function)(Arguments...), Arguments... arguments) {
  std::unique_ptr<UsageError> error;  // an optional would be cleared in each call
  try {
    return function(arguments...);
  } catch (const UsageError& caught) {
    error = std::make_unique<UsageError>(caught);
  }
  running().runtime->usage_error(error->problem().c_str(), error->where().c_str(),
                                 error->hint().c_str());
  __builtin_unreachable();
}

template <auto Field>
struct Guarded;

template <typename Result, typename... Arguments, Result (*OrreryRuntime::*Field)(Arguments...)>
struct Guarded<Field> {
  static Result call(Arguments... arguments) {
    const RuntimeGuard guard(RuntimeGuard::Libraries::of_the_host);
    return call_table(running().runtime->*Field, arguments...);
  }
};

/// After a call: what signals have come meanwhile is handled.
class SignalsAfterwards {
 public:
  explicit SignalsAfterwards(std::uintptr_t program_counter) : place_(program_counter) {}
  ~SignalsAfterwards() {
    if (!running().has_signals) return;
    if (auto* const signals = ProgramSignals::known()) signals->deliver(place_);
  }
  SignalsAfterwards(const SignalsAfterwards&) = delete;
  SignalsAfterwards& operator=(const SignalsAfterwards&) = delete;

 private:
  std::uintptr_t place_;
};

// What others can see, at a place of the program, which comes last.
template <auto Field>
struct Visible;

template <typename Result, typename... Arguments, Result (*OrreryRuntime::*Field)(Arguments...)>
struct Visible<Field> {
  static Result call(Arguments... arguments) {
    const std::uintptr_t place = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    const SignalsAfterwards signals(place);
    const ComputingScope scope(place);
    const RuntimeGuard guard;
    return call_table(running().runtime->*Field, arguments...);
  }
};

// What depends on the date or ends the computing, at no place.
template <auto Field>
struct Dated;

template <typename Result, typename... Arguments, Result (*OrreryRuntime::*Field)(Arguments...)>
struct Dated<Field> {
  static Result call(Arguments... arguments) {
    const ComputingScope scope(0);
    return Guarded<Field>::call(arguments...);
  }
};

// Questions that give way to nobody.
template <auto Field>
struct Plain;

template <typename Result, typename... Arguments, Result (*OrreryRuntime::*Field)(Arguments...)>
struct Plain<Field> {
  static Result call(Arguments... arguments) { return (running().runtime->*Field)(arguments...); }
};

OrreryThread start_helper(OrreryThreadBody body, void* argument, const char* name,
                          std::uintptr_t program_counter) {
  ThreadContext& thread = make_helper(body, argument);
  thread.number =
      Visible<&OrreryRuntime::helper_start>::call(begin_thread, &thread, name, program_counter);
  return thread.number;
}

// Another platform's hosts have other names: a replay has those of the run that was recorded.
const char* host_name() {
  const char* const here = running().runtime->host_name();
  if (running().user == nullptr) return here;
  const std::int32_t rank = running().user->rank();
  const FilesCall call;
  return call.files().outside().host_name(rank, here);
}

void* program_memory(std::uint64_t size_bytes) {
  // Where a sanitizer or the lack of room leaves programs no heap of their own, it has no blocks.
  return running().user == nullptr ? nullptr : programs_heap().allocate_zeroed(size_bytes);
}

constexpr OrreryRuntime table = {
    .version = ORRERY_RUNTIME_VERSION,
    .size_bytes = sizeof(OrreryRuntime),
    .rank = Plain<&OrreryRuntime::rank>::call,
    .rank_count = Plain<&OrreryRuntime::rank_count>::call,
    .host_name = host_name,
    .send = Visible<&OrreryRuntime::send>::call,
    .start_send = Visible<&OrreryRuntime::start_send>::call,
    .receive = Visible<&OrreryRuntime::receive>::call,
    .start_receive = Visible<&OrreryRuntime::start_receive>::call,
    .select = Visible<&OrreryRuntime::select>::call,
    .inspect = Plain<&OrreryRuntime::inspect>::call,
    .payload = Plain<&OrreryRuntime::payload>::call,
    .release = Guarded<&OrreryRuntime::release>::call,
    .cancel = Visible<&OrreryRuntime::cancel>::call,
    .probe = Visible<&OrreryRuntime::probe>::call,
    .now = Dated<&OrreryRuntime::now>::call,
    .sleep = Visible<&OrreryRuntime::sleep>::call,
    .yield = Visible<&OrreryRuntime::yield>::call,
    .draw = Visible<&OrreryRuntime::draw>::call,
    .finding = Guarded<&OrreryRuntime::finding>::call,
    .exit_process = Visible<&OrreryRuntime::exit_process>::call,
    .abort_job = Visible<&OrreryRuntime::abort_job>::call,
    .output = Guarded<&OrreryRuntime::output>::call,
    .has_receive = Guarded<&OrreryRuntime::has_receive>::call,
    .finding_between = Guarded<&OrreryRuntime::finding_between>::call,
    .finalized = Dated<&OrreryRuntime::finalized>::call,
    .compute = Guarded<&OrreryRuntime::compute>::call,
    .input = Guarded<&OrreryRuntime::input>::call,
    .atomic_begin = Guarded<&OrreryRuntime::atomic_begin>::call,
    .atomic_end = Guarded<&OrreryRuntime::atomic_end>::call,
    .access_begin = Guarded<&OrreryRuntime::access_begin>::call,
    .accesses = Guarded<&OrreryRuntime::accesses>::call,
    .wants_accesses = Plain<&OrreryRuntime::wants_accesses>::call,
    .usage_error = Guarded<&OrreryRuntime::usage_error>::call,
    .thread_start = Visible<&OrreryRuntime::thread_start>::call,
    .thread_join = Visible<&OrreryRuntime::thread_join>::call,
    .thread_detach = Guarded<&OrreryRuntime::thread_detach>::call,
    .thread_name = Guarded<&OrreryRuntime::thread_name>::call,
    .thread_end = Guarded<&OrreryRuntime::thread_end>::call,
    .thread_get_name = Guarded<&OrreryRuntime::thread_get_name>::call,
    .thread_stack = Guarded<&OrreryRuntime::thread_stack>::call,
    .thread_interrupt = Guarded<&OrreryRuntime::thread_interrupt>::call,
    .visible_call = Visible<&OrreryRuntime::visible_call>::call,
    .mutex_lock = Visible<&OrreryRuntime::mutex_lock>::call,
    .mutex_unlock = Visible<&OrreryRuntime::mutex_unlock>::call,
    .mutex_consistent = Guarded<&OrreryRuntime::mutex_consistent>::call,
    .condition_wait = Visible<&OrreryRuntime::condition_wait>::call,
    .condition_notify = Visible<&OrreryRuntime::condition_notify>::call,
    .rw_lock = Visible<&OrreryRuntime::rw_lock>::call,
    .rw_unlock = Visible<&OrreryRuntime::rw_unlock>::call,
    .semaphore_set = Guarded<&OrreryRuntime::semaphore_set>::call,
    .semaphore_acquire = Visible<&OrreryRuntime::semaphore_acquire>::call,
    .semaphore_release = Visible<&OrreryRuntime::semaphore_release>::call,
    .semaphore_count = Guarded<&OrreryRuntime::semaphore_count>::call,
    .barrier_set = Guarded<&OrreryRuntime::barrier_set>::call,
    .barrier_wait = Visible<&OrreryRuntime::barrier_wait>::call,
    .once_begin = Visible<&OrreryRuntime::once_begin>::call,
    .once_end = Visible<&OrreryRuntime::once_end>::call,
    .futex_wait = Visible<&OrreryRuntime::futex_wait>::call,
    .futex_wake = Visible<&OrreryRuntime::futex_wake>::call,
    .object_destroy = Guarded<&OrreryRuntime::object_destroy>::call,
    .object_forget = Guarded<&OrreryRuntime::object_forget>::call,
    .once_passed = Guarded<&OrreryRuntime::once_passed>::call,
    .mutex_lock_alone = Plain<&OrreryRuntime::mutex_lock_alone>::call,
    .mutex_unlock_alone = Plain<&OrreryRuntime::mutex_unlock_alone>::call,
    .rw_lock_alone = Plain<&OrreryRuntime::rw_lock_alone>::call,
    .rw_unlock_alone = Plain<&OrreryRuntime::rw_unlock_alone>::call,
    .condition_notify_alone = Plain<&OrreryRuntime::condition_notify_alone>::call,
    .semaphore_acquire_alone = Plain<&OrreryRuntime::semaphore_acquire_alone>::call,
    .semaphore_release_alone = Plain<&OrreryRuntime::semaphore_release_alone>::call,
    .atomic_alone = Plain<&OrreryRuntime::atomic_alone>::call,
    .helper_start = start_helper,
    .start_event = Guarded<&OrreryRuntime::start_event>::call,
    .complete_event = Guarded<&OrreryRuntime::complete_event>::call,
    .set_call_handler = Guarded<&OrreryRuntime::set_call_handler>::call,
    .start_call = Visible<&OrreryRuntime::start_call>::call,
    .answer_call = Plain<&OrreryRuntime::answer_call>::call,
    .program_memory = program_memory,
    .note_finding = Guarded<&OrreryRuntime::note_finding>::call,
    .claim = Visible<&OrreryRuntime::claim>::call,
    .start_claimed = Visible<&OrreryRuntime::start_claimed>::call,
    .left_open = Guarded<&OrreryRuntime::left_open>::call,
    .collective_begun = Guarded<&OrreryRuntime::collective_begun>::call,
    .set_wait_teller = Guarded<&OrreryRuntime::set_wait_teller>::call,
    .checks_use = Plain<&OrreryRuntime::checks_use>::call,
    .current_thread = Plain<&OrreryRuntime::current_thread>::call,
    .wants_loans = Plain<&OrreryRuntime::wants_loans>::call,
    .lend = Guarded<&OrreryRuntime::lend>::call,
    .return_loan = Guarded<&OrreryRuntime::return_loan>::call,
    .acts_for_operation = Plain<&OrreryRuntime::acts_for_operation>::call,
    .read_clock = Dated<&OrreryRuntime::read_clock>::call,
    .thread_end_waits = Guarded<&OrreryRuntime::thread_end_waits>::call,
};

}  // namespace

const OrreryRuntime& guarded_runtime() {
  return table;
}

}  // namespace orrery::host
