// Atomics and memory accesses of programs that know nothing of us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/runtime_table.h>

#include "program_objects.hpp"

struct OrreryAccess;

namespace orrery::detail {

class Machine;
class ProgramVariable;

/// What the table of C functions says of memory, for the running task.  An atomic is announced as
/// that of an `Atomic<T>` is, an access, where the program may lose its turn there, as that of a
/// `Shared<T>`; the objects are found by their addresses.
class ProgramAccesses {
 public:
  explicit ProgramAccesses(Machine& machine) : machine_(&machine) {}
  /// Ends all objects: between two runs.
  void reset();

  /// The access that the running task begins next is to these bytes.
  void begin(std::uintptr_t address, std::uint64_t bytes);
  /// In how many words of eight bytes the access lies that a task has begun: an atomic until it is
  /// done, a plain one until it may be.  0: it is at none, or nobody has said.
  [[nodiscard]] std::uint64_t words(TaskId task) const;
  /// Comes back when it is its turn.  `value`: what would be written, as far as it is known.
  void begin_atomic(void* address, OrreryAtomicAccess access, std::int32_t order,
                    std::uint64_t value, std::uintptr_t pc);
  /// `value`: what was read, or is there now.
  /// As the table's `atomic_alone`.
  bool atomic_alone(void* address, OrreryAtomicAccess access, std::uint64_t seen);
  void end_atomic(void* address, OrreryAtomicAccess access, std::int32_t order, std::uint64_t value,
                  std::uint32_t size_bytes, std::uintptr_t pc);
  /// Comes back when it is the turn of a plain access.
  void begin_access(std::uintptr_t address, std::uint32_t access, std::uintptr_t pc);
  /// What the running task has accessed since it went on.
  void tell(const OrreryAccess* accesses, std::size_t count);

  /// The program frees a block at this return address, which is told as writes.  To be called
  /// before and behind these: some may be told before the last.
  void note_free(std::uintptr_t pc) {
    ++free_count_;
    if (pc == last_free_) return;
    freeing_places_.insert(pc);
    last_free_ = pc;
  }
  [[nodiscard]] std::uint64_t free_count() const { return free_count_; }

  /// From now on a word there is the same object for the whole run.
  void keep_words(std::uintptr_t begin, std::uintptr_t end) {
    kept_begin_ = begin;
    kept_end_ = end;
  }
  [[nodiscard]] bool keeps_word(std::uintptr_t address) const {
    return address >= kept_begin_ && address < kept_end_;
  }
  [[nodiscard]] bool frees_at(std::uintptr_t pc) const { return freeing_places_.contains(pc); }

 private:
  ProgramVariable& atomic(void* address);
  ProgramVariable& variable(std::uintptr_t address);

  Machine* machine_;
  // A word may be both: a futex and an atomic, a lock and the memory that it lies in.
  ProgramObjects atomics_;
  ProgramObjects variables_;
  std::unordered_set<std::uintptr_t> freeing_places_;
  std::uintptr_t last_free_ = 0;
  std::uintptr_t kept_begin_ = 0;
  std::uintptr_t kept_end_ = 0;
  std::uint64_t free_count_ = 0;
};

}  // namespace orrery::detail
