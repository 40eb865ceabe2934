// The versions of objects in a replay of real threads by Instant Replay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <orrery/replay_core/lamport_records.hpp>

namespace orrery::detail {

/// LeBlanc and Mellor-Crummey: a read waits for the version that it met, a write also until so many
/// have read that version as did before it.  How many these were the tapes of all threads tell
/// together, so that nobody counts them while the program runs, and polls that were left out are no
/// trouble.  Objects are those of the recorded run, by its numbers: one that was made where another
/// one had been goes on with its versions, here too, wherever it is.
///
/// A thread that the end of its process has stopped may have raised a version, and not have said
/// so: then others have met what nobody in the record has written, and come as if it had been.
class ObjectVersions {
 public:
  void begin(const LamportRecords& records) {
    now_.clear();
    readers_.clear();
    written_.clear();
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
    find_gaps(records);
  }
  /// May an operation come that acts on these?
  [[nodiscard]] bool are_due(std::span<const LamportRecords::Access> accesses) {
    for (const LamportRecords::Access& access : accesses) {
      Object now = now_[access.object];
      if (now.version < access.version) now = pass_unwritten(access.object, access.version);
      if (now.version != access.version) return false;
      if (access.writes && now.readers != readers_of(access.object, access.version)) return false;
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
  [[nodiscard]] std::uint64_t readers_of(std::uint32_t object, std::uint64_t version) const {
    const auto found = readers_.find({object, version});
    return found != readers_.end() ? found->second : 0;
  }
  /// Of objects of which not all versions were written by somebody, those that were.
  void find_gaps(const LamportRecords& records) {
    struct Seen {
      std::uint64_t writes = 0;
      std::uint64_t version_last = 0;
    };
    std::map<std::uint32_t, Seen> seen;
    const auto for_each = [&](const auto& act) {
      for (const LamportRecords::Task& task : records.tasks) {
        for (const LamportRecords::Access& access : task.accesses) act(access);
      }
    };
    for_each([&](const LamportRecords::Access& access) {
      Seen& its = seen[access.object];
      its.version_last = std::max(its.version_last, access.version + (access.writes ? 1 : 0));
      if (access.writes) ++its.writes;
    });
    for (const auto& [object, its] : seen) {
      if (its.writes < its.version_last) written_[object];
    }
    if (written_.empty()) return;
    for_each([&](const LamportRecords::Access& access) {
      const auto found = written_.find(access.object);
      if (access.writes && found != written_.end()) found->second.insert(access.version);
    });
  }
  /// Goes on to this version as far as nobody has written those before it, and all have read them.
  Object pass_unwritten(std::uint32_t object, std::uint64_t version) {
    Object& now = now_[object];
    const auto found = written_.find(object);
    while (found != written_.end() && now.version < version &&
           !found->second.contains(now.version) && now.readers == readers_of(object, now.version)) {
      now = {now.version + 1, 0};
    }
    return now;
  }
  std::unordered_map<std::uint32_t, Object> now_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> readers_;  // in all
  std::unordered_map<std::uint32_t, std::unordered_set<std::uint64_t>> written_;
};

}  // namespace orrery::detail
