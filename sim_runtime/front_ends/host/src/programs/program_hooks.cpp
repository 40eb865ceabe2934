#include "program_hooks.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <sys/single_threaded.h>

#include <orrery/network_model/usage_error.hpp>

#include "interposed/atomic_execution.hpp"
#include "machine.hpp"
#include "program_copy.hpp"
#include "ranks/passed_guards.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {
namespace {

constexpr std::size_t buffer_accesses = 1024;  // they stay in the nearest cache
constexpr std::uint64_t address_bits = (std::uint64_t{1} << ORRERY_ACCESS_ADDRESS_BITS) - 1;

OrreryAtomicAccess access_of(const OrreryAtomicOperation& operation) {
  switch (operation.kind) {
    case ORRERY_ATOMIC_LOAD: return ORRERY_ATOMIC_READ;
    case ORRERY_ATOMIC_STORE: return ORRERY_ATOMIC_WRITE;
    default: return ORRERY_ATOMIC_UPDATE;
  }
}

/// Which task of all ranks, from 1 on.
std::uint32_t running_task() {
  constexpr unsigned threads_log2 = 20;  // of a rank
  const Running& now = running();
  return static_cast<std::uint32_t>(now.user->rank()) << threads_log2 |
         static_cast<std::uint32_t>(now.thread->handle());
}

/// Nobody can meet a rank in its memory before it has started a thread.
bool is_alone() {
  return running().user->threads.size() < 2;
}

/// Nothing is thrown through a program.
template <typename Function>
void guarded(const Function& function) {
  std::unique_ptr<UsageError> error;  // an optional would be cleared in each call
  try {
    return function();
  } catch (const UsageError& caught) {
    error = std::make_unique<UsageError>(caught);
  }
  running().runtime->usage_error(error->problem().c_str(), error->where().c_str(),
                                 error->hint().c_str());
}

}  // namespace

ProgramHooks::ProgramHooks(const std::deque<ProgramCopy>& copies)
    : OrreryHooks{ORRERY_HOOKS_VERSION,
                  sizeof(OrreryHooks),
                  do_atomic,
                  nullptr,
                  nullptr,
                  do_access,
                  ToldMemory::all_told().told,
                  ToldMemory::all_told().mask},
      buffer_(buffer_accesses),
      begin_(buffer_.data()),
      last_(begin_) {
  next = end = begin_;
  for (const ProgramCopy& copy : copies) add_guards(copy);
}

void ProgramHooks::look_at(const ToldMemory::Place& place) {
  told = place.told;
  told_mask = place.mask;
}

void ProgramHooks::add_guards(const ProgramCopy& copy) {
  const auto guards = copy.guards();
  guards_.insert(guards_.end(), guards.begin(), guards.end());
  std::sort(guards_.begin(), guards_.end());
  guards_.erase(std::unique(guards_.begin(), guards_.end()), guards_.end());
}

void ProgramHooks::attach(const ProgramCopy& copy) {
  add_guards(copy);
  copy.attach(*this);
}

void ProgramHooks::begin_run(const std::deque<ProgramCopy>& copies, Preemption preemption,
                             Watching watching) {
  preemption_ = preemption;
  const auto* const machine = detail::Machine::current();
  stops_ = machine != nullptr ? machine->stops() : std::span<const MemoryRange>{};
  watching_ = watching;
  told_memory_.forget(noted());
  next = last_ = begin_;
  last_asked_ = {};
  has_told_memory_ = true;
  is_wanted_ = watching.are_observed || come_one_by_one();
  if (is_wanted_) has_told_memory_ = told_memory_.reserve();
  set_lone(false);
  // Without an end that is ahead, each access comes to us.
  end = come_one_by_one() ? begin_ : begin_ + buffer_.size();
  joined_threads_ = 0;
  may_be_lone_ = watching.are_observed && !watching.are_lone_wanted && copies.size() == 1 &&
                 !come_one_by_one();
  set_lone(may_be_lone_);
  touched_.clear();
  thread_locals_.find();
  // The C library knows of none of the program's threads: counts of references would be plain ones.
  __libc_single_threaded = 0;
  for (const ProgramCopy& copy : copies) copy.attach(*this);
}

// A compiler reads it each time that a function is entered, and calls the C++ library where it
// counts.
bool ProgramHooks::is_guard(const OrreryAtomicOperation& operation) const {
  return operation.kind == ORRERY_ATOMIC_LOAD && operation.size_bytes == 1 &&
         std::binary_search(guards_.begin(), guards_.end(),
                            reinterpret_cast<std::uintptr_t>(operation.address));
}

