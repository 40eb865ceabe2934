#include "program_threads.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include <orrery/sim_runtime/condition_variable.hpp>
#include <orrery/sim_runtime/mutex.hpp>
#include <orrery/sim_runtime/semaphore.hpp>
#include <orrery/sim_runtime/semaphore_question.hpp>

#include "futex.hpp"
#include "held_locks.hpp"
#include "machine.hpp"
#include "operation_on.hpp"

namespace orrery::detail {
namespace {

SourceLocation at(std::uintptr_t program_counter) {
  return SourceLocation::at(program_counter);
}

VirtualTime date_of(const Machine& machine, std::int64_t deadline) {
  if (deadline == ORRERY_NEVER) return VirtualTime::never();
  // Dates are those of the task's own host, whose clock may be ahead.
  return VirtualTime::start() + VirtualDuration::from_picoseconds(deadline) -
         machine.clock_offset();
}

}  // namespace

// --- threads ----------------------------------------------------------------------------------

OrreryThread ProgramThreads::start(OrreryThreadBody body, void* argument, std::uintptr_t function,
                                   std::uintptr_t pc) {
  const auto where = at(pc);
  const TaskId task = machine_->spawn(
      machine_->running().process, {}, [body, argument] { body(argument); }, where,
      Unwinding::abandon, function);
  return task.value;
}

OrreryThread ProgramThreads::start_helper(OrreryThreadBody body, void* argument, const char* name,
                                          std::uintptr_t pc) {
  const OrreryThread thread = start(body, argument, 0, pc);
  detach(thread);
  this->name(thread, name);
  machine_->task_at(TaskId{thread}).is_helper = true;
  return thread;
}

int ProgramThreads::join(OrreryThread thread, std::int64_t deadline, std::uintptr_t pc) {
  const TaskId task{thread};
  if (task == machine_->running().id) return EDEADLK;
  return machine_->join(task, at(pc), date_of(*machine_, deadline)) ? 0 : ETIMEDOUT;
}

void ProgramThreads::detach(OrreryThread thread) {
  machine_->detach(TaskId{thread});
}

void ProgramThreads::name(OrreryThread thread, const char* name) {
  machine_->task_at(TaskId{thread}).name = name;
}

void ProgramThreads::end() {
  const TaskId self = machine_->running().id;
  // What it held last it gives back first.
  while (true) {
    const auto held =
        std::ranges::find(robust_held_.rbegin(), robust_held_.rend(), self, &RobustlyHeld::task);
    if (held == robust_held_.rend()) break;
    Mutex& mutex = *held->mutex;
    robust_held_.erase(std::next(held).base());
    mutex.robustness_ = Mutex::Robustness::owner_died;
    mutex.depth_ = 1;
    mutex.unlock_at(mutex.locked_at_);
  }
  machine_->leave_task();
}

void ProgramThreads::stack(OrreryThread thread, void** bottom, std::size_t* size_bytes) const {
  const Fiber* const fiber = machine_->task_at(TaskId{thread}).fiber;
  *bottom = fiber != nullptr ? fiber->stack_bottom : nullptr;
  *size_bytes = fiber != nullptr ? fiber->stack_bytes : 0;
}

void ProgramThreads::visible_call(std::uint64_t which, std::uintptr_t pc) {
  const auto where = at(pc);
  const auto operation = operation_on({}, OperationKind::call, where, which);
  machine_->announce(operation);
  machine_->told(operation);
}

// --- mutexes ----------------------------------------------------------------------------------

Mutex& ProgramThreads::mutex(void* address, std::uint32_t flags) {
  auto* const known = objects_.find<Mutex>(address);
  if (known != nullptr && (known->depth_ == 0 || (flags & ORRERY_MUTEX_MARKED) != 0)) return *known;
  return new_mutex(address, flags);
}

Mutex& ProgramThreads::new_mutex(void* address, std::uint32_t flags) {
  objects_.forget(address);  // its memory was used anew: what we know is of another one
  return objects_.at<Mutex>(address, [&] {
    const bool is_recursive = (flags & ORRERY_MUTEX_RECURSIVE) != 0;
    auto made = std::make_unique<Mutex>(machine_->world(), std::string_view{},
                                        is_recursive ? Mutex::Type::recursive : Mutex::Type::plain);
    if ((flags & ORRERY_MUTEX_ROBUST) != 0) made->robustness_ = Mutex::Robustness::consistent;
    machine_->newest_object().is_hosts = (flags & ORRERY_MUTEX_HOSTS) != 0;
    return made;
  });
}

int ProgramThreads::taken(Mutex& mutex) {
  using enum Mutex::Robustness;
  if (mutex.robustness_ == none) return 0;
  if (mutex.robustness_ == lost) {
    mutex.released();
    return ENOTRECOVERABLE;
  }
  if (mutex.depth_ == 1) robust_held_.push_back({machine_->running().id, &mutex});
  return mutex.robustness_ == owner_died ? EOWNERDEAD : 0;
}

void ProgramThreads::about_to_give_back(Mutex& mutex) {
  using enum Mutex::Robustness;
  if (mutex.robustness_ == none) return;
  std::erase_if(robust_held_, [&](const RobustlyHeld& held) { return held.mutex == &mutex; });
  if (mutex.robustness_ == owner_died) mutex.robustness_ = lost;
}

int ProgramThreads::lock(void* address, std::uint32_t flags, OrreryLockMode mode,
                         std::int64_t deadline, std::uintptr_t pc) {
  Mutex& mutex = this->mutex(address, flags);
  const auto where = at(pc);
  if ((flags & ORRERY_MUTEX_CHECKED) != 0 && mutex.depth_ > 0 &&
      mutex.owner_ == machine_->running().id) {
    return mode == ORRERY_LOCK_TRY ? EBUSY : EDEADLK;
  }
  if (mode == ORRERY_LOCK_TRY) {
    if (!mutex.try_lock_at(where)) return EBUSY;
  } else if (!mutex.lock_until(date_of(*machine_, deadline), where)) {
    return ETIMEDOUT;
  }
  return taken(mutex);
}

int ProgramThreads::unlock(void* address, std::uint32_t flags, std::uintptr_t pc) {
  Mutex& mutex = this->mutex(address, flags);
  constexpr std::uint32_t answered =
      ORRERY_MUTEX_CHECKED | ORRERY_MUTEX_RECURSIVE | ORRERY_MUTEX_ROBUST;
  const TaskId self = machine_->running().id;
  const bool is_ours = mutex.depth_ > 0 && mutex.owner_ == self;
  if (!is_ours && (flags & answered) != 0) return EPERM;
  if (is_ours && mutex.depth_ == 1) about_to_give_back(mutex);
  mutex.unlock_at(at(pc));
  return 0;
}

int ProgramThreads::make_consistent(void* address) {
  auto* const mutex = objects_.find<Mutex>(address);
  if (mutex == nullptr || mutex->robustness_ != Mutex::Robustness::owner_died) return EINVAL;
  mutex->robustness_ = Mutex::Robustness::consistent;
  return 0;
}

// --- condition variables ----------------------------------------------------------------------

int ProgramThreads::wait(void* condition, void* mutex, std::uint32_t mutex_flags,
                         std::int64_t deadline, std::uintptr_t pc) {
  Mutex& lock = this->mutex(mutex, mutex_flags);
  if ((mutex_flags & ORRERY_MUTEX_CHECKED) != 0 && lock.owner_ != machine_->running().id) {
    return EPERM;
  }
  auto& object = objects_.at<ConditionVariable>(
      condition, [&] { return std::make_unique<ConditionVariable>(machine_->world()); });
  if (lock.depth_ == 1 && lock.owner_ == machine_->running().id) about_to_give_back(lock);
  const auto status = object.sleep(lock, date_of(*machine_, deadline), at(pc));
  if (const int error = taken(lock); error != 0) return error;
  return status == std::cv_status::timeout ? ETIMEDOUT : 0;
}

void ProgramThreads::notify(void* condition, bool all, std::uintptr_t pc) {
  auto& object = objects_.at<ConditionVariable>(
      condition, [&] { return std::make_unique<ConditionVariable>(machine_->world()); });
  if (all) return object.notify_all(at(pc));
  object.notify_one(at(pc));
}

// --- reader-writer locks ----------------------------------------------------------------------

RwLock& ProgramThreads::rw_lock(void* address) {
  return objects_.at<RwLock>(address, [&] { return std::make_unique<RwLock>(machine_->world()); });
}

int ProgramThreads::lock_shared_or_not(void* address, std::uint32_t mode_bits,
                                       std::int64_t deadline, std::uintptr_t pc) {
  const auto* const known = objects_.find<RwLock>(address);
  const bool is_new = known != nullptr && (mode_bits & ORRERY_LOCK_MARKED) == 0;
  if (is_new && !known->holders_.empty()) forget(address);
  RwLock& lock = rw_lock(address);
  const bool is_shared = (mode_bits & ORRERY_LOCK_SHARED) != 0;
  const auto where = at(pc);
  if ((mode_bits & ORRERY_LOCK_TRY) != 0) {
    const auto kind = is_shared ? OperationKind::shared_try_lock : OperationKind::mutex_try_lock;
    return lock.try_acquire(kind, where) ? 0 : EBUSY;
  }
  const bool writes_already = lock.is_written_ && !lock.holders_.empty() &&
                              lock.holders_.front().task == machine_->running().id;
  if (writes_already) return EDEADLK;
  const auto kind = is_shared ? OperationKind::shared_lock : OperationKind::mutex_lock;
  return lock.acquire(kind, where, date_of(*machine_, deadline)) ? 0 : ETIMEDOUT;
}

int ProgramThreads::unlock_shared_or_not(void* address, std::uintptr_t pc) {
  RwLock& lock = rw_lock(address);
  lock.release(lock.is_written_ ? OperationKind::mutex_unlock : OperationKind::shared_unlock,
               at(pc));
  return 0;
}

// --- semaphores, barriers, doing once ---------------------------------------------------------

static Semaphore& semaphore_at(ProgramObjects& objects, Machine& machine, void* address,
                               std::uint64_t count) {
  return objects.at<Semaphore>(address,
                               [&] { return std::make_unique<Semaphore>(machine.world(), count); });
}

void ProgramThreads::set_semaphore(void* address, std::uint64_t count) {
  objects_.forget(address);
  semaphore_at(objects_, *machine_, address, count);
}

int ProgramThreads::acquire(void* address, OrreryLockMode mode, std::int64_t deadline,
                            std::uintptr_t pc) {
  Semaphore& semaphore = semaphore_at(objects_, *machine_, address, 0);
  if (mode == ORRERY_LOCK_TRY) return semaphore.try_acquire(at(pc)) ? 0 : EAGAIN;
  return semaphore.acquire_until(date_of(*machine_, deadline), at(pc)) ? 0 : ETIMEDOUT;
}

void ProgramThreads::release(void* address, std::uintptr_t pc) {
  semaphore_at(objects_, *machine_, address, 0).release(1, at(pc));
}

std::uint64_t ProgramThreads::count(void* address) {
  return machine_->choose_input(semaphore_question,
                                semaphore_at(objects_, *machine_, address, 0).count_);
}

void ProgramThreads::set_barrier(void* address, std::uint32_t participants) {
  objects_.forget(address);
  objects_.at<Barrier>(address,
                       [&] { return std::make_unique<Barrier>(machine_->world(), participants); });
}

bool ProgramThreads::arrive(void* address, std::uintptr_t pc) {
  auto* const barrier = objects_.find<Barrier>(address);
  if (barrier == nullptr) {
    machine_->fail_here(FindingKind::assertion, "a barrier is waited at that was never initialised",
                        at(pc), "waits");
    return false;
  }
  return barrier->arrive_and_wait(at(pc));
}

bool ProgramThreads::begin_once(void* address, bool is_marked, std::uintptr_t pc) {
  const auto* const known = objects_.find<OnceFlag>(address);
  if (known != nullptr && !is_marked && known->state_ != OnceFlag::State::unset) forget(address);
  return objects_
      .at<OnceFlag>(address, [&] { return std::make_unique<OnceFlag>(machine_->world()); })
      .begin(at(pc));
}

void ProgramThreads::end_once(void* address, bool succeeded, std::uintptr_t pc) {
  if (auto* const once = objects_.find<OnceFlag>(address)) once->end(succeeded, at(pc));
}

void ProgramThreads::pass_once(void* address) {
  if (objects_.find<OnceFlag>(address) == nullptr) return;
  Event event;
  event.id = machine_->running().current_id();
  event.kind = OperationKind::once_begin;
  event.object = objects_.find_any(address)->id();
  machine_->for_each_access_observer([&event](Observer& observer) { observer.on_event(event); });
}

// --- futexes ----------------------------------------------------------------------------------

static Futex& futex_at(ProgramObjects& objects, Machine& machine, void* word,
                       bool is_hosts = false) {
  return objects.at<Futex>(word, [&] {
    auto made = std::make_unique<Futex>(machine, is_hosts);
    machine.newest_object().is_hosts = is_hosts;
    return made;
  });
}

int ProgramThreads::wait_on_word(void* word, std::uint32_t expected, std::uint32_t bits,
                                 std::int64_t deadline, std::int32_t is_programs,
                                 std::uintptr_t pc) {
  const auto where = at(pc);
  Futex& futex = futex_at(objects_, *machine_, word, is_programs == 0);
  switch (futex.wait(static_cast<const std::uint32_t*>(word), expected, bits,
                     date_of(*machine_, deadline), is_programs != 0, where)) {
    case Futex::Result::changed: return EAGAIN;
    case Futex::Result::timed_out: return ETIMEDOUT;
    default: return 0;
  }
}

int ProgramThreads::wake_word(void* word, int count, std::uint32_t bits, void* moved_to,
                              int moved_count, std::int32_t is_programs, std::uintptr_t pc) {
  const auto where = at(pc);
  Futex* const other = moved_to != nullptr ? &futex_at(objects_, *machine_, moved_to) : nullptr;
  return futex_at(objects_, *machine_, word, is_programs == 0)
      .wake(count, bits, other, moved_count, where);
}

// --- ends -------------------------------------------------------------------------------------

void ProgramThreads::destroy(void* address, std::uintptr_t pc) {
  SynchronizationObject* const object = objects_.find_any(address);
  if (object == nullptr) return;
  if (!object->holders().empty()) {
    machine_->fail_here(FindingKind::leak,
                        fmt::format("{} is destroyed while held", machine_->object(object->id())),
                        at(pc), "destroys it");
  }
  if (const Task* const waiter = Machine::first_stuck_on(*object)) {
    machine_->fail_here(FindingKind::leak,
                        fmt::format("{} is destroyed while {} waits for it",
                                    machine_->object(object->id()), machine_->task(waiter->id)),
                        at(pc), "destroys it");
  }
  objects_.forget(address);
}

}  // namespace orrery::detail
