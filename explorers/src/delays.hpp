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
/// lost their turns.
class DelaySearch {
 public:
  /// `undisturbed`: the run without any.
  DelaySearch(const Schedule& schedule, const Schedule& undisturbed);

  /// Single ones, of each kind the last operations first; nothing: all have been tried.  They are
  /// those of the undisturbed run, by whichever task: of equal workers another one comes last
  /// there.
  [[nodiscard]] std::optional<Delays> next_single();
  /// Several, drawn at random; nothing if there are not so many.  They are those of tasks that lost
  /// their turns: what one does may be more or less where another is held back, so all occurrences
  /// are there.
  [[nodiscard]] std::optional<Delays> draw(std::size_t count, const KeyedDraw& draw,
                                           std::uint64_t key) const;

 private:
  Delays singles_;
  std::size_t next_ = 0;
  Delays drawn_from_;
};

}  // namespace orrery::detail