void ProgramHooks::do_atomic(OrreryHooks* hooks, OrreryAtomicOperation* operation) {
  const auto& self = *static_cast<ProgramHooks*>(hooks);
  if (running().user == nullptr || is_alone()) return execute(*operation);
  if (operation->kind == ORRERY_ATOMIC_FENCE) return self.tell_fence(*operation);
  if (self.is_guard(*operation)) return self.look_at_guard(*operation);
  const OrreryAtomicAccess lone_access =
      will_write(*operation) ? access_of(*operation) : ORRERY_ATOMIC_READ;
  if (is_done_alone<&OrreryRuntime::atomic_alone>(operation->address, lone_access,
                                                  value_seen(*operation))) {
    return execute(*operation);
  }
  const ComputingScope scope(operation->pc);
  const RuntimeGuard guard;
  const OrreryRuntime& runtime = *running().runtime;
  const OrreryAtomicAccess how = access_of(*operation);
  detail::Machine::current()->program_accesses().begin(
      reinterpret_cast<std::uintptr_t>(operation->address), operation->size_bytes);
  runtime.atomic_begin(operation->address, how, operation->order, value_to_write(*operation),
                       operation->pc);
  execute(*operation);
  const bool is_load = !has_written(*operation);
  runtime.atomic_end(
      operation->address, is_load ? ORRERY_ATOMIC_READ : how,
      is_load && how == ORRERY_ATOMIC_UPDATE ? operation->failure_order : operation->order,
      value_seen(*operation), operation->size_bytes, operation->pc);
}

// An operation only where the thread comes to the variable first; but whoever goes past it comes
// after who made it.
void ProgramHooks::look_at_guard(OrreryAtomicOperation& operation) const {
  execute(operation);
  if (value_seen(operation) == 0) return;
  come_to_made(static_cast<const std::int64_t*>(operation.address), operation.pc);
  if (!watching_.are_observed) return;
  const RuntimeGuard guard;
  running().runtime->once_passed(operation.address);
}

// No operation either: what it orders, observers know from the atomics around it.
void ProgramHooks::tell_fence(const OrreryAtomicOperation& operation) const {
  detail::Machine& machine = *detail::Machine::current();
  if (!watching_.are_observed || !machine.wants(OperationKind::fence)) return;
  const RuntimeGuard guard;
  const SourceLocation where = SourceLocation::at(operation.pc);
  Event event;
  event.id = machine.running().current_id();
  event.kind = OperationKind::fence;
  event.order = static_cast<MemoryOrder>(static_cast<int>(MemoryOrder::relaxed) + operation.order);
  event.where = &where;
  machine.tell(event);
}

