// The accesses of data races, found again in a run by what findings say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "event_graph.hpp"
#include "order/happens_before.hpp"
#include "order/place_table.hpp"

namespace orrery::detail {

struct MarkedAccess {
  std::uint64_t serial = 0;  ///< of all that were looked at; 0: none
  OperationId id;            ///< of what its task did last, or of the access itself
  std::uint32_t operation = GraphMessage::nobody;  ///< of the graph's, where it is one
  std::uint32_t operations_before = 0;             ///< so many of the graph's had ended
  VirtualTime date;
  std::uint64_t address = 0;  ///< or an object's number
  std::uint32_t size_bytes = 0;
  bool is_write = false;
  PlaceNumber place = 0;
  Epoch epoch;
};

struct MarkedPair {
  std::uint32_t finding = 0;  ///< a number of the findings that are looked for
  MarkedAccess first;
  MarkedAccess second;
};

/// Looks in a run for two accesses to the same bytes by the tasks and at the lines of each finding,
/// the first one being where it says `wrote here before`: those that nothing orders, or, of a race
/// that is one in another order of the locks only, the first ones.
class RaceMarks {
 public:
  /// `races` outlive this.
  RaceMarks(std::span<const Finding> races, const Names& names);

  [[nodiscard]] static EventMask interest();
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  /// `operation`: the graph's of this event, of which there are `operations` by now.
  void on_event(const Event& event, std::uint32_t operation, std::uint32_t operations);
  void on_access(OperationId last, const MemoryAccess& access, std::uint32_t operations,
                 VirtualTime date);

  /// Of those findings whose accesses have been met.
  [[nodiscard]] std::vector<MarkedPair> pairs() const;
  [[nodiscard]] const SourceLocation& place(PlaceNumber number) const {
    return places_.place(number);
  }

 private:
  /// One side of a finding.
  struct Side {
    std::uint32_t finding = 0;
    bool is_first = false;
  };
  struct Search {
    std::unordered_map<std::uint64_t, MarkedAccess> firsts;  ///< the latest, by word of memory
    MarkedPair best;
    bool is_unordered = false;
  };

  const std::vector<Side>& sides_at(PlaceNumber place);
  [[nodiscard]] const FindingPlace& place_of(const Side& side) const {
    return races_[side.finding].where[side.is_first ? 1 : 0];
  }
  void look_at(MarkedAccess access);
  void meet(Search& search, std::uint32_t finding, const MarkedAccess& second);

  std::span<const Finding> races_;
  const Names& names_;
  HappensBefore order_;
  PlaceTable places_;
  std::vector<std::optional<std::vector<Side>>> sides_;  ///< by place
  std::vector<Search> searches_;                         ///< by finding
  std::uint64_t serial_ = 0;
};

}  // namespace orrery::detail
