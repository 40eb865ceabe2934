// Turns that were taken from tasks by withholding them.
#pragma once

#include <cstdint>
#include <optional>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Counts the preemptions of a run about which nobody was asked, since who could go on was
/// withheld. A task that polls where nothing has happened, or sleeps, has given up its turn.
class UnaskedPreemptions final : public Observer {
 public:
  /// `count` outlives the run's process.
  explicit UnaskedPreemptions(std::uint64_t& count) : count_(count) {}

  [[nodiscard]] EventMask interest() const override {
    return EventMask::choices() | EventMask::steps();
  }
  void begin_run(const RunInfo& info) override {
    pending_ = info.pending;
    last_.reset();
    was_asked_ = false;
    count_ = 0;
  }
  void on_choice(const ChoicePoint& point, std::size_t /*index*/) override {
    was_asked_ = was_asked_ || (point.kind == ChoiceKind::step && point.current_is_enabled);
  }
  void on_step(const Alternative& taken) override;

 private:
  [[nodiscard]] bool last_could_go_on() const;

  std::uint64_t& count_;
  const PendingOperations* pending_ = nullptr;
  std::optional<OperationId> last_;  ///< step of a task
  bool was_asked_ = false;           ///< whether that task goes on
};

}  // namespace orrery::detail
