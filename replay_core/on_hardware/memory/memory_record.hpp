// What is recorded of a process's accesses to memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "protected_sites.hpp"
#include "shared_words.hpp"
#include "thread_memory.hpp"
#include "word_groups.hpp"

namespace orrery::on_hardware {

/// One process, if it was asked for, and the program's image tells of its accesses.
class MemoryRecord {
 public:
  using Method = memory_spool::Method;

  /// By the variable `memory_spool::method_variable`.
  [[nodiscard]] static Method asked_for();
  /// False: no room can be reserved.
  bool begin(Method method, const char* directory);
  [[nodiscard]] bool is_on() const { return method_ != Method::none; }
  [[nodiscard]] Method method() const { return method_; }
  [[nodiscard]] SharedWords& words() { return words_; }
  [[nodiscard]] WordGroups& groups() { return groups_; }
  /// Can one thread fence all?
  [[nodiscard]] bool has_fence() const { return has_fence_; }
  /// One more than the number of the thread that may be assigning a structure; 0: nobody.  By a
  /// method that cannot step back from a write.
  [[nodiscard]] std::atomic<std::uint32_t>& assigning() { return assigning_; }
  /// Has a word a name (`memory_spool::NamedHeap`)?
  [[nodiscard]] bool has_name(std::uint64_t word) const {
    return word - named_first_ < named_words_;
  }
  [[nodiscard]] const memory_spool::NamedHeap& named() const { return named_; }
  /// Those whose writes need no turns.
  [[nodiscard]] const ProtectedSites& quiet_sites() const { return quiet_sites_; }
  /// By `global-writes`: how many writes have begun, and who did the last one, as a word's state
  /// has that; once nobody holds them.
  [[nodiscard]] std::uint64_t writes() const;
  /// So many more begin, whose words the thread has taken.  False: others came before, of which
  /// `before` tells now.  `is_held`: nobody else's are counted until `stop_holding_writes`.
  [[nodiscard]] bool count_writes(std::uint64_t& before, std::uint32_t thread, std::uint64_t writes,
                                  bool is_held);
  void stop_holding_writes() { all_writes_.fetch_sub(SharedWord::one_version); }

  /// Of a thread that is being started, or of the first one; null: none can be made.
  [[nodiscard]] ThreadMemory* begin_thread(ThreadRecord& record);
  /// Null: there is none of that number.
  [[nodiscard]] ThreadMemory* thread(std::uint32_t number) {
    return number < threads_max ? threads_[number].load(std::memory_order_acquire) : nullptr;
  }
  /// Threads have numbers below it.
  [[nodiscard]] std::uint32_t thread_count() const { return thread_count_.load(); }
  /// Calls `function(thread)` for those whose bits are set.
  template <typename Function>
  void for_each(std::uint64_t users, const Function& function) {
    for (std::uint64_t rest = users; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(rest));
      const std::uint32_t behind = bit == last_bit ? thread_count() : bit + 1;
      for (std::uint32_t number = bit; number < behind; ++number) {
        if (ThreadMemory* const one = thread(number)) function(*one);
      }
    }
  }
  [[nodiscard]] static std::uint64_t bit_of(std::uint32_t thread) {
    return std::uint64_t{1} << (thread < last_bit ? thread : last_bit);
  }
  static constexpr std::uint64_t common_bit = std::uint64_t{1} << 63U;
  /// The first of so many numbers of variables; 0: there are no more.
  [[nodiscard]] std::uint32_t take_numbers(std::uint32_t count);
  static constexpr std::uint32_t variables_max = std::uint32_t{1} << 28U;

  /// A block of memory has been handed out.
  void forget(const void* block, std::size_t bytes);
  /// The program has got a mapping: what others know of stacks that were there is forgotten.
  void note_mapping(const void* mapping, std::size_t bytes);
  /// Something else lies there from now on than stacks of threads that have ended.  False: there
  /// were none.
  [[nodiscard]] bool loses_stacks(const WordRange& to);

 private:
  static constexpr std::uint32_t last_bit = 63;
  static constexpr std::uint32_t threads_max = 16384;

  Method method_ = Method::none;
  bool has_fence_ = false;
  std::atomic<std::uint32_t> assigning_ = 0;
  const char* directory_ = nullptr;
  SharedWords words_;
  WordGroups groups_;
  std::array<std::atomic<ThreadMemory*>, threads_max> threads_{};
  std::atomic<std::uint32_t> thread_count_ = 0;
  std::atomic<std::uint32_t> next_number_ = 1;
  ProtectedSites quiet_sites_;
  memory_spool::NamedHeap named_{};
  std::uint64_t named_first_ = 0;
  std::uint64_t named_words_ = 0;
  alignas(64) std::atomic<std::uint64_t> all_writes_ = 0;
};

extern MemoryRecord memory_record;

}  // namespace orrery::on_hardware
