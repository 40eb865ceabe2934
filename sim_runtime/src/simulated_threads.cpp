#include "simulated_threads.hpp"

#include <cstring>
#include <utility>

#include "machine.hpp"

namespace orrery::detail {
namespace {

// A member of ProgramThreads, as a C function that acts for the running task.
template <auto Member>
struct Call;

template <typename Result, typename... Arguments, Result (ProgramThreads::*Member)(Arguments...)>
struct Call<Member> {
  static Result call(Arguments... arguments) {
    return (Machine::current()->program_threads().*Member)(arguments...);
  }
};

}  // namespace

void add_threads(OrreryRuntime& table) {
  using Threads = ProgramThreads;
  table.thread_start = Call<&Threads::start>::call;
  table.helper_start = Call<&Threads::start_helper>::call;
  table.thread_join = Call<&Threads::join>::call;
  table.thread_detach = Call<&Threads::detach>::call;
  table.thread_name = Call<&Threads::name>::call;
  table.thread_end = Call<&Threads::end>::call;
  table.thread_get_name = [](OrreryThread thread, char* name, size_t size_bytes) {
    const std::string whole = Machine::current()->task(TaskId{thread});
    if (whole.size() >= size_bytes) return 0;
    std::memcpy(name, whole.c_str(), whole.size() + 1);
    return 1;
  };
  table.thread_stack = [](OrreryThread thread, void** bottom, size_t* size_bytes) {
    Machine& machine = *Machine::current();
    const OrreryThread whose = thread != 0 ? thread : machine.running().id.value;
    machine.program_threads().stack(whose, bottom, size_bytes);
  };
  table.thread_interrupt = [](OrreryThread thread) {
    Machine::current()->interrupt(TaskId{thread});
  };
  table.thread_end_waits = [](OrreryThread thread, int32_t ends) {
    Machine& machine = *Machine::current();
    Task& task = machine.task_at(TaskId{thread});
    const bool has_ended_wait = std::exchange(task.has_ended_wait, false);
    task.ends_waits = ends != 0;
    // Who calls waits for nothing so far, whatever its state says.
    if (task.ends_waits && &task != &machine.running()) machine.interrupt(task.id);
    return static_cast<int32_t>(has_ended_wait);
  };
  table.current_thread = [] { return Machine::current()->running().id.value; };
  table.visible_call = Call<&Threads::visible_call>::call;
  table.mutex_lock = Call<&Threads::lock>::call;
  table.mutex_unlock = Call<&Threads::unlock>::call;
  table.mutex_consistent = Call<&Threads::make_consistent>::call;
  table.condition_wait = Call<&Threads::wait>::call;
  table.condition_notify = [](void* condition, int32_t all, uintptr_t pc) {
    Machine::current()->program_threads().notify(condition, all != 0, pc);
  };
  table.rw_lock = Call<&Threads::lock_shared_or_not>::call;
  table.rw_unlock = Call<&Threads::unlock_shared_or_not>::call;
  table.semaphore_set = Call<&Threads::set_semaphore>::call;
  table.semaphore_acquire = Call<&Threads::acquire>::call;
  table.semaphore_release = Call<&Threads::release>::call;
  table.semaphore_count = Call<&Threads::count>::call;
  table.barrier_set = Call<&Threads::set_barrier>::call;
  table.barrier_wait = [](void* barrier, uintptr_t pc) {
    return Machine::current()->program_threads().arrive(barrier, pc) ? 1 : 0;
  };
  table.once_begin = [](void* once, int32_t is_marked, uintptr_t pc) {
    return Machine::current()->program_threads().begin_once(once, is_marked != 0, pc) ? 1 : 0;
  };
  table.once_end = [](void* once, int32_t succeeded, uintptr_t pc) {
    Machine::current()->program_threads().end_once(once, succeeded != 0, pc);
  };
  table.once_passed = Call<&Threads::pass_once>::call;
  table.futex_wait = Call<&Threads::wait_on_word>::call;
  table.futex_wake = Call<&Threads::wake_word>::call;
  table.object_destroy = Call<&Threads::destroy>::call;
  table.object_forget = Call<&Threads::forget>::call;
  add_lone_steps(table);
}

}  // namespace orrery::detail
