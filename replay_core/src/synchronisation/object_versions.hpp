// The versions of objects in a replay of real threads by Instant Replay.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include <orrery/replay_core/lamport_records.hpp>

namespace orrery::detail {

/// LeBlanc and Mellor-Crummey: a read waits for the version that it met, a write also until so many
/// have read that version as did before it.  How many these were the tapes of all threads tell
/// together, so that nobody counts them while the program runs, and polls that were left out are no
/// trouble.  Objects are those of the recorded run, by its numbers: one that was made where another
/// one had been goes on with its versions, here too, wherever it is.
class ObjectVersions {
 public:
  void begin(const LamportRecords& records) {
    now_.clear();
    readers_.clear();
    if (!records.has_versions) return;
    for (const LamportRecords::Task& task : records.tasks) {
      auto polls = task.polls.begin();
      for (const LamportRecords::Access& access : task.accesses) {
        while (polls != task.polls.end() && polls->operation < access.operation) ++polls;
        const bool is_repeated = polls != task.polls.end() && polls->operation == access.operation;
        if (access.writes) continue;
        readers_[{access.object, access.version}] += is_repeated ? polls->repeats + 1 : 1;
      }
    }
  }
  /// May an operation come that acts on these?
  [[nodiscard]] bool are_due(std::span<const LamportRecords::Access> accesses) const {
    for (const LamportRecords::Access& access : accesses) {
      const auto found = now_.find(access.object);
      const Object now = found != now_.end() ? found->second : Object{};
      if (now.version != access.version) return false;
      if (!access.writes) continue;
      const auto readers = readers_.find({access.object, access.version});
      if (now.readers != (readers != readers_.end() ? readers->second : 0)) return false;
    }
    return true;
  }
  /// It has.
  void count(std::span<const LamportRecords::Access> accesses) {
    for (const LamportRecords::Access& access : accesses) {
      Object& now = now_[access.object];
      if (access.writes) {
        now = {access.version + 1, 0};
      } else {
        ++now.readers;
      }
    }
  }

 private:
  struct Object {
    std::uint64_t version = 0;
    std::uint64_t readers = 0;
  };
  std::unordered_map<std::uint32_t, Object> now_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> readers_;  // in all
};

}  // namespace orrery::detail
