// A run as text, a line an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// What happened, in plain words: `sends tag 7 to rank 1 (4 bytes)`, `locks mutex m`.  Without the
/// task, its place and its date.
[[nodiscard]] std::string words(const Event& event, const Names& names);

/// How a timeline looks.
struct TimelineOptions {
  bool color = false;  ///< ANSI colours, for terminals
  /// Longer runs are cut in the middle, and say so; marks there stay, a quarter as many lines.
  std::size_t lines_max = 200;
};

/// Watches a run and turns it into a text for people: the date in microseconds, a column for each
/// task that shows who acts, the task's name, what it does, and the source line.  Answers that are
/// not the undisturbed ones stand on lines of their own that begin with `>>`, in runs too long to
/// be shown as well; findings are at the end.  Who follows a log strictly is not asked: then who is
/// interrupted is marked all the same, and which of several steps comes when nobody is, is not.
/// The same run gives the same text on every machine and build.
///
///     orrery::Timeline timeline;
///     orrery::Observer* observers[] = {&timeline};
///     simulation.run(program, chooser, observers);
///     fmt::print("{}", timeline.text());
class Timeline final : public Observer {
 public:
  explicit Timeline(TimelineOptions options = {}) : options_(options) {}

  /// The last run; while it goes on, so far.
  [[nodiscard]] std::string text() const;
  /// How many lines that has had so far, those that are left out, too.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return EventMask::all_events() | EventMask::steps() | EventMask::choices();
  }
  void on_step(const Alternative& taken) override;
  void on_event(const Event& event) override;
  void on_choice(const ChoicePoint& point, std::size_t index) override;
  void on_value(const ValueQuestion& question, std::uint64_t answer) override;
  void end_run(const Outcome& outcome) override;

 private:
  struct Line {
    VirtualTime time;
    std::size_t lane = 0;  ///< index into `lanes_`
    bool is_mark = false;  ///< about an answer, not an event
    std::string words;
    std::string place;
    std::optional<Event> spawn;  ///< which it is: its words name a task that has no name yet
    std::vector<TaskId> tasks;   ///< of an answer: whose names stand for the `{}` in its words
  };
  [[nodiscard]] std::size_t lane(const Event& event);
  void name_late();
  [[nodiscard]] std::string named_text() const;
  void add(Line line);
  void leave_out(Line line);
  void mark(VirtualTime time, std::string words, std::vector<TaskId> tasks, std::string place = {});
  void mark_step(const Alternative& taken, VirtualTime now, TaskId last, bool last_can_go_on);
  [[nodiscard]] bool can_go_on(TaskId task, VirtualTime now) const;
  void append_line(std::string& text, const Line& line) const;
  [[nodiscard]] std::string lanes_text(const Line& line) const;
  [[nodiscard]] std::string heading() const;
  void append_end(std::string& text) const;
  [[nodiscard]] std::string colored(std::string text, const char* code) const;

  TimelineOptions options_;
  const Names* names_ = nullptr;
  const PendingOperations* pending_ = nullptr;
  struct Lane {
    std::uint32_t order = 0;  ///< the task's number; the network stands last
    std::string name;
    std::size_t column = 0;
  };
  std::vector<Lane> lanes_;  ///< in the order in which they first act
  std::vector<Line> first_;  ///< lines from the beginning of the run
  std::deque<Line> last_;    ///< lines from its end
  /// Marks from between, each with the line that follows.
  struct Between {
    std::uint64_t left_out = 0;  ///< so many lines before it
    Line line;
  };
  std::vector<Between> between_;
  std::uint64_t left_out_ = 0;  ///< lines behind those
  std::uint64_t lines_ = 0;
  bool follows_mark_ = false;  ///< the next line that is left out
  VirtualTime last_time_;
  TaskId last_ran_;
  bool was_asked_ = false;  ///< for the next step
  std::optional<Outcome> outcome_;
};

}  // namespace orrery
