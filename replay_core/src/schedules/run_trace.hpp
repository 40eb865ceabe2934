// What a run shows of itself, and where another run shows something else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// What differs in another run.
struct TraceDifference {
  std::string text;  ///< continues "the other run ...": `has rank 0 write "2" instead of "1"`
  FindingPlace where;
  /// Does something differ that is seen from outside: what is written, or how the run ends?
  bool is_seen = true;
};

/// Keeps what a program does with what it has received: the messages that it sends on, those of
/// collective operations among them, the text that it writes, and the files that it leaves.
class RunTrace {
 public:
  [[nodiscard]] static EventMask interest();
  void begin_run(const Names* names);
  void on_event(const Event& event);
  /// Where the run's names still are.
  void end_run(const Outcome& outcome);

  /// Where `other` first shows what this run does not, or else lacks what this run shows; files
  /// count as they are at the end.  Who
  /// writes a text matters, and so does the order of what one task writes; of messages only which
  /// ones there are: it makes no difference who sends, who receives, and when.  Dates do not count.
  [[nodiscard]] std::optional<TraceDifference> difference(const RunTrace& other) const;

 private:
  struct Sent {
    TaskId task;
    std::uint64_t hash = 0;
    std::uint64_t size_bytes = 0;
    std::int32_t tag = 0;
    std::int32_t destination = 0;
    std::uint64_t step = 0;
    SourceLocation where;
    [[nodiscard]] auto content() const { return std::tie(tag, size_bytes, hash); }
  };
  struct Written {
    TaskId task;
    std::uint64_t size_bytes = 0;
    std::uint64_t step = 0;
    SourceLocation where;
  };
  /// What one task has written.
  struct Text {
    std::string text;
    std::vector<std::size_t> pieces;  // numbers in `written_`
  };
  /// A difference, and the step of the run that shows it.
  struct Found {
    std::uint64_t step = 0;
    TraceDifference difference;
  };

  [[nodiscard]] FindingPlace place_of(const SourceLocation& where, TaskId task) const;
  [[nodiscard]] std::string name_of(TaskId task) const;
  [[nodiscard]] const Written* piece_at(const Text& text, std::size_t offset) const;
  [[nodiscard]] std::optional<Found> first_text(const RunTrace& other) const;
  [[nodiscard]] std::optional<Found> first_message(const RunTrace& other) const;
  [[nodiscard]] std::optional<TraceDifference> first_file(const RunTrace& other) const;
  [[nodiscard]] std::optional<Found> first_finding(const RunTrace& other) const;

  const Names* names_ = nullptr;
  std::vector<Sent> sent_;
  std::vector<Written> written_;
  std::map<TaskId, Text> texts_;
  std::map<TaskId, std::string> task_names_;
  std::vector<Finding> findings_;
  std::vector<WrittenFile> files_;  // sorted by path
};

}  // namespace orrery::detail
