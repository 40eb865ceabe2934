// Which words of memory have shared a version while a process was recorded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/memory_spool.hpp>

namespace orrery::detail {

/// As its threads have told of them, one after the other: see `memory_spool::Groups`.  Groups have
/// the recorder's numbers.
class RecordedGroups {
 public:
  void begin(const memory_spool::Groups& groups, const memory_spool::NamedHeap& named) {
    groups_ = groups;
    named_ = named;
  }
  [[nodiscard]] bool are_any() const { return groups_.are_any(); }
  /// What a thread has told by `named`.  The word's number, if it is known by when the thread has
  /// come to it.
  std::optional<std::uint32_t> note(TaskId thread, std::uint32_t number, std::uint64_t name);
  /// A thread has taken the group over from another.
  void note_turn(std::uint32_t group);

  [[nodiscard]] bool is_group(std::uint32_t number) const { return all_.contains(number); }
  /// Of a word that is known by when threads come to it; itself: it is in none.
  [[nodiscard]] std::uint32_t of(std::uint32_t word) const {
    const auto found = by_use_.find(word);
    return found == by_use_.end() ? word : found->second;
  }
  /// Of groups that several threads have come to: the words that have names, ascending, and their
  /// groups.  By blocks it is all words in them: who comes to which is not known.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint32_t>> named_words() const;
  /// Likewise: the numbers of those without.
  [[nodiscard]] std::vector<std::uint32_t> unnamed_words() const;

 private:
  struct Group {
    TaskId first;  // who has told of it
    bool is_shared = false;
  };
  void come_to(TaskId thread, std::uint32_t group);

  memory_spool::Groups groups_{};
  memory_spool::NamedHeap named_{};
  std::unordered_map<std::uint32_t, Group> all_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> words_;  // and groups; some several times
  std::map<std::uint32_t, std::uint32_t> by_use_;               // groups by word
};

}  // namespace orrery::detail
