// When and in what order things happened in a run, to hold another run of the same seed beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// What is kept of a run.  A value type.
struct DatedRun {
  /// An event.  Several of one operation and kind are told apart by their order.
  struct Moment {
    std::uint64_t id = 0;  ///< packed
    std::uint64_t kind = 0;
    std::int64_t date_ps = 0;
  };
  /// A message of the program's own, not one within a collective operation.  `message`: the rank
  /// that sent it, and which of its messages to that receiver it is.  Since these do not overtake
  /// each other, this says which message it is, also where the sender does something else.
  struct Arrival {
    std::uint64_t rank = 0;  ///< that it came to
    std::uint64_t message = 0;
  };
  /// A receive of such a message.
  struct Taking {
    std::uint64_t receiver = 0;  ///< the operation that began it, packed
    std::uint64_t message = 0;
  };
  std::vector<Moment> moments;    ///< in the order in which they happened
  std::vector<Arrival> arrivals;  ///< likewise
  std::vector<Taking> takings;    ///< likewise

  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// Of what `bytes` has given.
  [[nodiscard]] static DatedRun from(std::span<const std::byte> bytes);
};

/// By how many messages one run differs from another in the order of their coming: as many would
/// have to be taken out at each receiver and put in elsewhere, or have come in one of them only.
[[nodiscard]] std::uint64_t reordered(const DatedRun& one, const DatedRun& other);

/// How many receives have got another message than in the other run, or are in one of them only.
[[nodiscard]] std::uint64_t changed_takings(const DatedRun& one, const DatedRun& other);

/// The first event of a run, in the order in which it happened, that is elsewhere in time than in
/// another one.
struct MovedEvent {
  std::string task;
  std::string_view kind;
  FindingPlace place;               ///< line 0: the event has none
  std::int64_t date_ps = 0;         ///< in the run at hand
  std::optional<std::int64_t> was;  ///< in the other one, ps; nothing: it is not there
};

/// Watches a run, and holds it beside another one.
class DatedRunObserver final : public Observer {
 public:
  /// `other` must outlive it; null: there is none.
  explicit DatedRunObserver(const DatedRun* other = nullptr);

  [[nodiscard]] const DatedRun& run() const { return run_; }
  /// Nothing: none has moved.
  [[nodiscard]] const std::optional<MovedEvent>& first_moved() const { return first_moved_; }

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return EventMask::all_events() | EventMask::matching();
  }
  void on_event(const Event& event) override;
  void on_matching(const MatchingStep& step) override;

 private:
  void compare(const Event& event);

  const Names* names_ = nullptr;
  DatedRun run_;
  std::unordered_map<std::uint64_t, std::uint64_t> sent_;  // messages by their sends
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> channels_;  // how many, by ranks
  bool compares_ = false;
  /// Of the other run, by operation and kind: dates, and how many of them are behind us.
  struct Dates {
    std::vector<std::int64_t> dates_ps;
    std::size_t next = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Dates> others_;
  std::optional<MovedEvent> first_moved_;
};

}  // namespace orrery
