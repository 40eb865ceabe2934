// What the atomics and memory accesses of a program call.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <orrery_hooks.h>

#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/memory_range.hpp>
#include <orrery/sim_runtime/preemption.hpp>

#include "memory/touched_memory.hpp"
#include "ranks/common_thread_locals.hpp"
#include "told_memory.hpp"

namespace orrery::host {

class ProgramCopy;

/// The table that the hooks of all images of a program lead to.  An atomic waits for its turn and
/// is then done.  Accesses are kept, and told to observers at the next visible operation; where the
/// program may lose its turn at accesses, those that it may lose it at ask first.
///
/// Of accesses of one kind to the same bytes between two visible operations only the first comes to
/// us (`OrreryHooks::told`).  While nobody wants accesses, since the program's only thread does
/// them, the hooks find all of them told.
class ProgramHooks final : private OrreryHooks {
 public:
  explicit ProgramHooks(const std::deque<ProgramCopy>& copies);
  ProgramHooks(const ProgramHooks&) = delete;
  ProgramHooks& operator=(const ProgramHooks&) = delete;

  /// Who wants to know of accesses.
  struct Watching {
    bool are_observed = false;      ///< somebody, at the next visible operation
    bool are_told_at_once = false;  ///< somebody, before they are done
    bool are_lone_wanted = false;   ///< those of a program's only thread, too
    bool are_blocks_told = false;   ///< somebody, when they are handed out
  };
  /// After all copies have been restored.
  void begin_run(const std::deque<ProgramCopy>& copies, Preemption preemption, Watching watching);
  /// The program has loaded more: its hooks lead here, too.
  void attach(const ProgramCopy& copy);
  /// Tells what the running task has accessed, and begins another stretch.  Called in the host,
  /// before another task runs.
  void tell_accesses() {
    if (last_ != begin_ || next != begin_ || told_memory_.has_marks()) end_stretch();
  }
  /// The running thread is a new one: its stack may have been another's.
  void begin_thread();
  /// The running thread makes another.
  void make_thread();
  /// The running thread has joined another.
  void join_thread();

  /// Must `take_block` and `end_block` be called?
  [[nodiscard]] bool watches_blocks() const {
    return watching_.are_observed || watching_.are_told_at_once || watching_.are_blocks_told ||
           preemption_ != Preemption::sync;
  }
  /// The running task has got a block of memory: it is something else than what was there before,
  /// and that task's until another one touches it.
  void take_block(void* block, std::size_t bytes);
  /// The running task is about to free it, or to have it moved: a run that stops before accesses
  /// does so here, too.
  void come_to_end(const void* block, std::size_t bytes, std::uintptr_t caller) const;
  /// The running task frees it: where the program's own code does, that is a write, so that what
  /// others do with the block unawares is a race.
  void end_block(void* block, std::size_t bytes, std::uintptr_t caller);
  /// The allocator is about to read or write so much of a block.
  void come_to_block(const void* block, std::size_t bytes, bool is_write) const;

 private:
  static void do_atomic(OrreryHooks* hooks, OrreryAtomicOperation* operation);
  static void do_access(OrreryHooks* hooks, OrreryAccess done);
  [[nodiscard]] bool is_guard(const OrreryAtomicOperation& operation) const;
  void add_guards(const ProgramCopy& copy);
  void look_at_guard(OrreryAtomicOperation& operation) const;
  void tell_fence(const OrreryAtomicOperation& operation) const;
  void make_room(OrreryAccess done);
  void tell_at_once(const OrreryAccess& wanted) const;
  /// Where the run's chooser wants to be asked about it.
  void stop_before(const MemoryRange& wanted, bool is_write, std::uintptr_t pc) const;
  void stop_before(const OrreryAccess& wanted) const;
  [[nodiscard]] static bool is_of_program(std::uintptr_t caller);
  /// Does each access that is told for the first time come to us?
  [[nodiscard]] bool come_one_by_one() const {
    return preemption_ != Preemption::sync || watching_.are_told_at_once || !stops_.empty() ||
           !has_told_memory_;
  }
  void ask(const OrreryAccess& wanted);
  [[nodiscard]] bool is_source_of_write(const OrreryAccess& read) const;
  bool touch(std::uint64_t address, std::uint64_t bytes);
  void keep(const OrreryAccess& one);
  void append(const OrreryAccess& one);
  /// What the hooks have noted since they were last told.
  [[nodiscard]] std::span<const OrreryAccess> noted() const { return {begin_, next}; }
  void end_stretch();
  /// Makes room in the buffer; the stretch goes on.
  void tell_part();
  void tell_all();
  void set_lone(bool is_lone);
  void look_at(const ToldMemory::Place& place);

  std::vector<std::uintptr_t> guards_;  // in order
  std::vector<OrreryAccess> buffer_;
  OrreryAccess* begin_;
  OrreryAccess* last_;  // behind those that are kept, where they come one by one; else `begin_`
  ToldMemory told_memory_;
  bool is_wanted_ = false;       // does anybody want accesses, of several threads at least?
  bool has_told_memory_ = true;  // or did the system refuse it?
  std::size_t joined_threads_ = 0;
  bool may_be_lone_ = false;  // is there one rank, and nobody who wants to know of accesses then?
  bool is_lone_ = false;      // does the program have one thread, which knows of all others' ends?
  Preemption preemption_ = Preemption::sync;
  Watching watching_;
  std::span<const MemoryRange> stops_;
  OrreryAccess last_asked_{};
  OperationId asked_by_;  // that access
  TouchedMemory touched_;
  CommonThreadLocals thread_locals_;
};

}  // namespace orrery::host
