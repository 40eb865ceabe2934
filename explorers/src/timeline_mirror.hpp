// The timeline of a run that is expected to die.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include <orrery/replay_core/timeline.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "strategy.hpp"

namespace orrery::detail {

/// A text in memory that outlives the process which writes it.  All-zero bytes are an empty text.
template <std::size_t Capacity>
struct TextBlock {
  std::atomic<std::uint64_t> size;
  char letters[Capacity];

  void set(const std::string& text) {
    const std::size_t count = std::min(text.size(), sizeof letters);
    size = 0;
    std::memcpy(letters, text.data(), count);
    size = count;
  }
  [[nodiscard]] std::string text() const { return {letters, letters + size}; }
};

/// What a run leaves that is expected to die.
struct MirrorBlock {
  TextBlock<std::size_t{1} << 20U> timeline;
  TextBlock<256> actor;  ///< the name of the task that ran last
};

/// Draws a timeline anew after everything that happens, so that a run which dies leaves what it had
/// so far.  Slow: for one run, not for a search.  Wraps the timeline, which nobody else should run.
class TimelineMirror final : public Observer {
 public:
  explicit TimelineMirror(MirrorBlock& block) : block_(block) {}

  void begin_run(const RunInfo& info) override {
    names_ = info.names;
    timeline_.begin_run(info);
  }
  [[nodiscard]] EventMask interest() const override {
    return timeline_.interest() | EventMask::steps();
  }
  void on_step(const Alternative& taken) override {
    if (!is_machine_step(taken)) block_.actor.set(names_->task(taken.id.task));
  }
  void on_event(const Event& event) override {
    timeline_.on_event(event);
    mirror();
  }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    timeline_.on_choice(point, index);
    mirror();
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    timeline_.on_value(question, answer);
    mirror();
  }
  void end_run(const Outcome& outcome) override {
    timeline_.end_run(outcome);
    block_.timeline.set(timeline_.text());
  }

 private:
  /// Every change of a short run; of a long one only now and then.
  void mirror() {
    ++changes_;
    if (changes_ < 1000 || changes_ % 256 == 0) block_.timeline.set(timeline_.text());
  }

  MirrorBlock& block_;
  const Names* names_ = nullptr;
  Timeline timeline_;
  std::uint64_t changes_ = 0;
};

}  // namespace orrery::detail
