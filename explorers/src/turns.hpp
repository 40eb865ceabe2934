// A run as the turns that its tasks took: who ran, and how far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>

#include "deviations.hpp"
#include "keyed_draw.hpp"
#include "recorded_clocks.hpp"
#include "recording.hpp"
#include "task_places.hpp"

namespace orrery::detail {

/// What one task did in a row, or one step of the machine.
struct Turn {
  PlacedOperation last;  ///< the task, and its last operation in this turn
  OperationKind machine_step = OperationKind::none;  ///< of the machine: that very step,
  OperationId id = {};                               ///< and whose it is
  friend bool operator==(const Turn&, const Turn&) = default;
};
using Turns = std::vector<Turn>;

/// A run that can be given other turns.
struct TurnsOfRun {
  Turns turns;
  std::vector<PlacedOperation> timed_out;  ///< operations that ended by their deadlines
  /// Those of them that had had a step of their own before: waits that had begun.
  std::vector<PlacedOperation> timed_out_later;
  std::vector<ClockReading> clocks;
  /// As many reads in a row as one task has done, and as many of one variable.
  std::uint32_t reads_max = 0;
  std::uint32_t repeats_max = 0;
};
/// A place in a run where the next turn could have come sooner: in a turn, behind one of its
/// operations, or, with none, before it.
struct TurnCut {
  std::size_t turn = 0;
  std::optional<PlacedOperation> behind;
};
/// `cuts`, where not null, gets all such places but those between looks at what was just read.
[[nodiscard]] TurnsOfRun turns_of(const Schedule& schedule, std::vector<TurnCut>* cuts = nullptr);

/// Takes `size` turns from `from` on together, so that each task has but one: in the order
/// in which the tasks come there first, or last.  Steps of the machine stay between what they were
/// between as far as that can be.
enum class TurnOrder : std::uint8_t { first, last };
[[nodiscard]] Turns taken_together(const Turns& turns, std::size_t from, std::size_t size,
                                   TurnOrder order);

/// The next turn comes there.
[[nodiscard]] Turns with_next_at(const Turns& turns, const TurnCut& cut);

/// A neighbour, drawn at random from `draw` with the key `key`: a few turns taken together, one
/// that ends sooner or later, or one that is elsewhere.
[[nodiscard]] Turns neighbour_of(const Turns& turns, const KeyedDraw& draw, std::uint64_t key);

/// Gives each task its turns, one after the other.  A turn ends where the task cannot go on, too:
/// it has what is left over in its next one.  After the last turn, and to questions besides those
/// for the next step, the answers are those of `DeviatingChooser`.  `places` must observe the run.
[[nodiscard]] std::unique_ptr<Chooser> make_turn_taker(const TurnsOfRun& run,
                                                       const Deviations& other_answers,
                                                       const TaskPlaces& places);
/// The same, but who has the turn goes on with it where it polls and nothing has happened, too, as
/// real threads do, but no longer than anybody has: the others are withheld until it cannot go on.
/// Clocks say what they said.
[[nodiscard]] std::unique_ptr<Chooser> make_polling_turn_taker(const TurnsOfRun& run,
                                                               const Deviations& other_answers,
                                                               const TaskPlaces& places);

}  // namespace orrery::detail
