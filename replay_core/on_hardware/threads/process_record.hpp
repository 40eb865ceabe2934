// What is recorded of a process of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <orrery/replay_core/thread_spool.hpp>

#include "shared_objects.hpp"
#include "thread_record.hpp"

namespace orrery::on_hardware {

/// One process is recorded: the one that `orrery record` has started.
class ProcessRecord {
 public:
  /// From the process's beginning on, whose first thread calls.
  void begin(const char* directory);
  [[nodiscard]] bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  [[nodiscard]] SharedObjects& objects() { return objects_; }
  /// Has the program ever started one?
  [[nodiscard]] bool has_threads() const { return threads_.load(std::memory_order_relaxed) > 1; }

  /// Of the first thread, where the process is recorded.
  [[nodiscard]] ThreadRecord* first() const { return first_; }
  /// The record of a thread that is being started; null: none can be made, and the log is cut.
  [[nodiscard]] ThreadRecord* begin_thread(ThreadRecord& starter);
  /// The program has done what the log does not hold.
  void note(thread_spool::Gap gap);
  /// It makes the call of that number among `thread_spool::unseen_calls`.
  void note_unseen(std::size_t call);
  /// From here on nothing is recorded.
  void stop(thread_spool::Gap reason);
  /// In a child, which is another process.
  void forget();

 private:
  /// False: its accesses are to be recorded, and cannot be.
  bool begin_memory(ThreadRecord& record);

  std::atomic<bool> is_on_ = false;
  SharedObjects objects_;
  ThreadRecord* first_ = nullptr;
  const char* directory_ = nullptr;
  std::atomic<std::uint32_t> threads_ = 0;
};

extern ProcessRecord process_record;
/// Of the thread that asks; null: it is not recorded.
extern constinit thread_local ThreadRecord* own_record __attribute__((tls_model("initial-exec")));

/// Within a function of a library that is one operation, whatever it calls.
class OneOperation {
 public:
  OneOperation() : record_(own_record) { own_record = nullptr; }
  ~OneOperation() { own_record = record_; }
  OneOperation(const OneOperation&) = delete;
  OneOperation& operator=(const OneOperation&) = delete;

 private:
  ThreadRecord* record_;
};

/// For the operation that the calling thread does now; null: it is not recorded.
inline ThreadRecord* recorded() {
  ThreadRecord* const own = own_record;
  return own != nullptr && process_record.is_on() ? own : nullptr;
}

/// The object, for that operation.  Null, and nothing is recorded any more: there are too many.
inline SharedObject* shared_object(const volatile void* address) {
  SharedObject* const found = process_record.objects().find(address);
  if (__builtin_expect(static_cast<long>(found == nullptr), 0) != 0) {
    process_record.stop(thread_spool::too_many_objects);
  }
  return found;
}

/// The object of atomic operations there, and of waits on a word.  One operation may be on a part
/// of what another one has: so what lies in the same sixteen bytes, which is the most that the
/// processor changes at once, has one object.  Those of other kinds lie at even addresses.
inline SharedObject* shared_word(const volatile void* address) {
  constexpr std::uintptr_t unit_bytes = 16;
  const std::uintptr_t unit = reinterpret_cast<std::uintptr_t>(address) / unit_bytes * unit_bytes;
  return shared_object(reinterpret_cast<const volatile void*>(unit + 1));
}

}  // namespace orrery::on_hardware
