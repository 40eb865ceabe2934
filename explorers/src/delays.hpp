// Runs in which a few tasks are held back, and nothing else is unusual.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/choice.hpp>

#include "keyed_draw.hpp"

namespace orrery::detail {

/// The task stops before its n-th operation of that kind, until nobody else can go on.
struct Delay {
  TaskId task;
  OperationKind before = OperationKind::none;
  std::uint32_t occurrence = 0;  ///< counted from 1
  friend auto operator<=>(const Delay&, const Delay&) = default;
};
using Delays = std::vector<Delay>;

/// The undisturbed run, but for these.
[[nodiscard]] std::unique_ptr<Chooser> make_delaying_chooser(const Delays& delays);

/// Delays that may be what matters in a run: before operations of the kinds before which its tasks
/// lost their turns.  What a task does before that may be more or less in another run, so all
/// occurrences are tried.
class DelaySearch {
 public:
  explicit DelaySearch(const Schedule& schedule);

  /// Single ones, the last operations first; nothing: all have been tried.
  [[nodiscard]] std::optional<Delays> next_single();
  /// Several, drawn at random; nothing if there are not so many.
  [[nodiscard]] std::optional<Delays> draw(std::size_t count, const KeyedDraw& draw,
                                           std::uint64_t key) const;

 private:
  Delays all_;
  std::size_t next_ = 0;
};

}  // namespace orrery::detail
