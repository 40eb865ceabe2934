// Data races by segments and their vector clocks, as RecPlay finds them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/replay_core/detectors.hpp>

#include "freed_atomics.hpp"
#include "order/place_table.hpp"
#include "race_list.hpp"
#include "racing_bytes.hpp"
#include "schedules/packed_schedule.hpp"
#include "segment_list.hpp"
#include "told_races.hpp"

namespace orrery::detail {

/// Ronsse, Christiaens, De Bosschere, "Cyclic debugging using execution replay", section 2.
/// Collects which bytes each segment reads and writes, compares segments that are parallel, and
/// does the run again to name the accesses.
class RecPlay final : public Detector {
 public:
  /// `series_path`: where to write how many segments were held as the run went on; empty: nowhere.
  RecPlay(bool has_matrix_clocks, std::string series_path)
      : list_(has_matrix_clocks, !series_path.empty()), series_path_(std::move(series_path)) {}

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  [[nodiscard]] bool is_quiet() const override { return true; }
  void on_event(const Event& event) override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;
  void on_step(const Alternative& taken) override { schedule_.on_step(taken); }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    schedule_.on_choice(point, index);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    schedule_.on_value(question, answer);
  }
  void end_run(const Outcome& outcome) override;
  void examine(Reruns& reruns) override;
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::vector<RaceAccesses> races() const override;
  [[nodiscard]] std::vector<Finding> remarks() const override;
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override;

 private:
  void know(TaskId task);
  Segment& open_segment(TaskId task);
  void end_segment(TaskId task);
  void end_segments_of_waiting();
  /// Whose end the task waits for, however long it takes; looked up once for each event.
  [[nodiscard]] std::optional<TaskId> awaited(TaskId task);
  [[nodiscard]] std::optional<TaskId> find_awaited(TaskId task) const;
  void write_series() const;
  void tell_races_of_open_segments(RacingBytesList& races) const;
  [[nodiscard]] std::vector<Finding> unnamed(const RacingBytesList& races) const;
  /// Those of plain accesses alone.
  [[nodiscard]] std::vector<Finding> findings_of_segments() const;

  const Names* names_ = nullptr;
  const PendingOperations* pending_ = nullptr;
  SegmentOrder order_;
  SegmentList list_;
  std::vector<Segment> open_;  ///< by task
  std::vector<std::unique_ptr<AccessBitmap::KnownLeaves>>
      known_leaves_;                       ///< by task: of its segment
  std::vector<std::uint32_t> operations_;  ///< by task: its last one
  std::vector<bool> has_ended_;            ///< by task
  struct Awaited {
    std::uint64_t event = 0;  ///< when it was looked up
    std::optional<TaskId> task;
  };
  std::vector<Awaited> awaited_;  ///< by task
  std::uint64_t events_ = 0;      ///< ever: not only of this run
  VariableBytes variables_;
  RacingBytesList races_;
  PlaceTable places_;  ///< of the races below, whose lines the first pass knows
  RaceList races_of_atomics_{std::string(parallel_segments)};
  FreedAtomics atomics_{races_of_atomics_, places_};
  PackedSchedule schedule_;
  std::vector<Finding> named_;  ///< by the third pass
  std::vector<RaceAccesses> races_named_;
  std::string failure_;  ///< of the third pass
  std::optional<Finding> frontier_;
  std::string series_path_;
  bool has_named_all_ = false;
  bool is_over_ = false;
};

}  // namespace orrery::detail

namespace orrery {

[[nodiscard]] std::unique_ptr<Detector> make_recplay(const NameWithOptions& options);

}  // namespace orrery