void ProgramHooks::begin_thread() {
  if (preemption_ == Preemption::sync) return;
  void* bottom = nullptr;
  std::size_t bytes = 0;
  guarded_runtime().thread_stack(0, &bottom, &bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(bottom);
  touched_.forget(address, address + bytes);
}

void ProgramHooks::make_thread() {
  set_lone(false);
}

void ProgramHooks::join_thread() {
  if (!may_be_lone_) return;
  const std::deque<ThreadContext>& threads = running().user->threads;
  // Looks at all of them only where it may be worth while.
  if (++joined_threads_ + 1 < threads.size()) return;
  // Who is detached never has been joined.
  const bool is_lone = std::all_of(threads.begin(), threads.end(), [](const ThreadContext& one) {
    return one.is_joined || &one == running().thread;
  });
  if (is_lone) set_lone(true);
}

void ProgramHooks::set_lone(bool is_lone) {
  if (is_lone && is_lone_) return;
  if (is_lone) {
    const HostScope ours;
    tell_accesses();
  }
  is_lone_ = is_lone;
  if (is_lone || !is_wanted_) {
    look_at(ToldMemory::all_told());
  } else {
    look_at(has_told_memory_ ? told_memory_.place() : ToldMemory::nothing_told());
  }
}

void ProgramHooks::do_access(OrreryHooks* hooks, OrreryAccess done) {
  auto& self = *static_cast<ProgramHooks*>(hooks);
  if (running().user == nullptr) return;
  if (self.preemption_ == Preemption::sync) {
    if (!self.stops_.empty()) self.stop_before(done);
    self.make_room(done);
  } else {
    self.ask(done);
  }
  if (self.watching_.are_told_at_once) self.tell_at_once(done);
}

void ProgramHooks::stop_before(const MemoryRange& wanted, bool is_write, std::uintptr_t pc) const {
  const bool is_wanted = std::any_of(stops_.begin(), stops_.end(), [&](const MemoryRange& stop) {
    return wanted.begin < stop.end && wanted.end > stop.begin;
  });
  if (!is_wanted || is_alone() || thread_locals_.have(wanted.begin)) return;
  const ComputingScope scope(pc);
  const RuntimeGuard guard;
  const SourceLocation where = SourceLocation::at(pc);
  Operation wish;
  wish.kind = is_write ? OperationKind::write : OperationKind::read;
  wish.order = MemoryOrder::plain;
  wish.value = wanted.begin;
  wish.where = &where;
  detail::Machine::current()->stop_before(wish);
}

void ProgramHooks::stop_before(const OrreryAccess& wanted) const {
  const std::uint64_t address = wanted.place & address_bits;
  stop_before({address, address + orrery_access_bytes(wanted)},
              (wanted.place & ORRERY_ACCESS_WRITE) != 0, wanted.pc);
}

void ProgramHooks::tell_at_once(const OrreryAccess& wanted) const {
  const std::uint64_t address = wanted.place & address_bits;
  if (thread_locals_.have(address)) return;
  const std::uint64_t bytes = orrery_access_bytes(wanted);
  const bool is_write = (wanted.place & ORRERY_ACCESS_WRITE) != 0;
  const MemoryAccess told_now(address, static_cast<std::uint32_t>(bytes),
                              is_write ? AccessKind::write : AccessKind::read, wanted.pc);
  const HostScope ours;
  guarded([&] { detail::Machine::current()->tell_access(told_now); });
}

void ProgramHooks::make_room(OrreryAccess done) {
  if (watching_.are_observed || !come_one_by_one()) append(done);
  const HostScope ours;
  const std::uint64_t bytes = orrery_access_bytes(done);
  told_memory_.mark(done.place & address_bits, bytes, (done.place & ORRERY_ACCESS_WRITE) != 0);
}

void ProgramHooks::ask(const OrreryAccess& wanted) {
  const std::uint64_t address = wanted.place & address_bits;
  const std::uint64_t bytes = orrery_access_bytes(wanted);
  const bool is_write = (wanted.place & ORRERY_ACCESS_WRITE) != 0;
  const bool is_common = !thread_locals_.have(address);
  const bool is_shared = is_common && touch(address, bytes);
  const bool may_meet = (is_shared || (is_common && preemption_ == Preemption::all)) &&
                        !running().user->start_memory.has(address);
  if (may_meet && !is_alone()) {
    const ComputingScope scope(wanted.pc);
    const RuntimeGuard guard;
    std::uint32_t kind = is_write ? ORRERY_PLAIN_WRITE : ORRERY_PLAIN_READ;
    if (!is_write && is_source_of_write(wanted)) kind = ORRERY_PLAIN_READ_FOR_WRITE;
    if (!is_shared) kind |= ORRERY_PLAIN_UNSHARED;
    detail::Machine::current()->program_accesses().begin(address, bytes);
    running().runtime->access_begin(address, kind, wanted.pc);
    last_asked_ = wanted;
    asked_by_ = detail::Machine::current()->running().current_id();
  } else {
    // Nobody can come to it before the next operation, but where somebody is made to.
    if (!stops_.empty()) stop_before(wanted);
    const HostScope ours;
    told_memory_.mark(address, bytes, is_write);
  }
  if (is_common && watching_.are_observed) keep(wanted);
}

bool ProgramHooks::is_source_of_write(const OrreryAccess& read) const {
  // Whoever does something else in between, say gives an argument to an atomic, assigns nothing.
  if (detail::Machine::current()->running().current_id() != asked_by_) return false;
  const bool was_write = (last_asked_.place & ORRERY_ACCESS_WRITE) != 0;
  // Who reads what it has just written assigns nothing.
  const std::uint64_t bytes = orrery_access_bytes(read);
  const std::uint64_t target = last_asked_.place & address_bits;
  const std::uint64_t source = read.place & address_bits;
  const bool meet = source < target + bytes && target < source + bytes;
  return was_write && !meet &&
         orrery_is_assignment(orrery_access_bytes(last_asked_), last_asked_.pc, bytes, read.pc) !=
             0;
}

bool ProgramHooks::touch(std::uint64_t address, std::uint64_t bytes) {
  const std::uint32_t task = running_task();
  const ProgramCopy& copy = running().user->copy();
  const auto is_static = [&] { return copy.contains(reinterpret_cast<const void*>(address)); };
  const HostScope ours;
  bool is_shared = false;
  guarded([&] { is_shared = touched_.touch(address, bytes, task, is_static); });
  return is_shared;
}

void ProgramHooks::keep(const OrreryAccess& one) {
  if (last_ == begin_ + buffer_.size()) {
    const HostScope ours;
    tell_part();
  }
  *last_++ = one;
}

void ProgramHooks::take_block(void* block, std::size_t bytes) {
  const std::uint32_t task = running_task();
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const bool may_meet = !is_alone();
  const HostScope ours;
  // What one thread does alone comes before all that others do.
  if (watching_.are_observed && may_meet) {
    tell_accesses();
    detail::Machine::current()->tell_freed(block, bytes);
  }
  if (watching_.are_blocks_told) {
    guarded([&] { detail::Machine::current()->tell_allocated(block, bytes); });
  }
  if (preemption_ != Preemption::sync) guarded([&] { touched_.give(address, bytes, task); });
}

// A library may count who uses a block by atomics that it keeps to itself.
bool ProgramHooks::is_of_program(std::uintptr_t caller) {
  return running().user->copy().contains(reinterpret_cast<const void*>(caller));
}

void ProgramHooks::come_to_end(const void* block, std::size_t bytes, std::uintptr_t caller) const {
  if (stops_.empty() || !is_of_program(caller)) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  stop_before({address, address + bytes}, /*is_write=*/true, caller);
}

void ProgramHooks::end_block(void* block, std::size_t bytes, std::uintptr_t caller) {
  // To detectors of races, what a rank does alone is of no interest.
  const bool is_kept = watching_.are_observed && !is_alone();
  if (!is_kept && !watching_.are_told_at_once) return;
  if (!is_of_program(caller)) return;
  constexpr std::uint64_t piece_max = ORRERY_ACCESS_SIZE_MAX & ~std::uint64_t{15};
  const auto note_free = [caller] {
    const HostScope ours;
    guarded([&] { detail::Machine::current()->program_accesses().note_free(caller); });
  };
  if (bytes > piece_max) note_free();
  auto address = reinterpret_cast<std::uintptr_t>(block);
  while (bytes > 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes, piece_max);
    const OrreryAccess whole{address | ORRERY_ACCESS_WRITE | piece << ORRERY_ACCESS_ADDRESS_BITS,
                             caller};
    if (is_kept) append(whole);
    if (watching_.are_told_at_once) tell_at_once(whole);
    address += piece;
    bytes -= piece;
  }
  note_free();
}

