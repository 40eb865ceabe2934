// A way to answer the questions of run after run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery {

/// Makes choosers.  Most strategies are *indexed*: what run i does depends on (seed, i) alone, so
/// any worker may do any run.  A *walk* (exhaustive search, replay of one log) goes from run to
/// run instead: its state lies in memory that the caller gives, is moved on by `next`, and so
/// outlives a run that kills its worker.  Immutable: one strategy may serve many workers.
///
///     class Last final : public orrery::Strategy {
///      public:
///       std::string text() const override { return "last"; }
///       std::unique_ptr<orrery::Chooser> chooser(std::span<std::byte>) const override {
///         return std::make_unique<LastChooser>();
///       }
///     };
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Name and options with which `make_strategy` makes the same one again.
  [[nodiscard]] virtual std::string text() const = 0;

  /// A chooser for one worker, to be used for one run after the other; it learns seed and index in
  /// `begin_run` and must forget the run before.  `walk` is the walk's state, empty for indexed
  /// strategies; it stays in place as long as the chooser lives.
  [[nodiscard]] virtual std::unique_ptr<Chooser> chooser(std::span<std::byte> walk) const = 0;

  /// How much memory a walk needs; 0 for an indexed strategy.  Pages that are never touched cost
  /// nothing, so this may be generous.
  [[nodiscard]] virtual std::size_t walk_bytes() const { return 0; }
  [[nodiscard]] bool is_walk() const { return walk_bytes() != 0; }
  /// Puts a walk to its first run.  The memory is zeroed.
  virtual void first(std::span<std::byte> /*walk*/) const {}
  /// Moves a walk on to its next run, after its run has ended in whatever way (also in the death of
  /// its process).  Returns false if there is none.
  virtual bool next(std::span<std::byte> /*walk*/) const { return true; }
  /// Has a walk that ended seen everything, within the bounds that its text names?  False where it
  /// had to cut something short.
  [[nodiscard]] virtual bool is_complete(std::span<const std::byte> /*walk*/) const {
    return false;
  }
  /// The part of the walk's memory that matters, for a file from which a search is resumed.
  [[nodiscard]] virtual std::size_t walk_bytes_used(std::span<const std::byte> walk) const {
    return walk.size();
  }
  /// A walk that meets other questions than it did before on the same path says so here.
  [[nodiscard]] virtual std::optional<std::string> contradiction(
      std::span<const std::byte> /*walk*/) const {
    return std::nullopt;
  }
};

/// Is the alternative a step of the machine rather than of a task?
[[nodiscard]] constexpr bool is_machine_step(const Alternative& alternative) {
  return is_machine_step(alternative.kind);
}

/// Would this answer take the turn from a task that could go on?  Steps of the machine take no
/// task's turn; a deadline that wins gives the turn to the task that waits.
[[nodiscard]] constexpr bool is_preemption(const ChoicePoint& point,
                                           const Alternative& alternative) {
  return point.kind == ChoiceKind::step && point.current_is_enabled &&
         alternative.id.task != point.current && !is_machine_step(alternative);
}

}  // namespace orrery
