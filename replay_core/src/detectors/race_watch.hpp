// The third pass: the run done again, to see which accesses it was that raced.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>

#include "access_bitmap.hpp"
#include "order/place_table.hpp"
#include "order/segment_order.hpp"
#include "race_list.hpp"
#include "racing_bytes.hpp"

namespace orrery::detail {

/// Where a task first did something that races.
struct FrontierPoint {
  TaskId task;
  std::uint32_t operation = 0;  ///< the task's last operation before it; 0: none
  PlaceNumber place = 0;
  bool writes = false;
};

/// Watches the same run once more, and nothing but the bytes that raced, in the segments in which
/// they did.
class RaceWatch final : public Observer {
 public:
  /// What is given must outlive the watch.
  RaceWatch(std::span<const RacingBytes> races, VariableBytes& variables);

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return EventMask::all_events() | EventMask::tasks() | EventMask::accesses();
  }
  void on_event(const Event& event) override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  /// While the run's names are valid.
  void end_run(const Outcome&) override;

  [[nodiscard]] const std::vector<Finding>& findings() const { return found_.findings(); }
  [[nodiscard]] const std::vector<RaceAccesses>& races() const { return found_.races(); }
  /// The race frontier: a point of each task that races, by task.
  [[nodiscard]] const std::vector<FrontierPoint>& frontier() const { return frontier_; }
  [[nodiscard]] FindingPlace place_of(const FrontierPoint& point) const;
  /// Were all races seen again?
  [[nodiscard]] bool has_seen_all() const { return has_seen_all_; }

 private:
  struct Seen {
    AddressRange bytes;
    PlaceNumber place = 0;
    std::uint32_t operation = 0;
    std::uint64_t when = 0;
  };
  /// What raced in one segment: what is still to be seen of it, and what was.
  struct Wanted {
    AccessBitmap bytes[2];  ///< that it reads, that it writes
    std::vector<Seen> seen[2];
  };
  struct Task {
    std::uint32_t segment = 0;
    std::uint32_t operation = 0;
    Wanted* wanted = nullptr;  ///< in that segment
    bool is_known = false;
  };

  Task& task_at(TaskId task);
  void access(TaskId task, AddressRange bytes, bool writes, PlaceNumber place);
  void pair_up(const RacingBytes& race);
  void add_pair(const RacingBytes& race, const Seen& one, const Seen& other);
  void find_frontier();

  std::span<const RacingBytes> races_;
  VariableBytes& variables_;
  std::map<SegmentId, Wanted> wanted_;
  SegmentOrder order_;
  PlaceTable places_;
  RaceList found_;
  std::vector<Task> tasks_;
  std::vector<FrontierPoint> frontier_;
  const Names* names_ = nullptr;
  std::uint64_t now_ = 0;
  bool has_seen_all_ = false;
};

}  // namespace orrery::detail
