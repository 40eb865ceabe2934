// A run's events, to be compared with those of another run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// Watches a run and keeps every event that makes it this run: two runs are the same if their
/// streams are (`is_same_event`).  Where the events stand in the program is kept too, to say it.
///
///     orrery::EventStream stream;
///     orrery::Observer* observers[] = {&stream};
///     simulation.run(program, chooser, observers);
class EventStream final : public Observer {
 public:
  struct Entry {
    Event event;  ///< `where` is not valid
    SourceLocation where;
  };

  void begin_run(const RunInfo&) override { entries_.clear(); }
  [[nodiscard]] EventMask interest() const override { return EventMask::all_events(); }
  void on_event(const Event& event) override {
    entries_.push_back({event, event.where == nullptr ? SourceLocation{} : *event.where});
    entries_.back().event.where = nullptr;
  }
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  /// One number for the whole stream: the same on every machine and build for the same run.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  std::vector<Entry> entries_;
};

/// Index of the first event in which two streams differ; one may be at its end there.  Nothing if
/// they are the same.
[[nodiscard]] std::optional<std::size_t> first_difference(std::span<const EventStream::Entry> a,
                                                          std::span<const EventStream::Entry> b);

/// What happened, in a line: `operation 5 of rank 1, mutex_lock on mutex m`.
[[nodiscard]] std::string describe(const Event& event, const Names& names);

}  // namespace orrery
