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

namespace orrery::detail {

/// A text in memory that outlives the process which writes it.  All-zero bytes are an empty text.
struct MirrorBlock {
  std::atomic<std::uint64_t> size;
  char letters[std::size_t{1} << 20U];

  void set(const std::string& text) {
    const std::size_t count = std::min(text.size(), sizeof letters);
    size = 0;
    std::memcpy(letters, text.data(), count);
    size = count;
  }
  [[nodiscard]] std::string text() const { return {letters, letters + size}; }
};

/// Draws a timeline anew after everything that happens, so that a run which dies leaves what it had
/// so far.  Slow: for one run, not for a search.  Wraps the timeline, which nobody else should run.
class TimelineMirror final : public Observer {
 public:
  explicit TimelineMirror(MirrorBlock& block) : block_(block) {}

  void begin_run(const RunInfo& info) override { timeline_.begin_run(info); }
  [[nodiscard]] EventMask interest() const override { return timeline_.interest(); }
  void on_step(const Alternative& taken) override {
    // Most steps are told as events, or not at all.
    const std::uint64_t lines = timeline_.lines();
    timeline_.on_step(taken);
    if (timeline_.lines() != lines) mirror();
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
    block_.set(timeline_.text());
  }

 private:
  /// Every change of a short run; of a long one only now and then.
  void mirror() {
    ++changes_;
    if (changes_ < 1000 || changes_ % 256 == 0) block_.set(timeline_.text());
  }

  MirrorBlock& block_;
  Timeline timeline_;
  std::uint64_t changes_ = 0;
};

}  // namespace orrery::detail
