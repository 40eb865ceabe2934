// Accesses that a recording did not follow, because a list said that it need not.
#pragma once

#include <optional>
#include <string>

#include <orrery/replay_core/access_protection.hpp>
#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>

#include "switched_off_sites.hpp"

namespace orrery::detail {

/// Watches a replay for what its log depends on: that synchronisation orders those accesses.  Where
/// it does not, the run is the recorded one up to there, and nobody knows which one behind it.
class BrokenPromise {
 public:
  /// The records must outlive it.
  explicit BrokenPromise(const AccessRecords& records)
      : records_(records),
        watch_([this](const auto& later, const auto& earlier) { look_at(later, earlier); }) {}
  BrokenPromise(const BrokenPromise&) = delete;
  BrokenPromise& operator=(const BrokenPromise&) = delete;

  [[nodiscard]] Observer& observer() { return watch_; }
  [[nodiscard]] EventMask interest() const { return watch_.interest(); }
  void begin_run(const RunInfo& info) {
    sites_.begin(records_.switched_off);
    found_.reset();
    watch_.begin_run(info);
  }
  /// The first such access that raced; nothing: there was none.
  [[nodiscard]] const std::optional<Parting>& found() const { return found_; }
  /// Of a replay that has parted without: what may be the reason.
  [[nodiscard]] std::string may_be_why() const;

 private:
  void look_at(const AccessProtection::Access& later, const AccessProtection::Access& earlier);

  const AccessRecords& records_;
  SwitchedOffSites sites_;
  std::optional<Parting> found_;
  AccessProtection watch_;
};

}  // namespace orrery::detail