void ProgramHooks::come_to_block(const void* block, std::size_t bytes, bool is_write) const {
  if (preemption_ != Preemption::all || is_alone()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const std::uint32_t kind = is_write ? ORRERY_PLAIN_WRITE : ORRERY_PLAIN_READ;
  const RuntimeGuard guard;
  detail::Machine::current()->program_accesses().begin(address, bytes);
  // Where tasks stop at shared accesses alone they do not stop here.
  running().runtime->access_begin(address, kind | ORRERY_PLAIN_UNSHARED, 0);
}

void ProgramHooks::append(const OrreryAccess& one) {
  if (come_one_by_one()) return keep(one);
  if (next == end) {
    const HostScope ours;
    tell_part();
  }
  *next++ = one;
}

void ProgramHooks::end_stretch() {
  told_memory_.forget(noted());
  tell_all();
}

void ProgramHooks::tell_part() {
  told_memory_.keep(noted());
  tell_all();
}

void ProgramHooks::tell_all() {
  const OrreryAccess* const behind = come_one_by_one() ? last_ : next;
  next = begin_;
  last_ = begin_;
  if (!watching_.are_observed) return;
  const CommonThreadLocals thread_locals = thread_locals_;
  OrreryAccess* last = begin_;
  for (const OrreryAccess* one = begin_; one != behind; ++one) {
    if (thread_locals.have(one->place & address_bits)) continue;
    if (last != one) *last = *one;
    ++last;
  }
  if (last == begin_) return;
  guarded([&] { running().runtime->accesses(begin_, static_cast<std::size_t>(last - begin_)); });
}

}  // namespace orrery::host
