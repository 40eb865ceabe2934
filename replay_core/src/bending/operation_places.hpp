// What the operations of a run are to people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>

#include "order/place_table.hpp"

namespace orrery::detail {

/// The lines of a run's operations, and the calls that they are.
class OperationPlaces {
 public:
  void begin_run(const Names* names);
  void on_event(const Event& event);
  /// While the run's names are valid.
  void leave();

  /// `rank 0 (MPI_Recv, app.c:12)`; only the task of one that nothing more is known of.
  [[nodiscard]] std::string describe(OperationId operation) const;
  [[nodiscard]] std::string task(TaskId task) const;

 private:
  struct Seen {
    PlaceNumber place = 0;
    std::uint16_t call = 0;
    OperationKind kind = OperationKind::none;
  };

  const Names* names_ = nullptr;
  PlaceTable places_;
  std::vector<std::string> calls_;  // number 0: not known
  std::vector<FindingPlace> lines_;
  std::vector<std::string> tasks_;
  std::unordered_map<std::uint64_t, Seen> seen_;  // looked up, never gone through
};

/// `1.7`
[[nodiscard]] std::string number_text(OperationId operation);
/// `app.c:12`, or the function where the line is not known; may be empty.
[[nodiscard]] std::string line_text(const FindingPlace& place);
/// The number of a name in a list that it is added to if it is new.
[[nodiscard]] std::uint16_t number_in(std::vector<std::string>& names, std::string_view name);

}  // namespace orrery::detail
